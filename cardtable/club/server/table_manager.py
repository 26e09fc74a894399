"""Manager of a club's tables, which opens, fills, begins, resumes and closes them at the clients' request."""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Final

from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.protocol import RequestFailed, Seated, TableInfo, Talk, Update
from cardtable.club.server.accounts import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_file import SavedTable
from cardtable.club.server.hosted_session import HostedSession, Think
from cardtable.club.server.limits import RateLimiters, compute_network_share
from cardtable.club.server.tables import (
    ActiveTable,
    PendingTable,
    RequestRefused,
    ResumingTable,
    TournamentTerms,
    UnfinishedSession,
    find_unfinished,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.journal import Occupant
from cardtable.engine.options import read
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.session.session_events import Stage
from cardtable.store import club_sessions, profiles, sessions
from cardtable.store.seating import DEFAULT_LEVEL, ROBOT_NAMES, is_same_nick
from cardtable.store.session_setup import SessionSetup
from cardtable.store.summaries import find_unfinished_files

DEFAULT_GRACE: Final = 60
"""Time in seconds to wait for absent players in a session that is resumed."""
MAX_FILLING_TABLES: Final = 3
"""Maximum number of filling tables with the same game master."""
MAX_JOINED_TABLES: Final = 8
"""Maximum number of tables at which one player may be at a time, over all of their connections."""
MAX_UNFINISHED_PER_PLAYER: Final = 50
"""Maximum number of unfinished sessions at tables that one player has opened."""
MAX_UNFINISHED: Final = 2000
"""Number of unfinished sessions that all networks share; see ``compute_network_share``."""
WAKES_PER_SECOND: Final = 1.0
"""Average number of closed sessions per second that one player may have opened.

Bursts of ``MAX_JOINED_TABLES`` are allowed.
"""


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
        log: Callable[[str, str], object],
    ) -> None:
        """Create the manager with the saved tables of ``accounts``.

        ``think`` chooses the robots' actions. ``clients`` holds all connected clients, and the caller keeps it up to
        date. ``on_change`` is called after every change at an open session. ``max_tables`` is the maximum number of
        filling tables and open sessions. ``log`` is called with lines for the host's log and the nick that caused each
        of them.
        """
        self._log = log
        self._accounts, self._think, self._clients, self._on_change, self._max_tables = (
            accounts,
            think,
            clients,
            on_change,
            max_tables,
        )
        self._filling_tables: dict[str, PendingTable | ResumingTable] = {}
        self._starting_tables: dict[str, PendingTable | ResumingTable] = {}
        """Filling tables whose sessions are being opened, by id."""
        self.active_tables = {
            table.session: self._create_table(table.session, table.master, table.grace, table.given)
            for table in accounts.tables
        }
        """Tables in play by session id, including those whose session is closed while nobody is there."""
        self._search_lock = asyncio.Lock()
        self._wake_limiters = RateLimiters(WAKES_PER_SECOND, MAX_JOINED_TABLES)

    def _create_table(self, id_: str, master: str, grace: int, robot_seats: Collection[Seat] = ()) -> ActiveTable:
        return ActiveTable(
            id_, master, grace, self._think, self._on_change, robot_seats, self._accounts.get_network, self._log
        )

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
        if create_session is None:
            await table.open()
        else:
            await table.begin(create_session)
        await self._save_tables()

    async def release_tournament_table(self, id_: str) -> None:
        """Make a table of a tournament an ordinary one, after all tables of its round have finished."""
        table = self.active_tables.get(id_)
        if table is None:
            return
        table.tournament_terms = None
        await table.close_if_empty()
        if table.hosted_session is None and self.active_tables.get(id_) is table:
            del self.active_tables[id_]
            await self._save_tables()

    async def abandon_table(self, table: str, reason: str) -> None:
        """Close a table as ``close_table`` does, and move its session into the archive if it is unfinished.

        Raises ``CardtableError`` if the table is closed, or the session cannot be moved.
        """
        await self.close_table(table, reason)
        if self.active_tables.pop(table, None):
            await asyncio.to_thread(lambda: sessions.abandon(sessions.find_path(table)))
            await self._save_tables()

    async def forget_lost_tables(self) -> None:
        """Remove tables whose journals have disappeared from the disk, and save the rest.

        Raises ``CardtableError`` if they cannot be saved.
        """
        files = await asyncio.to_thread(find_unfinished_files)
        for id_ in self.active_tables.keys() - files.keys():
            del self.active_tables[id_]
        await self._accounts.save_all(self._list_saved_tables())

    async def close(self) -> None:
        """Close all open sessions, including those that are opened during the call."""
        while awake := [
            table for table in self.active_tables.values() if table.hosted_session
        ]:  # another may open during the loop
            for table in awake:
                await table.close()

    @property
    def _present_nicks(self) -> set[str]:
        return {client.nick for client in self._clients}

    def list_lobby_tables(self) -> dict[str, TableInfo]:
        """Return the descriptions of the tables for the lobby, by id.

        Tables in play are left out while their session is closed.
        """
        people = self._present_nicks
        waiting = self._filling_tables | self._starting_tables
        rows = {id_: filling.to_table_info(people) for id_, filling in waiting.items()}
        return rows | {id_: row for id_, table in self.active_tables.items() if (row := table.to_table_info())}

    # Filling tables

    def open_table(self, client: ConnectedClient, wish: protocol.OpenTable) -> None:
        """Open a table that waits for players; the client is its game master."""
        self._check_club_capacity(client)
        self._check_filling_limit(client.nick)
        self._check_unfinished_limit(client.nick)
        self._check_table_limit(client, "")
        filling = PendingTable(wish, client.nick, client.network)
        self._filling_tables[filling.id] = filling

    def _check_filling_limit(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player is the game master of the maximum number of filling tables."""
        if sum(filling.master == nick for filling in self._filling_tables.values()) >= MAX_FILLING_TABLES:
            raise RequestRefused(
                f"{MAX_FILLING_TABLES} of your tables are already waiting for players; start one first"
            )

    def _check_unfinished_limit(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player, or the player's network, has the maximum number of unfinished sessions.

        A session counts for the player who opened its table. A player whose network is unknown is limited only as a
        player.
        """
        openers = Counter(table.opened_by for table in self.active_tables.values())
        if openers[nick] >= MAX_UNFINISHED_PER_PLAYER:
            raise RequestRefused(
                f"{MAX_UNFINISHED_PER_PLAYER} of your sessions are not over yet; finish one of them first"
            )
        network = self._accounts.get_network(nick)
        own = sum(number for each, number in openers.items() if self._accounts.get_network(each) == network)
        if network and own >= compute_network_share(MAX_UNFINISHED, openers.total() - own):
            raise RequestRefused(f"{own} sessions of people on your network are not over yet; finish one of them first")

    def _check_table_limit(self, client: ConnectedClient, table: str) -> None:
        """Raise ``RequestRefused`` if a player is at the maximum number of other tables.

        ``table`` is the id of the table that the player wants to join; empty for a new table.
        """
        joined = self.list_joined_tables(client.nick)
        if table not in joined and len(joined) >= MAX_JOINED_TABLES:
            raise RequestRefused(f"you are already at {MAX_JOINED_TABLES} tables; leave one first")

    def list_joined_tables(self, nick: str) -> set[str]:
        """Return the ids of the tables at which a player sits or watches, over all of the player's connections."""
        filling = self._filling_tables | self._starting_tables
        joined = {id_ for id_, table in filling.items() if nick in table.seated_nicks}
        return joined.union(*[each.subscriptions for each in self._clients if each.nick == nick])

    def _check_club_capacity(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if no further table may be opened for a client.

        A network may have half of the tables that the other networks leave free, as ``compute_network_share`` computes.
        The second half of these is reserved for players who are at no other table, so that a player with many nicks
        leaves room for others of the same network.
        """
        own, others = self._count_tables(client.network)
        if own + others >= self._max_tables:
            raise RequestRefused(
                f"{self._max_tables} tables are open, and the club has room for no more; try again later"
            )
        share = compute_network_share(self._max_tables, others)
        if own >= share:
            raise RequestRefused(f"{own} tables are open from your address, and there is no room for more; try later")
        if own >= share // 2 and self.list_joined_tables(client.nick):
            raise RequestRefused(f"{own} tables are open from your address; leave your other tables first")

    def _check_return_capacity(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if a client at other tables may not reopen a session of their own.

        Only the tables of the client's network count. A player at no other table is never refused.
        """
        own, _ = self._count_tables(client.network)
        if own >= compute_network_share(self._max_tables, 0) and self.list_joined_tables(client.nick):
            raise RequestRefused(f"{own} tables are open from your address; leave your other tables first")

    def _check_wake_rate(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player has too many closed sessions opened within a short time.

        The host has to load each of them.
        """
        if not self._wake_limiters.get_limiter(nick).take_token():
            raise RequestRefused("you are opening tables too fast; wait a few seconds")

    def _count_tables(self, network: str) -> tuple[int, int]:
        """Return the number of tables that a network has open, and the number that others have opened.

        The second number leaves out tables to which others have only returned, since such tables are opened without
        regard to the limit of the club.
        """
        filling = [*self._filling_tables.values(), *self._starting_tables.values()]
        tables = [*filling, *[table for table in self.active_tables.values() if not table.is_asleep]]
        own = sum(table.network == network for table in tables)
        return own, sum(table.network != network and not table.is_return for table in tables)

    async def _wake_table(self, table: ActiveTable, client: ConnectedClient, *, is_return: bool) -> HostedSession:
        """Open the session of a table for a client, unless it is open.

        ``is_return`` is True if the client wants to return to a seat of their own. Raises ``RequestRefused`` if the
        session is closed and there is no room for it, or the client opens sessions too fast.
        """
        if not table.is_awake:
            self._check_wake_rate(client.nick)
        if table.is_asleep:
            if is_return:
                self._check_return_capacity(client)
            else:
                self._check_club_capacity(client)
            table.network, table.is_return = client.network, is_return
        return await table.open()

    async def start(self, client: ConnectedClient, table: str, level: str) -> None:
        """Begin the session of a filling table with robots of a level, or agree to resume it with such robots."""
        filling = self._filling_tables.get(table)
        if filling is None:
            raise RequestRefused("that table has already started")
        _check_robot_level(level)
        if isinstance(filling, ResumingTable):
            if filling.agree_to_robots(client.nick):
                await self._continue_session(filling, level)
            return
        _refuse_others(filling.master, client)
        played = self._create_table(table, filling.master, filling.grace)
        async with played.keep_open():
            with self._replace_filling_table(filling, played):
                await played.begin(lambda: filling.begin_session(level, self._accounts.id))
            await self._admit_players(played)

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
        """Save the tables, and add all connected clients who own a seat to a table that has just begun."""
        await self._save_tables()
        seats = {each: table.find_seat(each.nick) for each in self._clients}
        await self._add_clients(table, {each: seat for each, seat in seats.items() if seat is not None})

    # Unfinished sessions

    async def list_unfinished(self, nick: str) -> tuple[TableInfo, ...]:
        """Return a player's unfinished sessions that are not in play, last played first."""
        found = [each for each in await self._find_unfinished(nick) if not club_sessions.is_secret(each.header)]
        return tuple([session.to_table_info(self._present_nicks) for session in found])

    async def _find_unfinished(self, nick: str) -> list[UnfinishedSession]:
        """Return a player's unfinished sessions that are not in the lobby, last played first.

        Only one search runs at a time.
        """
        async with self._search_lock:
            robot_seats, lobby_ids = (
                {id_: table.robot_seats for id_, table in self.active_tables.items()},
                set(self.list_lobby_tables()),
            )
            return await asyncio.to_thread(lambda: [*find_unfinished(nick, lobby_ids, robot_seats)])

    async def has_seat(self, nick: str) -> bool:
        """Return True if an unfinished session names a nick as the owner of a seat."""
        return bool(self._list_open_tables(nick)) or bool(await self._find_unfinished(nick))

    def _list_open_tables(self, nick: str) -> list[str]:
        """Return the ids of open and resuming tables at which a nick owns a seat."""
        tables = {
            id_: table.session.owners
            for id_, table in (self._filling_tables | self._starting_tables).items()
            if isinstance(table, ResumingTable)
        } | {id_: playing.owners for id_, table in self.active_tables.items() if (playing := table.hosted_session)}
        return [id_ for id_, owners in tables.items() if any(is_same_nick(nick, who.name) for who in owners.values())]

    def check_not_in_play(self, nick: str) -> None:
        """Raise ``CardtableError`` if a nick owns a seat at a table that is open or being resumed."""
        if tables := self._list_open_tables(nick):
            raise CardtableError(f"{sanitize(nick, 40)} has a seat at the table {tables[0]}; close the table first")

    def rename_master(self, nick: str, name: str) -> None:
        """Replace the nick of a game master whose data is erased; the caller saves the tables."""
        for table in self.active_tables.values():
            if is_same_nick(table.opened_by, nick):
                table.opened_by = name

    async def resume_session(self, client: ConnectedClient, session: str) -> None:
        """Call back the players of an unfinished session, or join those who have been called back."""
        if session not in self.list_lobby_tables():
            self._check_return_capacity(client)
            self._check_filling_limit(client.nick)
            self._check_table_limit(client, session)
            self._check_wake_rate(client.nick)
            found = next((each for each in await self._find_unfinished(client.nick) if each.header.id == session), None)
            if found is not None and not club_sessions.is_secret(found.header):
                self._filling_tables[session] = ResumingTable(found, client.nick, client.network)
                self._call_back_players(client, found)
            elif session not in self.list_lobby_tables():  # nor has another player resumed it during the search
                raise RequestRefused("that is not one of your unfinished sessions")
        await self._take_seat(client, session, None)

    def _call_back_players(self, caller: ConnectedClient, session: UnfinishedSession) -> None:
        """Tell all connected players of a session, except ``caller``, that it is being resumed."""
        title, names = ABOUT[session.header.game].title, [who.name for who in session.owners.values()]
        for each in self._clients:
            if any(is_same_nick(each.nick, name) for name in names) and each.nick != caller.nick:
                each.queue_talk(Talk(f"{caller.nick} calls you back to your session of {title}."))

    async def _continue_session(self, resuming_table: ResumingTable, level: str = DEFAULT_LEVEL) -> None:
        """Resume a session, with robots of ``level`` as substitutes for the players who have not arrived."""
        id_ = resuming_table.id
        new = self._create_table(id_, resuming_table.master, DEFAULT_GRACE)
        active_table = self.active_tables.get(id_, new)
        async with active_table.keep_open():
            with self._replace_filling_table(resuming_table, active_table):
                session = await active_table.open()
            await self._save_tables()
            seats_by_client = {
                each: active_table.find_seat(each.nick)
                for each in self._clients
                if each.nick in resuming_table.seated_nicks
            }
            await self._add_clients(active_table, seats_by_client)
        if resuming_table.absent_names:
            await session.substitute_robots(level)

    # Sitting down and leaving

    async def sit_down(self, client: ConnectedClient, table: str, seat: Seat | None) -> None:
        """Give a client a seat; ``None``: the client's own, or any free one."""
        self._check_table_limit(client, table)
        await self._take_seat(client, table, seat)

    async def watch(self, client: ConnectedClient, table: str) -> None:
        """Add a client to a table in play as a spectator.

        A table of a tournament has none until all tables of the round have finished, since they have the same deals.
        """
        self._check_table_limit(client, table)
        played = self._find_active_table(table)
        if played.tournament_terms:
            raise RequestRefused(
                "nobody can watch a table of a tournament until all tables have finished: they have the same deals"
            )
        await self._wake_table(played, client, is_return=False)
        await self._add_clients(played, {client: None})

    async def _take_seat(self, client: ConnectedClient, table: str, seat: Seat | None) -> None:
        filling = self._filling_tables.get(table)
        if filling is not None:
            filling.sit_down(client.nick, seat)
            if isinstance(filling, ResumingTable) and not filling.absent_names:
                await self._continue_session(filling)
            return
        played = self._find_active_table(table)
        async with played.keep_open():
            await self._sit_down_in_play(client, played, seat)

    async def _sit_down_in_play(self, client: ConnectedClient, active_table: ActiveTable, seat: Seat | None) -> None:
        session, table = await self._wake_table(active_table, client, is_return=True), active_table.id
        own = active_table.find_seat(client.nick)
        if own is None and seat is not None and session.get_offer(seat) == client.nick:
            await session.accept_seat(seat, profiles.add_profile_ids([Occupant(client.nick)])[0])
            if table in client.subscriptions:
                await session.unsubscribe(client.subscriptions.pop(table))
            own = seat
            await self._save_tables()
        if own is None:
            raise RequestRefused("no seat is free at that table")
        await self._add_clients(active_table, {client: own})

    async def _add_clients(
        self, table: ActiveTable, seats_by_client: Mapping[ConnectedClient, Seat | None], *, previous_table: str = ""
    ) -> None:
        """Add clients to a table in play, as players or, where the seat is ``None``, as spectators.

        All are added at once, so that none of them is shown as absent. Clients who are at the table already or have
        disconnected are left out. In a rematch ``previous_table`` is the id of the table that the clients come from.
        """
        async with table.keep_open():
            session = await table.open()
            assert table.header is not None
            new_clients = [
                client for client in seats_by_client if client in self._clients and table.id not in client.subscriptions
            ]
            for client in new_clients:
                client.queue_answer(Seated(table.id, table.header, seats_by_client[client], previous_table))
                client.subscriptions[table.id] = session.make_subscriber(
                    client.nick, seats_by_client[client], client.notify
                )
            if not new_clients:
                return
            try:
                await session.subscribe([client.subscriptions[table.id] for client in new_clients])
            except (CardtableError, IllegalAction):
                for client in new_clients:
                    client.subscriptions.pop(table.id, None)
                raise

    async def leave_table(self, client: ConnectedClient, table: str) -> None:
        """Remove a client from a table; a seat at a table in play stays the player's."""
        if table in client.subscriptions:
            await self.remove_client(client, table)
        elif table in self._filling_tables:
            self._filling_tables[table].leave(client.nick)
            self._drop_empty_tables()
        else:
            raise RequestRefused("you are not at that table")

    async def remove_client(self, client: ConnectedClient, table: str) -> None:
        """Remove a client from a table in play; nothing happens if the client has left already.

        A table whose session is over is closed after its last client, and a rematch begins if all who remain have
        accepted it.
        """
        if table not in client.subscriptions:  # the client has left already
            return
        subscriber, active_table = client.subscriptions.pop(table), self.active_tables[table]
        await active_table.leave(subscriber)
        if (
            active_table.is_over and self.active_tables.get(table) is active_table
        ):  # another client may have left at the same time
            del self.active_tables[table]
            await self._save_tables()
        try:
            await self._begin_rematch(active_table)
        except CardtableError as error:
            for each in self._clients:
                if table in each.subscriptions:
                    each.queue_answer(RequestFailed(error.why))

    async def remove_from_all_tables(self, client: ConnectedClient) -> None:
        """Remove a disconnected client from all tables.

        The player still owns the seats in sessions. A filling table is closed if none of its players is connected.
        """
        for table in [*client.subscriptions]:
            await self.remove_client(client, table)
        self._drop_empty_tables()

    def _drop_empty_tables(self) -> None:
        """Close the filling tables none of whose players is connected."""
        people = self._present_nicks
        for id_, filling in [*self._filling_tables.items()]:
            if not any(nick in people for nick in filling.seated_nicks):
                del self._filling_tables[id_]

    async def close_table(self, table: str, reason: str) -> None:
        """Close a table, and send ``reason`` to all clients at it.

        A filling table disappears. A session in play stays unfinished, and its players can resume it; changes that are
        in progress are saved first. Raises ``RequestRefused`` if there is no such table, or its session is just being
        opened.
        """
        if table in self._starting_tables:
            raise RequestRefused("that table is just starting; try again")
        if filling := self._filling_tables.pop(table, None):
            for client in self._clients:
                if client.nick in filling.seated_nicks:
                    client.queue_talk(Talk(reason))
            return
        active_table = self._find_active_table(table)
        for client in self._clients:
            if client.subscriptions.pop(table, None):
                client.queue_answer(Update(table, 0, (), Stage.PLAY, closed=reason))
        await active_table.close()
        if active_table.is_over and self.active_tables.get(table) is active_table:
            del self.active_tables[table]
        await self._save_tables()

    # Tables in play

    async def act(self, client: ConnectedClient, table: str, at: int, action: str) -> None:
        """Make a decision of a player; ``at`` is the number of decisions when the player chose."""
        playing = await self._open_session(client, table)
        await playing.act(self._require_own_seat(client, table), at, action)

    async def acknowledge_round(self, client: ConnectedClient, table: str, number: int) -> None:
        """Record that a player has seen the points of a round."""
        playing = await self._open_session(client, table)
        await playing.acknowledge_round(self._require_own_seat(client, table), number)

    async def read_rounds(self, client: ConnectedClient, table: str) -> str:
        """Return the lines of the journal up to the end of the last finished round, without the seed."""
        return await (await self._open_session(client, table)).read_finished_rounds()

    async def vote_substitute(self, client: ConnectedClient, table: str, seat: Seat) -> None:
        """Count a player's vote for a robot to substitute for an absent player."""
        playing = await self._open_session(client, table)
        await playing.vote_substitute(seat, self._require_own_seat(client, table))

    # Requests of the game master

    async def end_wait(self, client: ConnectedClient, table: str) -> None:
        """Stop waiting for absent players and for acknowledgements of the round's points."""
        _, playing = await self._open_as_master(client, table)
        await playing.end_wait()

    async def give_seat(self, client: ConnectedClient, request: protocol.GiveSeat) -> None:
        """Give the seat of an absent player to a robot, or offer it to another player."""
        played, playing = await self._open_as_master(client, request.table)
        nick = next(filter(partial(is_same_nick, request.nick), self._present_nicks), request.nick)
        self._check_seat_receiver(played, nick)
        _check_robot_level(request.level)
        await playing.offer_seat(request.seat, nick, request.level)
        if not nick:
            await self._give_seat_to_robot(played, playing, request.seat)
        for each in self._clients:
            if nick and each.nick == nick:
                each.queue_talk(Talk(f"{client.nick} offers you {playing.owners[request.seat].name}'s seat."))

    async def vote_rematch(self, client: ConnectedClient, table: str, *, lot: bool) -> None:
        """Offer another session as the game master, or accept the offer; ``lot``: the master draws seats at random."""
        seat, played = self._require_own_seat(client, table), self._find_active_table(table)
        _refuse_in_tournament(played)
        playing = await played.open()
        if not playing.rematch_offered:
            _refuse_others(played.master, client)
            played.draws_seats = lot
        await playing.vote_rematch(seat)
        await self._begin_rematch(played)

    async def _open_as_master(self, client: ConnectedClient, table: str) -> tuple[ActiveTable, HostedSession]:
        """Return a table and its session for a request that only the game master may make."""
        self._require_own_seat(client, table)
        played = self._find_active_table(table)
        _refuse_in_tournament(played)
        playing = await played.open()
        _refuse_others(played.master, client)
        return played, playing

    async def _give_seat_to_robot(self, table: ActiveTable, session: HostedSession, seat: Seat) -> None:
        """Make the robot that substitutes at a seat the owner of the seat.

        It is saved before the session changes. Raises ``CardtableError`` if it cannot be saved; the seat then remains
        as it was.
        """
        try:
            await self._accounts.save_all(self._list_saved_tables((table.id, seat)))
        except CardtableError:
            self._accounts.tables = self._list_saved_tables()
            raise
        await session.assign_to_robot(seat)
        if seat not in session.robot_seats:  # the owner has returned
            await self._save_tables()

    def _check_seat_receiver(self, table: ActiveTable, nick: str) -> None:
        """Raise ``RequestRefused`` if the player with this nick is not in the club or owns a seat at the table.

        An empty nick stands for a robot and is always accepted.
        """
        if nick and (nick not in self._present_nicks or table.find_seat(nick) is not None):
            raise RequestRefused(
                f"{nick} already sits at this table" if nick in self._present_nicks else f"nobody called {nick} is here"
            )

    async def _begin_rematch(self, table: ActiveTable) -> None:
        """Begin another session once all players who are still present have accepted it; do so only once per table.

        Robots with unused names take the seats of the players who have left.
        """
        session = table.hosted_session
        if session is None or not session.rematch_agreed or table.has_rematch:
            return
        table.has_rematch = True
        header = session.session.header
        free_names = [name for name in ROBOT_NAMES if name not in [who.name for who in header.seats]]
        present_owners = {seat: Occupant(session.owners[seat].name) for seat in session.present_seats}
        seats = [
            present_owners.get(seat) or (who if who.robot else Occupant(free_names.pop(0), DEFAULT_LEVEL))
            for seat, who in enumerate(header.seats)
        ]
        game = GAMES[header.game]
        setup = SessionSetup(
            game, tuple(seats), read(game.options, header.options, len(seats)), None, table.draws_seats
        )
        rematch_table = self._create_table(
            sessions.generate_id(datetime.now(UTC), header.game), table.master, table.grace
        )
        rematch_table.network, rematch_table.is_return = table.network, table.is_return
        async with rematch_table.keep_open():
            try:
                await rematch_table.begin(
                    lambda: setup.begin(rematch_table.id, authenticated=True, host_id=self._accounts.id)
                )
            except CardtableError:
                table.has_rematch = False
                raise
            self.active_tables[rematch_table.id] = rematch_table
            seats_by_client = {
                each: rematch_table.find_seat(each.nick) for each in self._clients if table.id in each.subscriptions
            }
            await self._add_clients(rematch_table, seats_by_client, previous_table=table.id)
        for each in seats_by_client:
            await self.remove_client(each, table.id)
        await self._save_tables()

    async def say(self, client: ConnectedClient, text: str, table: str) -> None:
        """Send a client's chat message to a table.

        Raises ``RequestRefused`` if the client is not at the table, and ``CardtableError`` or ``IllegalAction`` if the
        session refuses the message.
        """
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

    def _find_active_table(self, table: str) -> ActiveTable:
        if table not in self.active_tables:
            raise RequestRefused("that table is closed")
        return self.active_tables[table]

    async def _open_session(self, client: ConnectedClient, table: str) -> HostedSession:
        """Return the session of a table at which the client is."""
        self.get_seat(client, table)
        return await self._find_active_table(table).open()

    def _require_own_seat(self, client: ConnectedClient, table: str) -> Seat:
        seat = self.get_seat(client, table)
        if seat is None:
            raise RequestRefused("you are only watching at that table")
        return seat

    async def _save_tables(self) -> None:
        """Save the tables in play, and record that their players have taken part in a session.

        An error of the disk is ignored here, since the lobby retries.
        """
        sessions_in_play = [table.hosted_session for table in self.active_tables.values() if table.hosted_session]
        self._accounts.mark_played(who.name for session in sessions_in_play for who in session.owners.values())
        with suppress(CardtableError):
            await self._accounts.save_all(self._list_saved_tables())

    def _list_saved_tables(self, seat_to_robot: tuple[str, Seat] | None = None) -> tuple[SavedTable, ...]:
        """Return the tables in play as they are saved.

        ``seat_to_robot`` is the id of a table and a seat of it that a robot is about to take over permanently.
        """
        tables = [
            SavedTable(table.id, table.opened_by, table.grace, table.robot_seats)
            for table in self.active_tables.values()
        ]
        return tuple(
            [
                replace(table, given=(*table.given, seat_to_robot[1]))
                if seat_to_robot and table.session == seat_to_robot[0]
                else table
                for table in tables
            ]
        )


def _refuse_others(master: str, client: ConnectedClient) -> None:
    """Raise ``RequestRefused`` unless a client is the game master."""
    if client.nick != master:
        raise RequestRefused(f"{master} is the game master, and nobody else can do that")


def _refuse_in_tournament(table: ActiveTable) -> None:
    """Raise ``RequestRefused`` for a request that is not possible at a table of a tournament."""
    if table.tournament_terms:
        raise RequestRefused("this is a table of a tournament, which the host conducts")


def _check_robot_level(level: str) -> None:
    if level not in LEVELS:
        raise RequestRefused(f"robot levels are {', '.join(LEVELS)}")
