"""Client for commands to the club that is open in this home."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from hmac import compare_digest
from typing import Final

import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as connect_websocket
from websockets.exceptions import WebSocketException

from cardtable.club import administration, protocol
from cardtable.club.server import club_file, status_file
from cardtable.engine.errors import CardtableError

TIMEOUT: Final = 10.0
"""Time in seconds for the host to answer the login."""
MAX_FRAME_BYTES: Final = 8 * 1024 * 1024
NO_ANSWER: Final = "the club does not answer; it may be closing"


class CommandRefused(CardtableError):
    """Raised if the host refuses a command; the message is the reason."""


class AdministrationConnection:
    """Connection to the host on which commands are executed one after the other."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    async def execute(self, command: administration.HostCommand) -> administration.AnyResult:
        """Send a command, and return its result.

        Raises ``CommandRefused`` if the host refuses it, and another ``CardtableError`` if the connection is lost.
        """
        with _convert_errors():
            await self._connection.send(administration.encode_command(command))
        while isinstance(message := await self._receive(), administration.LogLine):
            pass
        if isinstance(message, protocol.RequestFailed):
            raise CommandRefused(message.why)
        if not isinstance(message, administration.CommandResult):
            raise CardtableError(NO_ANSWER)
        return message

    async def follow_log(self) -> AsyncIterator[str]:
        """Yield the lines of the host's log as they are written, until the connection is lost."""
        await self.execute(administration.FollowLog())
        while True:
            if isinstance(message := await self._receive(), administration.LogLine):
                yield message.text

    async def _receive(self) -> administration.AnyHostMessage:
        with _convert_errors():
            return administration.decode_host(await self._connection.recv())


@asynccontextmanager
async def connect() -> AsyncIterator[AdministrationConnection]:
    """Connect to the open club of this home, and check that it is this club that answers.

    Raises ``CardtableError`` if no club is open, or it does not answer.
    """
    port = status_file.read_status().administration_port
    saved = club_file.read_club_file()
    url = f"ws://127.0.0.1:{port}"
    with _convert_errors():
        async with asyncio.timeout(TIMEOUT):
            connection = await connect_websocket(
                url, compression=None, max_size=MAX_FRAME_BYTES, ping_interval=None, proxy=None
            )
    async with connection:
        with _convert_errors():
            async with asyncio.timeout(TIMEOUT):
                is_genuine = await _authenticate(connection, port, saved.id, saved.owner_token)
        if not is_genuine:
            raise CardtableError("another program answers at the port of the club")
        yield AdministrationConnection(connection)


@contextmanager
def _convert_errors() -> Iterator[None]:
    """Convert errors of a connection into ``CardtableError``."""
    try:
        yield
    except (OSError, WebSocketException, TimeoutError, msgspec.MsgspecError):
        raise CardtableError(NO_ANSWER) from None


async def _authenticate(connection: ClientConnection, port: int, club_id: str, owner_token: str) -> bool:
    """Exchange proofs with the host; return False if the host is another one.

    Raises ``MsgspecError`` if the host sends an invalid frame.
    """
    challenge = administration.decode_host(await connection.recv())
    if not isinstance(challenge, protocol.Challenge):
        return False
    nonces = challenge.nonce, secrets.token_urlsafe(24)
    await connection.send(
        protocol.encode(
            protocol.Hello(
                "",
                nonce=nonces[1],
                proof=administration.compute_proof(owner_token, club_id, "administrator", port, nonces),
            )
        )
    )
    answer = administration.decode_host(await connection.recv())
    expected = administration.compute_proof(owner_token, club_id, "host", port, nonces)
    return isinstance(answer, administration.Proof) and compare_digest(answer.proof.encode(), expected.encode())


def execute_command(command: administration.HostCommand) -> administration.AnyResult:
    """Execute one command at the open club of this home, outside an event loop.

    Raises ``CommandRefused`` if the host refuses it, and another ``CardtableError`` if no club is open.
    """

    async def execute() -> administration.AnyResult:
        async with connect() as connection:
            return await connection.execute(command)

    return asyncio.run(execute())
