"""Phases of a club's table: players take seats, play, or have left a session that is saved or finished."""

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from cardtable.club.open_table import find_loading_error
from cardtable.club.protocol import OpenTable, SeatInfo, TableInfo
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.session_people import RATED
from cardtable.club.server.stored_sessions import UnfinishedSession
from cardtable.club.server.table_access import Person, rename_owner
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.journal import DEFAULT_CLOCK, Occupant, Terms
from cardtable.engine.options import Options, has_open_hands, read
from cardtable.engine.text_format import format_unknown_name, to_one_line
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import session_files
from cardtable.store.seasons import Season
from cardtable.store.seating import DEFAULT_LEVEL, ROBOT_NAMES
from cardtable.store.session_files import parse_creation_time
from cardtable.store.session_setup import SessionSetup
from cardtable.workers.tasks import start_task


def refuse_others(master: str, nick: str) -> None:
    """Raise ``RequestRefused`` unless a nick is that of the game master."""
    if nick != master:
        raise RequestRefused(f"{master} is the game master, and nobody else can do that")


def check_robot_level(level: str) -> None:
    """Raise ``RequestRefused`` unless there are robots of a level."""
    if level not in LEVELS:
        raise RequestRefused(f"robot levels are {', '.join(LEVELS)}")


def read_rules(game_key: str, seats: int | None, rules: Mapping[str, object]) -> tuple[AnyGame, int, Options]:
    """Return the game, the number of seats and the house rules of a new table; ``None``: the usual number of seats.

    Raises ``RequestRefused`` if the game is unknown, a house rule is invalid or the game cannot be played with this
    number of seats.
    """
    if game_key not in GAMES:
        raise RequestRefused(find_loading_error(game_key) or format_unknown_name("game", game_key, GAMES))
    game = GAMES[game_key]
    seats = game.about.usual_seats if seats is None else seats
    if seats not in game.about.seats:
        raise RequestRefused(f"{game.about.title} has {game.about.seats_in_words()} seats, not {seats}")
    try:
        return game, seats, read(game.options, rules, seats)
    except ValueError as error:
        raise RequestRefused(str(error)) from None


def choose_terms(request: OpenTable, house_rules: Options, season_list: Sequence[Season]) -> Terms:
    """Return the terms of a new table, as its game master wishes or, where that is open, as the club decides.

    Raises ``RequestRefused`` for a rated session at a private table, or with open hands.
    """
    can_be_rated = not (request.private or has_open_hands(house_rules.to_dict()))
    if request.rated and not can_be_rated:
        raise RequestRefused("a private table, or one with open hands, cannot be rated")
    now = time.time()
    counts = any(request.game in season.games and season.is_open_at(now) for season in season_list)
    is_rated = can_be_rated and counts if request.rated is None else request.rated
    aids = not is_rated if request.aids is None else request.aids
    return Terms(is_rated, aids, request.clock or (DEFAULT_CLOCK if is_rated else None))


class Phase:
    """Phase of a table."""

    seated_nicks: Sequence[str] = ()
    """Nicks of the players who have taken seats before the session is open."""

    @property
    def owners(self) -> Mapping[Seat, Occupant]:
        """Owners of seats in a session that is open or being resumed."""
        return {}

    def find_master(self, opened_by: str) -> str:
        """Return the nick of the game master of a table that the player ``opened_by`` has opened."""
        return opened_by

    def rename_person(self, former: Person, nick: str) -> None:
        """Use the present nick of a person, given as they were, in place of the former one."""

    def to_table_info(self, _id: str, _master: str, _present_nicks: Collection[str]) -> TableInfo | None:
        """Describe the table for the lobby, which does not list it if the result is ``None``."""
        return None


class Saved(Phase):
    """The session is closed, and goes on once somebody returns to it."""


class Completed(Saved):
    """The session is closed, and had ended."""


class Playing(Phase):
    """The session is open, and its task runs."""

    def __init__(self, session: HostedSession, task: "asyncio.Task[None]", counted_size: int) -> None:
        """``counted_size`` is the size of the session in bytes that is not counted as its growth."""
        self.session, self.task, self.counted_size = session, task, counted_size
        self._name = session_files.find_table_name(session.session.journal())

    @property
    def owners(self) -> Mapping[Seat, Occupant]:
        return self.session.people.owners

    def find_master(self, opened_by: str) -> str:
        """Return the player who opened the table, or, while absent, the present player with the lowest seat."""
        people = self.session.people
        present = [people.owners[seat].name for seat in sorted(people.present_seats)]
        return opened_by if opened_by in present or not present else present[0]

    def rename_person(self, former: Person, nick: str) -> None:
        start_task(self.session.people.rename_owner(former, nick))

    def to_table_info(self, id_: str, master: str, _present_nicks: Collection[str]) -> TableInfo:
        session, header, infos = self.session, self.session.public_header, self.session.people.seat_infos
        return TableInfo(
            id_,
            header.game,
            header.options,
            infos,
            master,
            self._name,
            playing=True,
            round=session.round,
            turn=infos[session.turn].name if session.turn >= 0 else "",
            since=int(parse_creation_time(header.created)),
            spectator_count=session.people.spectator_count,
            over=session.is_over,
            terms=header.terms,
        )


