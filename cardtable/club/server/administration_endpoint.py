"""Endpoint of a club for commands of the host's programs, which can read the files of its home."""

import asyncio
import secrets
from collections import deque
from contextlib import AbstractAsyncContextManager, suppress
from hmac import compare_digest
from typing import Final

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from cardtable.club.administration import MAX_FRAME_BYTES, FollowLog, LogLine, Proof, compute_proof, decode_command
from cardtable.club.protocol import PROTOCOL_VERSION, Challenge, Hello, RequestFailed, decode_client, encode
from cardtable.club.server.administration import Administration
from cardtable.club.server.connections import (
    CLOSE_TIMEOUT,
    PendingConnections,
    PendingProtocol,
    TrustedProxies,
    compute_max_pending,
)
from cardtable.club.server.host_events import EventStream, HostEvent, LogEvent
from cardtable.club.server.requests import execute_request
from cardtable.workers.tasks import run_uninterrupted, start_task, stop_task

LOGIN_TIMEOUT: Final = 10.0
"""Time in seconds allowed for the proof."""
LOOPBACK: Final = "127.0.0.1"
MAX_LOG_LINES: Final = 200
"""Maximum number of log lines that wait for one program; beyond it the oldest ones are dropped."""


class AdministrationEndpoint:
    """Endpoint that executes the commands of programs that know the owner token of the club's accounts.

    It listens on the loopback interface only. Other users of the machine can connect, too, but neither give commands
    nor read the log.
    """

    def __init__(self, administration: Administration, events: EventStream) -> None:
        self._administration, self._events = administration, events
        accounts = administration.lobby.accounts
        self._club_id, self._owner_token = accounts.id, accounts.owner_token

    def serve(self) -> AbstractAsyncContextManager[Server]:
        """Return a context manager that listens on a free port. Connections from web pages are refused."""

        class Connection(_Connection):
            pending_connections, tls, proxies = PendingConnections(), None, TrustedProxies()

        async def handle(connection: ServerConnection) -> None:
            assert isinstance(connection, Connection)
            with suppress(ConnectionClosed, TimeoutError, msgspec.MsgspecError):
                if await self._authenticate(connection):
                    with connection.pending.suspend_counting():
                        await self._execute_commands(connection)

        return serve(
            handle,
            LOOPBACK,
            0,
            create_connection=Connection,
            origins=[None],
            compression=None,
            server_header=None,
            max_size=MAX_FRAME_BYTES,
            max_queue=16,
            open_timeout=LOGIN_TIMEOUT,
            ping_interval=None,
            close_timeout=CLOSE_TIMEOUT,
            backlog=compute_max_pending(),
        )

    async def _authenticate(self, connection: ServerConnection) -> bool:
        """Exchange proofs with a program; return False if its proof is wrong.

        Raises ``TimeoutError`` if the proof does not arrive in time, and ``MsgspecError`` if the frame is invalid.
        """
        nonce, port = secrets.token_urlsafe(24), connection.local_address[1]
        await connection.send(encode(Challenge(PROTOCOL_VERSION, self._club_id, nonce)))
        async with asyncio.timeout(LOGIN_TIMEOUT):
            hello = decode_client(await connection.recv())
        if not isinstance(hello, Hello):
            return False
        nonces = nonce, hello.nonce
        expected = compute_proof(self._owner_token, self._club_id, "administrator", port, nonces)
        if not compare_digest(expected.encode(), hello.proof.encode()):
            await connection.send(encode(RequestFailed("this program cannot read the files of the club's home")))
            return False
        proof = compute_proof(self._owner_token, self._club_id, "host", port, nonces)
        await connection.send(encode(Proof(proof)))
        return True

    async def _execute_commands(self, connection: ServerConnection) -> None:
        """Execute the commands of a program one after the other; commands in progress are completed."""
        follower: asyncio.Task[None] | None = None
        try:
            async for frame in connection:
                try:
                    command = decode_command(frame)
                except msgspec.MsgspecError as error:
                    await connection.send(encode(RequestFailed(f"that cannot be read: {error}")))
                    continue
                if isinstance(command, FollowLog) and follower is None:
                    follower = start_task(self._send_log(connection))
                answer = await run_uninterrupted(execute_request(self._administration, command))
                assert answer is not None, "each command has a result"
                await connection.send(encode(answer))
        finally:
            await stop_task(follower)

    async def _send_log(self, connection: ServerConnection) -> None:
        """Send each new line of the log; if the program is too slow, the oldest line that waits is left out."""
        lines = deque[str](maxlen=MAX_LOG_LINES)
        has_lines = asyncio.Event()

        def add(event: HostEvent) -> None:
            if isinstance(event, LogEvent):
                lines.append(str(event))
                has_lines.set()

        with suppress(ConnectionClosed), self._events.listen(add):
            while True:
                await has_lines.wait()
                await connection.send(encode(LogLine(lines.popleft())))
                if not lines:
                    has_lines.clear()


class _Connection(PendingProtocol, ServerConnection):
    """Connection that counts as pending until its program has proved that it may give commands."""
