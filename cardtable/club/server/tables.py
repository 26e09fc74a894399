"""Tables of a club, which wait for players, are in play, or resume an unfinished session, and who may see them."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Container, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, Literal, NamedTuple

from cardtable.club.open_table import find_loading_error
from cardtable.club.protocol import OpenTable, SeatInfo, TableInfo
from cardtable.club.server.client_outbox import ConnectedClient, TableSubscriber
from cardtable.club.server.command_queue import run_uninterrupted
from cardtable.club.server.finished_sessions import redact_header
from cardtable.club.server.host_log import LogEvent, create_fault_event
from cardtable.club.server.hosted_session import HostedSession, Think
from cardtable.club.server.seat_ownership import (
    Person,
    create_seat_infos,
    find_seat_owners,
    load_profiles,
    rename_owner,
    update_owners,
)
from cardtable.club.server.session_changes import RETRY_SECONDS
from cardtable.club.server.table_access import RequestRefused, TableAccess
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, Seat
from cardtable.engine.journal import Header, Occupant, is_score_table, list_later_occupants, replace_occupants
from cardtable.engine.options import Options, read
from cardtable.engine.text_format import format_unknown_name, to_one_line
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import club_sessions, session_files, sessions, summaries
from cardtable.store.errors import NotSaved
from cardtable.store.journal_scan import find_last_played, parse_creation_time
from cardtable.store.seating import DEFAULT_LEVEL, ROBOT_NAMES, is_same_nick
from cardtable.store.session_setup import SessionSetup
from cardtable.store.summaries import find_unfinished_files, is_valid_header
from cardtable.workers.tasks import start_task, stop_task

CLUB_CLOSING: Final = "the club is closing"


def refuse_others(master: str, client: ConnectedClient) -> None:
    """Raise ``RequestRefused`` unless a client is the game master."""
    if client.nick != master:
        raise RequestRefused(f"{master} is the game master, and nobody else can do that")


def check_robot_level(level: str) -> None:
    """Raise ``RequestRefused`` unless there are robots of a level."""
    if level not in LEVELS:
        raise RequestRefused(f"robot levels are {', '.join(LEVELS)}")


class PendingTable:
    """Table at which players take seats before the game master begins the session.

    A growing table gets more seats when somebody wants to sit down and none is free, and loses them again.
    """

    is_return = False

    def __init__(self, request: OpenTable, master: str, network: str, taken_ids: Container[str] = ()) -> None:
        """Open a table as ``request`` describes it, with the game master ``master`` in the first seat.

        ``network`` is the network of the game master; ``taken_ids`` are the ids of other tables. Raises
        ``RequestRefused`` if the game is unknown, a house rule is invalid or the game cannot be played with the
        requested number of seats.
        """
        if request.game not in GAMES:
            refusal = find_loading_error(request.game)
            raise RequestRefused(refusal or format_unknown_name("game", request.game, GAMES))
        self.game: Final[AnyGame] = GAMES[request.game]
        if request.seats not in self.game.about.seats:
            raise RequestRefused(
                f"{self.game.about.title} has {self.game.about.seats_in_words()} seats, not {request.seats}"
            )
        try:
            self._options: Final[Options] = read(self.game.options, request.options, request.seats)
        except ValueError as error:
            raise RequestRefused(str(error)) from None
        self.id: Final = sessions.generate_id(datetime.now(UTC), request.game, taken_ids)
        self.master, self.grace, self.draws_seats, self.network = master, request.grace, request.lot, network
        self.name: Final = to_one_line(request.name.strip(), session_files.MAX_NAME_LENGTH)
        self.seated_nicks: list[str] = [master] + [""] * (request.seats - 1)
        """Nicks of the players by seat; an empty string for a free seat."""
        self._arrived_nicks = [master]
        """Nicks of the players in the order in which they have come to the table."""
        self.opened_at: Final = int(time.time())
        self.access: Final = TableAccess((master, *request.invited) if request.private else None)
        grows = self.game.about.grows if request.grows is None else request.grows
        self._seat_numbers = [
            number for number in self.game.about.seats if number == request.seats or (grows and number > request.seats)
        ]
        """Numbers of seats that the table can have, in ascending order."""

    @property
    def options(self) -> Options:
        """House rules for the present number of seats."""
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
        self._free_seat(nick)
        self.seated_nicks[free[0] if seat is None else seat] = nick

    def leave(self, nick: str) -> None:
        """Free a player's seat; nothing happens if the player has none.

        If the game master leaves, the player in the first occupied seat becomes the game master. A table that has grown
        loses the seats that it no longer needs.
        """
        self._free_seat(nick)
        self._arrived_nicks = [arrived for arrived in self._arrived_nicks if arrived != nick]
        if nick == self.master:
            self.master = next(filter(None, self.seated_nicks), "")
        self._resize(sum(map(bool, self.seated_nicks)))

    def rename_player(self, former: Person, nick: str) -> None:
        """Use the present nick of a player, given as they were, in place of the former one."""
        self._arrived_nicks = [nick if each == former.nick else each for each in self._arrived_nicks]
        _rename_seated(self, former.nick, nick)

    def _list_free_seats(self) -> list[Seat]:
        return [place for place, nick in enumerate(self.seated_nicks) if not nick]

    def _free_seat(self, nick: str) -> None:
        self.seated_nicks = ["" if seated_nick == nick else seated_nick for seated_nick in self.seated_nicks]

    def _resize(self, player_count: int) -> None:
        """Give the table the smallest possible number of seats for ``player_count`` players.

        Players whose seats disappear move to free ones. Nothing changes if there is no such number.
        """
        seats = next((number for number in self._seat_numbers if number >= player_count), len(self.seated_nicks))
        moved = [*filter(None, self.seated_nicks[seats:])]
        self.seated_nicks = [*self.seated_nicks[:seats], *[""] * (seats - len(self.seated_nicks))]
        for seat, nick in zip(self._list_free_seats(), moved, strict=False):
            self.seated_nicks[seat] = nick

    def begin_session(self, level: str, club_id: str, create_occupant: Callable[[str], Occupant]) -> sessions.Session:
        """Begin the session, with robots of ``level`` in the free seats, and return it.

        ``club_id`` is the id of the club, which is written to the journal. ``create_occupant`` returns the person with
        a nick. Raises ``RequestRefused`` if there is no such level, and ``CardtableError`` if the session cannot begin.
        """
        check_robot_level(level)
        robots = iter(ROBOT_NAMES)
        seats = tuple([create_occupant(nick) if nick else Occupant(next(robots), level) for nick in self.seated_nicks])
        came = tuple([seats[self.seated_nicks.index(nick)] for nick in self._arrived_nicks])
        setup = SessionSetup(self.game, seats, self.options, None, self.draws_seats, came)
        session = begin_at_club(setup, self.id, club_id, self.access)
        if self.name:
            session.referee.rename(self.name)
        return session

    def to_table_info(self, present_nicks: Collection[str]) -> TableInfo:
        """Describe the table for the lobby.

        A player whose nick is not in ``present_nicks`` is marked as away.
        """
        places = tuple([SeatInfo(nick, away=bool(nick) and nick not in present_nicks) for nick in self.seated_nicks])
        most = self._seat_numbers[-1]
        return TableInfo(
            self.id,
            self.game.about.key,
            self.options.to_header(),
            places,
            self.master,
            self.name,
            since=self.opened_at,
            grows_to=most if most > len(places) else 0,
            private=self.access.is_private,
            invited=self.access.invited,
            no_spectators=not self.access.admits_spectators,
        )


class TournamentTerms(NamedTuple):
    """Terms of a table of a tournament until all tables of the round have finished."""

    title: str
    """Tournament, round and table, such as ``Friday Cup, round 2, table 3``."""
    level: str
    """Level of the robots that substitute for absent players."""


class ActiveTable:
    """Table whose session has begun.

    The session is opened when the first client comes to the table, and closed after the last one has left. At a table
    of a tournament it is open until it has ended, whether clients are there or not.
    """

    def __init__(
        self,
        id_: str,
        master: str,
        grace: int,
        think: Think,
        on_change: Callable[[], None],
        robot_seats: Collection[Seat] = (),
        get_network: Callable[[str], str] = lambda _nick: "",
        log: Callable[[str, str], object] = lambda _line, _nick: None,
        access: TableAccess | None = None,
    ) -> None:
        """Create the table of the session with the id ``id_``, without opening it.

        ``master`` is the player who opened the table, and ``grace`` the time in seconds to wait for absent players.
        ``think`` chooses the robots' actions. ``on_change`` is called after every change at the table. ``robot_seats``
        are the seats that robots have taken over permanently. ``get_network`` returns the network of a nick, or an
        empty string. ``log`` is called with a line for the host's log, and the nick that it counts for, if changes that
        the disk has refused are lost when the session is closed. ``access`` tells who may see the table; everybody if
        it is ``None``.
        """
        self.access: Final = access or TableAccess()
        self._on_change, self._get_network, self._log = on_change, get_network, log
        self.id, self.grace, self._think, self._saved_robot_seats = id_, grace, think, tuple(robot_seats)
        self.opened_by = master
        self.network = ""
        """Network of the client for whom the session was last opened."""
        self.is_return = False
        """True if the session was last opened for a player who returned to it."""
        self.draws_seats = False
        """True if the seats of a rematch are drawn at random."""
        self._name = ""
        self._counted_size = 0
        """Size of the session in bytes at the last call of ``take_growth``."""
        self.rematch: Literal["beginning", "begun"] | None = None
        """State of a rematch since the session was last opened; ``None`` if there is none."""
        self._session: HostedSession | None = None
        self._task: asyncio.Task[None] | None = None
        self._lock = asyncio.Lock()
        self._is_closed_for_good = False
        self._arrival_count = 0
        """Number of requests in progress that bring clients to the table, during which the session is not closed."""
        self.header: Header | None = None
        """Header of the journal, with 0 in place of the seed; ``None`` until the session has been opened."""
        self.is_over = False
        """True if the session had ended when it was last closed."""
        self.tournament_terms: TournamentTerms | None = None
        """Terms of a tournament, which hold for the session from the next time that it is opened."""

    async def begin(self, create_session: Callable[[], sessions.Session], *, is_resumed: bool = False) -> HostedSession:
        """Return the open session; if there is none, call ``create_session`` in a thread and run the result.

        A session whose task has failed is opened again, with the same clients. ``is_resumed`` is True if the session
        exists on the disk already; a new one must be saved before it is used.

        If the caller is cancelled meanwhile, the session is opened nevertheless, so that ``close`` can release the lock
        of its journal.

        Raises ``CardtableError`` if the session cannot be created or saved, and ``RequestRefused`` if it cannot be
        played by this program, or if the club is closing.
        """
        async with self._lock:
            if self._is_closed_for_good:
                raise RequestRefused(CLUB_CLOSING)
            broken = self._session if self._task is not None and self._task.done() else None
            if broken is not None:
                await self._close()
            if self._session is not None:
                return self._session
            session = await run_uninterrupted(self._begin(create_session, is_resumed=is_resumed))
            if broken is not None:
                await session.people.adopt_clients(broken.people)
            return session

    async def _begin(self, create_session: Callable[[], sessions.Session], *, is_resumed: bool) -> HostedSession:
        """Open the session as ``begin`` does; the caller must hold the lock."""
        session = await asyncio.to_thread(create_session if is_resumed else partial(_begin_durably, create_session))
        if session.read_only_reason:
            session.close()
            raise RequestRefused(f"the session cannot be played here: {session.read_only_reason}")
        hosted_session = HostedSession(
            session,
            self._think,
            self.grace,
            on_change=self._on_change,
            robot_seats=self._saved_robot_seats,
            get_network=self._get_network,
            substitute_level=self.tournament_terms.level if self.tournament_terms else "",
        )
        if is_resumed:
            try:
                await asyncio.to_thread(hosted_session.load_messages)
            except BaseException:
                hosted_session.close()
                raise
        self.is_over = False
        self._counted_size = session.size if is_resumed else 0
        self._name = session_files.find_table_name(session.journal())
        self.header = redact_header(session.header)
        self._session = hosted_session
        self._task = start_task(self._run(hosted_session))
        return hosted_session

    async def _run(self, session: HostedSession) -> None:
        """Run a session until it is closed; after an unexpected error, log it, and open the session again later.

        The journal then gives back everything that any client has seen.
        """
        try:
            await session.run()
        except Exception as error:
            self._log(create_fault_event(error, f"the session {self.id}", table=self.id), self.opened_by)
            asyncio.get_running_loop().call_later(RETRY_SECONDS, lambda: start_task(self._replace_failed(session)))

    async def _replace_failed(self, session: HostedSession) -> None:
        """Open a session again whose task has failed, unless a client's request has done so, or it has been closed."""
        if self._session is session:
            with suppress(CardtableError):  # the next request tries again
                await self.open()

    async def open(self) -> HostedSession:
        """Return the session; resume it from the disk if it is closed.

        Raises ``CardtableError`` if it cannot be resumed.
        """
        return await self.begin(lambda: sessions.resume_at_club(summaries.find_path(self.id)), is_resumed=True)

    async def leave(self, subscriber: TableSubscriber) -> None:
        """Remove a client from the table, and close the session if it was the last one."""
        if self._session is not None:
            with suppress(CardtableError):  # the table may have been closed
                await (await self.open()).people.unsubscribe(subscriber)
            await self.close_if_empty()

    @asynccontextmanager
    async def keep_open(self) -> AsyncIterator[None]:
        """Keep the session open during the block; afterwards close it if no client is at the table.

        It is for requests that bring clients to the table, which take several steps.
        """
        self._arrival_count += 1
        try:
            yield
        finally:
            self._arrival_count -= 1
            await self.close_if_empty()

    async def close_if_empty(self) -> None:
        """Close the session if no client is at the table and no request is bringing one."""
        async with self._lock:
            is_needed = self._arrival_count or (self.tournament_terms and not self.is_finished)
            if self._session is not None and self._session.people.is_empty and not is_needed:
                await self._close(self.opened_by)

    async def close(self, *, for_good: bool = False) -> None:
        """Close the session even if clients are at the table; nothing happens if it is closed.

        A session that is being opened is closed as soon as it is open. With ``for_good`` it cannot be opened again.
        """
        self._is_closed_for_good |= for_good
        async with self._lock:
            await self._close()

    async def _close(self, nick: str = "") -> None:
        """Close the session; the caller must hold the lock.

        ``nick`` is the player for whom a line about lost changes counts in the host's log; empty if it counts for
        nobody.
        """
        await stop_task(self._task)
        if self._session is not None:
            if lost := self._session.changes.lost_changes:
                self._log(LogEvent(lost, "lost", "error", table=self.id), nick)
            self.is_over = self._session.is_over
            self._saved_robot_seats = self.robot_seats
            self._session.close()
        self._session = self._task = self.rematch = None

    def take_growth(self) -> int:
        """Return the number of bytes by which the open session has grown since the last call."""
        if self._session is None:
            return 0
        before, self._counted_size = self._counted_size, self._session.session.size
        return self._counted_size - before

    def find_seat(self, person: Person) -> Seat | None:
        """Return the seat that a person owns, or ``None`` if there is none or the session is closed."""
        return person.find_seat(self._session.people.owners) if self._session else None

    def rename_player(self, former: Person, nick: str) -> None:
        """Use the present nick of a player, given as they were, in place of the former one."""
        if self._session:
            start_task(self._session.people.rename_owner(former, nick))
        if is_same_nick(self.opened_by, former.nick):
            self.opened_by = nick
        self.access.rename(former.nick, nick)

    @property
    def is_asleep(self) -> bool:
        """True while the session is closed and is not being opened."""
        return self._session is None and not self._lock.locked()

    @property
    def is_awake(self) -> bool:
        """True while the session is open and is not being closed."""
        return self._session is not None and not self._lock.locked()

    @property
    def is_finished(self) -> bool:
        """True if the session has ended, as far as it is known while it is closed."""
        return self._session.is_over if self._session else self.is_over

    @property
    def hosted_session(self) -> HostedSession | None:
        """Session while it is open; ``None`` while it is closed."""
        return self._session

    @property
    def robot_seats(self) -> tuple[Seat, ...]:
        """Seats that robots have taken over permanently, in ascending order."""
        return tuple(sorted(self._session.robot_seats)) if self._session else self._saved_robot_seats

    @property
    def master(self) -> str:
        """Nick of the game master.

        It is the player who opened the table, or, while that player is absent, the present player with the lowest seat.
        """
        people = self._session.people.owners if self._session else {}
        present_owners = (
            [people[seat].name for seat in sorted(self._session.people.present_seats)] if self._session else []
        )
        return self.opened_by if self.opened_by in present_owners or not present_owners else present_owners[0]

    def refuse_in_tournament(self) -> None:
        """Raise ``RequestRefused`` for a request that is not possible at a table of a tournament."""
        if self.tournament_terms:
            raise RequestRefused("this is a table of a tournament, which the host conducts")

    def to_table_info(self) -> TableInfo | None:
        """Describe the table for the lobby; return ``None`` while the session is closed.

        A table of a tournament has no game master, and the turn is left out, since it shows who takes the tricks.
        """
        session, header = self._session, self.header
        if session is None or header is None:
            return None
        places = session.people.seat_infos
        return TableInfo(
            self.id,
            header.game,
            header.options,
            places,
            "" if self.tournament_terms else self.master,
            self.tournament_terms.title if self.tournament_terms else self._name,
            playing=True,
            round=session.round,
            turn=places[session.turn].name if session.turn >= 0 and not self.tournament_terms else "",
            since=int(parse_creation_time(header.created)),
            looking_on=session.people.spectator_count,
            over=session.is_over,
            private=self.access.is_private,
            invited=self.access.invited,
            no_spectators=not self.access.admits_spectators,
        )


