"""Connection of a client to a host, which reconnects automatically, and the proxy of the environment on its way.

Clubs on this machine and in private networks are always reached directly. Messages about tables, seasons and the lobby
are checked before anything is shown, since a host may be faulty or hostile.
"""

import asyncio
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from contextlib import AsyncExitStack
from socket import gaierror
from ssl import CERT_NONE, SSLCertVerificationError, SSLContext, SSLError, create_default_context
from time import monotonic
from typing import Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

import msgspec
from msgspec.structs import replace
from websockets import Subprotocol
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidProxy, ProxyError, WebSocketException
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import CloseCode

from cardtable.club import protocol
from cardtable.club.addresses import is_private
from cardtable.engine import replay, value_checks
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import AnyGame, Seat, View
from cardtable.engine.options import Options
from cardtable.engine.plugin_guard import guard_game, locate_error
from cardtable.engine.text_format import sanitize
from cardtable.engine.value_checks import MAX_NUMBER, MAX_TEXT_LENGTH, WrongReturnValue, decode_view, find_invalid_field
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store.club_tokens import ClubToken


class Proxy(NamedTuple):
    """HTTP or SOCKS proxy."""

    url: str
    source: str
    """Variable that names the proxy, or the settings of the system."""
    host: str
    """Host that is reached through the proxy."""


PROXY_ERRORS: Final = (ImportError, ValueError, InvalidProxy, ProxyError, OSError)
"""Errors of websockets if a connection through a proxy cannot be opened, before the club has answered."""


class ProxyFailure(ConnectionError):
    """Raised if a club cannot be reached because of a proxy; the message tells the player what to do."""

    def __init__(self, proxy: Proxy, cause: Exception) -> None:
        match cause:
            case ImportError():
                reason = "needs the Python package python-socks"
            case ProxyError():
                reason = "lets nobody through to this address"
            case OSError():
                reason = "does not answer"
            case _:
                reason = "has no valid address"
        name = sanitize(proxy.url.rpartition("@")[2], 60)  # without name and password
        super().__init__(f"the proxy {name} ({proxy.source}) {reason}; no_proxy={proxy.host} goes around it")


def find_proxy(url: str) -> Proxy | None:
    """Return the proxy for the WebSocket URL of a club, or ``None`` if the club is reached directly.

    The variables are those of RFC 6455 and urllib: ``socks_proxy`` before ``https_proxy``, and ``http_proxy`` for
    connections without TLS only. ``no_proxy`` names hosts that are reached directly.
    """
    address = urlsplit(url)
    host, is_encrypted = address.hostname or "", address.scheme == "wss"
    if is_private(host) or proxy_bypass(f"{host}:{address.port}"):
        return None
    proxies = getproxies()
    kinds = ("wss", "socks", "https", "all") if is_encrypted else ("ws", "socks", "https", "http", "all")
    kind = next((key for key in kinds if key in proxies), None)
    if kind is None:
        return None
    scheme, _, name = proxies[kind].rpartition("://")
    if kind == "socks" and scheme in ("", "http"):
        scheme = "socks5h"
    source = f"{kind}_proxy" if kind in getproxies_environment() else "the settings of the system"
    return Proxy(f"{scheme or 'http'}://{name}", source, host)


