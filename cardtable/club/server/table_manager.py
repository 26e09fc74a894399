"""Manager of a club's tables, which opens, fills, begins, resumes and closes them at the clients' request.

``TableLimits`` says how many tables a player, a network and the club may have.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from msgspec.structs import replace

from cardtable.club import protocol
from cardtable.club.protocol import RequestFailed, Seated, Talk, Update
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient, list_free_clients
from cardtable.club.server.club_table import ClubTable, begin_at_club, create_rematch_setup
from cardtable.club.server.disk_space import DiskSpace
from cardtable.club.server.host_events import Emit
from cardtable.club.server.hosted_session import HostedSession, Think
from cardtable.club.server.limits import LIMITS, Budget, RequestRefused
from cardtable.club.server.stored_sessions import UnfinishedSession
from cardtable.club.server.table_access import Person, TableAccess, check_seat
from cardtable.club.server.table_phases import FreeSeats, Gathering, OwnSeats, check_robot_level, refuse_others
from cardtable.club.server.table_registry import MUTED, NO_SUCH_TABLE, TableInvitations, TableRegistry
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat
from cardtable.engine.referee import IllegalAction
from cardtable.session.session_events import Stage
from cardtable.store import seasons, sessions, summaries, visibility
from cardtable.store.seasons import Season
from cardtable.store.seating import is_same_nick

_LEAVE_OTHERS: Final = "there is little room for tables from your address; leave your other tables first"


class TableLimits:
    """Checks whether a player may open, join or reopen a table."""

    def __init__(
        self,
        accounts: AccountStore,
        clients: Sequence[ConnectedClient],
        tables: Mapping[str, ClubTable],
        max_tables: int,
        disk_space: DiskSpace,
    ) -> None:
        """The caller keeps ``clients`` and the tables, which are mapped by id, up to date.

        ``max_tables`` is the maximum number of gatherings and open sessions, and ``disk_space`` counts what tables add
        to the disk.
        """
        self.disk_space: Final = disk_space
        self._accounts, self._clients, self._tables = accounts, clients, tables
        self._limit = replace(LIMITS.tables, number=max_tables)
        self._reopened, self._watched = Budget(LIMITS.reopened_tables), Budget(LIMITS.watched_tables)

    def check_new_table(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if a client may not open another table."""
        self.check_club_capacity(client)
        self.check_gathering_limit(client.nick)
        self.check_unfinished_limit(client.nick)
        self.check_table_limit(client, "")
        self.disk_space.check_growth(client.nick, is_new=True)

    def check_resumption(self, client: ConnectedClient, session: str) -> None:
        """Raise ``RequestRefused`` if a client may not call back the players of the session with an id."""
        self.check_return_capacity(client)
        self.check_gathering_limit(client.nick)
        self.check_table_limit(client, session)
        self.check_wake_rate(client.nick)
        table = self._tables.get(session)
        self.disk_space.check_growth(table.opened_by if table else client.nick, is_new=False)

    def check_rematch(self, nick: str, *, is_over: bool) -> None:
        """Raise ``RequestRefused`` if a game master may not offer another session.

        ``is_over`` is True if the present session has ended, so that it does not become an unfinished one.
        """
        self.disk_space.check_growth(nick, is_new=True)
        if not is_over:
            self.check_unfinished_limit(nick)
            self.check_wake_rate(nick)

    def check_gathering_limit(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player is the game master of the maximum number of gathering tables."""
        LIMITS.waiting_tables.check(
            sum(bool(table.gathering) and table.master == nick for table in self._tables.values())
        )

    def check_unfinished_limit(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player, or the player's network, has the maximum number of unfinished sessions.

        A session counts for the player who opened its table. A player whose network is unknown is limited only as a
        player.
        """
        openers = Counter(table.opened_by for table in self._tables.values() if table.has_session)
        LIMITS.unfinished.check(openers[nick])
        network = self._accounts.get_network(nick)
        own = sum(number for opener, number in openers.items() if self._accounts.get_network(opener) == network)
        if network and own >= LIMITS.all_unfinished.compute_share(openers.total() - own):
            raise RequestRefused(LIMITS.all_unfinished.share_refusal)

    def check_table_limit(self, client: ConnectedClient, table: str) -> None:
        """Raise ``RequestRefused`` if a player is at the maximum number of other tables.

        ``table`` is the id of the table that the player wants to join; empty for a new table.
        """
        joined = self.list_joined_tables(client.nick)
        if table not in joined:
            LIMITS.joined_tables.check(len(joined))

    def list_joined_tables(self, nick: str) -> set[str]:
        """Return the ids of the tables at which a player sits or watches, over all of the player's connections."""
        joined = {id_ for id_, table in self._tables.items() if nick in table.seated_nicks}
        return joined.union(*[client.subscriptions for client in self._clients if client.nick == nick])

    def check_club_capacity(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if no further table may be opened for a client.

        An address may have half of the tables that the others leave free. The second half of these is reserved for
        players who are at no other table, so that a player with many nicks leaves room for others of the same address.
        """
        own, others = self._count_tables(client.network)
        self._limit.check(own + others)
        share = self._limit.compute_share(others)
        if own >= share:
            raise RequestRefused(self._limit.share_refusal)
        if own >= share // 2 and self.list_joined_tables(client.nick):
            raise RequestRefused(_LEAVE_OTHERS)

    def check_return_capacity(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if a client at other tables may not reopen a session of their own.

        Only the tables of the client's network count. A player at no other table is never refused.
        """
        own, _ = self._count_tables(client.network)
        if own >= self._limit.compute_share(0) and self.list_joined_tables(client.nick):
            raise RequestRefused(_LEAVE_OTHERS)

    def check_wake_rate(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player has too many closed sessions opened within a short time.

        The host has to load each of them.
        """
        self._reopened.take(nick)

    def check_watch_rate(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if people of a client's network have begun to watch tables too often."""
        self._watched.take(client.budget_key)

    def _count_tables(self, network: str) -> tuple[int, int]:
        """Return the number of tables that a network has open, and the number that others have opened.

        The second number leaves out tables to which others have only returned, since such tables are opened without
        regard to the limit of the club.
        """
        tables = [table for table in self._tables.values() if not table.is_asleep]
        own = sum(table.network == network for table in tables)
        return own, sum(table.network != network and not table.is_return for table in tables)


DEFAULT_GRACE: Final = 60
"""Time in seconds to wait for absent players in a session that is resumed."""
MIN_RATED_GRACE: Final = 60
"""Shortest time in seconds to wait for absent players in a rated session, which they lose then."""


def _load_seasons() -> Sequence[Season]:
    """Return the seasons; none if their file cannot be read, which its own commands report."""
    try:
        return seasons.load()
    except CardtableError:
        return ()


class TableManager:
    """Requests of a club's clients at its tables."""

    def __init__(
        self,
        accounts: AccountStore,
        think: Think,
        clients: Sequence[ConnectedClient],
        on_change: Callable[[], None],
        *,
        max_tables: int,
        disk_space: DiskSpace,
        emit: Emit,
    ) -> None:
        """Create the manager with the saved tables of ``accounts``.

        ``think`` chooses the robots' actions. ``clients`` holds all connected clients, and the caller keeps it up to
        date. ``on_change`` is called after every change at an open session. ``max_tables`` is the maximum number of
        gatherings and open sessions; ``disk_space`` counts what they add to the disk. ``emit`` is called with
        each event.
        """
        self._accounts, self._clients, self._on_change = accounts, clients, on_change
        self.registry: Final = TableRegistry(accounts, clients, think, self._notice_change, emit)
        self.invitations: Final = TableInvitations(accounts, self.registry, clients, self.remove_client)
        self.limits: Final = TableLimits(accounts, clients, self.registry.tables, max_tables, disk_space)

    def _notice_change(self, table: ClubTable) -> None:
        self.limits.disk_space.add(table.opened_by, table.take_growth())
        if table.tournament_setting:
            self.registry.notice_progress()
        self._on_change()

    # Tables that have not begun

    async def open_table(self, client: ConnectedClient, wish: protocol.OpenTable) -> None:
        """Open a table that waits for players; the client is its game master."""
        season_list = await asyncio.to_thread(_load_seasons) if wish.rated is None else ()
        self.limits.check_new_table(client)
        if wish.name and self._accounts.is_muted(client.nick):
            raise RequestRefused(f"{MUTED}; your tables have no names")
        invited = tuple([self.invitations.find_nick(nick) for nick in wish.invited if wish.private])
        self.invitations.check_sender(client.nick, invited)
        if self._accounts.state.contents.no_aids:
            if wish.aids:
                raise RequestRefused("this club allows no hints, no coach and no open review at its tables")
            wish = replace(wish, aids=False)
        gathering = FreeSeats(wish, client.nick, season_list)
        access = TableAccess((client.nick, *invited) if wish.private else None)
        id_ = self._generate_id(wish.game)
        grace = max(wish.grace, MIN_RATED_GRACE) if gathering.terms.rated else wish.grace
        if grace > wish.grace:
            client.queue_talk(Talk(f"The table is rated: whoever leaves it has {grace} seconds to come back."))
        table = self.registry.add(ClubTable(self.registry.host, id_, client.nick, grace, access, gathering))
        table.network = client.network
        self.invitations.announce(client.nick, invited, wish.game)

    def _generate_id(self, game: str) -> str:
        return sessions.generate_id(datetime.now(UTC), game, self.registry.tables)

    async def start(self, client: ConnectedClient, table: str, level: str) -> None:
        """Begin the session of a gathering with robots of a level, or agree to resume it with such robots."""
        gathering = self.registry.find_gathering(client, table)
        if gathering is None:
            raise RequestRefused("that table has already started")
        check_robot_level(level)
        if gathering.agree_to_start(client.nick, level, self.registry.present_nicks):
            await self._begin_session(self.registry.tables[table], gathering)

    async def _begin_session(self, table: ClubTable, gathering: Gathering) -> None:
        """Begin or resume the session of a gathering, and bring the players to it who are free for it.

        If it raises ``CardtableError``, the players are gathered as before.
        """
        async with table.keep_open():
            if isinstance(gathering, FreeSeats):
                self.limits.disk_space.check_growth(gathering.master, is_new=True)
                session = await table.begin(
                    lambda: begin_at_club(
                        gathering.create_setup(self._accounts.create_occupant),
                        table,
                        self._accounts.id,
                        gathering.terms,
                        gathering.name,
                    )
                )
            else:
                session = await table.open()
            await self.registry.save()
            players, arrived = self._find_free_players(table), gathering.seated_nicks
            await self._add_clients(table, {client: seat for client, seat in players.items() if client.nick in arrived})
        if isinstance(gathering, OwnSeats) and not gathering.is_complete:
            await session.people.substitute_robots(gathering.robot_level)

    def _find_free_players(self, table: ClubTable) -> dict[ConnectedClient, Seat]:
        """Return the seats of the owners of a table in play who are free for it, by client."""
        seats = {client: table.find_seat(client.person) for client in list_free_clients(self._clients)}
        return {client: seat for client, seat in seats.items() if seat is not None}

    async def open_tournament_table(self, id_: str, create_session: Callable[[], sessions.Session] | None) -> None:
        """Open the table of a tournament's session as the registry does, and bring its players to it."""
        table = self.registry.tables[id_]
        async with table.keep_open():
            await self.registry.open_tournament_table(id_, create_session)
            await self._add_clients(table, self._find_free_players(table))

    async def resume_session(self, client: ConnectedClient, session: str) -> None:
        """Call back the players of an unfinished session, or join those who have been called back."""
        if not self.registry.is_in_lobby(client, session):
            self.limits.check_resumption(client, session)
            own = await self.registry.find_unfinished(client.person.owns)
            match = next((unfinished for unfinished in own if unfinished.header.id == session), None)
            if match is not None and not visibility.is_secret(match.header):
                self._call_back(client, match)
            elif not self.registry.is_in_lobby(client, session):  # nor has another player resumed it during the search
                raise RequestRefused("that is not one of your unfinished sessions")
        await self._take_seat(client, session, None)

    def _call_back(self, client: ConnectedClient, session: UnfinishedSession) -> None:
        """Call back the players of an unfinished session, unless its table is open or just being opened."""
        id_ = session.header.id
        table = self.registry.tables.get(id_)
        if table and not table.is_asleep:
            return
        gathering = OwnSeats(session, client.person, is_known=table is not None)
        if table:
            table.gather(gathering)
        else:
            access = self.registry.find_access(session)
            table = ClubTable(self.registry.host, id_, client.nick, DEFAULT_GRACE, access, gathering)
            self.registry.add(table)
        table.network, table.is_return = client.network, True
        nicks = self._accounts.list_own_nicks(session.owners.values())
        table.change_access(lambda access: access.invite(*nicks))
        self.invitations.call_back(client.person, session)

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
        club_table = self.registry.find_visible(client, table)
        if club_table.gathering:
            raise RequestRefused("nobody plays at that table yet")
        if club_table.tournament_setting:
            raise RequestRefused(
                "nobody can watch a table of a tournament until all tables have finished: they have the same deals"
            )
        async with club_table.keep_open():
            await self._wake_table(club_table, client, is_return=False)
            if club_table.find_seat(client.person) is None:
                club_table.access.check_spectator(client.nick)
            await self._add_clients(club_table, {client: None})

    async def _take_seat(self, client: ConnectedClient, table: str, seat: Seat | None) -> None:
        club_table = self.registry.find_visible(client, table)
        if gathering := club_table.gathering:
            check_seat(seat, gathering.seated_nicks)
            gathering.sit_down(client.person, seat)
            if gathering.is_complete:
                await self._begin_session(club_table, gathering)
            return
        async with club_table.keep_open():
            await self._sit_down_in_play(client, club_table, seat)

    async def _sit_down_in_play(self, client: ConnectedClient, table: ClubTable, seat: Seat | None) -> None:
        session = await self._wake_table(table, client, is_return=True)
        check_seat(seat, session.public_header.seats)
        own = table.find_seat(client.person)
        if own is None and seat is not None and session.people.is_offered(seat, client.person):
            await session.people.accept_seat(seat, client.person)
            own = seat
            await self.registry.save()
        if own is None or seat not in (None, own):
            raise RequestRefused("no seat is free at that table")
        await self._add_clients(table, {client: own})

    async def _wake_table(self, table: ClubTable, client: ConnectedClient, *, is_return: bool) -> HostedSession:
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

    async def _add_clients(
        self, table: ClubTable, seats_by_client: Mapping[ConnectedClient, Seat | None], *, previous_table: str = ""
    ) -> None:
        """Add clients to a table in play, as players or, where the seat is ``None``, as spectators.

        All are added at once, so that none of them is shown as absent. Clients who are at the table already or have
        disconnected are left out, but who has watched can take a seat. The caller keeps the table open. In a rematch
        ``previous_table`` is the id of the table that the clients come from.
        """
        session = await table.open()
        for client, seat in seats_by_client.items():
            subscriber = client.subscriptions.get(table.id)
            if subscriber and subscriber.seat is None and seat is not None:  # they have watched
                await session.people.unsubscribe(client.subscriptions.pop(table.id))
        new_clients = [
            client for client in seats_by_client if client in self._clients and table.id not in client.subscriptions
        ]
        for client in new_clients:
            client.queue_answer(Seated(table.id, session.public_header, seats_by_client[client], previous_table))
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
                self.registry.note_arrival(client.nick, table.id)

    async def leave_table(self, client: ConnectedClient, table: str) -> None:
        """Remove a client from a table; a seat at a table in play stays the player's."""
        club_table = self.registry.tables.get(table)
        if club_table:
            club_table.arrivals.pop(client.nick, None)
        if table in client.subscriptions:
            await self.remove_client(client, table)
        elif club_table and club_table.gathering and client.nick in club_table.seated_nicks:
            club_table.leave(client.nick)
            await self._update_gatherings()
        else:
            raise RequestRefused("you are not at that table")

    async def remove_client(self, client: ConnectedClient, table: str) -> None:
        """Remove a client from a table in play; nothing happens if the client has left already.

        A table whose session is over is closed after its last client, and a rematch begins if all who remain have
        accepted it.
        """
        subscriber, club_table = client.subscriptions.pop(table, None), self.registry.tables.get(table)
        if subscriber is None or club_table is None:  # the client has left, or the table has ended by a fault
            return
        await club_table.remove(subscriber)
        if club_table.is_finished:
            await self.registry.remove(club_table)
        await self._begin_rematch(club_table)

    async def remove_from_all_tables(self, client: ConnectedClient) -> None:
        """Remove a disconnected client from all tables.

        The player still owns the seats in sessions. A gathering ends if none of its players is connected.
        """
        for table in [*client.subscriptions]:
            await self.remove_client(client, table)
        await self._update_gatherings()

    async def _update_gatherings(self) -> None:
        """End the gatherings none of whose players is connected; resume those whose players agree to robots."""
        people = self.registry.present_nicks
        for table in [*self.registry.tables.values()]:
            gathering = table.gathering
            if gathering and not any(nick in people for nick in gathering.seated_nicks):
                self.registry.disband(table)
            elif gathering and gathering.is_agreed(people):
                with suppress(CardtableError):  # the table still waits, and its players can agree again
                    await self._begin_session(table, gathering)

    async def close_table(self, table: str, reason: str) -> None:
        """Close a table, and send ``reason`` to all clients at it.

        A gathering ends. A session in play stays unfinished, and its players can resume it; changes that are in
        progress are saved first. Raises ``RequestRefused`` if there is no such table, or its session or the next one is
        just being opened.
        """
        club_table = self.registry.tables.get(table)
        if club_table is None:
            raise RequestRefused(NO_SUCH_TABLE)
        if club_table.is_starting:
            raise RequestRefused("that table is just starting; try again")
        if gathering := club_table.gathering:
            self.registry.disband(club_table)
            for client in self._clients:
                if client.nick in gathering.seated_nicks:
                    client.queue_talk(Talk(reason))
            return
        if club_table.hosted_session and club_table.hosted_session.people.rematch.progress == "beginning":
            raise RequestRefused("another session is just beginning at that table; try again")
        for client in self.registry.list_clients(table):
            del client.subscriptions[table]
            client.queue_answer(Update(table, 0, (), Stage.PLAY, closed=reason))
        await club_table.close()
        if club_table.is_finished:
            await self.registry.remove(club_table)
        else:
            await self.registry.save()

    async def abandon_table(self, table: str, reason: str) -> None:
        """Close a table as ``close_table`` does, and move its session into the archive if it is unfinished.

        Raises ``CardtableError`` if the table is closed, or the session cannot be moved.
        """
        await self.close_table(table, reason)
        if self.registry.tables.pop(table, None):
            await asyncio.to_thread(lambda: sessions.abandon(summaries.find_path(table)))
            await self.registry.save()

    # Seats and sessions at a table in play

    async def give_seat(
        self, client: ConnectedClient, club_table: ClubTable, session: HostedSession, request: protocol.GiveSeat
    ) -> None:
        """Give the seat of an absent player to a robot, or offer it to another player."""
        receiver = self._find_seat_receiver(club_table, request.nick) if request.nick else None
        check_robot_level(request.level)
        if receiver:
            session.people.check_can_give(request.seat)
            await self.invitations.admit(client.nick, club_table, receiver.nick)
            await session.people.offer_seat(request.seat, receiver)
            text = f"{client.nick} offers you {session.people.owners[request.seat].name}'s seat."
            self.invitations.tell(client.nick, [receiver.nick], text)
        else:
            await session.people.seat_robot(request.seat, request.level)
            await self._give_seat_to_robot(club_table, session, request.seat)

    async def vote_rematch(
        self, client: ConnectedClient, seat: Seat, session: HostedSession, table: str, *, draws_seats: bool
    ) -> None:
        """Offer another session as the game master, or accept the offer; ``draws_seats``: the master draws seats at
        random.

        If the session has not ended, it stays unfinished when the other one begins.
        """
        club_table = self.registry.find_visible(client, table)
        club_table.refuse_in_tournament()
        if not session.people.rematch.votes:
            refuse_others(club_table.master, client.nick)
            others = [person.nick for other, person in session.people.present_people.items() if other != seat]
            self.invitations.check_sender(client.nick, others)
            self.limits.check_rematch(client.nick, is_over=session.is_over)
            session.people.rematch.draws_seats = draws_seats
        await session.people.vote_rematch(seat, is_shown=not self._accounts.is_muted(client.nick))
        await self._begin_rematch(club_table)

    async def _give_seat_to_robot(self, table: ClubTable, session: HostedSession, seat: Seat) -> None:
        """Make the robot that substitutes at a seat the owner of the seat.

        It is saved before the session changes. Raises ``CardtableError`` if it cannot be saved; the seat then remains
        as it was.
        """
        table.robot_seats.add(seat)
        await self.registry.save_or_undo(table, lambda: table.robot_seats.discard(seat))
        try:
            await session.people.assign_to_robot(seat)
        finally:
            if seat in session.people.owners:  # the owner has returned, or the table is closed
                table.robot_seats.discard(seat)
                await self.registry.save()

    def _find_seat_receiver(self, table: ClubTable, nick: str) -> Person:
        """Return the person with a nick. Raises ``RequestRefused`` if they are not here or own a seat at the table."""
        person = next((client.person for client in self._clients if is_same_nick(client.nick, nick)), None)
        if person is None:
            raise RequestRefused(f"nobody called {nick} is here")
        if table.find_seat(person) is not None:
            raise RequestRefused(f"{person.nick} already sits at this table")
        return person

    async def _begin_rematch(self, table: ClubTable) -> None:
        """Begin another session once all players who are still present have accepted it; do so only once per table.

        If the session cannot begin, all clients at the table are told why; before the end of the present session the
        offer then lapses.
        """
        session = table.hosted_session
        if session is None or not session.people.rematch_agreed or session.people.rematch.progress:
            return
        session.people.rematch.progress = "beginning"
        setup = create_rematch_setup(session)
        id_ = self._generate_id(setup.game.about.key)
        rematch_table = self.registry.add(
            ClubTable(self.registry.host, id_, table.master, table.grace, table.access.copy())
        )
        rematch_table.network, rematch_table.is_return = table.network, table.is_return
        async with rematch_table.keep_open():
            try:
                terms = session.public_header.terms
                await rematch_table.begin(lambda: begin_at_club(setup, rematch_table, self._accounts.id, terms))
            except CardtableError as error:
                del self.registry.tables[rematch_table.id]
                for client in self.registry.list_clients(table.id):
                    client.queue_answer(RequestFailed(error.reason))
                if not session.is_over:
                    with suppress(CardtableError):  # the table may have been closed
                        await session.people.cancel_rematch()
                session.people.rematch.progress = None
                return
            session.people.rematch.progress = "begun"
            seats_by_client = {
                client: rematch_table.find_seat(client.person) for client in self.registry.list_clients(table.id)
            }
            await self._add_clients(rematch_table, seats_by_client, previous_table=table.id)
        for client in seats_by_client:
            await self.remove_client(client, table.id)
        await self.registry.save()