def begin_at_club(setup: SessionSetup, id_: str, club_id: str, access: TableAccess) -> sessions.Session:
    """Begin a session of the club and return it; the journal states it if its table is private.

    Raises ``CardtableError`` if the session cannot begin.
    """
    session = setup.begin(id_, authenticated=True, host_id=club_id)
    if access.is_private:
        session.referee.mark("private")
    return session


def _begin_durably(create_session: Callable[[], sessions.Session]) -> sessions.Session:
    """Create a session, and make sure that it is on the disk.

    Raises ``NotSaved`` if the disk refuses it; the session is then discarded.
    """
    session = create_session()
    try:
        session.require_durable()
    except NotSaved:
        session.discard()
        raise
    return session


class UnfinishedSession(NamedTuple):
    """Summary of a session that has not ended and is not in play."""

    header: Header
    """Header of the journal, with the present occupants of the seats, including substitute robots."""
    owners: dict[Seat, Occupant]
    name: str
    round: int
    last_played: int
    """Time of the last play, in seconds since 1970-01-01T00:00Z."""
    is_private: bool
    """True if a private table has played the session."""

    def to_table_info(
        self, present_nicks: Collection[str], access: TableAccess, master: str = "", *, is_resuming: bool = False
    ) -> TableInfo:
        """Describe the session as a table for the lobby.

        An owner whose nick is not in ``present_nicks`` is marked as away. ``access`` tells who may see the table.
        ``master`` is the game master's nick; empty while nobody resumes the session. ``is_resuming`` is True if its
        players are being called back.
        """
        header = self.header
        away_seats = [seat for seat, owner in self.owners.items() if owner.name not in present_nicks]
        return TableInfo(
            header.id,
            header.game,
            header.options,
            create_seat_infos(header, self.owners, away_seats, {}),
            master,
            self.name,
            round=self.round,
            since=self.last_played,
            taken_up=is_resuming,
            private=access.is_private,
            invited=access.invited,
            no_spectators=not access.admits_spectators,
        )


