"""Registry of a club's tables: finds them for the clients who may see them, and saves them to the club's file.

Also decisions of game masters about who comes to their tables, and sentences by which one person addresses another.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Final

from msgspec.structs import replace

from cardtable.club.addresses import is_loopback_network
from cardtable.club.protocol import TableInfo, Talk, Update
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_file import create_saved_table
from cardtable.club.server.club_table import CLUB_CLOSING, ClubTable, TableHost, TournamentSetting
from cardtable.club.server.host_events import Emit
from cardtable.club.server.hosted_session import HostedSession, Think
from cardtable.club.server.limits import LIMITS, Budget, RequestRefused
from cardtable.club.server.stored_sessions import UnfinishedSession, find_unfinished
from cardtable.club.server.table_access import Person, TableAccess, has_nick
from cardtable.club.server.table_phases import Gathering
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Occupant
from cardtable.engine.text_format import find_name, sanitize
from cardtable.games import ABOUT
from cardtable.session.session_events import Stage
from cardtable.store import summaries, visibility
from cardtable.store.seating import compute_nick_key, is_same_nick
from cardtable.store.sessions import Session
from cardtable.workers.tasks import run_uninterrupted

NO_SUCH_TABLE: Final = "that table is closed"


class TableRegistry:
    """All tables of a club, and what is saved of them.

    Tables of sessions that everybody has left remain in it until their sessions end.
    """

    def __init__(
        self,
        accounts: AccountStore,
        clients: Sequence[ConnectedClient],
        think: Think,
        on_change: Callable[[ClubTable], None],
        emit: Emit,
    ) -> None:
        """Create the registry with the saved tables of ``accounts``; the other parameters are those of ``TableHost``.

        ``clients`` holds all connected clients, and the caller keeps it up to date.
        """
        self._accounts, self._clients, self._is_open = accounts, clients, True
        self.host: Final = TableHost(
            think,
            self.save_or_raise,
            on_change,
            accounts.get_network,
            accounts.map_former_guests,
            emit,
            self._find_connected_network,
        )
        self.tables: dict[str, ClubTable] = {}
        """Tables by id."""
        self._arrival_numbers = count()
        self._search_lock, self._access_lock = asyncio.Lock(), asyncio.Lock()
        for saved in accounts.tables:
            table = self.add(ClubTable(self.host, saved.session, saved.master, saved.grace, saved.create_access()))
            table.robot_seats.update(saved.given)

    def add(self, table: ClubTable) -> ClubTable:
        """Add a table, and return it. Raises ``RequestRefused`` if the club is closing."""
        if not self._is_open:
            raise RequestRefused(CLUB_CLOSING)
        self.tables[table.id] = table
        return table

    async def remove(self, table: ClubTable) -> None:
        """Remove a table unless that has happened, and save the rest."""
        if self.tables.get(table.id) is table:
            del self.tables[table.id]
            await self.save()

    def disband(self, table: ClubTable) -> None:
        """End the gathering of a table, which is removed unless its session exists."""
        if not table.has_session:
            del self.tables[table.id]
        table.disband()

    async def forget_lost_tables(self) -> None:
        """Remove tables whose journals have disappeared from the disk, and save the rest.

        Raises ``CardtableError`` if they cannot be saved.
        """
        files = await asyncio.to_thread(summaries.find_unfinished_files)
        for id_ in self.tables.keys() - files.keys():
            del self.tables[id_]
        await self.save_or_raise()

    async def close(self) -> None:
        """Close all sessions for good, including those that requests in progress are opening."""
        self._is_open = False
        for table in [*self.tables.values()]:
            await table.close(for_good=True)

    # Lookups

    @property
    def present_nicks(self) -> set[str]:
        return {client.nick for client in self._clients}

    def list_lobby_tables(self) -> dict[str, TableInfo]:
        """Return the descriptions of the tables for the lobby, by id.

        Tables in play are left out while their session is closed, and so are the names that muted people have given.
        """
        people = self.present_nicks
        rows = [(table.opened_by, table.to_table_info(people)) for table in self.tables.values()]
        return {row.table: self._remove_muted_name(opener, row) for opener, row in rows if row}

    def _remove_muted_name(self, opener: str, row: TableInfo) -> TableInfo:
        return replace(row, name="") if row.name and self._accounts.is_muted(opener) else row

    def _find_connected_network(self, nick: str) -> str:
        """Return the only network from which a nick is connected.

        It is empty on this machine, where a proxy may stand, and where sessions of one network count.
        """
        if self._accounts.state.contents.one_network:
            return ""
        networks = {client.network for client in self._clients if client.nick == nick}
        network = networks.pop() if len(networks) == 1 else ""
        return "" if is_loopback_network(network) else network

    def is_in_lobby(self, client: ConnectedClient, id_: str) -> bool:
        """Return True if a table is in the lobby that a client sees."""
        table = self.tables.get(id_)
        return table is not None and table.is_open and table.access.admits(client.nick)

    def find_visible(self, client: ConnectedClient, id_: str) -> ClubTable:
        """Return a table that the client may see, and that is not just starting.

        Raises ``RequestRefused`` with the same words if there is no such table, or if the client may not see it.
        """
        table = self.tables.get(id_)
        if table is None or table.is_starting or not table.access.admits(client.nick):
            raise RequestRefused(NO_SUCH_TABLE)
        return table

    def find_gathering(self, client: ConnectedClient, id_: str) -> Gathering | None:
        """Return the players who take seats at a table; ``None`` if it has started or the client may not see it."""
        table = self.tables.get(id_)
        return table.gathering if table and table.access.admits(client.nick) else None

    def get_seat(self, client: ConnectedClient, id_: str) -> Seat | None:
        """Return a client's seat at a table, or ``None`` for a spectator.

        Raises ``RequestRefused`` if the client is not at the table.
        """
        if id_ not in client.subscriptions:
            raise RequestRefused("you are not at that table")
        return client.subscriptions[id_].seat

    async def open_session(self, client: ConnectedClient, id_: str) -> HostedSession:
        """Return the session of a table at which the client is."""
        self.get_seat(client, id_)
        return await self.find_visible(client, id_).open()

    def list_clients(self, id_: str) -> list[ConnectedClient]:
        return [client for client in self._clients if id_ in client.subscriptions]

    # Tables of tournaments

    def add_tournament_table(self, id_: str, grace: int, tournament_setting: TournamentSetting) -> None:
        """Add the table of a tournament's session, or set the terms of the one that exists."""
        table = self.tables.get(id_) or self.add(ClubTable(self.host, id_, "", grace))
        table.tournament_setting = tournament_setting

    async def open_tournament_table(self, id_: str, create_session: Callable[[], Session] | None) -> None:
        """Open the session of a table that ``add_tournament_table`` has added, so that its players can sit down.

        ``create_session`` begins the session; it is ``None`` if the session exists already. Raises ``CardtableError``
        if the session cannot be created or opened.
        """
        table = self.tables[id_]
        await (table.begin(create_session) if create_session else table.open())
        await self.save()

    def notice_progress(self) -> None:
        """Let tables of tournaments go on that have waited for others, or for the administrator."""
        for table in self.tables.values():
            if table.tournament_setting and table.hosted_session:
                table.hosted_session.notice_progress()

    async def release_tournament_table(self, id_: str) -> None:
        """Make a table of a tournament an ordinary one, after all tables of its round have finished."""
        if table := self.tables.get(id_):
            table.tournament_setting = None
            await table.close_if_empty()
            if table.hosted_session is None:
                await self.remove(table)

    # Unfinished sessions

    async def list_unfinished(self, person: Person) -> tuple[TableInfo, ...]:
        """Return a person's unfinished sessions that are not in play, last played first."""
        rows = []
        for session in await self.find_unfinished(person.owns):
            if not visibility.is_secret(session.header):
                table = self.tables.get(session.header.id)
                row = self.find_access(session).add_to(session.to_table_info(self.present_nicks))
                rows.append(self._remove_muted_name(table.opened_by if table else "", row))
        return tuple(rows)

    def find_access(self, session: UnfinishedSession) -> TableAccess:
        """Return who may see the table of an unfinished session.

        If the club has lost the invitations, only the players may see that of a private table.
        """
        table = self.tables.get(session.header.id)
        return table.access if table else TableAccess(() if session.is_private else None)

    async def find_unfinished(self, is_own: Callable[[Occupant], bool]) -> list[UnfinishedSession]:
        """Return the unfinished sessions of some owners of seats that are not in the lobby, last played first.

        Only one search runs at a time.
        """
        async with self._search_lock:
            robot_seats = {id_: tuple(table.robot_seats) for id_, table in self.tables.items()}
            lobby_ids = {id_ for id_, table in self.tables.items() if table.is_open}
            guests = self._accounts.map_former_guests()
            return await asyncio.to_thread(lambda: [*find_unfinished(is_own, lobby_ids, robot_seats, guests)])

    async def has_seat(self, nick: str) -> bool:
        """Return True if the journal of an unfinished session names a nick as the owner of a seat."""
        is_named = partial(has_nick, nick)
        return self._find_table(is_named) is not None or bool(await self.find_unfinished(is_named))

    def _find_table(self, is_own: Callable[[Occupant], bool]) -> ClubTable | None:
        return next((table for table in self.tables.values() if any(map(is_own, table.owners.values()))), None)

    def check_not_in_play(self, nick: str) -> None:
        """Raise ``CardtableError`` if a nick owns a seat at a table that is open or being resumed."""
        if table := self._find_table(partial(has_nick, nick)):
            raise CardtableError(f"{sanitize(nick, 40)} has a seat at the table {table.id}; close the table first")

    # Nicks

    def rename_master(self, nick: str, name: str) -> None:
        """Replace the nick of a game master whose data is erased; the caller saves the tables."""
        for table in self.tables.values():
            table.change_access(lambda access: access.withdraw(nick))
            if is_same_nick(table.opened_by, nick):
                table.opened_by = name

    def rename_person(self, former: Person, nick: str) -> None:
        """Use the present nick of a person at all tables; the next save stores it."""
        for table in self.tables.values():
            table.rename_person(former, nick)
        self.save_later()

    def forget_former_person(self, person: Person) -> None:
        """Withdraw seats and invitations from whoever had the nick that now belongs to ``person``."""
        for table in self.tables.values():
            table.arrivals.pop(person.nick, None)
            if table.gathering:
                table.leave(person.nick)
            if table.find_seat(person) is None:
                table.change_access(lambda access: access.withdraw(person.nick))
        self.save_later()

    # Last tables

    def note_arrival(self, nick: str, id_: str) -> None:
        """Make a table, unless it has ended, the last one of a player, who sits down or decides there."""
        if table := self.tables.get(id_):
            table.arrivals[nick] = next(self._arrival_numbers)

    def find_last_table(self, person: Person) -> str:
        """Return the id of the table at which a player sat last and that the player has not left; "" if there is none.

        A table is left out if its session has ended, or if the player has lost the seat.
        """
        tables = [
            table
            for table in self.tables.values()
            if person.nick in table.arrivals
            and not table.is_over
            and (table.hosted_session is None or table.find_seat(person) is not None)
        ]
        return max(tables, key=lambda table: table.arrivals[person.nick]).id if tables else ""

    # Saving

    async def save(self) -> None:
        """Save the tables in play, and record that their players have taken part in a session.

        An error of the disk is ignored here, since the lobby retries.
        """
        tables = [table for table in self.tables.values() if table.hosted_session]
        self._accounts.mark_played(owner.name for table in tables for owner in table.owners.values())
        with suppress(CardtableError):
            await self.save_or_raise()

    async def save_or_raise(self) -> None:
        """Save the tables in play. Raises ``CardtableError`` if that fails."""
        self.save_later()
        await self._accounts.save_all()

    async def decide_access(self, table: ClubTable, change: Callable[[TableAccess], None]) -> None:
        """Change who may see a table for its game master; nobody notices before the change is saved.

        Raises ``CardtableError``, without a change, if that fails.
        """
        await run_uninterrupted(self._decide_access(table, change))

    async def _decide_access(self, table: ClubTable, change: Callable[[TableAccess], None]) -> None:
        def undo() -> None:
            table.next_access = table.access

        async with self._access_lock:
            changed = table.access.copy()
            change(changed)
            table.next_access = changed
            await self.save_or_undo(table, undo)
            table.access = changed

    async def save_or_undo(self, table: ClubTable, undo: Callable[[], None]) -> None:
        """Save a change of a table whose session exists; nothing happens for any other table.

        Raises ``CardtableError`` after a call of ``undo`` if that cannot be saved.
        """
        if not table.has_session:
            return
        try:
            await self.save_or_raise()
        except CardtableError:
            undo()
            self.save_later()
            raise

    def save_later(self) -> None:
        """Have the next save of the club write the tables in play as they are now."""
        self._accounts.tables = tuple(
            [create_saved_table(table) for table in self.tables.values() if table.has_session]
        )


