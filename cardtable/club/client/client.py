"""Client of a club: people, tables, sessions in play, and downloads of finished sessions."""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from pathlib import Path
from typing import Final, assert_never
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from cardtable import games
from cardtable.club import protocol
from cardtable.club.addresses import READABLE_CONNECTION_WARNING, is_local
from cardtable.club.client import connection
from cardtable.club.client.remote_session import CONNECTION_LOST, RemoteSession
from cardtable.engine.errors import POSITION_ERRORS, CardtableError
from cardtable.engine.game import INTERFACE_VERSION, Seat
from cardtable.engine.journal import ID
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.text_format import fold, format_count, sanitize
from cardtable.session.session_events import MAX_TALK_LENGTH, Stage
from cardtable.store import archive_index, club_tokens, seating
from cardtable.store.club_tokens import ClubToken
from cardtable.store.seating import GUEST, is_same_nick
from cardtable.store.session_files import MAX_NAME_LENGTH
from cardtable.workers.tasks import start_task

MAX_QUEUED: Final = 500
"""Maximum number of sessions that wait to be downloaded, which is also the maximum that a host lists."""
MAX_DOWNLOADS: Final = 50
"""Maximum number of sessions downloaded in one visit, so that no host can fill the disk.

The next visit continues with the rest.
"""


class SessionDownloader:
    """Downloader of the player's finished sessions from the host into the local archive.

    It has at most one request in progress.
    """

    def __init__(
        self,
        local_nick: str,
        send: Callable[[protocol.ClientMessage], None],
        on_stored: Callable[[str, Path], None],
        on_failure: Callable[[str], None],
    ) -> None:
        """Create a downloader for the profile ``local_nick`` of this home.

        ``send`` sends a request to the host. ``on_stored`` is called with the id and path of each requested session
        that is in the local archive, including those stored before. ``on_failure`` is called with a message for the
        player the first time that a session cannot be stored.
        """
        self._local_nick, self._send, self._on_stored, self._on_failure = local_nick, send, on_stored, on_failure
        self._queue: dict[str, None] = {}
        self._requested_id = ""
        self._downloads_left = MAX_DOWNLOADS
        self._has_failed = False

    def reset(self) -> None:
        """Discard all pending downloads.

        It is called after a reconnection, because the host will not answer earlier requests.
        """
        self._queue.clear()
        self._requested_id = ""

    def queue_sessions(self, session_ids: Iterable[str]) -> None:
        """Queue sessions for download by their ids; invalid ids are ignored.

        At most ``MAX_QUEUED`` sessions are queued at a time, and further ones are left out. A session that is already
        in the archive is not requested again.
        """
        for session in islice(session_ids, MAX_QUEUED):
            if len(self._queue) < MAX_QUEUED and ID.fullmatch(session):
                self._queue[session] = None
        self._request_next()

    def _request_next(self) -> None:
        while self._queue and not self._requested_id and self._downloads_left:
            session = next(iter(self._queue))
            del self._queue[session]
            if archive_index.is_import_missing(session):
                self._requested_id, self._downloads_left = session, self._downloads_left - 1
                self._send(protocol.AskJournal(session))
            elif (path := archive_index.get_import_path(session)).exists():
                self._on_stored(session, path)

    async def store_answer(self, message: protocol.FinishedJournal, club_name: str, nick: str) -> None:
        """Store the session in the host's answer, and request the next one.

        ``club_name`` and ``nick`` are the name of the club and the player's nick there. An answer that was not
        requested is ignored.
        """
        if message.session != self._requested_id:
            return
        try:
            if message.journal:
                path = await asyncio.to_thread(
                    archive_index.import_session, message.session, message.journal, club_name, nick, self._local_nick
                )
                self._on_stored(message.session, path)
        except CardtableError as error:
            if not self._has_failed:
                self._on_failure(sanitize(f"One of your sessions was not saved here: {error.reason}", MAX_TALK_LENGTH))
            self._has_failed = True
        if message.session == self._requested_id:
            self._requested_id = ""
            self._request_next()


