"""Lobby of a club: connected clients, their requests, lobby news, and the host's log."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Final, assert_never

from msgspec.structs import replace

from cardtable import games
from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.protocol import AccountGranted, LobbyNews, RequestFailed, TableInfo, Talk, Welcome, encode
from cardtable.club.server.accounts import AccountStore, KnownGuest
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.finished_sessions import FinishedSessions
from cardtable.club.server.hosted_session import RETRY, Think
from cardtable.club.server.limits import HostLog, LoginError, RateLimiters
from cardtable.club.server.table_manager import TableManager
from cardtable.club.server.tables import RequestRefused
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import INTERFACE_VERSION
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import sanitize, to_one_line
from cardtable.games import ABOUT
from cardtable.session.message_log import MAX_TALK_LENGTH
from cardtable.store.errors import format_os_error


class LobbyBroadcaster:
    """Broadcaster of lobby news, which remembers the lobby as last sent and sends only differences."""

    def __init__(self) -> None:
        self.rows: Mapping[str, TableInfo] = {}
        """Tables as last sent to the clients, by id."""
        self._people: tuple[tuple[str, ...], ...] = ()
        """Nicks of all people present, and of the guests among them, as last sent; empty if they must be sent again."""
        self._whole: Callable[[], str] = lambda: encode(LobbyNews((), whole=True))

    def resend_people(self) -> None:
        """Include the people in the next news even if they have not changed since the last.

        This is necessary after an arrival, since the newcomer's ``Welcome`` is ahead of the others' news.
        """
        self._people = ()

    def broadcast(
        self,
        clients: Iterable[ConnectedClient],
        people: tuple[str, ...],
        guests: tuple[str, ...],
        rows: Mapping[str, TableInfo],
    ) -> None:
        """Send clients what has changed since the last call.

        A client at a table gets only news of that table, and none if just its round or turn has changed, which the
        client sees in updates. Back in the lobby it gets the complete lobby. ``guests`` are the nicks in ``people``
        without a profile, and ``tables`` are all tables by id.
        """
        before, self.rows = self.rows, rows
        changed = tuple([row for id_, row in rows.items() if before.get(id_) != row])
        gone = tuple(before.keys() - rows.keys())
        news = ""
        if self._people != (people, guests):
            news = encode(LobbyNews(people, changed, gone, guests))
        elif changed or gone:
            news = encode(LobbyNews(None, changed, gone))
        self._people = people, guests
        self._whole = cache(lambda: encode(LobbyNews(people, tuple(rows.values()), (), guests, whole=True)))
        at_tables = {row.table: encode(LobbyNews(None, (row,))) for row in changed if _has_changed_seats(before, row)}
        for client in clients:
            if client.subscriptions:
                client.lacks_lobby_news = True
                for table in at_tables.keys() & client.subscriptions.keys():
                    client.lobby(at_tables[table], self._whole)
            elif client.lacks_lobby_news:
                client.send_full_lobby(self._whole())
            elif news:
                client.lobby(news, self._whole)

    def catch_up(self, client: ConnectedClient) -> None:
        """Send the complete lobby to a client that is back from a table and has missed news."""
        if client.lacks_lobby_news and not client.subscriptions:
            client.send_full_lobby(self._whole())


def _has_changed_seats(before: Mapping[str, TableInfo], row: TableInfo) -> bool:
    """Return True if a table is new, or if more than its round and turn has changed."""
    was = before.get(row.table)
    return was is None or replace(was, round=row.round, turn=row.turn) != row


def table_events(before: Mapping[str, TableInfo], now: Mapping[str, TableInfo]) -> Iterator[tuple[str, str]]:
    """Yield a line for the log for each change between two states of the tables.

    Each item is the nick of the table's game master, for whom the line counts, and the line itself.
    """
    for id_, row in now.items():
        was = before.get(id_)
        if row != was:
            yield from [(row.master, line) for line in _table_events(was, row)]
    for id_ in before.keys() - now.keys():
        left = before[id_].playing and not before[id_].over
        yield before[id_].master, f"everybody has left the table {id_}" if left else f"the table {id_} is closed"


def _table_events(was: TableInfo | None, row: TableInfo) -> Iterator[str]:
    if was is None and row.taken_up:
        yield f"{row.master} calls the others back to the session {row.table}"
    elif was is None and not row.playing:
        yield f"{row.master} opens a table of {ABOUT[row.game].title}: {row.table}"
    if row.playing and not (was and was.playing):
        who = ", ".join([f"{place.name}{' (robot)' if place.robot else ''}" for place in row.places])
        yield f"the session {row.table} is played by {who}"
    if was and was.playing:
        for one, other in zip(was.places, row.places, strict=True):
            if other.robot and not one.robot:
                yield f"a robot plays for {other.name} in the session {row.table}"
            elif one.robot and not other.robot:
                yield f"{other.name} is back in the session {row.table}"
        if row.over and not was.over:
            yield f"the session {row.table} is over"


TALK_A_SECOND: Final = 2.0
"""Average number of chat messages per second allowed to one person; bursts may be three times as large."""
SOON: Final = 0.25
"""Delay for which changes of the lobby are collected before they are sent, in seconds."""


class ClubLobby:
    """Open club: connected clients, tables, and the handling of requests."""

    def __init__(
        self,
        name: str,
        members: AccountStore,
        think: Think,
        *,
        most_tables: int = 100,
        tell: Callable[[str], object] = lambda _line: None,
    ) -> None:
        """Create the lobby of the club called ``name``, without clients.

        The lobby sets the callbacks of ``accounts``. ``think`` chooses the action of a robot. ``max_tables`` is the
        maximum number of open tables, and ``log`` is called with each line of the host's log.
        """
        self.name, self.members = name, members
        members.get_present_nicks, members.save_failed = lambda: self.people, self._changed
        self._log = HostLog(tell)
        self._visits: list[ConnectedClient] = []
        self.table_manager: Final = TableManager(
            members, think, self._visits, self._changed, most=most_tables, log=self._log.write
        )
        members.has_seat = self.table_manager.has_seat
        self._broadcaster = LobbyBroadcaster()
        self._talk_paces = RateLimiters(TALK_A_SECOND)
        self._finished = FinishedSessions()
        self._telling: asyncio.TimerHandle | None = None
        self._open = True
        self._saving_fails = ""
        """Reason why the host cannot save, as last logged; empty if saving worked."""
        self._retrying: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Forget saved tables whose sessions have disappeared from the disk.

        Raises ``CardtableError`` if the host cannot save.
        """
        await self.table_manager.forget_lost()

    async def close(self, why: str) -> None:
        """Disconnect all clients with a reason, and close all sessions."""
        self._open = False
        for client in self._visits:
            client.end(why)
        await self.table_manager.close()
        self._log.close()
        if self._telling:
            self._telling.cancel()
        if self._retrying:
            self._retrying.cancel()

    # Clients

    @property
    def people(self) -> tuple[str, ...]:
        """Nicks of the people present, in order of arrival, without repetition."""
        return tuple(dict.fromkeys(client.nick for client in self._visits))

    @property
    def tables(self) -> tuple[TableInfo, ...]:
        """Tables as last sent to the clients."""
        return tuple(self._broadcaster.rows.values())

    @property
    def _guests(self) -> tuple[str, ...]:
        return tuple(filter(self.members.is_guest, self.people))

    def enter(self, person: KnownGuest, token: str, origin: ConnectionOrigin) -> ConnectedClient:
        """Add a connection of a person who has been let in, and send the ``Welcome``.

        ``token`` is the token for the next login, or empty if the client has one already. A person may have several
        connections.
        """
        client = ConnectedClient(person.nick, origin)
        if person.nick not in self.people:
            self._log.write(f"{person.nick} comes in {origin.how}".rstrip(), person.nick)
        self._visits.append(client)
        lobby = self.people, self.tables, INTERFACE_VERSION, games.list_packages(), self._guests
        client.answer(Welcome(self.name, person.nick, token, person.member, *lobby, readable=not origin.secret))
        self._broadcaster.resend_people()
        self._changed()
        return client

    async def leave(self, client: ConnectedClient) -> None:
        """Remove a connection that has ended; the person's seats in sessions stay theirs."""
        self._visits.remove(client)
        if client.nick not in self.people:
            self._log.write(f"{client.nick} leaves", client.nick)
        if not self._open:
            return
        await self.table_manager.remove_from_all(client)
        self._changed()

    # Requests

    async def hear(self, client: ConnectedClient, message: protocol.AnyClientMessage) -> None:
        """Execute a request of a client; if it is refused, answer with the reason."""
        try:
            await self._execute(client, message)
            self._broadcaster.catch_up(client)
        except (CardtableError, IllegalAction, LoginError) as error:
            client.answer(
                RequestFailed(sanitize(error.why if isinstance(error, CardtableError) else str(error), MAX_TALK_LENGTH))
            )
        except OSError as error:
            client.answer(
                RequestFailed(f"the club cannot do that now: {sanitize(format_os_error(error), MAX_TALK_LENGTH)}")
            )
        self._changed()

    async def _execute(  # noqa: PLR0912 - a branch for each message
        self, client: ConnectedClient, message: protocol.AnyClientMessage
    ) -> None:
        """Execute a request."""
        tables = self.table_manager
        match message:
            case protocol.Say(text, table):
                await self._say(client, to_one_line(text.strip(), MAX_TALK_LENGTH), table)
            case protocol.Register(password):
                client.answer(
                    AccountGranted(client.nick, await self.members.register(client.nick, password, client.origin))
                )
            case protocol.SignIn(nick, password):
                client.answer(AccountGranted(*await self.members.sign_in(nick, password, client.origin)))
            case protocol.AskFinished():
                client.answer(protocol.Finished(await self._finished.of(client.nick)))
            case protocol.AskJournal(session):
                if client.has_queued(protocol.PastJournal):
                    raise RequestRefused("one session after the other")
                client.answer(protocol.PastJournal(session, await self._finished.journal(client.nick, session)))
            case protocol.AskUnfinished():
                client.answer(protocol.Unfinished(await tables.list_unfinished(client.nick)))
            case protocol.OpenTable():
                tables.open_table(client, message)
            case protocol.ResumeSession(session):
                await tables.resume_session(client, session)
            case protocol.SitDown(table, seat):
                await tables.sit_down(client, table, seat)
            case protocol.LookOn(table):
                await tables.watch(client, table)
            case protocol.Leave(table):
                await tables.leave_table(client, table)
            case protocol.Start(table, level):
                await tables.start(client, table, level)
            case protocol.Act(table, at, action):
                await tables.act(client, table, at, action)
            case protocol.Ready(table, number):
                await tables.acknowledge_round(client, table, number)
            case protocol.AskRounds(table):
                client.answer(protocol.Rounds(table, await tables.read_rounds(client, table)))
            case protocol.StandIn(table, seat):
                await tables.vote_substitute(client, table, seat)
            case protocol.EndWait(table):
                await tables.end_wait(client, table)
            case protocol.GiveSeat():
                await tables.give_seat(client, message)
            case protocol.PlayAgain(table, lot):
                await tables.vote_rematch(client, table, lot=lot)
            case protocol.Hello() | protocol.Disconnect():
                raise RequestRefused("you are already in")
            case _:
                assert_never(message)

    async def _say(self, client: ConnectedClient, text: str, table: str) -> None:
        if not sanitize(text).strip():
            raise RequestRefused("type something to say")
        if not self._talk_paces.of(client.nick).take():
            raise RequestRefused("you talk too fast; wait a few seconds")
        if table:
            await self.table_manager.say(client, text, table)
            return
        for each in self._visits:
            each.talk(Talk(text, client.nick))

    # Lobby news

    def _changed(self) -> None:
        if self._telling is None and self._open:
            self._telling = asyncio.get_running_loop().call_later(SOON, self._send_news)

    def _send_news(self) -> None:
        if self._telling:
            self._telling.cancel()
        self._telling = None
        people, guests, rows = self.people, self._guests, self.table_manager.rows()
        for master, line in table_events(self._broadcaster.rows, rows):
            self._log.write(line, master)
        self._broadcaster.broadcast(self._visits, people, guests, rows)
        self._report_saving()

    # Saving

    @property
    def saving_fails(self) -> str:
        """Reason given by the operating system why a session or the accounts cannot be saved; empty if all can."""
        refused = [
            playing.unsaved for table in self.table_manager.active_tables.values() if (playing := table.open_session)
        ]
        return next((error.reason for error in refused if error), self.members.unsaved)

    def _report_saving(self) -> None:
        """Log when saving begins to fail and when it works again; start the task that retries to save the accounts."""
        now = self.saving_fails
        if bool(now) != bool(self._saving_fails):
            self._log.write(f"saving fails: {now}; tables wait until it works" if now else "saving works again")
        self._saving_fails = now
        if self.members.unsaved and self._retrying is None:
            self._retrying = asyncio.create_task(self._retry_saving())

    async def _retry_saving(self) -> None:
        while self.members.unsaved:
            await asyncio.sleep(RETRY)
            with suppress(CardtableError):
                await self.members.save_all(self.members.tables)
        self._retrying = None
        self._changed()
