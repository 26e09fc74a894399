"""Client of a club: people, tables, sessions in play, and downloads of finished sessions."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Coroutine, Iterable
from itertools import islice
from pathlib import Path
from typing import Final, assert_never
from urllib.parse import urlsplit

from cardtable import games
from cardtable.club import protocol
from cardtable.club.addresses import is_local
from cardtable.club.client.connection import ClubConnection, Login, NotConnectedError
from cardtable.club.client.remote_session import RemoteSession
from cardtable.club.protocol import (
    AskFinished,
    AskJournal,
    AskUnfinished,
    ClientMessage,
    LookOn,
    PastJournal,
    SitDown,
    TableInfo,
    Talk,
)
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import INTERFACE_VERSION, Seat
from cardtable.engine.journal import ID
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.text_format import sanitize
from cardtable.session.message_log import MAX_TALK_LENGTH
from cardtable.session.session_events import Stage
from cardtable.store import club_import, club_tokens
from cardtable.store.club_tokens import ClubToken
from cardtable.store.seating import GUEST, is_same_nick

MOST_LISTED: Final = 500
"""Maximum number of sessions that wait to be downloaded, which is also the maximum that a host lists."""
MOST: Final = 50
"""Maximum number of sessions downloaded in one visit, so that no host can fill the disk.