MAX_FRAME_BYTES: Final = 8 * 1024 * 1024
"""Maximum size, in bytes, of a frame from the host."""
MAX_REASON_LENGTH: Final = 400
"""Maximum length of a reason of the host, in characters; the rest is cut off."""
RECONNECT_DELAYS: Final = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Delays in seconds before successive attempts to connect; the last one repeats."""
MAX_RETRY_DELAY: Final = 60
"""Maximum delay, in seconds, before the next attempt after a temporary refusal, even if the host requests more."""
STABLE_SECONDS: Final = 10.0
"""Duration in seconds of a connection whose loss is followed by an immediate attempt to reconnect."""
PING_SECONDS: Final = 20.0
LOGIN_SECONDS: Final = 30.0
"""Maximum time in seconds that a login waits for the host, whose checks of passwords may have to queue."""
OLD_HOST: Final = "this club runs an older version of cardtable; ask its host to update it"
SILENT_HOST: Final = "the club does not answer"
ANOTHER_CLUB: Final = "another club answers at that address now; leave and join again"
NO_NICK: Final = "this club does not know you yet"
NO_REASON: Final = "the club gives no reason"


class Login(msgspec.Struct, frozen=True):
    """Credentials with which a client logs in to a club."""

    nick: str = ""
    """Nick at the club; if empty, the nick that belongs to the stored token is used."""
    code: str = ""
    password: str = ""
    token: str = ""
    """Token of an earlier login; if empty, a stored one is used if there is any."""
    word: str = ""
    """One-time word of an invitation, which is sent in place of the code if no stored token is accepted."""
    waits: bool = False
    """True if the player waits until a temporary refusal is over, and has no password that would let them in before."""
    refused_tokens: tuple[str, ...] = ()
    """Stored tokens that the club has refused and that must not be used again."""

    def add_credential(self, name: str, answer: str) -> "Login":
        """Return the login with the answer to a question of ``CREDENTIAL_QUESTIONS``; an empty password waits."""
        changes: dict[str, object] = {name: answer, "waits": not answer}
        if name == "code":
            changes["word"] = ""
        if name != "code" or not self.token:  # a token stays good together with the new code
            changes |= {"token": "", "refused_tokens": (*self.refused_tokens, self.token)}
        return msgspec.structs.replace(self, **changes)


class NotConnectedError(CardtableError):
    """Raised if a message cannot be sent because the host cannot be reached."""


class Offline(msgspec.Struct, frozen=True):
    """State of a client that is not connected, and tries to connect."""

    error: str = ""
    """Reason why the last attempt or connection has failed; empty if none has."""
    is_host_fault: bool = False
    """True if the host has sent something invalid or excessive, or no answer."""
    retry_seconds: int = 0
    """Time in seconds until the next attempt, if the host has refused the login temporarily; else 0."""


class Online(msgspec.Struct, frozen=True):
    """State of a client that is connected and logged in."""

    socket: ClientConnection


class Ended(msgspec.Struct, frozen=True):
    """State of a client whose visit the host has ended, or whose login it has refused for good."""

    reason: str
    missing_credential: str = ""
    """Credential that the host wants; empty if it wants none."""
    can_wait: bool = False
    """True if the host would admit the player later even without ``missing_credential``."""


class _Connect(connect):
    """Opening of a WebSocket connection, which follows no redirect: it could lead to any other host."""

    def process_redirect(self, exc: Exception) -> Exception:
        return exc


class ClubConnection:
    """WebSocket connection of a client to one host, which logs in and reconnects."""

    def __init__(
        self,
        url: str,
        login: Login,
        on_message: Callable[[protocol.AnyServerMessage], None],
        on_change: Callable[[], None],
        *,
        find_ticket: Callable[[str, str, Collection[str]], ClubToken] = lambda _club_id, nick, _refused: ClubToken(
            nick, ""
        ),
        ssl: SSLContext | None = None,
        delays: tuple[float, ...] = RECONNECT_DELAYS,
    ) -> None:
        """Create a connection to the host at ``url``; ``run`` establishes it.

        ``on_message`` is called with each message of the host after the challenge, from the reply to an accepted login
        on. ``on_change`` is called when the connection is established or lost, and when an attempt fails.

        ``find_ticket`` is called with the club's id, the nick of the login and the refused tokens, and returns the nick
        and token to log in with. By default no stored token is used. ``ssl`` replaces the default TLS settings.
        ``delays`` replaces ``RECONNECT_DELAYS``.
        """
        self.url, self._login, self._on_message, self._on_change = url, login, on_message, on_change
        self._find_ticket, self._ssl, self._delays = find_ticket, ssl, delays
        self._proxy = find_proxy(url)
        self.state: Offline | Online | Ended = Offline()
        self._tries = 0
        self._claimed_club_id = ""
        """Club id in the host's last challenge, which is not verified.

        Only the genuine club can accept proofs that were computed for this id.
        """
        self.club_id = ""
        """Id of the club; empty until the client is admitted for the first time."""
        self.login = login
        """Credentials of the last login attempt, including a stored token that was used."""

    @property
    def is_connected(self) -> bool:
        return self.socket is not None

    @property
    def socket(self) -> ClientConnection | None:
        return self.state.socket if isinstance(self.state, Online) else None

    @property
    def end_reason(self) -> str:
        """Reason why ``run`` has ended; empty before."""
        return self.state.reason if isinstance(self.state, Ended) else ""

    @property
    def connection_error(self) -> str:
        """Reason why the client is not connected while it keeps trying; empty if it is connected."""
        return self.state.error if isinstance(self.state, Offline) else ""

    async def run(self) -> None:
        """Connect, and stay connected until the task is cancelled.

        It also ends if the host ends the visit or refuses the login for good; ``end_reason`` then states why.
        """
        while isinstance(state := self.state, Offline):
            delay = self._delays[min(self._tries, len(self._delays) - 1)]
            await asyncio.sleep(max(delay, min(state.retry_seconds, MAX_RETRY_DELAY)))
            self._tries += 1
            try:
                await self._connect()
            except (OSError, WebSocketException, TimeoutError, CardtableError) as error:
                if not isinstance(self.state, Ended):
                    is_host_fault = isinstance(error, CardtableError) or _is_frame_too_large(error)
                    self.state = Offline(_describe_error(error, was_admitted=bool(self.club_id)), is_host_fault)
                if not self.club_id and await _has_club_with_other_scheme(self.url, self._proxy, error):
                    self.state = Ended(_describe_other_scheme(self.url))
            finally:
                if isinstance(self.state, Online):
                    self.state = Offline()
                self._on_change()

    async def _connect(self) -> None:
        """Connect, log in, and receive messages until the connection ends."""
        deflate = ClientPerMessageDeflateFactory(client_max_window_bits=12, server_max_window_bits=12)
        opening = _Connect(
            self.url,
            extensions=[deflate],
            compression=None,
            max_size=MAX_FRAME_BYTES,
            ping_interval=PING_SECONDS,
            ping_timeout=PING_SECONDS,
            ssl=self._ssl or (True if self.url.startswith("wss:") else None),
            subprotocols=[Subprotocol(protocol.SUBPROTOCOL)],
            proxy=self._proxy.url if self._proxy else None,
        )
        try:
            connection = await opening
        except PROXY_ERRORS as error:
            if self._proxy is None or isinstance(error, SSLError):
                raise
            raise ProxyFailure(self._proxy, error) from None
        async with AsyncExitStack() as stack, connection:
            stack.callback(connection.transport.abort)  # also if closing it is interrupted
            try:
                async with asyncio.timeout(LOGIN_SECONDS):
                    reply = await self._log_in(connection)
            except TimeoutError:
                raise CardtableError(SILENT_HOST) from None
            if isinstance(reply, protocol.RequestFailed | protocol.Over):
                self._handle_refusal(reply)
                self._on_change()
                return
            if isinstance(reply, protocol.Welcome):
                self._login = self.login = Login(reply.nick, token=self.login.token or reply.token)
            self._on_message(reply)
            self.state, connected_at = Online(connection), monotonic()  # only now, since other threads look at it
            self._on_change()
            try:
                await self._receive(connection)
            finally:
                if monotonic() - connected_at >= STABLE_SECONDS:
                    self._tries = 0

    async def _receive(self, connection: ClientConnection) -> None:
        """Handle messages until the connection or the visit ends."""
        async for frame in connection:
            message = _decode_frame(frame)
            self._on_message(message)
            if isinstance(message, protocol.Over):
                self._handle_refusal(message)
                return
            await asyncio.sleep(0)  # a host that sends without a pause must not keep the screen from the keys

    async def _log_in(self, connection: ClientConnection) -> protocol.AnyServerMessage:
        """Answer the host's challenge with a login, and return the host's reply.

        If no login can be sent, a refusal is returned as if the host had sent it.
        """
        if connection.subprotocol != protocol.SUBPROTOCOL:
            return protocol.Over(OLD_HOST)
        challenge = _decode_frame(await connection.recv())
        if not isinstance(challenge, protocol.Challenge):
            return challenge
        if self.club_id not in ("", challenge.club_id):
            return protocol.Over(ANOTHER_CLUB)
        self._claimed_club_id = challenge.club_id
        hello = self._create_hello(challenge)
        if not hello.nick:
            return protocol.RequestFailed(NO_NICK, "nick")
        try:
            frame = protocol.encode_hello(hello)
        except CardtableError as error:
            return protocol.RequestFailed(str(error))
        await connection.send(frame)
        answer = _decode_frame(await connection.recv())
        if isinstance(answer, protocol.Welcome):
            self.club_id = challenge.club_id
        return answer

    def _create_hello(self, challenge: protocol.Challenge) -> protocol.Hello:
        """Return the message that logs in, with a proof of the token if there is one.

        A proof is useless on any other connection, so a host that impersonates the club gains nothing from it.
        """
        login = self._login
        if not login.token:
            ticket = self._find_ticket(challenge.club_id, login.nick, login.refused_tokens)
            login = replace(login, nick=ticket.nick, token=ticket.token)
        self.login = login
        if not login.token:
            return protocol.Hello(login.nick, login.word or login.code, login.password)
        nonce = secrets.token_urlsafe(24)
        proof = protocol.compute_token_proof(
            protocol.hash_token(login.token), challenge.club_id, challenge.nonce, nonce
        )
        return protocol.Hello(login.nick, login.code, nonce=nonce, proof=proof)

    def _handle_refusal(self, refusal: protocol.RequestFailed | protocol.Over) -> None:
        """End the visit, or try again later or with another token, after the host has refused the login or ended it."""
        reason = sanitize(refusal.why, MAX_REASON_LENGTH) or NO_REASON
        if isinstance(refusal, protocol.Over):
            self.state = Ended(reason)
        elif refusal.retry_after is not None and self._can_only_wait(refusal):
            self.state = Offline(reason, retry_seconds=max(refusal.retry_after, 1))
        elif not self._switch_token(refusal):
            self.state = Ended(reason, refusal.missing, can_wait=refusal.retry_after is not None)

    def _can_only_wait(self, refusal: protocol.RequestFailed) -> bool:
        """Return True if no password would let the player in before a temporary refusal is over."""
        return not refusal.missing or self._login.waits or bool(self._login.token)

    def _switch_token(self, refusal: protocol.RequestFailed) -> bool:
        """Switch to another stored token of the same nick after a refusal, or to the word of an invitation.

        Return False if there is neither.

        The refused token may come from a host that impersonated the club. A token that the caller supplied is not
        replaced.
        """
        nick, token = self.login.nick, self.login.token
        can_switch = refusal.missing in ("nick", "password") or (refusal.missing == "code" and self._login.word)
        if not can_switch or not token or self._login.token:
            return False
        refused = (*self._login.refused_tokens, token)
        if not (self._find_ticket(self._claimed_club_id, nick, refused).token or self._login.word):
            return False
        self._login = replace(self._login, nick=nick, refused_tokens=refused)
        return True

    def replace_token(self, token: str) -> None:
        self._login = self.login = replace(self.login, token=token)

    async def send(self, message: protocol.ClientMessage) -> None:
        """Send a message to the host.

        Raises ``NotConnectedError`` if there is no connection or it breaks.
        """
        if (socket := self.socket) is None:
            raise NotConnectedError("the club cannot be reached; the program keeps trying")
        try:
            await socket.send(protocol.encode(message))
        except WebSocketException:
            raise NotConnectedError("the connection was lost; the program reconnects by itself") from None


def _decode_frame(frame: str | bytes) -> protocol.AnyServerMessage:
    """Decode a message of the host.

    Raises ``InvalidMessage`` if it is invalid, which is handled like a broken connection.
    """
    try:
        return protocol.decode_server(frame)
    except msgspec.MsgspecError as error:
        raise InvalidMessage(str(error)) from None


async def _has_club_with_other_scheme(url: str, proxy: Proxy | None, error: Exception) -> bool:
    """Return True if a club at the address of ``url`` uses TLS where ``url`` does not, or the reverse.

    ``error`` is the reason why the connection to ``url`` through ``proxy`` has failed. The certificate is not checked,
    since nothing is sent over the connection.
    """
    is_final = gaierror | ConnectionRefusedError | TimeoutError | SSLCertVerificationError | CardtableError
    if isinstance(error, is_final | ProxyFailure):
        return False
    scheme, _, address = url.partition("://")
    other_url = f"{'ws' if scheme == 'wss' else 'wss'}://{address}"
    try:
        context = None
        if scheme == "ws":
            context = create_default_context()
            context.check_hostname, context.verify_mode = False, CERT_NONE
        async with _Connect(
            other_url, ssl=context, subprotocols=[Subprotocol(protocol.SUBPROTOCOL)], proxy=proxy.url if proxy else None
        ) as connection:
            return connection.subprotocol == protocol.SUBPROTOCOL
    except (OSError, WebSocketException):
        return False


def _describe_other_scheme(url: str) -> str:
    scheme, _, address = url.removesuffix(f":{protocol.DEFAULT_PORT}").partition("://")
    if scheme == "ws":
        return f"this club uses TLS: cardtable join wss://{address}"
    return f"this club uses no TLS: cardtable join {address} (others can read what you send)"


def _is_frame_too_large(error: Exception) -> bool:
    return (
        isinstance(error, ConnectionClosed) and error.sent is not None and error.sent.code == CloseCode.MESSAGE_TOO_BIG
    )


def _describe_error(error: Exception, *, was_admitted: bool) -> str:
    """Return the reason for a failed connection as a message for the player.

    ``was_admitted`` is True if the club has admitted the client at this address before, so that it is known to be a
    club.
    """
    if _is_frame_too_large(error):
        return str(InvalidMessage(f"a frame of more than {MAX_FRAME_BYTES >> 20} MB"))
    match error:
        case CardtableError() | ProxyFailure():
            return str(error)
        case gaierror():
            return "there is no machine of that name; check the address"
        case SSLError():
            return f"TLS fails: {error.reason}"
        case ConnectionClosed():
            return "the connection was cut"
        case WebSocketException() if was_admitted:
            return SILENT_HOST
        case WebSocketException():
            return "what answers at that address is not a club; check the port"
        case _:
            return "nothing answers at that address; ask whether the club is open"


MAX_ROUNDS: Final = 100_000
"""Maximum number of a round."""
MAX_DECIMALS: Final = 6
"""Maximum number of decimal places of a figure of a season."""
MAX_LOBBY_ROWS: Final = 5_000
"""Maximum number of people, of tables and of unfinished sessions in a lobby; a screen with more is too slow to use."""


class InvalidMessage(CardtableError):
    """The host has sent something that is no message, or one that no table can have."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the club sends something invalid: {reason}")