class HiddenPeople:
    """People whose talk the player does not want to read at a club, stored for the next visit."""

    def __init__(self) -> None:
        self._club_id, self._nicks = "", dict[str, str]()

    @property
    def nicks(self) -> tuple[str, ...]:
        return tuple(self._nicks.values())

    def load(self, club_id: str) -> None:
        """Load the people hidden at a club, which replace those of another club."""
        if club_id != self._club_id:
            self._club_id = club_id
            self._nicks = {fold(nick): nick for nick in club_tokens.load_hidden_nicks(club_id)}

    def set_hidden(self, nick: str, *, is_hidden: bool) -> None:
        """Hide the talk of a person, or show it again."""
        self._nicks.pop(fold(nick), None)
        if is_hidden:
            self._nicks[fold(nick)] = nick
        club_tokens.store_hidden_nicks(self._club_id, self.nicks)

    def is_hidden(self, nick: str) -> bool:
        return bool(self._nicks) and fold(nick) in self._nicks


def format_round_call(call: protocol.RoundCall) -> str:
    """Return that the round of a tournament is called, without a full stop."""
    return f"Round {call.round} of {sanitize(call.tournament, _MAX_TOURNAMENT_NAME)} is called"


_MAX_TOURNAMENT_NAME: Final = 40
MAX_LOBBY_TALK_LENGTH: Final = 400
"""Maximum length of a chat message in the lobby, in characters; the rest is cut off."""
MAX_TALK_MESSAGES: Final = 200
"""Number of lobby chat messages that are retained."""
CREDENTIAL_QUESTIONS: Final = {
    "nick": ("What is your nick here?", f"A nick has {seating.NICK_LENGTHS}."),
    "code": ("What is the code of the club?", "Its host can tell you."),
    "password": ("What is your password, or your word?", "The one that you have at this club."),
}
"""Question and explanation for each credential that the host can require, by the name of the credential."""


class Lobby(Struct, frozen=True):
    """Club and the people in it, as its host has described them last."""

    club_name: str = ""
    is_member: bool = False
    """True if the player has a profile at the club."""
    present_nicks: tuple[str, ...] = ()
    guest_nicks: tuple[str, ...] = ()
    """Nicks in ``present_nicks`` that belong to no profile of the club."""
    packages: dict[str, str] = {}
    """Package with its version that is needed for each game, by its key."""
    interface_version: int = INTERFACE_VERSION


class ClubObserver:
    """Front end of a client, which calls these methods in its event loop. They do nothing by default."""

    def handle_change(self) -> None:
        """Handle any change of the client's state."""

    def handle_table_ready(self, session: RemoteSession) -> None:
        """Show a session whose first update has arrived."""

    def handle_table_update(self, session: RemoteSession) -> None:
        """Handle an update of a session that is shown, or the loss of its connection."""

    def handle_club_message(self, session: RemoteSession) -> None:
        """Handle a message of the club itself that was added to an open session."""

    def handle_account(self, nick: str, token: str) -> None:
        """Handle the account of a player who has registered or signed in."""

    def handle_device_word(self, word: protocol.DeviceWord) -> None:
        """Show a word for another device, which the player has requested."""

    def is_program_ending(self, _session: RemoteSession) -> bool:
        """Return True if a session is closed because the program ends.

        Its table is not left then, so that the player returns to it with the next log-in.
        """
        return False


