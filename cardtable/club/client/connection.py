"""Connection of a client to a host; it reconnects automatically."""

import asyncio
import secrets
from collections.abc import Callable, Collection
from socket import gaierror
from ssl import SSLContext, SSLError
from time import monotonic
from typing import Final

import msgspec
from msgspec.structs import replace
from websockets import Subprotocol
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

from cardtable.club.protocol import (
    SUBPROTOCOL,
    AnyServerMessage,
    Challenge,
    ClientMessage,
    Hello,
    Over,
    RequestFailed,
    Welcome,
    decode_server,
    encode,
    proof_of_token,
    token_key,
)
from cardtable.engine.errors import CardtableError
from cardtable.store.club_tokens import ClubToken

MOST_BYTES: Final = 8 * 1024 * 1024
"""Largest frame accepted from the host."""
DELAYS: Final = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
"""Seconds before each successive try; the last one repeats."""
LONGEST_WAIT: Final = 60
"""Longest pause in seconds before a temporary refusal is tried again, whatever the host asks for."""
STEADY: Final = 10.0
"""Seconds that a connection must last for its loss to be followed by a try at once."""
ALIVE: Final = 20.0
OLD_HOST: Final = "this club runs an older version of cardtable; ask its host to update it"
ANOTHER_CLUB: Final = "another club answers at that address now; leave and come in again"
NO_NICK: Final = "this club does not know you yet"


class Login(msgspec.Struct, frozen=True):
    """Credentials of a login."""

    nick: str = ""
    """Nick at the club; empty: the nick of the last visit."""
    code: str = ""
    password: str = ""
    token: str = ""
    """Token; empty: the one stored at an earlier visit, if any."""
    refused_tokens: tuple[str, ...] = ()
    """Tokens that the club has refused, and that are not tried again."""


class NotConnectedError(CardtableError):
    """A message cannot be sent because the host cannot be reached at the moment."""


