"""Conduct of a club's duplicate tournaments: calls people, opens the tables of each round, and computes the results.

docs/tournament-rules.md has the rules.

Each step is saved before it takes effect, so a host that was killed goes on with the same tables and the same deals.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from math import ceil, inf
from typing import Final, Literal

from msgspec.structs import replace

from cardtable.club.administration import NewTournament
from cardtable.club.protocol import RoundCall, Talk
from cardtable.club.server import host_events
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_table import TournamentSetting
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.round_talk import RoundTalk
from cardtable.club.server.session_changes import RETRY_SECONDS
from cardtable.club.server.table_access import Person
from cardtable.club.server.table_manager import TableManager
from cardtable.club.server.table_phases import check_robot_level, read_rules
from cardtable.club.server.tournament_seating import create_seating
from cardtable.engine import replay
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame
from cardtable.engine.journal import NameLine, Occupant, PlayerClock, Terms
from cardtable.engine.options import Options, parse_pairs
from cardtable.engine.text_format import find_name, fold, sanitize, to_one_line
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
        emit: host_events.Emit,
    ) -> None:
        """Create the manager; ``open`` opens the tables of rounds that are being played.

        ``clients`` holds all connected clients, and the caller keeps it up to date. ``on_change`` is called after a
        table has been opened or closed, and ``emit`` with each event.
        """
        self._accounts, self._tables, self._clients = accounts, tables, clients
        self._on_change, self._emit = on_change, emit
        self.talk: Final = RoundTalk(accounts)
        self._lock = asyncio.Lock()
        self._finished_sessions: set[str] = set()
        """Ids of sessions of rounds being played that are known to have ended."""
        self._timer: asyncio.TimerHandle | None = None
        """Timer of the next step that the clock brings."""
        self._task: asyncio.Task[None] | None = None
        self._logged_error = ""
        self._is_open = True

    async def open(self) -> None:
        """Open the tables of all rounds that are being played. What fails is tried again later."""
        await self._update()
        self.notice_change()

    async def close(self) -> None:
        """Stop conducting tournaments; the tables are closed by the ``TableManager``."""
        self._is_open = False
        if self._timer:
            self._timer.cancel()
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
            clock=PlayerClock(wish.decision, wish.reserve),
            check_in=wish.check_in,
            pause=wish.pause,
            ahead=wish.ahead,
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
        """Call the next round of a tournament or, if it is being called, begin it with those who have checked in.

        Return the tournament, and the index of the round. Raises ``CardtableError`` if the tournament is paused, if a
        round is being played or none is left, if nobody has checked in, or if the round cannot be saved. If a table
        cannot be opened, the error is raised, too, and opening it is tried again.
        """
        async with self._lock:
            tournament = _find_open(name)
            if tournament.paused:
                raise CardtableError(f"{tournament.name} is paused; resume it first")
            current = tournament.current_round
            if current is None:
                return await self._call_round(tournament)
            if tournament.rounds[current].state == "playing":
                raise CardtableError(f"round {current + 1} of {tournament.name} is still being played")
            if not tournament.rounds[current].checked_in:
                raise CardtableError(f"nobody has checked in to round {current + 1} of {tournament.name}")
            tournament = await self._begin_round(tournament, current)
            await self._open_round(tournament, current)
            return tournament, current

    async def _call_round(self, tournament: Tournament) -> tuple[Tournament, int]:
        """Save that the next round is being called, and call its people.

        Raises ``CardtableError`` if the round cannot begin.
        """
        index = tournament.next_round
        if index is None:
            raise CardtableError(f"{tournament.name} has no more rounds")
        _read_rules(tournament)
        nicks = {profile.id: profile.nick for profile in profiles.load()[0].players}
        tournament = tournament.convert_people(
            lambda person: replace(person, name=nicks.get(person.player or "", person.name))
        )
        call_until = int(time.time()) + tournament.check_in
        called = replace(tournament.rounds[index], state="calling", checked_in=(), call_until=call_until)
        tournament = tournament.replace_round(index, called)
        await asyncio.to_thread(tournaments.save, tournament)
        self._emit(host_events.TournamentRoundCalled(tournament.name, index + 1))
        self._send_calls(tournament, index)
        return tournament, index

    async def _begin_round(self, tournament: Tournament, index: int) -> Tournament:
        """Save a round as being played, with the ids of its sessions, and robots in place of those who are not there.

        Tables without people are left out.
        """
        _read_rules(tournament)
        round_, now = tournament.rounds[index], datetime.now(UTC)
        tables, taken_ids = list[TournamentTable](), {*self._tables.registry.tables}
        for table in round_.tables:
            seats = _replace_absent(table.seats, round_.checked_in, tournament.level)
            if any(occupant.robot is None for occupant in seats):
                tables.append(TournamentTable(seats, sessions.generate_id(now, tournament.game, taken_ids)))
                taken_ids.add(tables[-1].session)
        tournament = tournament.replace_round(index, replace(round_, tables=tuple(tables), state="playing"))
        await asyncio.to_thread(tournaments.save, tournament)
        self._emit(host_events.TournamentRoundBegins(tournament.name, index + 1))
        self._send_calls(tournament, index)
        for client in self._clients:
            own = _find_own(tournament, client.person)
            if own is not None and own not in round_.checked_in:
                text = f"Round {index + 1} of {tournament.name} has begun without you, since you have not checked in."
                client.queue_talk(Talk(text))
        return tournament

    async def set_paused(self, name: str, *, paused: bool) -> str:
        """Pause a tournament, or let it go on, and return the sentence that announces it.

        A round that was being called is called anew. Raises ``CardtableError`` if nothing would change, or if that
        cannot be saved.
        """
        async with self._lock:
            tournament = _find_open(name)
            if tournament.paused == paused:
                raise CardtableError(f"{tournament.name} is {'paused already' if paused else 'not paused'}")
            tournament, index = replace(tournament, paused=paused), tournament.current_round
            if index is not None and tournament.rounds[index].state == "calling":
                call_until = int(time.time()) + tournament.check_in
                tournament = tournament.replace_round(index, replace(tournament.rounds[index], call_until=call_until))
            await asyncio.to_thread(tournaments.save, tournament)
            if index is not None:
                self._send_calls(tournament, index)
            text = f"The tournament {tournament.name} {'pauses after the deals in play' if paused else 'goes on'}."
            self._announce(text)
        self._tables.registry.notice_progress()
        self._on_change()
        return text

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
            self.talk.release(tournament)
            if current is not None:
                self._send_calls(tournament, current)
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
            [round_ if round_.state == "finished" else replace(round_, state="planned") for round_ in tournament.rounds]
        )
        ended = replace(tournament, state=state, key=key.hex(), rounds=rounds)
        await asyncio.to_thread(tournaments.save, ended)
        return ended

    # Rounds that are being played

    def notice_change(self) -> None:
        """Update the tournaments if a step is due, and otherwise when the clock brings the next one."""
        if not self._is_open or self._task is not None:
            return
        with suppress(CardtableError):
            open_tournaments = tournaments.list_open()
            if any(map(self._is_step_due, open_tournaments)):
                self._task = start_task(self._update_in_background())
                return
            if self._timer:
                self._timer.cancel()
            if times := [moment for tournament in open_tournaments if (moment := _find_next_time(tournament))]:
                delay = max(min(times) - time.time(), 0)
                self._timer = asyncio.get_running_loop().call_later(delay, self.notice_change)

    def _is_step_due(self, tournament: Tournament) -> bool:
        """Return True if a round is to be called, begun, opened or finished now, without the administrator."""
        index = tournament.current_round
        if index is not None and (round_ := tournament.rounds[index]).state == "playing":
            tables = [table.session for table in round_.tables]
            return any(map(self._needs_attention, tables)) or self._finished_sessions.issuperset(tables)
        if index is not None and not tournament.paused and len(round_.checked_in) == len(tournament.people):
            return True
        moment = _find_next_time(tournament)
        return moment is not None and moment <= time.time()

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
        """Take all steps that are due; return False if something failed, which is logged once."""
        error_text = ""
        async with self._lock:
            try:
                open_tournaments = tournaments.list_open()
            except CardtableError as error:
                open_tournaments, error_text = [], error.reason
            for tournament in filter(self._is_step_due, open_tournaments):
                try:
                    await self._take_step(tournament)
                except CardtableError as error:
                    error_text = error.reason
                except OSError as error:
                    error_text = format_os_error(error)
                except Exception as error:  # the tables and the other tournaments go on
                    error_text = str(host_events.create_fault(error, tournament.name))
        if error_text and error_text != self._logged_error:
            self._emit(host_events.TournamentWaits(sanitize(error_text, MAX_TALK_LENGTH)))
        self._logged_error = error_text
        return not error_text

    async def _take_step(self, tournament: Tournament) -> None:
        """Call, begin, open or finish a round; if nobody has checked in, pause the tournament."""
        index = tournament.current_round
        if index is None:
            await self._call_round(tournament)
            return
        round_ = tournament.rounds[index]
        if round_.state == "calling":
            if not round_.checked_in:
                paused = replace(tournament.replace_round(index, replace(round_, state="planned")), paused=True)
                await asyncio.to_thread(tournaments.save, paused)
                self._send_calls(paused, index)
                self._announce(f"Nobody has checked in to round {index + 1} of {tournament.name}, which pauses.")
                return
            tournament = await self._begin_round(tournament, index)
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
            title = _format_table_name(tournament, index, number)
            setting = TournamentSetting(title, partial(self._find_hold, table.session))
            self._tables.registry.add_tournament_table(table.session, tournament.grace, setting)
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
        await self._tables.open_tournament_table(table.session, begin if path is None else None)
        self._on_change()

    async def _finish_round(self, tournament: Tournament, index: int) -> None:
        """Store the results of a round, open its tables to others, and begin the next round or end the tournament."""
        round_ = tournament.rounds[index]
        results = [await asyncio.to_thread(_read_deals, table.session) for table in round_.tables]
        tables = [replace(table, deals=deals) for table, deals in zip(round_.tables, results, strict=True)]
        tournament = tournament.replace_round(index, replace(round_, tables=tuple(tables), state="finished"))
        following = tournament.next_round
        if following is not None and tournament.automatic:
            begins_at = int(time.time()) + tournament.pause
            tournament = tournament.replace_round(following, replace(tournament.rounds[following], begins_at=begins_at))
        if following is None:
            tournament = await self._save_end(tournament, "ended")
        else:
            await asyncio.to_thread(tournaments.save, tournament)
        for table in tables:
            await self._tables.registry.release_tournament_table(table.session)
            self._finished_sessions.discard(table.session)
        self._announce(_format_leaders(tournament, index))
        self.talk.release(tournament)
        if tournament.state != "open":
            self._announce_end(tournament)
        self._on_change()

    def _find_hold(self, session: str, board: int) -> str:
        """Return why the table of a session may not deal a board, counted from 1; empty if it may."""
        try:
            reference = tournaments.find_round(session)
        except CardtableError:
            return "the club cannot read its tournaments"
        if reference is None:
            return ""
        if reference.tournament.paused:
            return "the tournament is paused"
        tables = reference.tournament.rounds[reference.round].tables
        slowest = min(map(self._count_boards, [table.session for table in tables]))
        return "waiting for the other tables" if slowest < board - reference.tournament.ahead else ""

    def _count_boards(self, session: str) -> float:
        """Return the number of boards that a table has finished; all of them once its session has ended."""
        table = self._tables.registry.tables.get(session)
        if session in self._finished_sessions or (table and table.is_over):
            return inf
        return table.hosted_session.finished_rounds if table and table.hosted_session else 0

    def _announce_end(self, tournament: Tournament) -> None:
        self._announce(
            f"The tournament {tournament.name} is {tournament.state}; its key is {tournament.key or 'lost'}."
        )

    def _announce(self, text: str) -> None:
        """Send a sentence to all people, and write it into the log."""
        text = sanitize(text, MAX_TALK_LENGTH)
        self._emit(host_events.TournamentNews(text))
        for client in self._clients:
            client.queue_talk(Talk(text))

    # Check-in

    async def check_in(self, client: ConnectedClient, name: str) -> None:
        """Record that a person is there for the round that is being called.

        Raises ``CardtableError`` if they do not take part, no round is being called, or it cannot be saved.
        """
        async with self._lock:
            called = {
                tournament.name: (tournament, index)
                for tournament in tournaments.list_open()
                if (index := tournament.current_round) is not None and tournament.rounds[index].state == "calling"
            }
            if (full_name := find_name(name.strip(), called)) is None:
                raise RequestRefused(f"no round of {sanitize(name, MAX_TOURNAMENT_NAME)} is being called")
            tournament, index = called[full_name]
            round_ = tournament.rounds[index]
            own = _find_own(tournament, client.person)
            if own is None:
                raise RequestRefused(f"you do not take part in {tournament.name}")
            if own not in round_.checked_in:
                tournament = tournament.replace_round(index, replace(round_, checked_in=(*round_.checked_in, own)))
                await asyncio.to_thread(tournaments.save, tournament)
            for other in self._clients:
                if other.person.owns(own):
                    self._send_call(other, tournament, index)

    def call_person(self, client: ConnectedClient) -> None:
        """Call a person who has just joined to check in, or to their table."""
        with suppress(CardtableError):
            for tournament in tournaments.list_open():
                if (index := tournament.current_round) is None:
                    continue
                if tournament.rounds[index].state == "calling":
                    self._send_call(client, tournament, index)
                    continue
                for number, table in enumerate(tournament.rounds[index].tables, 1):
                    if table.session not in self._finished_sessions:
                        self._call_to_table(client, tournament, index, number, table)

    def _send_calls(self, tournament: Tournament, index: int) -> None:
        for client in self._clients:
            self._send_call(client, tournament, index)

    def _send_call(self, client: ConnectedClient, tournament: Tournament, index: int) -> None:
        """Tell a client who takes part how long the check-in to a round is open for them."""
        round_, own = tournament.rounds[index], _find_own(tournament, client.person)
        if own is not None:
            is_open = round_.state == "calling" and own not in round_.checked_in
            seconds = max(ceil(round_.call_until - time.time()), 1) if is_open else 0
            client.queue_answer(RoundCall(tournament.name, index + 1, seconds))

    def _call_to_table(
        self, client: ConnectedClient, tournament: Tournament, index: int, number: int, table: TournamentTable
    ) -> None:
        for seat, occupant in enumerate(table.seats, 1):
            if occupant.robot is None and client.person.owns(occupant):
                client.queue_talk(
                    Talk(f"Round {index + 1} of {tournament.name}: table {number}, seat {seat}; sit down.")
                )


def _format_leaders(tournament: Tournament, index: int) -> str:
    """Return the sentence that a round has finished, and who leads."""
    table = create_standings(tournament)
    leaders = []
    for row in table.rows[:_ANNOUNCED_PLACES]:
        if row.place is not None:
            _, nick, total, *_ = list_cells(table, row)
            leaders.append(f"{format_ordinal(row.place)} {nick} {total}")
    result = ", ".join(leaders) or "nobody has a place"
    return f"Round {index + 1} of {tournament.name} has finished: {result}."


def _find_next_time(tournament: Tournament) -> int | None:
    """Return the time at which the clock calls the next round or ends its check-in; ``None`` if it does not."""
    if tournament.paused:
        return None
    index = tournament.current_round
    if index is not None:
        return tournament.rounds[index].call_until if tournament.rounds[index].state == "calling" else None
    following = tournament.next_round
    return (tournament.rounds[following].begins_at or None) if following is not None else None


def _find_own(tournament: Tournament, person: Person) -> Occupant | None:
    return next((occupant for occupant in tournament.people if person.owns(occupant)), None)


def _replace_absent(seats: Sequence[Occupant], checked_in: Sequence[Occupant], level: str) -> tuple[Occupant, ...]:
    """Return the occupants of a table with robots in place of those who have not checked in."""
    free_names = (name for name in ROBOT_NAMES if name not in [occupant.name for occupant in seats])
    return tuple(
        [
            occupant if occupant.robot or occupant in checked_in else Occupant(next(free_names), level)
            for occupant in seats
        ]
    )


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
        table.session,
        authenticated=True,
        host_id=club_id,
        terms=Terms(rated=True, aids=False, clock=tournament.clock),
    )
    session.referee.record_line(NameLine(_format_table_name(tournament, index, number)))
    return session


def _read_deals(session: str) -> tuple[TournamentDeal, ...]:
    """Return the results of the deals of a session that has ended. Raises ``CardtableError`` if it cannot be read."""
    path = summaries.find_session_file(session)
    if path is None:
        raise CardtableError(f"the session {session} is missing")
    return extract_deals(session_files.load_journal(path))
