"""Manager of a club's tables, which opens, fills, begins, resumes and closes them at the clients' request."""

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final
from weakref import WeakSet

from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.protocol import RequestFailed, Seated, TableInfo, Talk, Update
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient, list_free_clients
from cardtable.club.server.disk_space import DiskSpace
from cardtable.club.server.hosted_session import HostedSession, Think
from cardtable.club.server.seat_ownership import Person, check_seat, has_nick
from cardtable.club.server.table_access import RequestRefused, TableAccess
from cardtable.club.server.table_invitations import MUTED, TableInvitations, format_withdrawal
from cardtable.club.server.table_limits import TableLimits
from cardtable.club.server.table_saver import TableSaver
from cardtable.club.server.table_spectators import TableSpectators
from cardtable.club.server.tables import (
    CLUB_CLOSING,
    ActiveTable,
    LastTables,
    PendingTable,
    ResumingTable,
    TournamentTerms,
    UnfinishedSession,
    begin_at_club,
    check_robot_level,
    create_rematch_setup,
    find_unfinished,
    refuse_others,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Occupant
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import sanitize
from cardtable.session.session_events import Stage
from cardtable.store import club_sessions, sessions, summaries
from cardtable.store.seating import is_same_nick

DEFAULT_GRACE: Final = 60
"""Time in seconds to wait for absent players in a session that is resumed."""
_TABLE_CLOSED: Final = "that table is closed"


class TableManager:
    """All tables of a club, and the clients at them.

    A table is *filling* while players take seats: it is a ``PendingTable`` or a ``ResumingTable``. Afterwards it is an
    ``ActiveTable``.
    """

    def __init__(
        self,
        accounts: AccountStore,
        think: Think,
        clients: Sequence[ConnectedClient],
        on_change: Callable[[], None],
        *,
        max_tables: int,
        disk_space: DiskSpace,
        log: Callable[[str, str], object],
    ) -> None:
        """Create the manager with the saved tables of ``accounts``.

        ``think`` chooses the robots' actions. ``clients`` holds all connected clients, and the caller keeps it up to
        date. ``on_change`` is called after every change at an open session. ``max_tables`` is the maximum number of
        filling tables and open sessions; ``disk_space`` counts what they add to the disk. ``log`` is called with lines
        for the host's log and the nick that caused each of them.
        """
        self._accounts, self._think, self._clients, self._log = accounts, think, clients, log
        self._on_change, self._is_open = on_change, True
        self._known_tables = WeakSet[ActiveTable]()
        """Tables in play, and those whose sessions are about to begin."""
        self._filling_tables: dict[str, PendingTable | ResumingTable] = {}
        self._starting_tables: dict[str, PendingTable | ResumingTable] = {}
        """Filling tables whose sessions are being opened, by id."""
        self.active_tables = {
            table.session: self._create_table(
                table.session,
                table.master,
                table.grace,
                table.given,
                table.create_access(),
            )
            for table in accounts.tables
        }
        """Tables in play by session id, including those whose session is closed while nobody is there."""
        self.saver: Final = TableSaver(accounts, self.active_tables)
        self._invitations = TableInvitations(accounts, clients, self.saver.save_access)
        self._spectators = TableSpectators(clients, self.active_tables, self.saver, self.remove_client)
        self._last_tables = LastTables()
        self._search_lock = asyncio.Lock()
        self.limits: Final = TableLimits(
            accounts, clients, self._filling_tables, self._starting_tables, self.active_tables, max_tables, disk_space
        )

    def _create_table(
        self,
        id_: str,
        master: str,
        grace: int,
        robot_seats: Collection[Seat] = (),
        access: TableAccess | None = None,
    ) -> ActiveTable:
        if not self._is_open:
            raise RequestRefused(CLUB_CLOSING)
        on_change, get_network = partial(self._count_growth, id_), self._accounts.get_network
        table = ActiveTable(id_, master, grace, self._think, on_change, robot_seats, get_network, self._log, access)
        self._known_tables.add(table)
        return table

    def _count_growth(self, id_: str) -> None:
        self.limits.count_growth(id_)
        self._on_change()

    # Tables of tournaments

    def add_tournament_table(self, id_: str, grace: int, terms: TournamentTerms) -> None:
        """Add the table of a tournament's session, or set the terms of the one that exists."""
        table = self.active_tables.setdefault(id_, self._create_table(id_, "", grace))
        table.tournament_terms = terms

    async def open_tournament_table(self, id_: str, create_session: Callable[[], sessions.Session] | None) -> None:
        """Open the session of a table that ``add_tournament_table`` has added, so that its players can sit down.

        ``create_session`` begins the session; it is ``None`` if the session exists already. Raises ``CardtableError``
        if the session cannot be created or opened.
        """
        table = self.active_tables[id_]
        await (table.begin(create_session) if create_session else table.open())
        await self.saver.save()

    async def release_tournament_table(self, id_: str) -> None:
        """Make a table of a tournament an ordinary one, after all tables of its round have finished."""
        table = self.active_tables.get(id_)
        if table is None:
            return
        table.tournament_terms = None
        await table.close_if_empty()
        if table.hosted_session is None and self.active_tables.get(id_) is table:
            del self.active_tables[id_]
            await self.saver.save()

    async def abandon_table(self, table: str, reason: str) -> None:
        """Close a table as ``close_table`` does, and move its session into the archive if it is unfinished.

        Raises ``CardtableError`` if the table is closed, or the session cannot be moved.
        """
        await self.close_table(table, reason)
        if self.active_tables.pop(table, None):
            await asyncio.to_thread(lambda: sessions.abandon(summaries.find_path(table)))
            await self.saver.save()

    async def forget_lost_tables(self) -> None:
        """Remove tables whose journals have disappeared from the disk, and save the rest.

        Raises ``CardtableError`` if they cannot be saved.
        """
        files = await asyncio.to_thread(summaries.find_unfinished_files)
        for id_ in self.active_tables.keys() - files.keys():
            del self.active_tables[id_]
        await self.saver.save_or_raise()

    async def close(self) -> None:
        """Close all sessions for good, including those that requests in progress are opening."""
        self._is_open = False
        for table in {*self._known_tables, *self.active_tables.values()}:
            await table.close(for_good=True)

    @property
    def _present_nicks(self) -> set[str]:
        return {client.nick for client in self._clients}

    def list_lobby_tables(self) -> dict[str, TableInfo]:
        """Return the descriptions of the tables for the lobby, by id.

        Tables in play are left out while their session is closed, and so are the names that muted people have given.
        """
        people = self._present_nicks
        waiting = self._filling_tables | self._starting_tables
        rows = {id_: filling.to_table_info(people) for id_, filling in waiting.items()}
        rows |= {id_: row for id_, table in self.active_tables.items() if (row := table.to_table_info())}
        return {id_: self._remove_muted_name(row) for id_, row in rows.items()}

    def _remove_muted_name(self, row: TableInfo) -> TableInfo:
        opener = self.active_tables[row.table].opened_by if row.table in self.active_tables else row.master
        return replace(row, name="") if row.name and self._accounts.is_muted(opener) else row

    # Filling tables

    def open_table(self, client: ConnectedClient, wish: protocol.OpenTable) -> None:
        """Open a table that waits for players; the client is its game master."""
        self.limits.check_new_table(client)
        if wish.name and self._accounts.is_muted(client.nick):
            raise RequestRefused(f"{MUTED}; your tables have no names")
        invited = tuple([self._invitations.find_nick(nick) for nick in wish.invited if wish.private])
        self._invitations.check_sender(client.nick, invited)
        taken_ids = self.limits.list_table_ids()
        filling = PendingTable(replace(wish, invited=invited), client.nick, client.network, taken_ids)
        self._filling_tables[filling.id] = filling
        self._invitations.announce(client.nick, invited, filling.game.about.key)

    async def _wake_table(self, table: ActiveTable, client: ConnectedClient, *, is_return: bool) -> HostedSession:
        """Open the session of a table for a client, unless it is open.

        ``is_return`` is True if the client wants to return to a seat of their own. Raises ``RequestRefused`` if the
        session is closed and there is no room for it, or the client opens sessions too fast.
        """
        if not table.is_awake:
            self.limits.check_wake_rate(client.nick)
            self.limits.disk_space.check_growth(table.opened_by, is_new=False)
        if table.is_asleep:
            if is_return:
                self.limits.check_return_capacity(client)
            else:
                self.limits.check_club_capacity(client)
            table.network, table.is_return = client.network, is_return
        return await table.open()

    async def start(self, client: ConnectedClient, table: str, level: str) -> None:
        """Begin the session of a filling table with robots of a level, or agree to resume it with such robots."""
        filling = self._find_filling_table(client, table)
        if filling is None:
            raise RequestRefused("that table has already started")
        check_robot_level(level)
        if isinstance(filling, ResumingTable):
            filling.agree_to_robots(client.nick, level)
            if filling.is_agreed(self._present_nicks):
                await self._continue_session(filling)
            return
        refuse_others(filling.master, client)
        self.limits.disk_space.check_growth(client.nick, is_new=True)
        active_table = self._create_table(table, filling.master, filling.grace, access=filling.access)
        async with active_table.keep_open():
            with self._replace_filling_table(filling, active_table):
                await self.saver.save_new_access(active_table)
                create_occupant = self._accounts.create_occupant
                await active_table.begin(lambda: filling.begin_session(level, self._accounts.id, create_occupant))
            await self._admit_players(active_table)

    @contextmanager
    def _replace_filling_table(
        self, filling_table: PendingTable | ResumingTable, active_table: ActiveTable
    ) -> Iterator[None]:
        """Replace a filling table by a table in play once the block succeeds.

        During the block no request can find either of them. If the block raises ``CardtableError``, the filling table
        is restored.
        """
        active_table.network, active_table.is_return = filling_table.network, filling_table.is_return
        self._starting_tables[filling_table.id] = self._filling_tables.pop(filling_table.id)
        try:
            yield
        except CardtableError:
            self._filling_tables[filling_table.id] = filling_table
            raise
        else:
            self.active_tables[active_table.id] = active_table
        finally:
            del self._starting_tables[filling_table.id]

    async def _admit_players(self, table: ActiveTable) -> None:
        """Save the tables, and add the clients who own a seat and are free for it to a table that has just begun."""
        await self.saver.save()
        seats = {each: table.find_seat(each.person) for each in list_free_clients(self._clients)}
        await self._add_clients(table, {each: seat for each, seat in seats.items() if seat is not None})

    # Unfinished sessions

    async def list_unfinished(self, person: Person) -> tuple[TableInfo, ...]:
        """Return a person's unfinished sessions that are not in play, last played first."""
        own = [each for each in await self._find_unfinished(person.owns) if not club_sessions.is_secret(each.header)]
        rows = [each.to_table_info(self._present_nicks, self._get_access(each)) for each in own]
        return tuple(map(self._remove_muted_name, rows))

    def _get_access(self, session: UnfinishedSession) -> TableAccess:
        """Return who may see the table of an unfinished session.

        If the club has lost the invitations, only the players may see that of a private table.
        """
        table = self.active_tables.get(session.header.id)
        return table.access if table else TableAccess(() if session.is_private else None)

    async def _find_unfinished(self, is_own: Callable[[Occupant], bool]) -> list[UnfinishedSession]:
        """Return the unfinished sessions of some owners of seats that are not in the lobby, last played first.

        Only one search runs at a time.
        """
        async with self._search_lock:
            robot_seats = {id_: table.robot_seats for id_, table in self.active_tables.items()}
            lobby_ids = set(self.list_lobby_tables())
            return await asyncio.to_thread(lambda: [*find_unfinished(is_own, lobby_ids, robot_seats)])

    async def has_seat(self, nick: str) -> bool:
        """Return True if an unfinished session names a nick as the owner of a seat."""
        return bool(self._list_open_tables(nick)) or bool(await self._find_unfinished(partial(has_nick, nick)))

    def _list_open_tables(self, nick: str) -> list[str]:
        """Return the ids of open and resuming tables at which a nick owns a seat."""
        tables = {
            id_: table.session.owners
            for id_, table in (self._filling_tables | self._starting_tables).items()
            if isinstance(table, ResumingTable)
        } | {
            id_: session.people.owners for id_, table in self.active_tables.items() if (session := table.hosted_session)
        }
        return [id_ for id_, owners in tables.items() if any(is_same_nick(nick, each.name) for each in owners.values())]

    def check_not_in_play(self, nick: str) -> None:
        """Raise ``CardtableError`` if a nick owns a seat at a table that is open or being resumed."""
        if tables := self._list_open_tables(nick):
            raise CardtableError(f"{sanitize(nick, 40)} has a seat at the table {tables[0]}; close the table first")

    def rename_master(self, nick: str, name: str) -> None:
        """Replace the nick of a game master whose data is erased; the caller saves the tables."""
        for table in self.active_tables.values():
            table.access.withdraw(nick)
            if is_same_nick(table.opened_by, nick):
                table.opened_by = name

    def rename_player(self, former: Person, nick: str) -> None:
        """Use the present nick of a player at all tables; the next save stores it."""
        for table in (*self._filling_tables.values(), *self._starting_tables.values(), *self.active_tables.values()):
            table.rename_player(former, nick)
        self._last_tables.rename(former.nick, nick)
        self.saver.save_later()

    async def resume_session(self, client: ConnectedClient, session: str) -> None:
        """Call back the players of an unfinished session, or join those who have been called back."""
        if not self._is_in_lobby(client, session):
            self.limits.check_resumption(client, session)
            own = await self._find_unfinished(client.person.owns)
            match = next((each for each in own if each.header.id == session), None)
            if match is not None and not club_sessions.is_secret(match.header):
                access = self._get_access(match)
                access.invite(*self._accounts.list_own_nicks(match.owners.values()))
                self._filling_tables[session] = ResumingTable(match, client.person, client.network, access)
                self._invitations.call_back(client.person, match)
            elif not self._is_in_lobby(client, session):  # nor has another player resumed it during the search
                raise RequestRefused("that is not one of your unfinished sessions")
        await self._take_seat(client, session, None)

    def _is_in_lobby(self, client: ConnectedClient, table: str) -> bool:
        """Return True if a table is in the lobby that a client sees."""
        row = self.list_lobby_tables().get(table)
        return row is not None and TableAccess(row.invited if row.private else None).admits(client.nick)

    async def _continue_session(self, resuming_table: ResumingTable) -> None:
        """Resume a session, with robots as substitutes for the players who have not arrived."""
        id_ = resuming_table.id
        new = self._create_table(id_, resuming_table.master, DEFAULT_GRACE, access=resuming_table.access)
        active_table = self.active_tables.get(id_, new)
        async with active_table.keep_open():
            with self._replace_filling_table(resuming_table, active_table):
                session = await active_table.open()
            await self.saver.save()
            clients = [each for each in list_free_clients(self._clients) if each.nick in resuming_table.seated_nicks]
            await self._add_clients(active_table, {each: active_table.find_seat(each.person) for each in clients})
        if resuming_table.absent_names:
            await session.people.substitute_robots(resuming_table.robot_level)

    # Sitting down and leaving

    async def sit_down(self, client: ConnectedClient, table: str, seat: Seat | None) -> None:
        """Give a client a seat; ``None``: the client's own, or any free one."""
        self.limits.check_table_limit(client, table)
        await self._take_seat(client, table, seat)

    async def watch(self, client: ConnectedClient, table: str) -> None:
        """Add a client to a table in play as a spectator.

        A table of a tournament has none until all tables of the round have finished, since they have the same deals.
        """
        self.limits.check_table_limit(client, table)
        self.limits.check_watch_rate(client)
        if self._find_filling_table(client, table):
            raise RequestRefused("nobody plays at that table yet")
        active_table = self._find_visible_table(client, table)
        if active_table.tournament_terms:
            raise RequestRefused(
                "nobody can watch a table of a tournament until all tables have finished: they have the same deals"
            )
        async with active_table.keep_open():
            await self._wake_table(active_table, client, is_return=False)
            if active_table.find_seat(client.person) is None:
                active_table.access.check_spectator(client.nick)
            await self._add_clients(active_table, {client: None})

    async def _take_seat(self, client: ConnectedClient, table: str, seat: Seat | None) -> None:
        if filling := self._find_filling_table(client, table):
            check_seat(seat, filling.seated_nicks)
            filling.sit_down(client.person, seat)
            if isinstance(filling, ResumingTable) and not filling.absent_names:
                await self._continue_session(filling)
            return
        active_table = self._find_visible_table(client, table)
        async with active_table.keep_open():
            await self._sit_down_in_play(client, active_table, seat)

    async def _sit_down_in_play(self, client: ConnectedClient, active_table: ActiveTable, seat: Seat | None) -> None:
        session = await self._wake_table(active_table, client, is_return=True)
        session.people.check_seat(seat)
        own = active_table.find_seat(client.person)
        if own is None and seat is not None and session.people.is_offered(seat, client.person):
            await session.people.accept_seat(seat, client.person)
            own = seat
            await self.saver.save()
        if own is None or seat not in (None, own):
            raise RequestRefused("no seat is free at that table")
        await self._add_clients(active_table, {client: own})

    async def _add_clients(
        self, table: ActiveTable, seats_by_client: Mapping[ConnectedClient, Seat | None], *, previous_table: str = ""
    ) -> None:
        """Add clients to a table in play, as players or, where the seat is ``None``, as spectators.

        All are added at once, so that none of them is shown as absent. Clients who are at the table already or have
        disconnected are left out, but who has watched can take a seat. In a rematch ``previous_table`` is the id of the
        table that the clients come from.
        """
        async with table.keep_open():
            session = await table.open()
            assert table.header is not None
            for client, seat in seats_by_client.items():
                subscriber = client.subscriptions.get(table.id)
                if subscriber and subscriber.seat is None and seat is not None:  # they have watched
                    await session.people.unsubscribe(client.subscriptions.pop(table.id))
            new_clients = [
                client for client in seats_by_client if client in self._clients and table.id not in client.subscriptions
            ]
            for client in new_clients:
                client.queue_answer(Seated(table.id, table.header, seats_by_client[client], previous_table))
                client.subscriptions[table.id] = session.people.make_subscriber(
                    client.person, seats_by_client[client], client.notify
                )
            if not new_clients:
                return
            try:
                await session.people.subscribe([client.subscriptions[table.id] for client in new_clients])
            except (CardtableError, IllegalAction):
                for client in new_clients:
                    client.subscriptions.pop(table.id, None)
                raise
            for client in new_clients:
                if seats_by_client[client] is not None:
                    self._last_tables.add(client.nick, table.id, self.active_tables)

    def find_last_table(self, person: Person) -> str:
        """Return the table to which a player who logs in returns; see ``LastTables.find``."""
        return self._last_tables.find(person, self.active_tables)

    async def leave_table(self, client: ConnectedClient, table: str) -> None:
        """Remove a client from a table; a seat at a table in play stays the player's."""
        self._last_tables.remove(client.nick, table)
        if table in client.subscriptions:
            await self.remove_client(client, table)
        elif (filling := self._find_filling_table(client, table)) and client.nick in filling.seated_nicks:
            filling.leave(client.nick)
            await self._update_filling_tables()
        else:
            raise RequestRefused("you are not at that table")

    async def remove_client(self, client: ConnectedClient, table: str) -> None:
        """Remove a client from a table in play; nothing happens if the client has left already.

        A table whose session is over is closed after its last client, and a rematch begins if all who remain have
        accepted it.
        """
        subscriber, active_table = client.subscriptions.pop(table, None), self.active_tables.get(table)
        if subscriber is None or active_table is None:  # the client has left, or the table has ended by a fault
            return
        await active_table.leave(subscriber)
        # Another client may have left at the same time.
        if active_table.is_over and self.active_tables.get(table) is active_table:
            del self.active_tables[table]
            await self.saver.save()
        await self._begin_rematch(active_table)

    async def remove_from_all_tables(self, client: ConnectedClient) -> None:
        """Remove a disconnected client from all tables.

        The player still owns the seats in sessions. A filling table is closed if none of its players is connected.
        """
        for table in [*client.subscriptions]:
            await self.remove_client(client, table)
        await self._update_filling_tables()

    async def _update_filling_tables(self) -> None:
        """Close the filling tables none of whose players is connected; resume those whose players agree to robots."""
        people = self._present_nicks
        for id_, filling in [*self._filling_tables.items()]:
            if not any(nick in people for nick in filling.seated_nicks):
                self._filling_tables.pop(id_, None)
            elif isinstance(filling, ResumingTable) and filling.is_agreed(people) and id_ in self._filling_tables:
                with suppress(CardtableError):  # the table still waits, and its players can agree again
                    await self._continue_session(filling)

    async def close_table(self, table: str, reason: str) -> None:
        """Close a table, and send ``reason`` to all clients at it.

        A filling table disappears. A session in play stays unfinished, and its players can resume it; changes that are
        in progress are saved first. Raises ``RequestRefused`` if there is no such table, or its session or the next one
        is just being opened.
        """
        if table in self._starting_tables:
            raise RequestRefused("that table is just starting; try again")
        if filling := self._filling_tables.pop(table, None):
            for client in self._clients:
                if client.nick in filling.seated_nicks:
                    client.queue_talk(Talk(reason))
            return
        if (active_table := self.active_tables.get(table)) is None:
            raise RequestRefused(_TABLE_CLOSED)
        if active_table.rematch == "beginning":
            raise RequestRefused("another session is just beginning at that table; try again")
        for client in self._clients:
            if client.subscriptions.pop(table, None):
                client.queue_answer(Update(table, 0, (), Stage.PLAY, closed=reason))
        await active_table.close()
        if active_table.is_over and self.active_tables.get(table) is active_table:
            del self.active_tables[table]
        await self.saver.save()

    # Tables in play

    async def act(self, client: ConnectedClient, table: str, at: int, action: str) -> None:
        """Make a decision of a player; ``at`` is the number of decisions when the player chose."""
        session = await self._open_session(client, table)
        await session.act(self._require_own_seat(client, table), at, action)
        self._last_tables.add(client.nick, table, self.active_tables)

    async def acknowledge_round(self, client: ConnectedClient, table: str, number: int) -> None:
        """Record that a player has seen the points of a round."""
        session = await self._open_session(client, table)
        await session.people.acknowledge_round(self._require_own_seat(client, table), number)

    async def read_rounds(self, client: ConnectedClient, table: str) -> str:
        """Return the lines of the journal up to the end of the last finished round, without the seed."""
        return await (await self._open_session(client, table)).read_finished_rounds()

    async def vote_substitute(self, client: ConnectedClient, table: str, seat: Seat) -> None:
        """Count a player's vote for a robot to substitute for an absent player."""
        session = await self._open_session(client, table)
        await session.people.vote_substitute(seat, self._require_own_seat(client, table))

    # Requests of the game master

    async def end_wait(self, client: ConnectedClient, table: str) -> None:
        """Stop waiting for absent players and for acknowledgements of the round's points."""
        _, session = await self._open_as_master(client, table)
        await session.people.end_wait()

    async def give_seat(self, client: ConnectedClient, request: protocol.GiveSeat) -> None:
        """Give the seat of an absent player to a robot, or offer it to another player."""
        active_table, session = await self._open_as_master(client, request.table)
        receiver = self._find_seat_receiver(active_table, request.nick) if request.nick else None
        check_robot_level(request.level)
        if receiver and not active_table.access.admits(receiver.nick):
            active_table.access.check_can_invite()
        if receiver:
            self._invitations.check_sender(client.nick, [receiver.nick])
        if receiver:
            await session.people.offer_seat(request.seat, receiver)
            active_table.access.invite(receiver.nick)
            text = f"{client.nick} offers you {session.people.owners[request.seat].name}'s seat."
            self._invitations.tell(client.nick, [receiver.nick], text)
        else:
            await session.people.seat_robot(request.seat, request.level)
            await self._give_seat_to_robot(active_table, session, request.seat)

    async def vote_rematch(self, client: ConnectedClient, table: str, *, lot: bool) -> None:
        """Offer another session as the game master, or accept the offer; ``lot``: the master draws seats at random.

        If the session has not ended, it stays unfinished when the other one begins.
        """
        seat, active_table = self._require_own_seat(client, table), self._find_visible_table(client, table)
        active_table.refuse_in_tournament()
        session = await active_table.open()
        if not session.people.rematch_offered:
            refuse_others(active_table.master, client)
            others = [person.nick for other, person in session.people.present_people.items() if other != seat]
            self._invitations.check_sender(client.nick, others)
            self.limits.check_rematch(client.nick, is_over=session.is_over)
            active_table.draws_seats = lot
        await session.people.vote_rematch(seat, is_shown=not self._accounts.is_muted(client.nick))
        await self._begin_rematch(active_table)

    async def decline_rematch(self, client: ConnectedClient, table: str) -> None:
        """Withdraw the offer of another session as the game master, or decline it; the offer lapses for all."""
        session = await self._open_session(client, table)
        self._require_own_seat(client, table)
        if not session.people.rematch_offered or session.people.rematch_agreed:
            raise RequestRefused("no other session is offered")
        await session.people.cancel_rematch()

    # Private tables and spectators

    async def invite(self, client: ConnectedClient, request: protocol.InviteToTable) -> None:
        """Invite a person to a private table as its game master, or withdraw an invitation."""
        access = await self._get_access_as_master(client, request.table)
        row = self.list_lobby_tables()[request.table]
        if not request.withdrawn:
            await self._invitations.invite(client.nick, row, access, request.nick)
            return
        active_table = self.active_tables.get(row.table)
        opener = active_table.opened_by if active_table else ""
        nick = await self._invitations.withdraw(client.nick, row, access, request.nick, opener)
        if isinstance(filling := self._filling_tables.get(row.table), PendingTable):
            filling.leave(nick)
        devices = [each for each in self._clients if each.nick == nick]
        await self._spectators.dismiss(devices, row.table, format_withdrawal(row))

    async def send_away(self, client: ConnectedClient, table: str, nick: str) -> None:
        """Remove a spectator, who cannot come back, as the game master."""
        access = await self._get_access_as_master(client, table)
        await self._spectators.send_away(client.nick, table, access, nick)

    async def admit_spectators(self, client: ConnectedClient, table: str, *, admitted: bool) -> None:
        """Open a table to spectators, or close it to them, as the game master."""
        access = await self._get_access_as_master(client, table)
        await self._spectators.admit(client.nick, table, access, admitted=admitted)

    def forget_former_person(self, person: Person) -> None:
        """Withdraw seats and invitations from whoever had the nick that now belongs to ``person``."""
        self._last_tables.forget(person.nick)
        for filling in self._filling_tables.values():
            filling.leave(person.nick)
        for table in (*self._filling_tables.values(), *self.active_tables.values()):
            is_player = isinstance(table, ActiveTable) and table.find_seat(person) is not None
            if not isinstance(table, ResumingTable) and not is_player:
                table.access.withdraw(person.nick)
        self.saver.save_later()

    async def _get_access_as_master(self, client: ConnectedClient, table: str) -> TableAccess:
        """Return who may come to a table, for a request that only the game master may make."""
        if filling := self._find_filling_table(client, table):
            refuse_others(filling.master, client)
            return filling.access
        return (await self._open_as_master(client, table))[0].access

    async def _open_as_master(self, client: ConnectedClient, table: str) -> tuple[ActiveTable, HostedSession]:
        """Return a table and its session for a request that only the game master may make."""
        self._require_own_seat(client, table)
        active_table = self._find_visible_table(client, table)
        active_table.refuse_in_tournament()
        session = await active_table.open()
        refuse_others(active_table.master, client)
        return active_table, session

    async def _give_seat_to_robot(self, table: ActiveTable, session: HostedSession, seat: Seat) -> None:
        """Make the robot that substitutes at a seat the owner of the seat.

        It is saved before the session changes. Raises ``CardtableError`` if it cannot be saved; the seat then remains
        as it was.
        """
        await self.saver.save_given_seat(table.id, seat)
        await session.people.assign_to_robot(seat)
        if seat in session.people.owners:  # the owner has returned
            await self.saver.save()
        else:
            session.robot_seats.add(seat)

    def _find_seat_receiver(self, table: ActiveTable, nick: str) -> Person:
        """Return the person with a nick. Raises ``RequestRefused`` if they are not here or own a seat at the table."""
        person = next((each.person for each in self._clients if is_same_nick(each.nick, nick)), None)
        if person is None:
            raise RequestRefused(f"nobody called {nick} is here")
        if table.find_seat(person) is not None:
            raise RequestRefused(f"{person.nick} already sits at this table")
        return person

    async def _begin_rematch(self, table: ActiveTable) -> None:
        """Begin another session once all players who are still present have accepted it; do so only once per table.

        If the session cannot begin, all clients at the table are told why; before the end of the present session the
        offer then lapses.
        """
        session = table.hosted_session
        if session is None or not session.people.rematch_agreed or table.rematch:
            return
        table.rematch = "beginning"
        setup = create_rematch_setup(session, draws_seats=table.draws_seats)
        rematch_table = self._create_table(
            sessions.generate_id(datetime.now(UTC), setup.game.about.key, self.limits.list_table_ids()),
            table.master,
            table.grace,
            access=table.access.copy(),
        )
        rematch_table.network, rematch_table.is_return = table.network, table.is_return
        async with rematch_table.keep_open():
            try:
                await self.saver.save_new_access(rematch_table)
                await rematch_table.begin(
                    lambda: begin_at_club(setup, rematch_table.id, self._accounts.id, rematch_table.access)
                )
            except CardtableError as error:
                for each in self._clients:
                    if table.id in each.subscriptions:
                        each.queue_answer(RequestFailed(error.reason))
                if not session.is_over:
                    with suppress(CardtableError):  # the table may have been closed
                        await session.people.cancel_rematch()
                table.rematch = None
                return
            table.rematch = "begun"
            self.active_tables[rematch_table.id] = rematch_table
            at_table = [each for each in self._clients if table.id in each.subscriptions]
            seats_by_client = {each: rematch_table.find_seat(each.person) for each in at_table}
            await self._add_clients(rematch_table, seats_by_client, previous_table=table.id)
        for each in seats_by_client:
            await self.remove_client(each, table.id)
        await self.saver.save()

    async def say(self, client: ConnectedClient, text: str, table: str) -> None:
        """Send a client's chat message to a table; raises errors as ``HostedSession.say`` does."""
        seat = self.get_seat(client, table)
        session = await self._open_session(client, table)
        await session.say(text, client.nick if seat is None else seat)

    def get_seat(self, client: ConnectedClient, table: str) -> Seat | None:
        """Return a client's seat at a table, or ``None`` for a spectator.

        Raises ``RequestRefused`` if the client is not at the table.
        """
        if table not in client.subscriptions:
            raise RequestRefused("you are not at that table")
        return client.subscriptions[table].seat

    def _find_filling_table(self, client: ConnectedClient, table: str) -> PendingTable | ResumingTable | None:
        """Return the filling table with an id; ``None`` if there is none or the client may not see it."""
        filling = self._filling_tables.get(table)
        return filling if filling and filling.access.admits(client.nick) else None

    def _find_visible_table(self, client: ConnectedClient, table: str) -> ActiveTable:
        """Return a table in play that the client may see.

        Raises ``RequestRefused`` with the same words if there is no such table, or if the client may not see it.
        """
        active_table = self.active_tables.get(table)
        if active_table is None or not active_table.access.admits(client.nick):
            raise RequestRefused(_TABLE_CLOSED)
        return active_table

    async def _open_session(self, client: ConnectedClient, table: str) -> HostedSession:
        """Return the session of a table at which the client is."""
        self.get_seat(client, table)
        return await self._find_visible_table(client, table).open()

    def _require_own_seat(self, client: ConnectedClient, table: str) -> Seat:
        seat = self.get_seat(client, table)
        if seat is None:
            raise RequestRefused("you are only watching at that table")
        return seat