The next visit continues with the rest.
"""


class SessionDownloader:
    """Downloader of the player's finished sessions from the host into the local archive.

    It has at most one request in progress.
    """

    def __init__(
        self,
        me: str,
        ask: Callable[[ClientMessage], None],
        kept: Callable[[str, Path], None],
        failed: Callable[[str], None],
    ) -> None:
        """Create a downloader for the profile ``local_nick`` of this home.

        ``send`` sends a request to the host. ``on_stored`` is called with the id and path of each requested session
        that is in the local archive, including those stored before. ``on_failure`` is called with a message for the
        player the first time that a session cannot be stored.
        """
        self._me, self._ask, self._kept, self._failed = me, ask, kept, failed
        self._wanted: dict[str, None] = {}
        self._asked = ""
        self._left = MOST
        self._has_failed = False

    def reset(self) -> None:
        """Discard all pending downloads.

        It is called after a reconnection, because the host will not answer earlier requests.
        """
        self._wanted.clear()
        self._asked = ""

    def request(self, sessions: Iterable[str]) -> None:
        """Queue sessions for download by their ids; invalid ids are ignored.

        At most ``MAX_QUEUED`` sessions are queued at a time, and further ones are left out. A session that is already
        in the archive is not requested again.
        """
        for session in islice(sessions, MOST_LISTED):
            if len(self._wanted) < MOST_LISTED and ID.fullmatch(session):
                self._wanted[session] = None
        self._next()

    def _next(self) -> None:
        while self._wanted and not self._asked and self._left:
            session = next(iter(self._wanted))
            del self._wanted[session]
            if club_import.is_missing(session):
                self._asked, self._left = session, self._left - 1
                self._ask(AskJournal(session))
            elif (path := club_import.get_import_path(session)).exists():
                self._kept(session, path)

    async def receive(self, message: PastJournal, club: str, nick: str) -> None:
        """Store the session in the host's answer, and request the next one.

        ``club_name`` and ``nick`` are the name of the club and the player's nick there. An answer that was not
        requested is ignored.
        """
        if message.session != self._asked:
            return
        try:
            if message.journal:
                path = await asyncio.to_thread(
                    club_import.import_session, message.session, message.journal, club, nick, self._me
                )
                self._kept(message.session, path)
        except CardtableError as error:
            if not self._has_failed:
                self._failed(sanitize(f"A session of yours could not be saved here: {error.why}", MAX_TALK_LENGTH))
            self._has_failed = True
        if message.session == self._asked:
            self._asked = ""
            self._next()


MOST_TALK: Final = 200
"""Number of lobby chat messages that are retained."""
READABLE: Final = "Others on the network can read what you send here. If the host offers ssh, that is safe."
QUESTIONS: Final = {
    "nick": ("What is your nick here?", "A nick has 3 to 8 letters or digits."),
    "code": ("What is the code of the club?", "Its host can tell you."),
    "password": ("What is your password?", "The one that your nick has at this club."),
}
"""Question and explanation for each credential that the host can require, by the name of the credential."""


class ClubClient:
    """Connection of one player to one club, and the state of that club.

    Front ends read its attributes and set its callbacks, which are called in its event loop.
    """

    def __init__(self, url: str, login: Login, me: str = GUEST) -> None:
        """Create a client for the club at the WebSocket address ``url``; ``run`` connects it.

        ``login`` holds the credentials of the first attempt. ``local_nick`` is the nick of this home's player, under
        whom finished sessions are stored.
        """
        self.nick, self.club, self.member = login.nick, "", False
        self.people: tuple[str, ...] = ()
        self.guests: tuple[str, ...] = ()
        """Nicks in ``present_nicks`` that belong to no profile of the club."""
        self.unfinished: tuple[TableInfo, ...] = ()
        """Player's unfinished sessions that are not in play."""
        self.on_account_granted: Callable[[str, str], None] = lambda _nick, _token: None
        """Callback that is called with nick and token after the player has registered or signed in."""
        self.tables: dict[str, TableInfo] = {}
        self.talk: deque[Talk] = deque(maxlen=MOST_TALK)
        self.refusal = ""
        """Reason why the host refused the last request; empty if it did not."""
        self.remote_sessions: dict[str, RemoteSession] = {}
        """Sessions that the player plays or watches, by table id."""
        self.changed: Callable[[], None] = lambda: None
        """Callback that is called after any change of this client's state."""
        self.on_table_ready: Callable[[RemoteSession], None] = lambda _run: None
        """Callback that is called with a session once its first update makes it ready to be shown."""
        self.on_table_update: Callable[[RemoteSession], None] = lambda _run: None
        """Callback that is called with a session already shown after an update or the loss of the connection."""
        self.on_club_message: Callable[[RemoteSession], None] = lambda _run: None
        """Callback that is called with each open session after a message of the club itself was added to it."""
        self._stores_token: Final = not login.token
        """True if the token granted at log-in is stored for the next visit; False if the caller supplied a token."""
        self._has_stored_token = False
        """True once the token is stored.

        A host that sends further tokens must not push those of other clubs out of the file.
        """
        self._awaits_account = False
        self._url: Final = url

        def find_ticket(club_id: str, nick: str, refused: Collection[str]) -> ClubToken:
            return club_tokens.find_ticket(club_id, url, nick, me, refused)

        self._link: Final = ClubConnection(url, login, self._hear, self._on_connection_change, find_ticket=find_ticket)
        self._shown: set[str] = set()
        self._contract, self._packages = INTERFACE_VERSION, dict[str, str]()
        self._asking: set[asyncio.Future[None]] = set()
        self._fetching = SessionDownloader(me, self._later, self._kept, lambda why: self.talk.append(Talk(why)))
        self.can_send_password = not url.startswith("ws://") or is_local(urlsplit(url).hostname or "")
        """True if third parties cannot read the connection, so that a password may be sent."""
        if not self.can_send_password:
            self.talk.append(Talk(READABLE))

    @property
    def is_connected(self) -> bool:
        """True while the client is connected and logged in."""
        return self._link.is_connected

    @property
    def end_reason(self) -> str:
        """Reason why the visit has ended or the login was refused for good; empty before."""
        return self._link.refused

    @property
    def connection_error(self) -> str:
        """Reason why the client is not connected while it keeps trying; empty if it is connected."""
        return self._link.connection_error

    @property
    def is_refused_for_now(self) -> bool:
        """True if the host has refused the login temporarily, so that the client tries again later."""
        return self._link.refused_for > 0

    @property
    def login(self) -> Login:
        """Credentials of the last login, including a token that was found in the file."""
        return self._link.login

    @property
    def required_credential(self) -> str:
        """Credential that the next login must contain: ``nick``, ``code`` or ``password``; empty if none is missing.

        It is also empty if a password is missing and third parties could read it.
        """
        return "" if self._link.missing == "password" and not self.can_send_password else self._link.missing

    async def run(self) -> None:
        """Connect, and stay connected until the task is cancelled or the host ends the visit."""
        self._loop = asyncio.get_running_loop()
        await self._link.run()

    async def ask(self, message: ClientMessage) -> None:
        """Send a request; the result arrives later as a message, and a refusal in ``refusal``.

        If the host cannot be reached, ``refusal`` states this at once.
        """
        self.refusal = ""
        if isinstance(message, protocol.Register | protocol.SignIn):
            self._awaits_account = True
        try:
            await self._link.send(message)
        except NotConnectedError as error:
            self.refusal = str(error)
        self.changed()

    def _send(self, message: ClientMessage) -> None:
        """Send a message from any thread but the event loop's, and wait until it is sent.

        Raises ``NotConnectedError`` if the host cannot be reached.
        """
        asyncio.run_coroutine_threadsafe(self._link.send(message), self._loop).result()

    def leave(self, session: RemoteSession) -> None:
        """Close a session and leave its table; the player still owns a seat there.

        Nothing happens if another session has replaced it.
        """
        if self.remote_sessions.get(session.table) is session:
            del self.remote_sessions[session.table]
            self._shown.discard(session.table)
            self._later(protocol.Leave(session.table))

    def _later(self, message: ClientMessage) -> None:
        self._start(self.ask(message))

    def _start(self, what: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(what)
        self._asking.add(task)  # a reference, so that the task is not garbage-collected
        task.add_done_callback(self._asking.discard)

    def missing_requirement(self, game: str) -> str:
        """Return which package or version is needed to play a game of the club.

        The text continues a sentence whose subject is the game, such as ``needs rummy 2``. It is empty if the game can
        be played here.
        """
        there, here = self._packages.get(game, "another program"), games.list_packages().get(game)
        if there != here:
            return f"needs {there}, you have {here}" if here else f"needs {there}"
        return "" if self._contract == INTERFACE_VERSION else "needs another version of cardtable"

    def seat_at(self, row: TableInfo) -> Seat | None:
        """Return the player's own seat at a table, or ``None`` if they have none."""
        return next((seat for seat, place in enumerate(row.places) if is_same_nick(place.name, self.nick)), None)

    def _on_connection_change(self) -> None:
        if not self._link.is_connected:
            for run in self.remote_sessions.values():
                run.on_disconnect(self._link.refused)
                self.on_table_update(run)
        self.changed()

    def _hear(self, message: protocol.AnyServerMessage) -> None:  # noqa: PLR0912 - a branch for each message
        """Handle a message of the host."""
        match message:
            case protocol.Welcome():
                self._on_welcome(message)
            case protocol.LobbyNews():
                self._on_lobby_news(message)
            case protocol.AccountGranted(nick, token):
                self._on_account_granted(nick, token)
            case protocol.Unfinished(sessions):
                self.unfinished = sessions
            case protocol.Finished(sessions):
                self._fetching.request(sessions)
            case protocol.PastJournal():
                self._start(self._fetching.receive(message, self.club, self.nick))
            case protocol.Talk():
                self._on_talk(message)
            case protocol.RequestFailed(why):
                self.refusal = why
                for run in self.remote_sessions.values():
                    run.on_error(why)
            case protocol.Seated():
                self._on_seated(message)
            case protocol.Update():
                self._on_update(message)
            case protocol.Rounds(table, journal):
                if table in self.remote_sessions:
                    self.remote_sessions[table].on_rounds(journal)
            case protocol.Over(why):
                self.refusal = why
            case protocol.Challenge():  # only the login answers it
                pass
            case _:
                assert_never(message)
        self.changed()

    def _on_account_granted(self, nick: str, token: str) -> None:
        """Store the token of the account that was requested; ignore one that was not."""
        if self._awaits_account:
            self._awaits_account = False
            club_tokens.store_ticket(self._link.club_id, self._url, nick, token)
            self.on_account_granted(nick, token)

    def _on_talk(self, talk: Talk) -> None:
        """Store a chat message of the lobby; add a message of the club itself to all open sessions as well."""
        self.talk.append(talk)
        for run in self.remote_sessions.values():
            if not talk.who:
                run.add_message(CustomLogEntry(None, sanitize(talk.text)))
                self.on_club_message(run)

    def _on_seated(self, seated: protocol.Seated) -> None:
        """Create the session for a table at which the host has seated the player.

        An open session at that table with the same seat is kept.
        """
        self.remote_sessions.pop(seated.instead, None)
        before = self.remote_sessions.get(seated.table)
        if before is None or before.seat != seated.seat:
            self._shown.discard(seated.table)
            self.remote_sessions[seated.table] = RemoteSession(seated, self._send, self.leave)

    def _on_welcome(self, welcome: protocol.Welcome) -> None:
        """Take over the lobby after a successful login, and return to the tables after a reconnection."""
        self.club, self.nick, self.member = welcome.club, welcome.nick, welcome.member
        if self._stores_token and not self._has_stored_token:
            self._has_stored_token = True
            club_tokens.store_ticket(self._link.club_id, self._url, welcome.nick, self._link.login.token)
        self.people, self.tables = welcome.people, {row.table: row for row in welcome.tables}
        self.guests = welcome.guests
        self._contract, self._packages = welcome.contract, welcome.packages
        if welcome.readable and self.can_send_password:  # for example, an unencrypted browser shows this client
            self.can_send_password = False
            self.talk.append(Talk(READABLE))
        self._later(AskUnfinished())
        self._fetching.reset()
        self._later(AskFinished())
        for table, run in self.remote_sessions.items():
            self._later(SitDown(table) if run.people else LookOn(table))

    def _on_lobby_news(self, news: protocol.LobbyNews) -> None:
        if news.people is not None:
            self.people, self.guests = news.people, news.guests
        tables = {} if news.whole else self.tables
        now = tables | {row.table: row for row in news.tables}
        gone = set(news.gone)
        before, self.tables = self.tables, {table: row for table, row in now.items() if table not in gone}
        others = [row for table, row in (before | self.tables).items() if table in before.keys() ^ self.tables.keys()]
        if any(self.seat_at(row) is not None for row in others):
            self._later(AskUnfinished())
        left = [row for table, row in before.items() if table not in self.tables and row.playing]
        self._fetching.request([row.table for row in left if self.seat_at(row) is not None])

    def _on_update(self, update: protocol.Update) -> None:
        run = self.remote_sessions.get(update.table)
        if run is None:
            return
        run.on_update(update)
        if update.stage is Stage.SESSION_END and run.people:
            self._fetching.request([update.table])
        if update.table not in self._shown:
            self._shown.add(update.table)
            run.apply_next()
            self.on_table_ready(run)
        else:
            self.on_table_update(run)

    def _kept(self, session: str, path: Path) -> None:
        if session in self.remote_sessions:
            self.remote_sessions[session].on_journal_stored(path)
        self.changed()