def find_unfinished(
    is_own: Callable[[Occupant], bool], exclude_ids: Collection[str], robot_seats: Mapping[str, Collection[Seat]]
) -> Iterator[UnfinishedSession]:
    """Yield the unfinished sessions in which ``is_own`` is true for the owner of a seat, last played first.

    Sessions whose ids are in ``exclude_ids`` are left out. ``robot_seats`` maps the ids of sessions to the seats that
    robots have taken over permanently. Only journals that have changed since an earlier call are read.
    """
    unfinished, profile_store = [], load_profiles()
    for id_, path in find_unfinished_files().items():
        if id_ not in exclude_ids and (session := _read_unfinished(path)) is not None:
            owners = {seat: owner for seat, owner in session.owners.items() if seat not in robot_seats.get(id_, ())}
            owners = update_owners(profile_store, session.header, owners)
            unfinished.append(session._replace(owners=owners))
    for session in sorted(unfinished, key=lambda session: session.last_played, reverse=True):
        if any(map(is_own, session.owners.values())):
            yield session


def _read_unfinished(path: Path) -> UnfinishedSession | None:
    try:
        file_status = path.stat()
    except OSError:
        return None
    return _read_unfinished_cached(path, file_status.st_mtime_ns, file_status.st_size)


@lru_cache(maxsize=4096)
def _read_unfinished_cached(path: Path, _mtime: int, _size: int) -> UnfinishedSession | None:
    """Read the unfinished session of a journal, and cache it until the file's time or size changes.

    The result is ``None`` if the file is invalid, holds a score table, or its session has ended.
    """
    try:
        data = session_files.read_session(path)
        if is_score_table(data):
            return None
        read = session_files.parse_session(path, data)
    except CardtableError:
        return None
    lines = [entry.line for entry in read.entries]
    if any(isinstance(line, journal.ResultLine) for line in lines) or not is_valid_header(read.header):
        return None
    deals = sum(isinstance(line, journal.ChanceLine) and line.is_deal for line in lines)
    voids = sum(isinstance(line, journal.VoidLine) for line in lines)
    header = session_files.sanitize_header(replace_occupants(read.header, dict(list_later_occupants(read))))
    return UnfinishedSession(
        header,
        find_seat_owners(read),
        session_files.find_table_name(read),
        deals - voids,
        find_last_played(data),
        "private" in club_sessions.find_marks(lines),
    )


