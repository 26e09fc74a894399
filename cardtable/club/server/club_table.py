"""Table of a club, from the gathering of its players to the end of its session."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, NamedTuple

from msgspec.structs import replace

from cardtable.club.protocol import TableInfo
from cardtable.club.server.client_outbox import TableSubscriber
from cardtable.club.server.host_events import ChangesLost, Emit, create_fault, ignore_event
from cardtable.club.server.hosted_session import HostedSession, Think
from cardtable.club.server.limits import RequestRefused
from cardtable.club.server.session_changes import RETRY_SECONDS
from cardtable.club.server.table_access import Person, TableAccess, find_present_owners
from cardtable.club.server.table_phases import Completed, Gathering, OwnSeats, Phase, Playing, Saved
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import MarkLine, NameLine, Occupant, Terms
from cardtable.engine.options import read
from cardtable.games import GAMES
from cardtable.store import sessions, summaries
from cardtable.store.errors import NotSaved
from cardtable.store.seating import DEFAULT_LEVEL, ROBOT_NAMES, is_same_nick
from cardtable.store.session_setup import SessionSetup
from cardtable.workers.tasks import run_uninterrupted, start_task, stop_task

CLUB_CLOSING: Final = "the club is closing"


class TableHost(NamedTuple):
    """What the tables of a club need of their host."""

    think: Think
    """Chooses the actions of robots."""
    save: Callable[[], Awaitable[None]]
    """Saves who may see the tables, or raises ``CardtableError``."""
    on_change: Callable[["ClubTable"], None] = lambda _table: None
    """Called after every change at a table."""
    get_network: Callable[[str], str] = lambda _nick: ""
    """Returns the network of a nick, or an empty string."""
    map_former_guests: Callable[[], Mapping[str, Occupant]] = dict
    """Returns the guests who have registered or changed the nick, by the keys of the nicks that they had."""
    emit: Emit = ignore_event
    find_connected_network: Callable[[str], str] = lambda _nick: ""
    """Returns the network from which a nick is connected now, or an empty string if it is unknown or does not count."""


class TournamentSetting(NamedTuple):
    """What a table of a tournament is until all tables of the round have finished."""

    title: str
    """Tournament, round and table, such as ``Friday Cup, round 2, table 3``."""
    find_hold: Callable[[int], str]
    """Returns why a deal, counted from 1, has to wait."""


class ClubTable:
    """Table of a club, which is in one phase at a time; see ``table_phases``.

    A session is opened when the first client comes to the table, and closed after the last one has left. At a table of
    a tournament it is open until it has ended, whether clients are there or not.
    """

    def __init__(
        self,
        host: TableHost,
        id_: str,
        opened_by: str,
        grace: int,
        access: TableAccess | None = None,
        gathering: Gathering | None = None,
    ) -> None:
        """Create the table with the id ``id_``, which its session has or will have.

        ``opened_by`` is the player who opened the table, and ``grace`` the time in seconds to wait for absent players.
        ``access`` tells who may see the table; everybody if it is ``None``. ``gathering`` has the players of a table
        that has not begun; without it, the session is saved, or about to begin.
        """
        self._host, self.id, self.opened_by, self.grace = host, id_, opened_by, grace
        self.access = access or TableAccess()
        self.next_access = self.access
        """Access as the next save writes it; it is in force once it is saved."""
        self._phase: Phase = gathering or Saved()
        self.robot_seats: Final[set[Seat]] = set()
        """Seats that robots have taken over permanently."""
        self.network = ""
        """Network of the client for whom the table was opened, or its session was last opened."""
        self.is_return = False
        """True if the session was last opened for a player who returned to it."""
        self.tournament_setting: TournamentSetting | None = None
        """Its setting in a tournament, which is in force for the session from the next time that it is opened."""
        self.arrivals: Final[dict[str, int]] = {}
        """Numbers of the last decisions or arrivals of players who have not left since, by nick.

        They are higher for later ones, over all tables. A lost connection changes nothing.
        """
        self._lock = asyncio.Lock()
        self._is_closed_for_good = False
        self._arrival_count = 0
        """Number of requests in progress that bring clients to the table, during which the session is not closed."""

    # Phases

    @property
    def gathering(self) -> Gathering | None:
        """Players who take seats; ``None`` once the session is being opened."""
        return self._phase if isinstance(self._phase, Gathering) and not self._lock.locked() else None

    @property
    def is_starting(self) -> bool:
        """True while the session of a gathering is being opened; requests do not find the table meanwhile."""
        return isinstance(self._phase, Gathering) and self._lock.locked()

    @property
    def has_session(self) -> bool:
        """True if the club's file names the table, since its session exists or is about to begin."""
        is_known = isinstance(self._phase, OwnSeats) and self._phase.is_known
        return self.gathering is None or is_known

    @property
    def is_open(self) -> bool:
        """True if players gather, or the session is open."""
        return not isinstance(self._phase, Saved)

    @property
    def is_asleep(self) -> bool:
        """True while the session is closed and is not being opened."""
        return not self.is_open and not self._lock.locked()

    @property
    def is_awake(self) -> bool:
        """True while the session is open and is not being closed."""
        return self.hosted_session is not None and not self._lock.locked()

    @property
    def is_over(self) -> bool:
        """True if the session has ended, as far as it is known while it is closed."""
        return self.hosted_session.is_over if self.hosted_session else self.is_finished

    @property
    def is_finished(self) -> bool:
        """True if the session has ended and is closed."""
        return isinstance(self._phase, Completed)

    @property
    def hosted_session(self) -> HostedSession | None:
        return self._phase.session if isinstance(self._phase, Playing) else None

    def gather(self, gathering: OwnSeats) -> None:
        """Let the players of the table's saved session meet to resume it."""
        self._phase = gathering

    def disband(self) -> None:
        """End the gathering; a session that exists remains saved."""
        self._phase = Saved()

    # People

    @property
    def master(self) -> str:
        return self._phase.find_master(self.opened_by)

    @property
    def seated_nicks(self) -> Sequence[str]:
        return self._phase.seated_nicks

    @property
    def owners(self) -> Mapping[Seat, Occupant]:
        return self._phase.owners

    def find_seat(self, person: Person) -> Seat | None:
        return person.find_seat(self.owners)

    def leave(self, nick: str) -> None:
        """Free the seat of a player in the gathering; nothing happens if there is none."""
        if isinstance(self._phase, Gathering):
            self._phase.leave(nick)
            if not self.has_session:
                self.opened_by = self._phase.master

    def rename_person(self, former: Person, nick: str) -> None:
        """Use the present nick of a person, given as they were, in place of the former one."""
        self._phase.rename_person(former, nick)
        if is_same_nick(self.opened_by, former.nick):
            self.opened_by = nick
        self.change_access(lambda access: access.rename(former.nick, nick))
        if former.nick in self.arrivals:
            self.arrivals[nick] = self.arrivals.pop(former.nick)

    def change_access(self, change: Callable[[TableAccess], None]) -> None:
        """Change who may see the table at once; the caller saves the tables."""
        for access in {self.access, self.next_access}:
            change(access)

    def refuse_in_tournament(self) -> None:
        """Raise ``RequestRefused`` for a request that is not possible at a table of a tournament."""
        if self.tournament_setting:
            raise RequestRefused("this is a table of a tournament, which the host conducts")

    def to_table_info(self, present_nicks: Collection[str]) -> TableInfo | None:
        """Describe the table for the lobby; return ``None`` while the session is closed.

        A gathered player whose nick is not in ``present_nicks`` is marked as away. A table of a tournament has no game
        master, and the turn is left out, since it shows who takes the tricks.
        """
        row = self._phase.to_table_info(self.id, self.master, present_nicks)
        if row is None:
            return None
        if self.tournament_setting:
            row = replace(row, master="", name=self.tournament_setting.title, turn="")
        return self.access.add_to(replace(row, grace=self.grace))

    # The session

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
            failed = None
            if isinstance(self._phase, Playing):
                if not self._phase.task.done():
                    return self._phase.session
                failed = self._phase.session
                await self._close()
            if self.access.is_private and not is_resumed:  # no crash may open the table to everybody
                await self._host.save()
            session = await run_uninterrupted(self._begin(create_session, is_resumed=is_resumed))
            if failed:
                await session.people.adopt_clients(failed.people)
            return session

    async def _begin(self, create_session: Callable[[], sessions.Session], *, is_resumed: bool) -> HostedSession:
        """Open the session as ``begin`` does; the caller must hold the lock."""
        session = await asyncio.to_thread(create_session if is_resumed else partial(_begin_durably, create_session))
        if session.read_only_reason:
            session.close()
            raise RequestRefused(f"the session cannot be played here: {session.read_only_reason}")
        hosted_session = HostedSession(
            session,
            find_present_owners(session.journal(), self.robot_seats, self._host.map_former_guests()),
            self._host.think,
            self.grace,
            on_change=lambda: self._host.on_change(self),
            get_network=self._host.get_network,
            find_hold=self.tournament_setting.find_hold if self.tournament_setting else None,
            find_connected_network=self._host.find_connected_network,
            emit=self._host.emit,
            is_resumed=is_resumed,
        )
        if is_resumed:
            try:
                await asyncio.to_thread(hosted_session.load_messages)
            except BaseException:
                hosted_session.close()
                raise
        self._phase = Playing(hosted_session, start_task(self._run(hosted_session)), session.size if is_resumed else 0)
        return hosted_session

    async def _run(self, session: HostedSession) -> None:
        """Run a session until it is closed; after an unexpected error, log it, and open the session again later.

        The journal then gives back everything that any client has seen.
        """
        try:
            await session.run()
        except Exception as error:
            self._host.emit(create_fault(error, f"the session {self.id}", table=self.id, opened_by=self.opened_by))
            asyncio.get_running_loop().call_later(RETRY_SECONDS, lambda: start_task(self._replace_failed(session)))

    async def _replace_failed(self, session: HostedSession) -> None:
        """Open a session again whose task has failed, unless a client's request has done so, or it has been closed."""
        if self.hosted_session is session:
            with suppress(CardtableError):  # the next request tries again
                await self.open()

    async def open(self) -> HostedSession:
        """Return the session; resume it from the disk if it is closed.

        Raises ``CardtableError`` if it cannot be resumed.
        """
        return await self.begin(lambda: sessions.resume_at_club(summaries.find_path(self.id)), is_resumed=True)

    async def remove(self, subscriber: TableSubscriber) -> None:
        """Remove a client from the table, and close the session if it was the last one."""
        if self.hosted_session is not None:
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
            session = self.hosted_session
            if session is None or not session.people.is_empty or self._arrival_count:
                return
            if not session.is_over and (self.tournament_setting or session.people.lost_seats):
                return
            if seconds := session.people.awaited_seconds:
                asyncio.get_running_loop().call_later(seconds + 1, lambda: start_task(self.close_if_empty()))
            else:
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
        if isinstance(self._phase, Playing):
            session = self._phase.session
            await stop_task(self._phase.task)
            if error := session.changes.save_error:
                self._host.emit(ChangesLost(self.id, session.changes.unsaved_count, error.os_message, nick))
            is_over = session.is_over
            session.close()
            self._phase = Completed() if is_over else Saved()

    def take_growth(self) -> int:
        """Return the number of bytes by which the open session has grown since the last call."""
        if not isinstance(self._phase, Playing):
            return 0
        before, self._phase.counted_size = self._phase.counted_size, self._phase.session.session.size
        return self._phase.counted_size - before