MUTED: Final = "the host has muted you"


class TableInvitations:
    """Invitations, offers and spectators: each decision of a game master is saved before anybody is told.

    Invitations and offers have a budget for each sender, and for each pair of sender and receiver; senders of one
    network share theirs. People whom the host has muted invite nobody, and nobody is told of them.
    """

    def __init__(
        self,
        accounts: AccountStore,
        registry: TableRegistry,
        clients: Sequence[ConnectedClient],
        remove_client: Callable[[ConnectedClient, str], Awaitable[None]],
    ) -> None:
        """``clients`` holds all connected clients.

        ``remove_client`` removes a client from the table with an id.
        """
        self._accounts, self._registry, self._clients = accounts, registry, clients
        self._remove_client = remove_client
        self._senders, self._pairs = Budget(LIMITS.invitations), Budget(LIMITS.invitations_of_one)

    # Invitations

    def find_nick(self, nick: str) -> str:
        """Return the present form of the nick of a person whom the club knows.

        Raises ``RequestRefused`` if it knows nobody with this nick, since anybody could come with it.
        """
        if known := self._accounts.find_known_nick(nick):
            return known
        raise RequestRefused(f"nobody called {nick} has been here yet")

    def check_sender(self, sender: str, nicks: Collection[str]) -> None:
        """Take what an invitation or offer of ``sender`` to people with these nicks costs from the budgets.

        Raises ``RequestRefused`` if the sender is muted, or has no budget left.
        """
        if nicks and self._accounts.is_muted(sender):
            raise RequestRefused(MUTED)
        key = self._accounts.get_network(sender) or compute_nick_key(sender)
        for nick in nicks:
            self._pairs.take(f"{key} {compute_nick_key(nick)}", nick=nick)
            self._senders.take(key)

    async def invite(self, master: str, table: ClubTable, nick: str) -> None:
        """Invite a person to a private table for its game master ``master``.

        Raises ``RequestRefused`` if the table is not private, the club does not know the person, the person is invited
        already, or ``master`` may not invite them, and ``CardtableError`` if the invitation cannot be saved.
        """
        if not table.access.is_private:
            raise RequestRefused("that table is not private; everybody may come to it")
        nick, game = self.find_nick(nick), self._registry.list_lobby_tables()[table.id].game
        if table.access.admits(nick):
            raise RequestRefused(f"{nick} is already invited")
        await self.admit(master, table, nick)
        self.announce(master, [nick], game)

    async def admit(self, master: str, table: ClubTable, nick: str) -> None:
        """Take what speaking to a person costs ``master``, and invite the person to the table unless it admits them.

        Raises ``RequestRefused`` as ``check_sender`` does or if the table has the maximum number of invitations, and
        ``CardtableError`` if the invitation cannot be saved.
        """
        self.check_sender(master, [nick])

        def invite(access: TableAccess) -> None:
            LIMITS.invited.check(len(access.invited))
            access.invite(nick)

        if not table.access.admits(nick):
            await self._registry.decide_access(table, invite)

    def announce(self, master: str, nicks: Collection[str], game: str) -> None:
        self.tell(master, nicks, f"{master} invites you to a private table of {ABOUT[game].title}.")

    def call_back(self, caller: Person, session: UnfinishedSession) -> None:
        """Tell all connected players of a session that ``caller`` resumes it, as far as the budgets allow that."""
        text = f"{caller.nick} calls you back to your session of {ABOUT[session.header.game].title}."
        for person in {client.person for client in self._clients} - {caller}:
            if person.find_seat(session.owners) is not None:
                with suppress(RequestRefused):  # they see the table in the lobby
                    self.check_sender(caller.nick, [person.nick])
                    self.tell(caller.nick, [person.nick], text)

    async def withdraw(self, master: str, table: ClubTable, wanted_nick: str) -> None:
        """Withdraw an invitation for the game master ``master``, and remove the person from the table.

        Raises ``RequestRefused`` if there is no such invitation, or if the person is the game master, plays in the
        session or is offered a seat, and ``CardtableError`` if the withdrawal cannot be saved.
        """
        nick = find_name(wanted_nick, table.access.invited)
        if nick is None:
            raise RequestRefused(f"{wanted_nick} is not invited to that table")
        row = self._registry.list_lobby_tables()[table.id]
        sitting = [name for info in row.seats for name in (info.name, info.offered)]
        if nick in (master, table.opened_by) or ((row.playing or row.resuming) and nick in sitting):
            raise RequestRefused(f"{nick} belongs to that table")
        await self._registry.decide_access(table, lambda access: access.withdraw(nick))
        reason = f"You are not invited to the table of {ABOUT[row.game].title} any more."
        self.tell(master, [nick], reason)
        table.leave(nick)
        await self._dismiss([client for client in self._clients if client.nick == nick], table, reason)

    def tell(self, sender: str, nicks: Collection[str], text: str) -> None:
        """Tell connected people what ``sender`` has done, unless the sender is muted."""
        for client in self._clients:
            if client.nick in nicks and not self._accounts.is_muted(sender):
                client.queue_talk(Talk(text, about=sender))

    # Spectators

    async def send_away(self, master: str, table: ClubTable, wanted_nick: str) -> None:
        """Remove a spectator, who cannot come back, for the game master ``master``.

        Raises ``RequestRefused`` if nobody with this nick watches the table, and ``CardtableError`` if the decision
        cannot be saved.
        """
        nick = find_name(wanted_nick, [client.nick for client in self._list_spectators(table)])
        if nick is None:
            raise RequestRefused(f"nobody called {wanted_nick} watches that table")
        await self._registry.decide_access(table, lambda access: access.send_away(nick))
        await self._dismiss_spectators(table, f"{master} has sent you away from the table.")

    async def admit_spectators(self, master: str, table: ClubTable, *, admitted: bool) -> None:
        """Open a table to spectators, or close it to them, for the game master ``master``.

        Raises ``CardtableError`` if the decision cannot be saved.
        """

        def decide(access: TableAccess) -> None:
            access.admits_spectators = admitted

        await self._registry.decide_access(table, decide)
        await self._dismiss_spectators(table, f"{master} has closed the table to spectators.")

    def _list_spectators(self, table: ClubTable) -> list[ConnectedClient]:
        """Return the clients who watch a table and own no seat there."""
        return [
            client
            for client in self._registry.list_clients(table.id)
            if client.subscriptions[table.id].seat is None and table.find_seat(client.person) is None
        ]

    async def _dismiss_spectators(self, table: ClubTable, reason: str) -> None:
        """Remove the spectators who may not watch a table any more, and tell them the reason."""
        unwanted = [client for client in self._list_spectators(table) if not table.access.admits_spectator(client.nick)]
        await self._dismiss(unwanted, table, reason)

    async def _dismiss(self, clients: Iterable[ConnectedClient], table: ClubTable, reason: str) -> None:
        """Remove those of the clients who are at a table in play from it, and tell them the reason."""
        for client in clients:
            if table.id in client.subscriptions:
                client.queue_answer(Update(table.id, 0, (), Stage.PLAY, closed=reason))
                await self._remove_client(client, table.id)