class ResumingTable:
    """Table at which the players of an unfinished session meet to resume it, each in their own seat."""

    draws_seats, is_return = False, True

    def __init__(self, session: UnfinishedSession, caller: Person, network: str, access: TableAccess) -> None:
        """Open the table for ``caller``, who becomes the game master and sits down.

        ``network`` is the network of the caller. ``access`` tells who may see the table. Raises ``RequestRefused`` if
        the session is not the caller's.
        """
        self.session, self.id, self.master, self.network = session, session.header.id, caller.nick, network
        self.access: Final = access
        self.seated_nicks: list[str] = [""] * len(session.header.seats)
        """Nicks of the players who have arrived, by seat; an empty string for any other seat."""
        self._agreed_nicks: set[str] = set()
        """Nicks of the players who agree to continue with robots for the absent ones."""
        self.robot_level = DEFAULT_LEVEL
        self.sit_down(caller, None)

    @property
    def absent_names(self) -> list[str]:
        """Nicks of the players who have not arrived."""
        return [owner.name for seat, owner in self.session.owners.items() if not self.seated_nicks[seat]]

    def sit_down(self, person: Person, _seat: Seat | None) -> None:
        """Seat a person in their own seat, whatever seat they requested.

        Raises ``RequestRefused`` if they own no seat in the session.
        """
        own = person.find_seat(self.session.owners)
        if own is None:
            raise RequestRefused("that session is not yours")
        self.seated_nicks[own] = person.nick

    def leave(self, nick: str) -> None:
        self.seated_nicks = ["" if seated_nick == nick else seated_nick for seated_nick in self.seated_nicks]
        self._agreed_nicks.discard(nick)

    def rename_player(self, former: Person, nick: str) -> None:
        """Use the present nick of a player, given as they were, in place of the former one."""
        rename_owner(self.session.owners, former, nick)
        self._agreed_nicks = {nick if each == former.nick else each for each in self._agreed_nicks}
        _rename_seated(self, former.nick, nick)

    def agree_to_robots(self, nick: str, level: str) -> None:
        """Record that a player agrees to robots of a level for the absent players.

        Raises ``RequestRefused`` if the player has not arrived.
        """
        if nick not in self.seated_nicks:
            raise RequestRefused("sit down at that table first")
        self._agreed_nicks.add(nick)
        self.robot_level = level

    def is_agreed(self, present_nicks: Collection[str]) -> bool:
        """Return True if all players who have arrived, and are among ``present_nicks``, agree to robots."""
        arrived = {nick for nick in self.seated_nicks if nick in present_nicks}
        return bool(arrived) and arrived <= self._agreed_nicks

    def to_table_info(self, present_nicks: Collection[str]) -> TableInfo:
        """Describe the table for the lobby; players who have not arrived, or have disconnected, are marked as away."""
        arrived = [nick for nick in self.seated_nicks if nick in present_nicks]
        return self.session.to_table_info(arrived, self.access, self.master, is_resuming=True)