class UnshowablePosition(InvalidMessage):
    """The code of this program has raised an error for a position: it cannot occur, or there is a mistake here.

    The message blames neither the host nor this program, since the two look alike.
    """

    def __init__(self, error: BaseException) -> None:
        location = locate_error(error, __name__)
        name = f"{type(error).__name__}{f' in {location}' if location else ''}"
        CardtableError.__init__(self, f"its position cannot be shown ({name})")


class ReceivedUpdate(NamedTuple):
    """Valid update of the host, with its decoded views."""

    update: protocol.Update
    views: tuple[Mapping[Seat, View], ...]
    """Views after each step of the update, by seat; the one from which the client sees the table comes first."""


def check_lobby_size(kind: str, rows: Sized) -> None:
    """Raise ``InvalidMessage`` if a lobby has too many ``rows``; ``kind`` names them, such as ``tables``."""
    if len(rows) > MAX_LOBBY_ROWS:
        raise InvalidMessage(f"{len(rows)} {kind}")


def check_season(season: protocol.SeasonTables) -> None:
    """Raise ``InvalidMessage`` if the tables of a season cannot be shown."""
    for table in season.tables:
        texts = [
            table.title,
            *table.notes,
            *[text for column in table.columns for text in (column.heading, column.unit)],
        ]
        _require(all(len(text) <= MAX_TEXT_LENGTH for text in texts), "a text of a season")
        _require(all(0 <= column.decimals <= MAX_DECIMALS for column in table.columns), "decimals of a season")
        for row in table.rows:
            _require(len(row.figures) == len(table.columns), "figures of a season")
            _require(_are_numbers([row.place, *row.figures]), "a number of a season")


