"""Conduct of a club's duplicate tournaments: seats people, opens the tables of each round, and computes the results.

Each step is saved before it takes effect, so a host that was killed goes on with the same tables and the same deals.

The seating depends only on the number of people, the number of seats at a table and the number of rounds. People are
numbered from 0; greater numbers are robots, which fill up the tables. First the groups are chosen, so that people meet
as many others as possible, then the seats, so that everyone sits in each of them equally often.
"""

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime
from functools import partial
from itertools import combinations, permutations
from math import exp, isqrt
from random import Random
from typing import Final, Literal, TypeAlias

from msgspec.structs import replace

from cardtable.club.administration import NewTournament
from cardtable.club.protocol import Talk
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_table import TournamentPlace
from cardtable.club.server.host_events import Emit, TournamentNews, TournamentRoundBegins, TournamentWaits, create_fault
from cardtable.club.server.session_changes import RETRY_SECONDS
from cardtable.club.server.table_manager import TableManager
from cardtable.club.server.table_phases import check_robot_level, read_rules
from cardtable.engine import replay
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame
from cardtable.engine.journal import Occupant
from cardtable.engine.options import Options, parse_pairs
from cardtable.engine.text_format import fold, sanitize, to_one_line
from cardtable.games import GAMES, get_plugin_package
from cardtable.records.competition_results import create_standings, extract_deals
from cardtable.session.session_events import MAX_TALK_LENGTH
from cardtable.store import profiles, seasons, session_files, sessions, summaries, tournaments
from cardtable.store.errors import format_os_error
from cardtable.store.seating import ROBOT_NAMES, compute_nick_key
from cardtable.store.session_setup import SessionSetup
from cardtable.store.tournaments import Tournament, TournamentDeal, TournamentRound, TournamentTable
from cardtable.wording.formatting import format_ordinal
from cardtable.wording.seasons import list_cells
from cardtable.workers.tasks import start_task, stop_task

Group: TypeAlias = tuple[int, ...]
"""Numbers of those who sit at one table, by seat once the seats have been chosen."""
Groups: TypeAlias = tuple[Group, ...]

_SWAPS: Final = 30_000
"""Number of exchanges that the search tries for the groups."""
_INITIAL_TEMPERATURE: Final = 2.0
_PRECISION: Final = 1e-9
"""Least difference of two costs."""
_SEAT_SWEEPS: Final = 60
"""Number of times that the search goes through all tables for the seats."""
_ROBOT_WEIGHT: Final = 0.1
"""Weight of a meeting with a robot, compared with one of two people."""
_BINARY_POLYNOMIALS: Final = {4: 0b111, 8: 0b1011, 16: 0b10011}
"""Irreducible polynomials over GF(2) that define the fields of these orders."""