class Gathering(Phase):
    """Players take seats, and the session is not open."""

    def __init__(self, master: str, seats: int) -> None:
        """Begin with the game master ``master`` and free seats."""
        self.master = master
        self.robot_level = DEFAULT_LEVEL
        """Level of the robots for the seats that are free when the session begins."""
        self.seated_nicks: list[str] = [""] * seats
        """Nicks of the players by seat; an empty string for a seat that nobody has taken."""

    def find_master(self, _opened_by: str) -> str:
        return self.master

    def sit_down(self, person: Person, seat: Seat | None) -> None:
        """Seat a person; ``None`` as ``seat`` means any seat. Raises ``RequestRefused`` if that is impossible."""
        raise NotImplementedError

    def leave(self, nick: str) -> None:
        """Free a player's seat; nothing happens if the player has none."""
        self.seated_nicks = ["" if seated_nick == nick else seated_nick for seated_nick in self.seated_nicks]

    def rename_person(self, former: Person, nick: str) -> None:
        self.seated_nicks = [nick if seated_nick == former.nick else seated_nick for seated_nick in self.seated_nicks]
        self.master = nick if self.master == former.nick else self.master

    @property
    def is_complete(self) -> bool:
        """True if the session begins because all its players are here."""
        return False

    def agree_to_start(self, nick: str, level: str, present_nicks: Collection[str]) -> bool:
        """Record that a player wants to begin with robots of a level at the free seats; return True if it begins now.

        Raises ``RequestRefused`` if the player may not decide that.
        """
        raise NotImplementedError

    def is_agreed(self, _present_nicks: Collection[str]) -> bool:
        """Return True if the players among ``present_nicks`` have agreed to begin."""
        return False


class FreeSeats(Gathering):
    """Players take seats at a new table until the game master begins the session.

    A growing table gets more seats when somebody wants to sit down and none is free, and loses them again.
    """

    def __init__(self, request: OpenTable, master: str, season_list: Sequence[Season] = ()) -> None:
        """Open a table as ``request`` describes it, with the game master ``master`` in the first seat.

        By default it is rated if one of the seasons counts it. Raises ``RequestRefused`` as ``read_rules`` and
        ``choose_terms`` do.
        """
        self.game, seats, self._options = read_rules(request.game, request.seats, request.options)
        self.terms: Final = choose_terms(request, self._options, season_list)
        super().__init__(master, seats)
        self.seated_nicks[0] = master
        self._arrived_nicks = [master]
        """Nicks of the players in the order in which they have come to the table."""
        self._draws_seats = request.draws_seats
        self.name: Final = to_one_line(request.name.strip(), session_files.MAX_NAME_LENGTH)
        self._opened_at: Final = int(time.time())
        grows = self.game.about.grows if request.grows is None else request.grows
        self._seat_numbers = [
            number for number in self.game.about.seats if number == request.seats or (grows and number > request.seats)
        ]
        """Numbers of seats that the table can have, in ascending order."""

    @property
    def options(self) -> Options:
        return self._options.for_seats(len(self.seated_nicks))

    def sit_down(self, person: Person, seat: Seat | None) -> None:
        """Seat a person in a free seat, and free the person's previous seat.

        ``None`` as ``seat`` means the first free seat, which a growing table adds if there is none, or the present one
        if the person sits already. Raises ``RequestRefused`` if the requested seat, or every seat, is taken.
        """
        nick, free = person.nick, self._list_free_seats()
        if seat is None and nick in self.seated_nicks:
            return
        if not free and seat is None:
            self._resize(len(self.seated_nicks) + 1)
            free = self._list_free_seats()
        if not free or (seat is not None and seat not in free):
            raise RequestRefused("that seat is taken" if free else "no seat is free at that table")
        if nick not in self.seated_nicks:
            self._arrived_nicks.append(nick)
        super().leave(nick)
        self.seated_nicks[free[0] if seat is None else seat] = nick

    def leave(self, nick: str) -> None:
        """Free a player's seat; nothing happens if the player has none.

        If the game master leaves, the player in the first occupied seat becomes the game master. A table that has grown
        loses the seats that it no longer needs.
        """
        super().leave(nick)
        self._arrived_nicks = [arrived for arrived in self._arrived_nicks if arrived != nick]
        if nick == self.master:
            self.master = next(filter(None, self.seated_nicks), "")
        self._resize(sum(map(bool, self.seated_nicks)))

    def rename_person(self, former: Person, nick: str) -> None:
        super().rename_person(former, nick)
        self._arrived_nicks = [nick if arrived == former.nick else arrived for arrived in self._arrived_nicks]

    def _list_free_seats(self) -> list[Seat]:
        return [seat for seat, nick in enumerate(self.seated_nicks) if not nick]

    def _resize(self, player_count: int) -> None:
        """Give the table the smallest possible number of seats for ``player_count`` players.

        Players whose seats disappear move to free ones. Nothing changes if there is no such number.
        """
        seats = next((number for number in self._seat_numbers if number >= player_count), len(self.seated_nicks))
        moved = [*filter(None, self.seated_nicks[seats:])]
        self.seated_nicks = [*self.seated_nicks[:seats], *[""] * (seats - len(self.seated_nicks))]
        for seat, nick in zip(self._list_free_seats(), moved, strict=False):
            self.seated_nicks[seat] = nick

    def agree_to_start(self, nick: str, level: str, _present_nicks: Collection[str]) -> bool:
        refuse_others(self.master, nick)
        self.robot_level = level
        return True

    def create_setup(self, create_occupant: Callable[[str], Occupant]) -> SessionSetup:
        """Return the setup of the session, with robots in the free seats.

        ``create_occupant`` returns the person with a nick.
        """
        robots = iter(ROBOT_NAMES)
        seats = tuple(
            [create_occupant(nick) if nick else Occupant(next(robots), self.robot_level) for nick in self.seated_nicks]
        )
        came = tuple([seats[self.seated_nicks.index(nick)] for nick in self._arrived_nicks])
        return SessionSetup(self.game, seats, self.options, None, self._draws_seats, came)

    def to_table_info(self, id_: str, master: str, present_nicks: Collection[str]) -> TableInfo:
        infos = tuple([SeatInfo(nick, away=bool(nick) and nick not in present_nicks) for nick in self.seated_nicks])
        most = self._seat_numbers[-1]
        return TableInfo(
            id_,
            self.game.about.key,
            self.options.to_header(),
            infos,
            master,
            self.name,
            since=self._opened_at,
            grows_to=most if most > len(infos) else 0,
            terms=self.terms,
        )