class ClubClient:
    """Connection of one player to one club, and the state of that club, which front ends read."""

    def __init__(
        self,
        url: str,
        login: connection.Login,
        observer: ClubObserver,
        local_nick: str = GUEST,
        known_talk: Iterable[protocol.Talk] = (),
    ) -> None:
        """Create a client for the club at the WebSocket address ``url``; ``run`` connects it.

        ``login`` holds the credentials of the first attempt. ``observer`` is the front end. ``local_nick`` is the nick
        of this home's player, under whom finished sessions are stored. ``known_talk`` are messages that the player has
        read in this visit.
        """
        self.nick = login.nick
        self.lobby = Lobby()
        self.return_table: str | None = None
        """Id of the table to which the player returned at log-in; empty if the visit began in the lobby.

        ``None`` until the club has admitted the player.
        """
        self.unfinished: tuple[protocol.TableInfo, ...] = ()
        """Player's unfinished sessions that are not in play."""
        self.has_listed_unfinished = False
        """True once the club has sent them."""
        self.seasons: tuple[protocol.SeasonInfo, ...] | None = None
        """Seasons of the club as last answered; ``None`` before the first answer, as for the next one."""
        self.season_tables: protocol.SeasonTables | None = None
        self.devices: tuple[protocol.DeviceInfo, ...] = ()
        self.answer_count = 0
        """Number of answers about seasons, devices and passwords."""
        self.tables: dict[str, protocol.TableInfo] = {}
        self.talk: deque[protocol.Talk] = deque(maxlen=MAX_TALK_MESSAGES)
        """Latest chat messages, including those of hidden people."""
        self.known_talk: Final = deque(known_talk, maxlen=MAX_TALK_MESSAGES)
        """Latest messages to all, which the host sends again after a reconnection."""
        self.latest_talk_before = 0
        """Time of the latest message from before the visit, up to which the time is shown; 0 if there is none."""
        self.new_nicks: dict[str, str] = {}
        """Present nicks of people who have been renamed during the visit, by each of their former nicks."""
        self.hidden_people: Final = HiddenPeople()
        self._round_calls: dict[str, protocol.RoundCall] = {}
        """Calls to check in that the player has not answered, by the tournament."""
        self.refusal = ""
        """Reason why the host refused the last request; empty if it did not."""
        self.remote_sessions: dict[str, RemoteSession] = {}
        """Sessions that the player plays or watches, by table id."""
        self._stores_token = not login.token
        """True if the token granted at log-in is stored for the next visit; False if the caller supplied a token.

        Only one is stored: a host that sends further tokens must not push those of other clubs out of the file.
        """
        self._awaits_account = False
        self._observer: Final = observer

        def find_ticket(club_id: str, nick: str, refused: Collection[str]) -> ClubToken:
            return club_tokens.find_ticket(club_id, nick, local_nick, refused)

        self.connection: Final = connection.ClubConnection(
            url, login, self.handle_message, self._on_connection_change, find_ticket=find_ticket
        )
        self._downloader = SessionDownloader(
            local_nick,
            self._send_in_background,
            self._on_session_stored,
            lambda text: self.talk.append(protocol.Talk(text)),
        )
        self.can_send_password = not url.startswith("ws://") or is_local(urlsplit(url).hostname or "")
        """True if third parties cannot read the connection, so that a password may be sent."""
        if not self.can_send_password:
            self.talk.append(protocol.Talk(READABLE_CONNECTION_WARNING))

    @property
    def loss_reason(self) -> str:
        """Sentence for a player who has lost the connection while the client keeps trying."""
        state = self.connection.state
        if isinstance(state, connection.Offline) and state.is_host_fault:
            return f"{state.error}; the program keeps trying"
        return CONNECTION_LOST

    @property
    def required_credential(self) -> str:
        """Credential that the next login must contain: ``nick``, ``code`` or ``password``; empty if none is missing.

        It is also empty if a password is missing and third parties could read it.
        """
        state = self.connection.state
        missing = state.missing_credential if isinstance(state, connection.Ended) else ""
        return missing if missing != "password" or self.can_send_password else ""

    async def run(self) -> None:
        """Connect, and stay connected until the task is cancelled or the host ends the visit."""
        self._loop = asyncio.get_running_loop()
        await self.connection.run()

    async def send_request(self, message: protocol.ClientMessage) -> None:
        """Send a request; the result arrives later as a message, and a refusal in ``refusal``.

        If the host cannot be reached, ``refusal`` states this at once.
        """
        self.refusal = ""
        if isinstance(message, protocol.Register | protocol.SignIn | protocol.ChangePassword):
            self._awaits_account = True
        try:
            await self.connection.send(message)
        except connection.NotConnectedError as error:
            self.refusal = str(error)
        self._observer.handle_change()

    def _send_from_thread(self, message: protocol.ClientMessage) -> None:
        """Send a message from any thread but the event loop's, and wait until it is sent.

        Raises ``NotConnectedError`` if the host cannot be reached.
        """
        asyncio.run_coroutine_threadsafe(self.connection.send(message), self._loop).result()

    def _leave_from_thread(self, session: RemoteSession) -> None:
        self._loop.call_soon_threadsafe(self.leave_table, session)

    def leave_table(self, session: RemoteSession) -> None:
        """Close a session and leave its table; the player still owns a seat there.

        Nothing happens if another session has replaced it, or the program ends.
        """
        if self.remote_sessions.get(session.table) is session and not self._observer.is_program_ending(session):
            del self.remote_sessions[session.table]
            self._send_in_background(protocol.Leave(session.table))

    def _send_in_background(self, message: protocol.ClientMessage) -> None:
        start_task(self.send_request(message))

    def find_missing_requirement(self, game_key: str) -> str | None:
        """Return which package or version is needed to play a game of the club; ``None`` if it can be played here.

        The text continues a sentence whose subject is the game, such as ``needs rummy 2``.
        """
        required, installed = self.lobby.packages.get(game_key, "another program"), games.list_packages().get(game_key)
        if required != installed:
            if installed:
                return f"needs {required}, you have {installed}"
            missing = games.find_missing_game(game_key, required)
            own = "; yours cannot be loaded" if missing and missing.is_installed else ""
            return f"needs {required}{own}"
        return None if self.lobby.interface_version == INTERFACE_VERSION else "needs another version of cardtable"

    def find_own_seat(self, table_info: protocol.TableInfo) -> Seat | None:
        return next((seat for seat, info in enumerate(table_info.seats) if is_same_nick(info.name, self.nick)), None)

    def list_graces(self) -> list[int]:
        """Return for each rated session of the player how long, in seconds, they may be away before they lose it."""
        rows = [row for row in self.tables.values() if row.playing and not row.over and row.terms and row.terms.rated]
        seats = [(row, self.find_own_seat(row)) for row in rows]
        return [row.grace for row, seat in seats if seat is not None and not row.seats[seat].lost]

    def set_hidden(self, nick: str, *, is_hidden: bool) -> None:
        """Hide the talk of a person, or show it again, in the lobby and at all tables.

        Raises ``CardtableError`` if the nick is invalid or the player's own.
        """
        nick = seating.normalize_nick(nick)
        if wrong := seating.find_nick_error(nick):
            raise CardtableError(wrong)
        if is_same_nick(nick, self.nick):
            raise CardtableError("you cannot hide yourself")
        self.hidden_people.set_hidden(nick, is_hidden=is_hidden)
        for session in self.remote_sessions.values():
            self._observer.handle_club_message(session)
        self._observer.handle_change()

    @property
    def visible_talk(self) -> list[protocol.Talk]:
        return [talk for talk in self.talk if not self.is_talk_hidden(talk)]

    def is_talk_hidden(self, talk: protocol.Talk) -> bool:
        return self.hidden_people.is_hidden(talk.who) or self.hidden_people.is_hidden(talk.about)

    def _on_connection_change(self) -> None:
        if not self.connection.is_connected:
            for session in self.remote_sessions.values():
                session.on_disconnect(self.connection.end_reason or self.loss_reason)
                self._observer.handle_table_update(session)
        self._observer.handle_change()

    def handle_message(self, message: protocol.AnyServerMessage) -> None:  # noqa: PLR0912 - a branch for each message
        """Handle a message of the host. Raises ``InvalidMessage`` if it cannot be shown."""
        match message:
            case protocol.Welcome():
                self._on_welcome(message)
            case protocol.LobbyNews():
                self._on_lobby_news(message)
            case protocol.AccountGranted(nick, token):
                self._on_account_granted(nick, token)
            case protocol.PasswordChanged(token):
                self._on_password_changed(token)
            case protocol.Devices(devices):
                connection.check_lobby_size("devices", devices)
                self.devices = devices
            case protocol.DeviceWord():
                self._observer.handle_device_word(message)
            case protocol.Unfinished(sessions):
                connection.check_lobby_size("unfinished sessions", sessions)
                self.unfinished, self.has_listed_unfinished = sessions, True
            case protocol.Seasons(seasons):
                self.seasons = seasons
            case protocol.SeasonTables():
                connection.check_season(message)
                self.season_tables = message
            case protocol.Finished(sessions):
                self._downloader.queue_sessions(sessions)
            case protocol.FinishedJournal():
                start_task(self._downloader.store_answer(message, self.lobby.club_name, self.nick))
            case protocol.Talk():
                self._on_talk(message)
            case protocol.RequestFailed(reason):
                self.refusal = sanitize(reason, MAX_TALK_LENGTH)
                for session in self.remote_sessions.values():
                    session.on_refusal(self.refusal)
            case protocol.RoundCall():
                self._on_round_call(message)
            case protocol.Seated():
                self._on_seated(message)
            case protocol.Update():
                self._on_update(message)
            case protocol.Rounds(table, journal):
                if table in self.remote_sessions:
                    self.remote_sessions[table].on_rounds(journal)
            case protocol.Over(reason):
                self.refusal = sanitize(reason, MAX_TALK_LENGTH)
            case protocol.Challenge():  # only the login answers it
                pass
            case _:
                assert_never(message)
        if isinstance(message, protocol.Devices | protocol.Seasons | protocol.SeasonTables | protocol.PasswordChanged):
            self.answer_count += 1
        self._observer.handle_change()

    def _on_account_granted(self, nick: str, token: str) -> None:
        """Store the token of the account that was requested; ignore one that was not."""
        if self._awaits_account:
            self._awaits_account = False
            club_tokens.store_ticket(self.connection.club_id, nick, token)
            self._observer.handle_account(nick, token)

    def _on_password_changed(self, token: str) -> None:
        """Store the token that replaces all earlier ones, if there is one."""
        if token and self._awaits_account:
            self.connection.replace_token(token)
            club_tokens.store_ticket(self.connection.club_id, self.nick, token)
        self._awaits_account = False
        self.talk.append(protocol.Talk("Your password is changed."))

    def _on_talk(self, talk: protocol.Talk) -> None:
        """Store a chat message; add one of the club itself, or to one person, to all open sessions, too."""
        talk = protocol.Talk(
            sanitize(talk.text, MAX_LOBBY_TALK_LENGTH),
            sanitize(talk.who, MAX_NAME_LENGTH),
            sanitize(talk.about, MAX_NAME_LENGTH),
            sanitize(talk.to, MAX_NAME_LENGTH),
            talk.at,
            talk.renamed,
        )
        if talk.at and talk in self.known_talk:
            return
        if talk.renamed:
            self._on_renamed(*talk.renamed)
        self.known_talk.append(talk)
        self.talk.append(talk)
        for session in self.remote_sessions.values():
            if (talk.to or not talk.who) and not self.is_talk_hidden(talk):
                text = f"{talk.who} to {talk.to}: {talk.text}" if talk.to else talk.text
                session.add_message(CustomLogEntry(None, sanitize(text)))
                self._observer.handle_club_message(session)

    @property
    def round_call(self) -> protocol.RoundCall | None:
        """Call to check in to a round of a tournament, the first of several; ``None`` if the player is not called."""
        return next(iter(self._round_calls.values()), None)

    def _on_renamed(self, former: str, nick: str) -> None:
        """Note the new nick of a person, whose talk stays hidden if it was."""
        self.new_nicks = {old: nick if now == former else now for old, now in self.new_nicks.items()} | {former: nick}
        if self.hidden_people.is_hidden(former):
            self.hidden_people.set_hidden(former, is_hidden=False)
            self.hidden_people.set_hidden(sanitize(nick, MAX_NAME_LENGTH), is_hidden=True)

    def _on_round_call(self, call: protocol.RoundCall) -> None:
        """Tell the player that a round is called, in the lobby and at all tables; or note the end of the call."""
        if call.seconds:
            self._round_calls[call.tournament] = call
            self._on_talk(
                protocol.Talk(f"{format_round_call(call)}: check in within {format_count(call.seconds, 'second')}.")
            )
        elif self._round_calls.pop(call.tournament, None):
            for session in self.remote_sessions.values():
                self._observer.handle_club_message(session)

    def _on_seated(self, seated: protocol.Seated) -> None:
        """Create the session for a table at which the host has seated the player.

        An open session at that table with the same seat is kept.
        """
        self.remote_sessions.pop(seated.instead, None)
        before = self.remote_sessions.get(seated.table)
        if before is None or before.seat != seated.seat:
            try:
                self.remote_sessions[seated.table] = RemoteSession(
                    seated, self._send_from_thread, self._leave_from_thread, self.hidden_people.is_hidden
                )
            except connection.InvalidMessage as error:
                self._leave_faulty_table(seated.table, error)

    def _on_welcome(self, welcome: protocol.Welcome) -> None:
        """Take over the lobby after a successful login, and return to the tables.

        After a reconnection these are all open ones, and at the beginning of the visit the one at which the player was
        when the last connection was lost.
        """
        connection.check_lobby_size("people", welcome.people)
        connection.check_lobby_size("tables", welcome.tables)
        if self.return_table is None:
            self.latest_talk_before = max([talk.at for talk in welcome.talk], default=0)
            self.return_table = welcome.last_table
            if not club_tokens.is_hosted_client():
                club_tokens.store_visit(self.connection.url, welcome.club)
            if self.return_table:
                self._send_in_background(protocol.SitDown(self.return_table))
        if self.connection.is_connected and welcome.nick != self.nick:  # changed since the login
            self._on_renamed(self.nick, welcome.nick)
            club_tokens.store_ticket(self.connection.club_id, welcome.nick, self.connection.login.token)
        self.nick, self.tables = sanitize(welcome.nick, MAX_NAME_LENGTH), {row.table: row for row in welcome.tables}
        self.lobby = Lobby(
            sanitize(welcome.club),
            welcome.member,
            welcome.people,
            welcome.guests,
            welcome.packages,
            welcome.interface_version,
        )
        if self._stores_token:
            self._stores_token = False
            club_tokens.store_ticket(self.connection.club_id, welcome.nick, self.connection.login.token)
        self.hidden_people.load(self.connection.club_id)
        for talk in welcome.talk[-MAX_TALK_MESSAGES:]:
            self._on_talk(talk)
        if welcome.readable and self.can_send_password:  # for example, an unencrypted browser shows this client
            self.can_send_password = False
            self.talk.append(protocol.Talk(READABLE_CONNECTION_WARNING))
        self._send_in_background(protocol.AskUnfinished())
        self._downloader.reset()
        self._send_in_background(protocol.AskFinished())
        for table, session in self.remote_sessions.items():
            self._send_in_background(protocol.SitDown(table) if session.people else protocol.Watch(table))

    def _on_lobby_news(self, news: protocol.LobbyNews) -> None:
        if news.people is not None:
            connection.check_lobby_size("people", news.people)
            self.lobby = replace(self.lobby, present_nicks=news.people, guest_nicks=news.guests)
        tables = {} if news.whole else self.tables
        merged = tables | {row.table: row for row in news.tables}
        connection.check_lobby_size("tables", merged)
        gone = set(news.gone)
        before, self.tables = self.tables, {table: row for table, row in merged.items() if table not in gone}
        others = [row for table, row in (before | self.tables).items() if table in before.keys() ^ self.tables.keys()]
        if any(self.find_own_seat(row) is not None for row in others):
            self._send_in_background(protocol.AskUnfinished())
        left = [row for table, row in before.items() if table not in self.tables and row.playing]
        self._downloader.queue_sessions([row.table for row in left if self.find_own_seat(row) is not None])

    def _on_update(self, update: protocol.Update) -> None:
        session = self.remote_sessions.get(update.table)
        if session is None:
            return
        if update.closed:
            self._close_session(session, update.closed)
            return
        try:
            session.on_update(update)
        except CardtableError as error:
            self._leave_faulty_table(update.table, error, is_shown=session.is_shown)
            return
        if update.stage is Stage.SESSION_END and session.people:
            self._downloader.queue_sessions([update.table])
        if not session.is_shown:
            session.apply_next()
            try:
                self._observer.handle_table_ready(session)
            except POSITION_ERRORS as error:
                self.leave_undrawable_table(session, error)
        else:
            self._observer.handle_table_update(session)

    def _close_session(self, session: RemoteSession, reason: str) -> None:
        """Close a session because its table is closed to the player, with the reason in a sentence."""
        del self.remote_sessions[session.table]
        session.on_closed(reason)
        self._observer.handle_table_update(session)

    def leave_undrawable_table(self, session: RemoteSession, error: Exception) -> None:
        """Leave a table whose position cannot be drawn because of ``error``, and tell the player in the lobby.

        No rule can tell all that games and screens rely on, so that a view may pass the checks all the same.
        """
        failure = games.find_plugin_failure(error) or connection.UnshowablePosition(error)
        self._leave_faulty_table(session.table, failure)

    def _leave_faulty_table(self, table: str, error: CardtableError, *, is_shown: bool = False) -> None:
        """Leave a table because of an error in the host's messages about it, and tell the player.

        The lobby tells it unless ``is_shown`` is True, so that the player reads it at the table.
        """
        session, reason = self.remote_sessions.get(table), f"You have left the table: {error}."
        if session:
            self._close_session(session, reason)
        if not is_shown:
            self.talk.append(protocol.Talk(reason))
        self._send_in_background(protocol.Leave(table))

    def _on_session_stored(self, session_id: str, path: Path) -> None:
        if session_id in self.remote_sessions:
            self.remote_sessions[session_id].on_journal_stored(path)
        self._observer.handle_change()
