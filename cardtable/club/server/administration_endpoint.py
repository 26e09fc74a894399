"""Endpoint of a club for commands of the host's programs, which can read the files of its home."""

import asyncio
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from hmac import compare_digest
from typing import Final

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from cardtable.club.administration import MAX_FRAME_BYTES, FollowLog, LogLine, Proof, compute_proof, decode_command
from cardtable.club.protocol import PROTOCOL_VERSION, Challenge, Hello, RequestFailed, decode_client, encode
from cardtable.club.server.administration import Administration
from cardtable.club.server.limits import CLOSE_TIMEOUT, PendingConnections, PendingProtocol, compute_max_pending
from cardtable.club.server.requests import execute_request
from cardtable.club.server.trusted_proxies import TrustedProxies
from cardtable.workers.tasks import run_uninterrupted, start_task, stop_task

LOGIN_TIMEOUT: Final = 10.0
"""Time in seconds allowed for the proof."""
LOOPBACK: Final = "127.0.0.1"
MAX_LOG_LINES: Final = 200
"""Maximum number of log lines that wait for one program; beyond it the oldest ones are dropped."""


class LogStream:
    """Lines of the host's log, passed on to its output and to the programs that follow it."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._followers: list[asyncio.Queue[str]] = []

    def write(self, line: str) -> None:
        """Write a line; a follower that is too slow loses its oldest line."""
        self._write(line)
        for follower in self._followers:
            if follower.full():
                follower.get_nowait()
            follower.put_nowait(str(line))

    @contextmanager
    def follow(self) -> Iterator["asyncio.Queue[str]"]:
        """Return a context in which each new line is put into the yielded queue."""
        follower: asyncio.Queue[str] = asyncio.Queue(MAX_LOG_LINES)
        self._followers.append(follower)
        try:
            yield follower
        finally:
            self._followers.remove(follower)


class AdministrationEndpoint:
    """Endpoint that executes the commands of programs that know the club's ``owner_token``.

    It listens on the loopback interface only. Other users of the machine can connect, too, but neither give commands
    nor read the log.
    """

    def __init__(self, administration: Administration, log_stream: LogStream, club_id: str, owner_token: str) -> None:
        self._administration, self._log_stream = administration, log_stream
        self._club_id, self._owner_token = club_id, owner_token

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
        expected = compute_proof(self._owner_token, self._club_id, "keeper", port, nonces)
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
        with suppress(ConnectionClosed), self._log_stream.follow() as lines:
            while True:
                await connection.send(encode(LogLine(await lines.get())))


class _Connection(PendingProtocol, ServerConnection):
    """Connection that counts as pending until its program has proved that it may give commands."""