class OwnSeats(Gathering):
    """The players of an unfinished session meet to resume it, each in their own seat."""

    def __init__(self, session: UnfinishedSession, caller: Person, *, is_known: bool) -> None:
        """Gather the players for ``caller``, who becomes the game master and sits down.

        ``is_known`` is True if the club's file names the table already. Raises ``RequestRefused`` if the session is not
        the caller's.
        """
        super().__init__(caller.nick, len(session.header.seats))
        self.session: Final = session
        self.is_known: Final = is_known
        self._agreed_nicks: set[str] = set()
        """Nicks of the players who agree to continue with robots for the absent ones."""
        self.sit_down(caller, None)

    @property
    def owners(self) -> Mapping[Seat, Occupant]:
        return self.session.owners

    @property
    def is_complete(self) -> bool:
        return all(self.seated_nicks[seat] for seat in self.owners if seat not in self.session.lost)

    def sit_down(self, person: Person, _seat: Seat | None) -> None:
        """Seat a person in their own seat, whichever they requested.

        Raises ``RequestRefused`` if they own no seat in the session.
        """
        own = person.find_seat(self.owners)
        if own is None:
            raise RequestRefused("that session is not yours")
        self.seated_nicks[own] = person.nick

    def leave(self, nick: str) -> None:
        super().leave(nick)
        self._agreed_nicks.discard(nick)

    def rename_person(self, former: Person, nick: str) -> None:
        super().rename_person(former, nick)
        rename_owner(self.session.owners, former, nick)
        self._agreed_nicks = {nick if agreed_nick == former.nick else agreed_nick for agreed_nick in self._agreed_nicks}

    def agree_to_start(self, nick: str, level: str, present_nicks: Collection[str]) -> bool:
        """Record that a player agrees to robots of a level for the absent players, until these return.

        Raises ``RequestRefused`` if the player has not arrived, or if the session is rated.
        """
        if (terms := self.session.header.terms) and terms.rated:
            raise RequestRefused(RATED)
        if nick not in self.seated_nicks:
            raise RequestRefused("sit down at that table first")
        self._agreed_nicks.add(nick)
        self.robot_level = level
        return self.is_agreed(present_nicks)

    def is_agreed(self, present_nicks: Collection[str]) -> bool:
        """Return True if all players who have arrived, and are among ``present_nicks``, agree to robots."""
        arrived = {nick for nick in self.seated_nicks if nick in present_nicks}
        return bool(arrived) and arrived <= self._agreed_nicks

    def to_table_info(self, _id: str, master: str, present_nicks: Collection[str]) -> TableInfo:
        arrived = [nick for nick in self.seated_nicks if nick in present_nicks]
        return self.session.to_table_info(arrived, master, is_resuming=True)
