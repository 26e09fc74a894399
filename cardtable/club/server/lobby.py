"""Lobby of a club: who is connected, what they see of people and tables, and who is let in and out."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from time import time
from typing import Final

from msgspec.structs import replace

from cardtable import games
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import LobbyNews, TableInfo, Talk, Welcome, encode
from cardtable.club.server import host_events
from cardtable.club.server.account_store import AccountObserver, format_taken_nick
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.client_outbox import ConnectedClient, UnreadBytes
from cardtable.club.server.club_file import KnownGuest, read_file_signature
from cardtable.club.server.disk_space import DiskSpace
from cardtable.club.server.host_events import Emit, HostEvent, ignore_event
from cardtable.club.server.hosted_session import Think
from cardtable.club.server.limits import LIMITS, Budget, RequestRefused
from cardtable.club.server.server_options import ServerOptions
from cardtable.club.server.session_changes import RETRY_SECONDS
from cardtable.club.server.stored_sessions import ClubSeasons, FinishedSessions
from cardtable.club.server.table_access import Person
from cardtable.club.server.table_manager import TableManager
from cardtable.club.server.table_registry import MUTED
from cardtable.club.server.tournament_manager import TournamentManager
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import INTERFACE_VERSION
from cardtable.engine.text_format import find_name, sanitize
from cardtable.store import paths, profiles
from cardtable.store.erasure import Erasure
from cardtable.store.seating import compute_nick_key, is_same_nick
from cardtable.workers.tasks import start_task, stop_task

NICK_CHANGED: Final = "Your nick has been changed at this club; join again."
"""Reason for which a player is disconnected whose former nick has been taken by somebody else."""


MAX_LATEST_TALK: Final = 50
"""Number of chat messages of the lobby that people read who come in; they are forgotten when the club closes."""


class LobbyBroadcaster:
    """Broadcaster of lobby news, which remembers the lobby as last sent and sends only differences.

    Clients who see the same private tables get the same encoded text, and so do all clients while there are none.
    """

    def __init__(self) -> None:
        self.tables: Mapping[str, TableInfo] = {}
        """Tables as last sent to the clients who may see them, by id."""
        self._invited_keys: Mapping[str, frozenset[str]] = {}
        """Keys of the nicks of the people who see each private table, by its id."""
        self._sent_people: tuple[tuple[str, ...], ...] = ()
        """Nicks of all people present, and of the guests among them, as last sent; empty if they must be sent again."""
        self._encode_full_lobby: Callable[[frozenset[str]], str] = lambda _visible: encode(LobbyNews((), whole=True))
        """Function that encodes the complete lobby for clients who see the private tables with given ids."""

    def resend_people(self) -> None:
        """Include the people in the next news even if they have not changed since the last.

        This is necessary after an arrival, since the newcomer's ``Welcome`` is ahead of the others' news.
        """
        self._sent_people = ()

    def broadcast(
        self,
        clients: Iterable[ConnectedClient],
        people: tuple[str, ...],
        guests: tuple[str, ...],
        tables: Mapping[str, TableInfo],
    ) -> None:
        """Send clients what has changed since the last call.

        A client at a table gets only news of that table, and none if just its round or turn has changed, which the
        client sees in updates. Back in the lobby it gets the complete lobby. ``guests`` are the nicks in ``people``
        without a profile, and ``tables`` are all tables by id.
        """
        previous, self.tables = self.tables, tables
        self._invited_keys = {
            id_: frozenset(map(compute_nick_key, row.invited)) for id_, row in tables.items() if row.private
        }
        changed = [row for id_, row in tables.items() if previous.get(id_) != row]
        gone = tuple([id_ for id_, row in previous.items() if id_ not in tables and not row.private])
        has_new_people = self._sent_people != (people, guests)
        self._sent_people = people, guests

        @cache
        def encode_news(visible: frozenset[str], known: frozenset[str]) -> str:
            """Encode the news for clients who see the private tables ``visible`` and were last sent ``known``.

            The result is empty if there are none.
            """
            appearing = [tables[id_] for id_ in sorted(visible - known) if tables[id_] == previous.get(id_)]
            rows = (*[row for row in changed if not row.private or row.table in visible], *appearing)
            left = (*gone, *sorted(known - visible))
            if has_new_people:
                return encode(LobbyNews(people, rows, left, guests))
            return encode(LobbyNews(None, rows, left)) if rows or left else ""

        @cache
        def encode_full_lobby(visible: frozenset[str]) -> str:
            rows = tuple([row for id_, row in tables.items() if not row.private or id_ in visible])
            return encode(LobbyNews(people, rows, (), guests, whole=True))

        self._encode_full_lobby = encode_full_lobby
        at_tables = {row.table: encode(LobbyNews(None, (row,))) for row in changed if _has_other_changes(previous, row)}
        for client in clients:
            visible = self._find_visible_tables(client)
            news, encode_lobby = encode_news(visible, client.known_private_tables), partial(encode_full_lobby, visible)
            if client.subscriptions:
                client.lacks_lobby_news |= bool(news)
                for table in at_tables.keys() & client.subscriptions.keys():
                    client.queue_lobby_news(at_tables[table], encode_lobby)
            elif client.lacks_lobby_news:
                self._send_full_lobby(client)
            elif news:
                client.queue_lobby_news(news, encode_lobby)
                client.known_private_tables = visible

    def _find_visible_tables(self, client: ConnectedClient) -> frozenset[str]:
        """Return the ids of the private tables that a client sees."""
        if not self._invited_keys:
            return frozenset()
        key = compute_nick_key(client.nick)
        return frozenset([id_ for id_, keys in self._invited_keys.items() if key in keys])

    def list_tables_for(self, client: ConnectedClient) -> tuple[TableInfo, ...]:
        """Return the tables that a client sees, to be sent to it at its login."""
        client.known_private_tables = visible = self._find_visible_tables(client)
        return tuple([row for id_, row in self.tables.items() if not row.private or id_ in visible])

    def send_missed_news(self, client: ConnectedClient) -> None:
        """Send the complete lobby to a client that is back from a table and has missed news."""
        if client.lacks_lobby_news and not client.subscriptions:
            self._send_full_lobby(client)

    def _send_full_lobby(self, client: ConnectedClient) -> None:
        client.known_private_tables = visible = self._find_visible_tables(client)
        client.queue_full_lobby(self._encode_full_lobby(visible))


def _has_other_changes(previous_tables: Mapping[str, TableInfo], table: TableInfo) -> bool:
    """Return True if a table is new, or if more than its round and turn has changed."""
    previous = previous_tables.get(table.table)
    return previous is None or replace(previous, round=table.round, turn=table.turn) != table


def iterate_table_events(
    previous_tables: Mapping[str, TableInfo], current_tables: Mapping[str, TableInfo]
) -> Iterator[HostEvent]:
    """Yield an event for each change between two states of the tables; it counts for the game master."""
    for id_, row in current_tables.items():
        previous = previous_tables.get(id_)
        if row != previous:
            yield from _iterate_changes(previous, row)
    for id_ in previous_tables.keys() - current_tables.keys():
        row = previous_tables[id_]
        is_abandoned = row.playing and not row.over
        yield (host_events.TableLeft if is_abandoned else host_events.TableClosed)(id_, row.game, row.master)


def _iterate_changes(previous: TableInfo | None, table: TableInfo) -> Iterator[HostEvent]:
    about = table.table, table.game, table.master
    if previous is None and table.resuming:
        yield host_events.SessionResumed(*about, table.master)
    elif previous is None and not table.playing:
        yield host_events.TableOpened(*about, table.master, table.private)
    if table.playing and not (previous and previous.playing):
        yield host_events.SessionBegins(*about, table.seats)
    if previous and previous.playing:
        for previous_info, current_info in zip(previous.seats, table.seats, strict=True):
            if current_info.robot and not previous_info.robot:
                yield host_events.RobotSubstitutes(*about, current_info.name)
            elif previous_info.robot and not current_info.robot:
                yield host_events.PlayerReturns(*about, current_info.name)
        if table.over and not previous.over:
            yield host_events.SessionEnded(*about)


PROFILE_SECONDS: Final = 1.0
"""Interval at which the host looks whether another program has changed the profiles, in seconds."""
NEWS_DELAY: Final = 0.25
"""Interval at which changes of the lobby are sent, in seconds."""


class ClubLobby(AccountObserver):
    """Connected clients of an open club, and the parts of the host that their requests reach."""

    def __init__(
        self,
        options: ServerOptions,
        think: Think,
        emit: Emit = ignore_event,
        *,
        own_networks: tuple[str, ...] = (),
        format_personal_invitation: Callable[[str, str], tuple[str, ...]] = lambda _nick, _word: (),
    ) -> None:
        """Create the lobby of a club without clients; for the errors see ``AccountStore``.

        ``think`` chooses the action of a robot, and ``emit`` is called with each event. ``own_networks`` are addresses
        and networks of this machine and its proxies, which cannot be banned. ``format_personal_invitation`` returns the
        lines to pass on with a one-time word for a nick.
        """
        self.name: Final = options.name
        self.club_accounts: Final = ClubAccounts(
            options.code, max_new_nicks=options.max_new_nicks, observer=self, own_networks=own_networks
        )
        self.accounts: Final = self.club_accounts.store
        self.authenticator: Final = self.club_accounts.authenticator
        self.administration: Final = self.club_accounts.administration
        if options.requires_approval is not None:
            self.accounts.state.change(approval=options.requires_approval)  # ``open`` saves it
        self.emit: Final = emit
        self.format_personal_invitation: Final = format_personal_invitation
        self.disk_space: Final = DiskSpace(options.max_disk_bytes, self.accounts.get_network, emit)
        self._clients: list[ConnectedClient] = []
        self._unread = UnreadBytes()
        self.table_manager: Final = TableManager(
            self.accounts,
            think,
            self._clients,
            self.schedule_news,
            max_tables=options.max_tables,
            disk_space=self.disk_space,
            emit=emit,
        )
        self.tournament_manager: Final = TournamentManager(
            self.accounts, self.table_manager, self._clients, self.schedule_news, emit
        )
        self.broadcaster: Final = LobbyBroadcaster()
        self._talk, self._address_talk = Budget(LIMITS.talk), Budget(LIMITS.address_talk)
        self._private_talk, self._reports = Budget(LIMITS.private_talk), Budget(LIMITS.reports)
        self._latest_talk: deque[Talk] = deque(maxlen=MAX_LATEST_TALK)
        self.finished_sessions: Final = FinishedSessions()
        self.seasons: Final = ClubSeasons(self.finished_sessions)
        self._news_timer: asyncio.TimerHandle | None = None
        self._is_open = True
        self._logged_save_error: str | None = None
        """Reason why the host cannot save, as last logged; ``None`` if saving worked."""
        self._retry_task: asyncio.Task[None] | None = None
        self._profile_task: asyncio.Task[None] | None = None
        self._disk_task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Forget saved tables whose sessions have disappeared from the disk, and open the tables of tournaments.

        Raises ``CardtableError`` if the host cannot save.
        """
        await self.table_manager.registry.forget_lost_tables()
        await self.tournament_manager.open()
        self._profile_task = start_task(self._watch_profiles())
        self._disk_task = start_task(self.disk_space.watch())

    async def close(self, reason: str) -> None:
        """Disconnect all clients with a reason, and close all sessions."""
        self._is_open = False
        for client in self._clients:
            client.end_connection(reason)
        await self.tournament_manager.close()
        await self.table_manager.registry.close()
        if self._news_timer:
            self._news_timer.cancel()
        await stop_task(self._retry_task)
        await stop_task(self._profile_task)
        await stop_task(self._disk_task)

    # Clients

    @property
    def present_nicks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(client.nick for client in self._clients))

    @property
    def clients(self) -> tuple[ConnectedClient, ...]:
        return tuple(self._clients)

    @property
    def tables(self) -> tuple[TableInfo, ...]:
        """Tables as last sent to the clients, including private ones."""
        return tuple(self.broadcaster.tables.values())

    @property
    def _guest_nicks(self) -> tuple[str, ...]:
        return tuple(filter(self.accounts.is_guest, self.present_nicks))

    def add_client(
        self, account: KnownGuest, token: str, origin: ConnectionOrigin, credential: str = ""
    ) -> ConnectedClient:
        """Add a connection of a person who has been let in, and send the ``Welcome``.

        ``token`` is the token for the next login, or empty if the client has one already; ``credential`` is that of the
        device. A person may have several connections. Raises ``LoginError`` if the person or the address is banned,
        also if that happened during the login.
        """
        self.accounts.check_ban(account, origin)
        client = ConnectedClient(account.person, origin, self._unread, credential)
        self._rename_clients(account.person, account)
        if account.nick not in self.present_nicks:
            self.emit(host_events.PersonJoined(account.nick, origin.transport))
        for other in self._clients:
            if is_same_nick(other.nick, client.nick) and other.person.player != account.player:
                other.end_connection(format_taken_nick(client.nick) if account.is_member else NICK_CHANGED)
        self._clients.append(client)
        self._welcome(client, token)
        self.tournament_manager.call_person(client)
        self.broadcaster.resend_people()
        self.schedule_news()
        return client

    def _welcome(self, client: ConnectedClient, token: str = "") -> None:
        """Tell a client who they are, and the state of the lobby."""
        client.queue_answer(
            Welcome(
                club=self.name,
                nick=client.nick,
                token=token,
                member=bool(client.person.player),
                people=self.present_nicks,
                tables=self.broadcaster.list_tables_for(client),
                interface_version=INTERFACE_VERSION,
                packages=games.list_packages(),
                guests=self._guest_nicks,
                readable=not client.origin.is_private,
                last_table=self.table_manager.registry.find_last_table(client.person),
                talk=tuple([talk for talk in self._latest_talk if not self.accounts.is_muted(talk.who)]),
            )
        )

    async def _watch_profiles(self) -> None:
        """Rename players once another program has renamed their profiles."""
        signature = read_file_signature(paths.profiles_file())
        while True:
            await asyncio.sleep(PROFILE_SECONDS)
            if signature != (signature := read_file_signature(paths.profiles_file())):
                profile_store, _ = await asyncio.to_thread(profiles.load)
                for account in self.accounts.rename_players(profile_store):
                    self._rename_clients(account.person, account)
                    self.schedule_news()

    async def rename(self, nick: str, new_nick: str, *, is_own_wish: bool = False) -> tuple[str, str]:
        """Give a person another nick, tell everybody, and return both; see ``AccountAdministration.rename``."""
        before, account = await self.administration.rename(nick, new_nick, is_own_wish=is_own_wish)
        self._rename_clients(before.person, account)
        self.schedule_news()
        return before.nick, account.nick

    def _rename_clients(self, former: Person, account: KnownGuest) -> None:
        """Use the nick of a person's account on all of their devices, and tell everybody if they are here."""
        self.authenticator.rename_hosted(former, account.person)
        former_nicks = dict[str, None]()
        for client in self._clients:
            if client.person.is_same(former) and client.nick != account.nick:
                self.emit(host_events.PlayerRenamed(client.nick, account.nick))
                former_nicks[client.nick] = None
                client.rename(account.person)
                self._welcome(client)
        for nick in former_nicks:
            self.announce(f"{nick} is called {account.nick} now.", renamed=(nick, account.nick))

    async def withdraw_device(self, nick: str, device: str, reason: str) -> None:
        """End the connections of a person's device, which cannot come back; see ``AccountAdministration``."""
        credential = await self.administration.withdraw_device(nick, device)
        self.authenticator.log_out_hosted(nick, lambda origin: origin.credential == credential)
        for client in self._clients:
            if client.credential == credential:
                client.end_connection(reason)

    async def remove_client(self, client: ConnectedClient) -> None:
        """Remove a connection that has ended; the person's seats in sessions stay theirs."""
        self._clients.remove(client)
        client.close()
        if client.nick not in self.present_nicks:
            self.emit(host_events.PersonLeft(client.nick))
        if not self._is_open:
            return
        await self.table_manager.remove_from_all_tables(client)
        self.schedule_news()

    async def erase(self, nick: str) -> Erasure:
        """Erase a person's data; see ``AccountAdministration.erase``.

        Raises ``CardtableError`` also if the person is here, or has a seat at a table in play.
        """
        nick = self.accounts.find_known_nick(nick) or nick
        if any(is_same_nick(present_nick, nick) for present_nick in self.present_nicks):
            raise CardtableError(f"{sanitize(nick, 40)} is here; end their visit first")
        self.table_manager.registry.check_not_in_play(nick)
        return await self.administration.erase(nick)

    # What the accounts ask and tell

    async def has_seat(self, nick: str) -> bool:
        return await self.table_manager.registry.has_seat(nick)

    def forget_former_person(self, person: Person) -> None:
        self.table_manager.registry.forget_former_person(person)

    def rename_person(self, former: Person, nick: str) -> None:
        self.table_manager.registry.rename_person(former, nick)

    def rename_master(self, nick: str, name: str) -> None:
        self.table_manager.registry.rename_master(nick, name)

    def notice_newcomer(self, nick: str, address: str) -> None:
        self.emit(host_events.NewcomerWaits(nick, address))

    def notice_save_failure(self) -> None:
        self.emit(host_events.SaveFailed("club"))
        self.schedule_news()

    # Talk

    def check_talk(self, client: ConnectedClient) -> None:
        """Take what a chat message of a client costs from the budgets.

        Raises ``RequestRefused`` if the client is muted, or has no budget left.
        """
        if self.accounts.is_muted(client.nick):
            raise RequestRefused(MUTED)
        self._talk.take(client.nick)
        self._address_talk.take(client.budget_key)

    def announce(self, text: str, nick: str = "", *, renamed: tuple[str, str] | None = None) -> None:
        """Send a chat message of a person, or of the club itself, to all clients; ``renamed`` as in ``Talk``."""
        talk = Talk(text, nick, at=int(time()), renamed=renamed)
        self._latest_talk.append(talk)
        for client in self._clients:
            client.queue_talk(talk)

    def say_to(self, sender: ConnectedClient, nick: str, text: str) -> None:
        """Send a chat message to all devices of one person, and of the sender; it is neither stored nor logged.

        While the sender plays a round of a tournament, it is held back. Raises ``RequestRefused`` if the person is not
        here, both are at one table in play, or as ``check_talk`` does.
        """
        receiver = find_name(nick, self.present_nicks)
        if receiver in (None, sender.nick):
            raise RequestRefused(f"nobody else here is called {nick}")
        tables = [{*client.subscriptions} for client in self._clients if client.nick == receiver]
        if any(
            client.subscriptions.keys() & set().union(*tables) for client in self._clients if client.nick == sender.nick
        ):
            raise RequestRefused(f"you are at one table with {receiver}; say it there")
        self.check_talk(sender)
        self._private_talk.take(sender.nick)
        talk = Talk(text, sender.nick, to=receiver)
        if not self.tournament_manager.talk.hold(sender, lambda: self._deliver(talk)):
            self._deliver(talk)

    def _deliver(self, talk: Talk) -> None:
        """Send a message to one person, and to its sender."""
        for client in self._clients:
            if client.nick in (talk.who, talk.to):
                client.queue_talk(talk)
            if client.nick == talk.to:
                client.private_talk.append(talk)

    async def report(self, client: ConnectedClient, nick: str) -> None:
        """Store for the host what a person has said to the client's person alone in this visit, and tell the client.

        Raises ``RequestRefused`` if that is nothing or too much is reported, and ``CardtableError`` if it is not saved.
        """
        said = [talk for other in self._clients if other.nick == client.nick for talk in other.private_talk]
        reported = [talk for talk in dict.fromkeys(said) if is_same_nick(talk.who, nick)]
        if not reported:
            raise RequestRefused(f"{nick} has said nothing to you alone")
        self._reports.take(client.nick)
        nick = reported[0].who
        await self.administration.report(client.nick, nick, tuple([talk.text for talk in reported]))
        self.emit(host_events.PersonReported(client.nick, nick))
        client.queue_talk(Talk(f"The host can now read what {nick} has said to you.", about=nick))

    # Lobby news

    def schedule_news(self) -> None:
        """Send news at the next multiple of ``NEWS_DELAY``, so that its time tells nothing about other changes."""
        if self._news_timer is None and self._is_open:
            loop = asyncio.get_running_loop()
            self._news_timer = loop.call_later(NEWS_DELAY - loop.time() % NEWS_DELAY, self._send_news)

    def _send_news(self) -> None:
        if self._news_timer:
            self._news_timer.cancel()
        self._news_timer = None
        people, guests, rows = self.present_nicks, self._guest_nicks, self.table_manager.registry.list_lobby_tables()
        for event in iterate_table_events(self.broadcaster.tables, rows):
            self.emit(event)
        self.broadcaster.broadcast(self._clients, people, guests, rows)
        self._check_saving()
        self.tournament_manager.notice_change()

    # Saving

    @property
    def save_error(self) -> str | None:
        """Reason given by the operating system why a session or the accounts cannot be saved; ``None`` if all can."""
        refused = [
            session.changes.save_error
            for table in self.table_manager.registry.tables.values()
            if (session := table.hosted_session)
        ]
        return next((error.os_message for error in refused if error), self.accounts.save_error)

    def _check_saving(self) -> None:
        """Log when saving begins to fail and when it works again; start the task that retries to save the accounts."""
        current_error = self.save_error
        if bool(current_error) != bool(self._logged_save_error):
            self.emit(host_events.SavingFails(current_error) if current_error else host_events.SavingWorks())
        self._logged_save_error = current_error
        if self.accounts.save_error and self._retry_task is None:
            self._retry_task = start_task(self._retry_saving())

    async def _retry_saving(self) -> None:
        try:
            while self.accounts.save_error:
                await asyncio.sleep(RETRY_SECONDS)
                with suppress(CardtableError):
                    await self.accounts.save_all()
        finally:
            self._retry_task = None
            self.schedule_news()