def create_seating(people: int, seats: int, rounds: int) -> tuple[Groups, ...]:
    """Return the tables of each round, each as the numbers of those who sit there, by seat.

    The number of tables is the least that has a seat for each of the ``people``. Robots have the numbers from
    ``people`` on, and no two of them sit at the same table if there are enough tables.
    """
    tables = -(-people // seats)
    fixed = [groups for _, groups in zip(range(rounds), _iter_exact_rounds(tables, seats), strict=False)]
    seating = _search_groups(people, tables, seats, rounds, fixed)
    return _choose_seats(seating, seats)


def _iter_exact_rounds(tables: int, seats: int) -> Iterator[Groups]:
    """Yield rounds in which no two have met before, from known constructions.

    For two seats it is the circle method of a round robin. For more it is the resolvable transversal design of a finite
    field whose order is the number of tables: number ``column * tables + row`` sits in round ``m`` at the table
    ``row - m * column``. As many rounds follow as the columns themselves can be divided into tables.
    """
    if seats == 2:
        last = 2 * tables - 1
        for number in range(last):
            others = [((number + step) % last, (number - step) % last) for step in range(1, tables)]
            yield ((last, number), *others)
        return
    field = _create_field(tables)
    if field is None or tables < seats:
        return
    add, multiply = field
    for number in range(tables):
        yield tuple(
            [
                tuple([column * tables + add(table, multiply(number, column)) for column in range(seats)])
                for table in range(tables)
            ]
        )
    if tables % seats == 0:
        yield tuple(
            [
                tuple([column * tables + seats * part + offset for offset in range(seats)])
                for column in range(seats)
                for part in range(tables // seats)
            ]
        )


def _create_field(order: int) -> tuple[Callable[[int, int], int], Callable[[int, int], int]] | None:
    """Return addition and multiplication of the finite field of an order, or ``None`` if none is known here."""
    if order > 1 and all(order % divisor for divisor in range(2, isqrt(order) + 1)):
        return lambda one, other: (one + other) % order, lambda one, other: one * other % order
    if (polynomial := _BINARY_POLYNOMIALS.get(order)) is None:
        return None

    def multiply(one: int, other: int) -> int:
        product = 0
        while other:
            if other & 1:
                product ^= one
            one, other = one << 1, other >> 1
            if one >= order:
                one ^= polynomial
        return product

    return lambda one, other: one ^ other, multiply


def _search_groups(people: int, tables: int, seats: int, rounds: int, fixed: list[Groups]) -> list[list[list[int]]]:
    """Return the groups of all rounds: ``fixed`` first, and then rounds found by simulated annealing.

    The cost is the sum of the squares of the numbers of times that each pair meets.
    """
    rng, total = Random(f"{people} {tables} {seats} {rounds}"), tables * seats
    seating = [[[*group] for group in groups] for groups in fixed]
    for _ in range(rounds - len(fixed)):
        order = rng.sample(range(total), total)
        seating.append([order[seats * table : seats * (table + 1)] for table in range(tables)])
    if tables == 1 or len(seating) == len(fixed):
        return seating
    meetings, best, best_cost, cost = _Meetings(seating, people, total), deepcopy(seating), 0.0, 0.0
    for step in range(_SWAPS):
        left, right = rng.sample(seating[rng.randrange(len(fixed), rounds)], 2)
        at, to = rng.randrange(seats), rng.randrange(seats)
        leaver, comer = left[at], right[to]
        change = meetings.compute_change(left, leaver, comer) + meetings.compute_change(right, comer, leaver)
        temperature = _INITIAL_TEMPERATURE * (1 - step / _SWAPS) ** 2
        if change <= 0 or rng.random() < exp(-change / temperature):
            meetings.replace(left, leaver, comer)
            meetings.replace(right, comer, leaver)
            left[at], right[to] = comer, leaver
            cost += change
            if cost < best_cost - _PRECISION:
                best, best_cost = deepcopy(seating), cost
    return best


class _Meetings:
    """Numbers of times that each pair meets, which change as two exchange their tables."""

    def __init__(self, rounds: list[list[list[int]]], people: int, total: int) -> None:
        """Count the meetings; numbers from ``people`` on are robots, and ``total`` is the number of all."""
        self._people, self._total = people, total
        self._met = [[0] * total for _ in range(total)]
        for one, other in [pair for groups in rounds for group in groups for pair in permutations(group, 2)]:
            self._met[one][other] += 1

    def _get_weight(self, one: int, other: int) -> float:
        robots = (one >= self._people) + (other >= self._people)
        return float(self._total) if robots == 2 else _ROBOT_WEIGHT if robots else 1.0

    def compute_change(self, group: list[int], leaver: int, comer: int) -> float:
        """Return the change of the cost if ``comer`` takes the place of ``leaver`` in a group."""
        change = 0.0
        for stays in group:
            if stays != leaver:
                change += self._get_weight(stays, comer) * (2 * self._met[stays][comer] + 1)
                change -= self._get_weight(stays, leaver) * (2 * self._met[stays][leaver] - 1)
        return change

    def replace(self, group: list[int], leaver: int, comer: int) -> None:
        """Count the meetings anew for a group in which ``comer`` takes the place of ``leaver``."""
        for stays in group:
            if stays != leaver:
                for player, number in ((leaver, -1), (comer, 1)):
                    self._met[stays][player] += number
                    self._met[player][stays] += number


def _choose_seats(seating: list[list[list[int]]], seats: int) -> tuple[Groups, ...]:
    """Return the groups with their members in the order of the seats.

    Two members of a table exchange seats as long as this makes the numbers of times that each of them sits in each seat
    more equal.
    """
    rng, sat = Random(len(seating)), Counter[tuple[int, int]]()
    tables = [group for groups in seating for group in groups]
    for group in tables:
        sat.update((player, seat) for seat, player in enumerate(group))
    for sweep in range(_SEAT_SWEEPS):
        is_changed = False
        for group in rng.sample(tables, len(tables)):
            for one, other in combinations(range(seats), 2):
                left, right = group[one], group[other]
                change = sat[left, other] + 1 - sat[left, one] + sat[right, one] + 1 - sat[right, other]
                if change < 0 or (change == 0 and sweep < _SEAT_SWEEPS // 2 and rng.random() < 0.5):
                    is_changed = True
                    sat.subtract([(left, one), (right, other)])
                    sat.update([(left, other), (right, one)])
                    group[one], group[other] = right, left
        if not is_changed:
            break
    return tuple([tuple([tuple(group) for group in groups]) for groups in seating])


MAX_PEOPLE: Final = 200
MAX_TOURNAMENT_NAME: Final = 24
_ANNOUNCED_DIGITS: Final = 16
"""Number of hexadecimal digits of a commitment, 64 bits, that are announced; the results have all of them."""
_ANNOUNCED_PLACES: Final = 3


class TournamentManager:
    """All tournaments of a club."""

    def __init__(
        self,
        accounts: AccountStore,
        tables: TableManager,
        clients: Sequence[ConnectedClient],
        on_change: Callable[[], None],
        emit: Emit,
    ) -> None:
        """Create the manager; ``open`` opens the tables of rounds that are being played.

        ``clients`` holds all connected clients, and the caller keeps it up to date. ``on_change`` is called after a
        table has been opened or closed, and ``emit`` with each event.
        """
        self._accounts, self._tables, self._clients = accounts, tables, clients
        self._on_change, self._emit = on_change, emit
        self._lock = asyncio.Lock()
        self._finished_sessions: set[str] = set()
        """Ids of sessions of rounds being played that are known to have ended."""
        self._calls: list[tuple[Tournament, int, int, TournamentTable]] = []
        """Arguments of ``_call_to_table`` for tables that the lobby does not show yet."""
        self._task: asyncio.Task[None] | None = None
        self._logged_error = ""
        self._is_open = True

    async def open(self) -> None:
        """Open the tables of all rounds that are being played. What fails is tried again later."""
        await self._update()

    async def close(self) -> None:
        """Stop conducting tournaments; the tables are closed by the ``TableManager``."""
        self._is_open = False
        await stop_task(self._task)

    # Commands of the administrator

    async def create(self, wish: NewTournament) -> Tournament:
        """Create and store a tournament. Raises ``CardtableError`` if it is not possible as described."""
        name = to_one_line(" ".join(wish.name.split()), MAX_TOURNAMENT_NAME)
        try:
            rules = parse_pairs(wish.options)
        except ValueError as error:
            raise CardtableError(str(error)) from None
        _, seats, options = read_rules(wish.game, wish.seats, rules)
        if options.stake:
            raise CardtableError("a tournament has no stakes")
        people = self._check_people(wish.players, seats)
        if not sanitize(name).strip() or len(" ".join(wish.name.split())) > MAX_TOURNAMENT_NAME:
            raise CardtableError(f"a tournament has a name of 1 to {MAX_TOURNAMENT_NAME} characters")
        if any(fold(season.name) == fold(name) for season in seasons.load()):
            raise CardtableError(f"there is already a season called {sanitize(name, 40)}")
        check_robot_level(wish.level)
        seating = await asyncio.to_thread(create_seating, len(people), seats, wish.rounds)
        key = tournaments.generate_key()
        tournament = Tournament(
            id=secrets.token_hex(8),
            name=name,
            game=wish.game,
            options=options.for_seats(seats).to_header(),
            people=people,
            rounds=tuple([_create_round(groups, people, wish.level) for groups in seating]),
            level=wish.level,
            grace=wish.grace,
            automatic=wish.automatic,
            created=int(time.time()),
            commitment=tournaments.compute_commitment(key),
            package=get_plugin_package(wish.game),
        )
        await asyncio.to_thread(tournaments.add, tournament, key)
        self._announce(
            f"The tournament {name} is open. The SHA-256 of the key of its deals begins with "
            f"{tournament.commitment[:_ANNOUNCED_DIGITS]}; its results among the seasons have all of it."
        )
        return tournament

    def _check_people(self, nicks: Iterable[str], seats: int) -> tuple[Occupant, ...]:
        """Return the people with these nicks as occupants of seats.

        Raises ``CardtableError`` if one of them has never been in the club, or their number is not possible.
        """
        people = tuple([self._accounts.find_person(nick).person.occupant for nick in nicks])
        if len({compute_nick_key(person.name) for person in people}) < len(people):
            raise CardtableError("somebody is named twice")
        if not seats < len(people) <= MAX_PEOPLE:
            raise CardtableError(f"a tournament needs {seats + 1} to {MAX_PEOPLE} people, for at least two tables")
        return people

    async def begin_round(self, name: str) -> tuple[Tournament, int]:
        """Begin the next round of a tournament; return the tournament, and the number of the round.

        Raises ``CardtableError`` if a round is being played or none is left, or if the round cannot be saved. If a
        table cannot be opened, the error is raised, too, and opening it is tried again.
        """
        async with self._lock:
            tournament, number = await self._begin_round(_find_open(name))
            await self._open_round(tournament, number - 1)
            return tournament, number

    async def _begin_round(self, tournament: Tournament) -> tuple[Tournament, int]:
        """Save the next round as being played, with the ids of its sessions.

        Raises ``CardtableError`` if the round cannot begin.
        """
        if (current := tournament.current_round) is not None:
            raise CardtableError(f"round {current + 1} of {tournament.name} is still being played")
        index = tournament.next_round
        if index is None:
            raise CardtableError(f"{tournament.name} has no more rounds")
        _read_rules(tournament)
        tournament, now = _update_nicks(tournament), datetime.now(UTC)
        tables, taken_ids = list[TournamentTable](), {*self._tables.registry.tables}
        for table in tournament.rounds[index].tables:
            tables.append(replace(table, session=sessions.generate_id(now, tournament.game, taken_ids)))
            taken_ids.add(tables[-1].session)
        tournament = tournament.replace_round(index, TournamentRound(tuple(tables), "playing"))
        await asyncio.to_thread(tournaments.save, tournament)
        self._emit(TournamentRoundBegins(tournament.name, index + 1))
        return tournament, index + 1

    async def end(self, name: str, state: Literal["ended", "cancelled"]) -> Tournament:
        """End a tournament early, and return it with its key.

        A round that is being played does not count, and its sessions are abandoned. Raises ``CardtableError`` if the
        tournament has ended already or cannot be saved.
        """
        async with self._lock:
            tournament = _find_open(name)
            current = tournament.current_round
            tournament = await self._save_end(tournament, state)
            self._announce_end(tournament)
            if current is not None:
                reason = f"The host has ended the tournament {tournament.name}."
                for table in tournament.rounds[current].tables:
                    with suppress(CardtableError):  # it is over, or remains an ordinary table
                        await self._tables.abandon_table(table.session, reason)
            self._on_change()
            return tournament

    async def _save_end(self, tournament: Tournament, state: Literal["ended", "cancelled"]) -> Tournament:
        """Save that a tournament has ended, with its key if that can be read, and return it."""
        key = b""
        with suppress(CardtableError):
            key = await asyncio.to_thread(tournaments.read_key, tournament)
        rounds = tuple(
            [replace(round_, state="planned") if round_.state == "playing" else round_ for round_ in tournament.rounds]
        )
        ended = replace(tournament, state=state, key=key.hex(), rounds=rounds)
        await asyncio.to_thread(tournaments.save, ended)
        return ended

    # Rounds that are being played

    def notice_change(self) -> None:
        """Call people to tables that the lobby shows now, and update the tournaments if necessary.

        That is the case if a table has ended, or is not open although it has not.
        """
        for call in self._calls:
            for client in self._clients:
                self._call_to_table(client, *call)
        self._calls.clear()
        if self._is_open and self._task is None and self._needs_update():
            self._task = start_task(self._update_in_background())

    def _needs_update(self) -> bool:
        with suppress(CardtableError):
            return any(
                self._needs_attention(table.session) for _, round_ in _list_playing() for table in round_.tables
            ) or any(
                all(table.session in self._finished_sessions for table in round_.tables)
                for _, round_ in _list_playing()
            )
        return False

    def _needs_attention(self, session: str) -> bool:
        """Return True if a session that is not known to have ended is closed or has ended."""
        table = self._tables.registry.tables.get(session)
        is_running = table is not None and table.hosted_session is not None and not table.is_over
        return session not in self._finished_sessions and not is_running

    async def _update_in_background(self) -> None:
        try:
            if not await self._update():
                await asyncio.sleep(RETRY_SECONDS)
        finally:
            self._task = None
        self._on_change()

    async def _update(self) -> bool:
        """Open tables and finish rounds as necessary; return False if something failed, which is logged once."""
        error_text = ""
        async with self._lock:
            try:
                playing = _list_playing()
            except CardtableError as error:
                playing, error_text = [], error.reason
            for tournament, round_ in playing:
                try:
                    await self._update_round(tournament, tournament.rounds.index(round_))
                except CardtableError as error:
                    error_text = error.reason
                except OSError as error:
                    error_text = format_os_error(error)
                except Exception as error:  # the tables and the other tournaments go on
                    error_text = str(create_fault(error, tournament.name))
        if error_text and error_text != self._logged_error:
            self._emit(TournamentWaits(sanitize(error_text, MAX_TALK_LENGTH)))
        self._logged_error = error_text
        return not error_text

    async def _update_round(self, tournament: Tournament, index: int) -> None:
        await self._open_round(tournament, index)
        if all(table.session in self._finished_sessions for table in tournament.rounds[index].tables):
            await self._finish_round(tournament, index)

    async def _open_round(self, tournament: Tournament, index: int) -> None:
        """Open the tables of a round whose sessions have not ended, and call their players."""
        waiting = [
            (number, table)
            for number, table in enumerate(tournament.rounds[index].tables, 1)
            if self._needs_attention(table.session)
        ]
        for number, table in waiting:  # nobody may watch a table while others are opened
            place = TournamentPlace(_format_table_name(tournament, index, number), tournament.level)
            self._tables.registry.add_tournament_table(table.session, tournament.grace, place)
        for number, table in waiting:
            await self._open_table(tournament, index, number, table)

    async def _open_table(self, tournament: Tournament, index: int, number: int, table: TournamentTable) -> None:
        """Open the table of a session, which is created if necessary, unless it has ended."""
        active = self._tables.registry.tables.get(table.session)
        if active is not None and active.hosted_session is not None and active.is_over:
            self._finished_sessions.add(table.session)
            return
        path = await asyncio.to_thread(summaries.find_session_file, table.session)
        state = "" if path is None else (await asyncio.to_thread(summaries.summarize_fast, path)).state
        if state == "over":
            self._finished_sessions.add(table.session)
            return
        if path is not None and state == "abandoned":
            await asyncio.to_thread(sessions.restore, path)
        begin = partial(_begin_session, tournament, index, number, table, self._accounts.id)
        await self._tables.registry.open_tournament_table(table.session, begin if path is None else None)
        self._calls.append((tournament, index, number, table))
        self._on_change()

    async def _finish_round(self, tournament: Tournament, index: int) -> None:
        """Store the results of a round, open its tables to others, and begin the next round or end the tournament."""
        round_ = tournament.rounds[index]
        results = [await asyncio.to_thread(_read_deals, table.session) for table in round_.tables]
        tables = [replace(table, deals=deals) for table, deals in zip(round_.tables, results, strict=True)]
        tournament = tournament.replace_round(index, TournamentRound(tuple(tables), "finished"))
        if tournament.next_round is None:
            tournament = await self._save_end(tournament, "ended")
        else:
            await asyncio.to_thread(tournaments.save, tournament)
        for table in tables:
            await self._tables.registry.release_tournament_table(table.session)
            self._finished_sessions.discard(table.session)
        self._announce_results(tournament, index)
        if tournament.state != "open":
            self._announce_end(tournament)
        if tournament.automatic and tournament.next_round is not None:
            tournament, number = await self._begin_round(tournament)
            await self._open_round(tournament, number - 1)
        self._on_change()

    def _announce_results(self, tournament: Tournament, index: int) -> None:
        """Announce that a round has finished, and who leads."""
        table = create_standings(tournament)
        leaders = []
        for row in table.rows[:_ANNOUNCED_PLACES]:
            if row.place is not None:
                _, nick, total, *_ = list_cells(table, row)
                leaders.append(f"{format_ordinal(row.place)} {nick} {total}")
        result = ", ".join(leaders) or "nobody has a place"
        self._announce(f"Round {index + 1} of {tournament.name} has finished: {result}.")

    def _announce_end(self, tournament: Tournament) -> None:
        self._announce(
            f"The tournament {tournament.name} is {tournament.state}; its key is {tournament.key or 'lost'}."
        )

    def _announce(self, text: str) -> None:
        """Send a sentence to all people, and write it into the log."""
        text = sanitize(text, MAX_TALK_LENGTH)
        self._emit(TournamentNews(text))
        for client in self._clients:
            client.queue_talk(Talk(text))

    # Calls

    def call_person(self, client: ConnectedClient) -> None:
        """Call a person who has just joined to their table."""
        with suppress(CardtableError):
            for tournament, round_ in _list_playing():
                for number, table in enumerate(round_.tables, 1):
                    if table.session not in self._finished_sessions:
                        self._call_to_table(client, tournament, tournament.rounds.index(round_), number, table)

    def _call_to_table(
        self, client: ConnectedClient, tournament: Tournament, index: int, number: int, table: TournamentTable
    ) -> None:
        for seat, occupant in enumerate(table.seats, 1):
            if occupant.robot is None and client.person.owns(occupant) and table.session not in client.subscriptions:
                client.queue_talk(
                    Talk(f"Round {index + 1} of {tournament.name}: table {number}, seat {seat}; sit down.")
                )


def _list_playing() -> list[tuple[Tournament, TournamentRound]]:
    """Return the open tournaments in which a round is being played, with that round."""
    return [
        (tournament, tournament.rounds[index])
        for tournament in tournaments.load()
        if tournament.state == "open" and (index := tournament.current_round) is not None
    ]


def _read_rules(tournament: Tournament) -> tuple[AnyGame, Options]:
    """Return the game and the house rules of a tournament.

    Raises ``CardtableError`` if the game cannot be used, or now has other numbers of seats or other house rules.
    """
    try:
        return replay.read_current_rules(tournament, GAMES)
    except ValueError as error:
        raise CardtableError(f"{tournament.name} cannot go on: {error}") from None


def _find_open(name: str) -> Tournament:
    tournament = tournaments.find(name)
    if tournament.state != "open":
        raise CardtableError(f"the tournament {tournament.name} is {tournament.state}")
    return tournament


def _create_round(groups: Iterable[Sequence[int]], people: Sequence[Occupant], level: str) -> TournamentRound:
    """Return a round with the people and robots that sit together according to their numbers."""
    tables = []
    for group in groups:
        robots = iter(ROBOT_NAMES)
        tables.append(
            TournamentTable(
                tuple([people[number] if number < len(people) else Occupant(next(robots), level) for number in group])
            )
        )
    return TournamentRound(tuple(tables))


def _update_nicks(tournament: Tournament) -> Tournament:
    """Return the tournament with the present nicks of all people who have a profile."""
    nicks = {profile.id: profile.nick for profile in profiles.load()[0].players}
    return tournament.convert_people(lambda person: replace(person, name=nicks.get(person.player or "", person.name)))


def _format_table_name(tournament: Tournament, index: int, number: int) -> str:
    """Return the name of a table, such as ``Friday 2/3, table 1``."""
    suffix = f" {index + 1}/{len(tournament.rounds)}, table {number}"
    return to_one_line(tournament.name, session_files.MAX_NAME_LENGTH - len(suffix)) + suffix


def _begin_session(
    tournament: Tournament, index: int, number: int, table: TournamentTable, club_id: str
) -> sessions.Session:
    """Begin the session of a table. Raises ``CardtableError`` if that is impossible."""
    game, options = _read_rules(tournament)
    session = SessionSetup(game, table.seats, options, None, random_seating=False).begin(
        table.session, authenticated=True, host_id=club_id
    )
    session.referee.rename(_format_table_name(tournament, index, number))
    return session


def _read_deals(session: str) -> tuple[TournamentDeal, ...]:
    """Return the results of the deals of a session that has ended. Raises ``CardtableError`` if it cannot be read."""
    path = summaries.find_session_file(session)
    if path is None:
        raise CardtableError(f"the session {session} is missing")
    return extract_deals(session_files.load_journal(path))