class TableMessages:
    """Checks of the messages about one table, which decode the views in them."""

    def __init__(self, seated: protocol.Seated) -> None:
        """Check the host's notice ``seated``.

        Raises ``InvalidMessage`` if its game is unknown, or its seats or house rules are not valid.
        """
        try:
            referee = replay.create_referee(seated.header, GAMES)
        except ValueError as error:
            raise InvalidMessage(str(error)) from None
        self.game: Final[AnyGame] = referee.game
        self._guarded_game: Final = guard_game(referee.game, UnshowablePosition)
        self._options: Final[Options] = referee.state.options
        self._seats: Final = range(len(seated.header.seats))
        self._own_seat: Final = seated.seat
        self._has_view = False
        """True once an update has had a view."""
        _require(seated.seat is None or seated.seat in self._seats, "seat")

    def check_update(self, update: protocol.Update) -> ReceivedUpdate:
        """Return an update with its decoded views.

        Raises ``InvalidMessage`` if a seat, a card or a number in it does not fit the table.
        """
        count = len(self._seats)
        _require(0 <= update.at <= MAX_NUMBER, "at")
        _require(update.stage is not Stage.CURTAIN, "stage")
        _require(update.steps or (self._has_view and not update.whole), "steps")
        by_seat = {"seats": update.seats, "seats_left": update.seats_left, "clocks": update.clocks}
        for name, values in by_seat.items():
            _require(len(values) in (0, count), name)
        for name, numbers in (("ranks", update.ranks), ("results", update.results)):
            _require(numbers is None or (len(numbers) == count and _are_numbers(numbers)), name)
        times = [update.round_left, *update.seats_left, *update.absences.values()]
        times += [time for clock in update.clocks if clock for time in (clock.decision, clock.reserve)]
        _require(_are_numbers(times), "a time")
        voters = [seat for seats in update.substitute_votes.values() for seat in seats]
        named = {*update.waits_for, *update.absences, *update.rematch_seats, *update.substitute_votes, *voters}
        _require(named <= {*self._seats}, "a seat that is not at the table")
        for note in update.notes:
            _require_valid_fields(note, count)
        for score in update.scores:
            try:
                value_checks.check_score(score, count, len(self.game.columns))
            except WrongReturnValue as error:
                raise InvalidMessage(str(error)) from None
        _require((update.ranks and update.results) or update.stage is not Stage.SESSION_END, "ranks")
        views = tuple([dict(self._iter_views(step)) for step in update.steps])
        self._has_view = True
        return ReceivedUpdate(update, views)

    def _iter_views(self, step: protocol.SeenStep) -> Iterator[tuple[Seat, View]]:
        """Yield the seats and decoded views of a step. Raises ``InvalidMessage`` if they are not valid."""
        if step.play:
            _require_valid_fields(step.play, len(self._seats))
        view = self._decode_view(step.view)
        _require(view.seat in self._seats and self._own_seat in (None, view.seat), "seat of a view")
        yield view.seat, view
        for seat, data in step.others.items():
            other = self._decode_view(data)
            _require(other.seat == seat != view.seat and seat in self._seats, "seat of a view")
            yield seat, other

    def _decode_view(self, data: msgspec.Raw) -> View:
        try:
            view = decode_view(self.game, data)
        except (msgspec.DecodeError, RecursionError) as error:
            raise InvalidMessage(str(error)) from None
        _require_valid_fields(view, len(self._seats))
        _require(len(view.totals) == len(view.active) == len(self._seats), "totals of a view")
        _require(view.options == self._options, "options of a view")
        _require(0 <= view.finished <= view.round <= MAX_ROUNDS, "round of a view")
        game = self._guarded_game
        for describe in (game.scene, game.marks, game.trick, game.bids, game.contract, game.dealer_or_declarer):
            describe(view)  # as screens do for each view; raises CardtableError if the game cannot
        return view


def _require(condition: object, name: str) -> None:
    if not condition:
        raise InvalidMessage(name)


def _require_valid_fields(value: msgspec.Struct, seats: int) -> None:
    _require(not (name := find_invalid_field(value, seats)), f"{name} of {type(value).__name__}")


def _are_numbers(values: Iterable[float | None]) -> bool:
    return all(value is None or abs(value) <= MAX_NUMBER for value in values)