def _rename_seated(table: PendingTable | ResumingTable, old_nick: str, nick: str) -> None:
    """Use the present nick of a player in place of a former one at a table that has not begun."""
    table.seated_nicks = [nick if each == old_nick else each for each in table.seated_nicks]
    table.master = nick if table.master == old_nick else table.master
    table.access.rename(old_nick, nick)


class LastTables:
    """Tables in play at which each player has sat down and that the player has not left, by nick.

    A lost connection changes nothing.
    """

    def __init__(self) -> None:
        self._tables: dict[str, list[str]] = {}

    def add(self, nick: str, table: str, active_tables: Collection[str]) -> None:
        """Make a table the last one of a player, and forget those that are not in ``active_tables`` any more."""
        others = [id_ for id_ in self._tables.get(nick, ()) if id_ != table and id_ in active_tables]
        self._tables[nick] = [*others, table]

    def remove(self, nick: str, table: str) -> None:
        """Forget a table that a player has left; nothing happens if the player did not sit there."""
        if table in self._tables.get(nick, ()):
            self._tables[nick].remove(table)

    def rename(self, old_nick: str, nick: str) -> None:
        """Use the present nick of a player, given as they were, in place of the former one."""
        if old_nick in self._tables:
            self._tables[nick] = self._tables.pop(old_nick)

    def forget(self, nick: str) -> None:
        """Forget the tables of a person whose nick now belongs to somebody else."""
        self._tables.pop(nick, None)

    def find(self, person: Person, active_tables: Mapping[str, ActiveTable]) -> str:
        """Return the table at which a player sat last and that the player has not left; "" if there is none.

        A table is left out if its session has ended, or if the player has lost the seat.
        """
        for id_ in self._tables.get(person.nick, [])[::-1]:
            table = active_tables.get(id_)
            if table is None:
                continue
            session = table.hosted_session
            if not table.is_over if session is None else not session.is_over and table.find_seat(person) is not None:
                return id_
        return ""


def create_rematch_setup(session: HostedSession, *, draws_seats: bool) -> SessionSetup:
    """Return the setup of another session of the same people, with the same house rules.

    Robots with unused names take the seats of the players who have left. ``draws_seats`` is True if the seats are drawn
    at random.
    """
    header = session.session.header
    free_names = [name for name in ROBOT_NAMES if name not in [occupant.name for occupant in header.seats]]
    present = {seat: person.occupant for seat, person in session.people.present_people.items()}
    seats = [
        present.get(seat) or (occupant if occupant.robot else Occupant(free_names.pop(0), DEFAULT_LEVEL))
        for seat, occupant in enumerate(header.seats)
    ]
    game, came = GAMES[header.game], tuple([seats[seat] for seat in header.arrivals])
    return SessionSetup(game, tuple(seats), read(game.options, header.options, len(seats)), None, draws_seats, came)
