"""Endpoint of a club for the keeper's programs, which run on the same machine and can read the files of its home."""

import asyncio
import secrets
from contextlib import AbstractAsyncContextManager, suppress
from hmac import compare_digest
from typing import Final

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from cardtable.club.keeper_protocol import (
    MAX_FRAME_BYTES,
    FollowLog,
    KeeperChallenge,
    KeeperHello,
    KeeperWelcome,
    LogLine,
    Refused,
    compute_keeper_proof,
    decode_keeper,
    encode,
)
from cardtable.club.server.keeper import Keeper, LogStream
from cardtable.club.server.limits import CLOSE_TIMEOUT, PendingConnections, PendingProtocol, compute_max_pending
from cardtable.club.server.trusted_proxies import TrustedProxies
from cardtable.workers.tasks import run_uninterrupted, start_task, stop_task

LOGIN_TIMEOUT: Final = 10.0
"""Time in seconds allowed for the proof."""
LOOPBACK: Final = "127.0.0.1"


class KeeperEndpoint:
    """Endpoint that executes the commands of programs that know the club's ``owner_token``.

    It listens on the loopback interface only. Other users of the machine can connect, too, but neither give commands
    nor read the log.
    """

    def __init__(self, keeper: Keeper, log_stream: LogStream, club_id: str, owner_token: str) -> None:
        self._keeper, self._log_stream, self._club_id, self._owner_token = keeper, log_stream, club_id, owner_token

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
        await connection.send(encode(KeeperChallenge(nonce)))
        async with asyncio.timeout(LOGIN_TIMEOUT):
            hello = decode_keeper(await connection.recv())
        if not isinstance(hello, KeeperHello):
            return False
        nonces = nonce, hello.nonce
        expected = compute_keeper_proof(self._owner_token, self._club_id, "keeper", port, nonces)
        if not compare_digest(expected.encode(), hello.proof.encode()):
            await connection.send(encode(Refused("this program cannot read the files of the club's home")))
            return False
        proof = compute_keeper_proof(self._owner_token, self._club_id, "host", port, nonces)
        await connection.send(encode(KeeperWelcome(proof)))
        return True

    async def _execute_commands(self, connection: ServerConnection) -> None:
        """Execute the commands of a program one after the other; commands in progress are completed."""
        follower: asyncio.Task[None] | None = None
        try:
            async for frame in connection:
                try:
                    command = decode_keeper(frame)
                except msgspec.MsgspecError as error:
                    await connection.send(encode(Refused(f"that cannot be read: {error}")))
                    continue
                if isinstance(command, KeeperHello):
                    return
                if isinstance(command, FollowLog) and follower is None:
                    follower = start_task(self._send_log(connection))
                await connection.send(encode(await run_uninterrupted(self._keeper.execute(command))))
        finally:
            await stop_task(follower)

    async def _send_log(self, connection: ServerConnection) -> None:
        with suppress(ConnectionClosed), self._log_stream.follow() as lines:
            while True:
                await connection.send(encode(LogLine(await lines.get())))


class _Connection(PendingProtocol, ServerConnection):
    """Connection that counts as pending until its program has proved that it may give commands."""