def begin_at_club(
    setup: SessionSetup, table: ClubTable, club_id: str, terms: Terms | None, name: str = ""
) -> sessions.Session:
    """Begin the session of a table and return it; the journal states it if the table is private or has a name.

    Raises ``CardtableError`` if the session cannot begin.
    """
    session = setup.begin(table.id, authenticated=True, host_id=club_id, terms=terms)
    if table.access.is_private:
        session.referee.record_line(MarkLine("private"))
    if name:
        session.referee.record_line(NameLine(name))
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


def create_rematch_setup(session: HostedSession) -> SessionSetup:
    """Return the setup of another session of the same people, with the same house rules.

    Robots with unused names take the seats of the players who have left, or have lost and do not accept.
    """
    header, draws_seats = session.session.header, session.people.rematch.draws_seats
    free_names = [name for name in ROBOT_NAMES if name not in [occupant.name for occupant in header.seats]]
    people = {seat: person.occupant for seat, person in session.people.rematch_people.items()}
    seats = [
        people.get(seat) or (occupant if occupant.robot else Occupant(free_names.pop(0), DEFAULT_LEVEL))
        for seat, occupant in enumerate(header.seats)
    ]
    game, came = GAMES[header.game], tuple([seats[seat] for seat in header.arrivals])
    return SessionSetup(game, tuple(seats), read(game.options, header.options, len(seats)), None, draws_seats, came)