class ClubConnection:
    """WebSocket connection of a client to one host, with login and reconnection."""

    def __init__(
        self,
        url: str,
        login: Login,
        hear: Callable[[AnyServerMessage], None],
        changed: Callable[[], None],
        *,
        find_ticket: Callable[[str, str, Collection[str]], ClubToken] = lambda _club_id, nick, _refused: ClubToken(
            nick, ""
        ),
        ssl: SSLContext | None = None,
        delays: tuple[float, ...] = DELAYS,
    ) -> None:
        """`hear` gets each message of the host; `changed` is called when the connection is made or lost.

        `find_ticket` returns the nick and token for the club with an id, given a nick (or an empty string for the
        default) and the tokens to leave out.
        """
        self._url, self._login, self._hear, self._changed = url, login, hear, changed
        self._find_ticket, self._ssl, self._delays = find_ticket, ssl, delays
        self._connection: ClientConnection | None = None
        self._connected_at = 0.0
        self._claimed_id = ""
        """Club id in the host's last challenge; only the club with that id can know the tokens for it."""
        self.club_id = ""
        """Id of the club, once the client has been let in."""
        self.login = login
        """Credentials of the last login."""
        self.refused, self.missing = "", ""
        """Final refusal, after which `run` ends, and the credential that would be accepted instead."""
        self.connection_error = ""
        """Reason why the client is not connected, while it keeps trying: unreachable host or temporary refusal."""
        self.refused_for = 0
        """Seconds until a temporary refusal is tried again; 0 for other trouble."""

    @property
    def is_connected(self) -> bool:
        """True while connected and logged in."""
        return self._connection is not None

    async def run(self) -> None:
        """Stay connected until cancelled, refused for good, or sent away by the host."""
        tries = 0
        while not self.refused:
            delay = self._delays[min(tries, len(self._delays) - 1)]
            await asyncio.sleep(max(delay, min(self.refused_for, LONGEST_WAIT)))
            tries += 1
            try:
                await self._connect()
            except (OSError, WebSocketException, TimeoutError) as error:
                self.refused_for, self.connection_error = 0, _describe_error(error, is_club=bool(self.club_id))
                if self._connection is None:
                    self._changed()
            finally:
                if self._connection is not None:
                    self._connection = None
                    if monotonic() - self._connected_at >= STEADY:
                        tries = 0
                    self._changed()

    async def _connect(self) -> None:
        """Log in, and receive messages until the connection ends."""
        deflate = ClientPerMessageDeflateFactory(client_max_window_bits=12, server_max_window_bits=12)
        async with connect(
            self._url,
            extensions=[deflate],
            compression=None,
            max_size=MOST_BYTES,
            ping_interval=ALIVE,
            ping_timeout=ALIVE,
            ssl=self._ssl or (True if self._url.startswith("wss:") else None),
            subprotocols=[Subprotocol(SUBPROTOCOL)],
        ) as connection:
            first = await self._log_in(connection)
            if isinstance(first, RequestFailed) and first.retry_after is not None:
                self.refused_for, self.connection_error = max(first.retry_after, 1), first.why
                self._changed()
                return
            if isinstance(first, RequestFailed) and self._has_another_token(first):
                return
            if isinstance(first, RequestFailed | Over):
                self.refused = first.why
                self.missing = first.missing if isinstance(first, RequestFailed) else ""
                self._changed()
                return
            if isinstance(first, Welcome):
                self._login = self.login = Login(first.nick, token=self.login.token or first.token)
            self._connection, self._connected_at = connection, monotonic()
            self.refused_for, self.connection_error = 0, ""
            self._hear(first)
            self._changed()
            async for frame in connection:
                message = _read(frame)
                self._hear(message)
                if isinstance(message, Over):
                    self.refused = message.why
                    return

    async def _log_in(self, connection: ClientConnection) -> AnyServerMessage:
        """Answer the host's challenge with a login, and return the host's reply."""
        if connection.subprotocol != SUBPROTOCOL:
            return Over(OLD_HOST)
        challenge = _read(await connection.recv())
        if not isinstance(challenge, Challenge):
            return challenge
        if self.club_id not in ("", challenge.club_id):
            return Over(ANOTHER_CLUB)
        self._claimed_id = challenge.club_id
        hello = self._hello(challenge)
        if not hello.nick:
            return RequestFailed(NO_NICK, "nick")
        await connection.send(encode(hello))
        answer = _read(await connection.recv())
        if isinstance(answer, Welcome):
            self.club_id = challenge.club_id
        return answer

    def _hello(self, challenge: Challenge) -> Hello:
        """Return the login: with a token only its proof, which is worthless on another connection."""
        login = self._login
        if not login.token:
            ticket = self._find_ticket(challenge.club_id, login.nick, login.refused_tokens)
            login = replace(login, nick=ticket.nick, token=ticket.token)
        self.login = login
        if not login.token:
            return Hello(login.nick, login.code, login.password)
        nonce = secrets.token_urlsafe(24)
        proof = proof_of_token(token_key(login.token), challenge.club_id, challenge.nonce, nonce)
        return Hello(login.nick, nonce=nonce, proof=proof)

    def _has_another_token(self, refusal: RequestFailed) -> bool:
        """Return True if the club has refused a stored token, and another token for that nick can be tried.

        The refused one may be from a host that pretends to be this club.
        """
        nick, token = self.login.nick, self.login.token
        if refusal.missing != "nick" or not token or self._login.token:
            return False
        refused = (*self._login.refused_tokens, token)
        if not self._find_ticket(self._claimed_id, nick, refused).token:
            return False
        self._login = replace(self._login, nick=nick, refused_tokens=refused)
        return True

    async def send(self, message: ClientMessage) -> None:
        """Send a message.  Raises ``NotConnectedError``."""
        if self._connection is None:
            raise NotConnectedError("the club cannot be reached; the program keeps trying")
        try:
            await self._connection.send(encode(message))
        except WebSocketException:
            raise NotConnectedError("the connection was cut; the program comes back by itself") from None


def _read(frame: str | bytes) -> AnyServerMessage:
    try:
        return decode_server(frame)
    except msgspec.MsgspecError as error:
        raise WebSocketException(f"the host sent something that cannot be read: {error}") from None


def _describe_error(error: Exception, *, is_club: bool) -> str:
    """Return the reason in words; `is_club`: the client has been let in at that address before."""
    match error:
        case gaierror():
            return "no machine of that name is known; check the address"
        case SSLError():
            return f"TLS fails: {error.reason}"
        case ConnectionClosed():
            return "the connection was cut"
        case WebSocketException() if is_club:
            return "the club does not answer"
        case WebSocketException():
            return "what answers at that address is no club; check its port"
    return "nothing answers at that address; ask whether the club is open"
