"""Server of an open club, with its endpoints, its robot processes and the invitation for guests."""

import asyncio
import errno
import gc
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from ssl import SSLContext
from threading import Timer
from typing import Final

import msgspec
from websockets.asyncio.server import Server

from cardtable.club.addresses import LOCAL, is_local, reachable_address
from cardtable.club.protocol import PORT
from cardtable.club.server import status_file
from cardtable.club.server.accounts import NEW_NICKS, AccountStore
from cardtable.club.server.hosted_clients import HostedClients, remove_left_homes
from cardtable.club.server.hosted_session import Think
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.status_file import Status
from cardtable.club.server.websocket_server import WebSocketEndpoint
from cardtable.engine.game import Action
from cardtable.engine.text_format import sanitize
from cardtable.robots.worker import ChooseRequest
from cardtable.session.robot_client import RobotClient
from cardtable.workers.server import build_command
from cardtable.workers.threads import use_reusing_executor


class RobotPool:
    """Pool of robot processes that the tables share.

    Requests are served in the order in which they arrive. Since each table has at most one request at a time, no table
    can keep the others waiting.
    """

    def __init__(self, number: int) -> None:
        self._all: Final = [RobotClient() for _ in range(number)]
        self._free: asyncio.Queue[RobotClient] = asyncio.Queue()
        for thinker in self._all:
            self._free.put_nowait(thinker)
        self.waiting = 0
        """Number of requests that have not been answered yet, including those in progress."""

    async def choose(self, request: ChooseRequest) -> Action:
        """Return the action that a robot chooses, after waiting for an idle process.

        Raises ``CardtableError`` if the robot fails.
        """
        self.waiting += 1
        try:
            thinker = await self._free.get()
            try:
                return await thinker.choose(request)
            finally:
                self._free.put_nowait(thinker)
        finally:
            self.waiting -= 1

    async def stop(self) -> None:
        for thinker in self._all:
            await thinker.stop()


CLOSES: Final = "The club has closed."
GRACE_SECONDS: Final = 8
"""Time in seconds after the signal at which the process exits even if the shutdown has not finished."""
COLLECT: Final = (2_000, 10, 20)
"""Thresholds of the garbage collector while a club is open; see ``gc.set_threshold``.

Each closed connection is cyclic garbage of the libraries, with large buffers, and freeing much of it at once would
delay all clients. Collections of the oldest generation are rare, since they are slow in a full club.
"""
_FAILED: Final = 1
_BY_SIGNAL: Final = 128
"""Number to which a signal's number is added for the exit code of a program that this signal has ended."""


class ServerOptions(msgspec.Struct, frozen=True):
    """Options with which a club is opened: name, addresses, ports, limits and access code."""

    name: str
    address: str = LOCAL
    """Address to listen at; if empty, the server listens at all addresses of this machine."""
    port: int = PORT
    code: str = ""
    most_guests: int = 200
    most_tables: int = 100
    new_nicks: int = NEW_NICKS
    """Maximum number of new nicks from one network within an hour."""
    ssl: SSLContext | None = None
    ssh: int | None = None
    """Port of the ssh endpoint, 0 for any free port; ``None`` if there is none."""
    web: int | None = None
    """Port of the browser endpoint, 0 for any free port; ``None`` if there is none."""


class ClubServer:
    """Open club, with its lobby, its address and the invitation for guests."""

    def __init__(
        self, offer: ServerOptions, room: ClubLobby, port: int, by_ssh: tuple[int, str] | None, by_web: int | None
    ) -> None:
        """Describe a club whose endpoints are already open.

        ``port`` is the port of the WebSocket endpoint. ``ssh_endpoint`` holds port and key fingerprint of the ssh
        endpoint, and ``web_port`` is the port of the browser endpoint; each is ``None`` if there is no such endpoint.
        """
        host = reachable_address(offer.address)
        self.lobby: Final = room
        self.address: Final = f"{host}:{port}"
        self.port: Final = port
        where = "on this machine only" if is_local(offer.address) else f"at {self.address}"
        lines = [f"{offer.name} is open {where}", f"cardtable join {'wss://' if offer.ssl else ''}{self.address}"]
        if by_ssh:
            ssh_port, fingerprint = by_ssh
            lines += [f"ssh -p {ssh_port} NICK@{host}", f"the key of that door is {fingerprint}"]
        if by_web:
            lines.append(f"{'https' if offer.ssl else 'http'}://{host}:{by_web} in a browser")
        if offer.code:
            lines.append(f"the code is {offer.code}")
        if not offer.ssl and not is_local(offer.address):
            read = "join and browsers send" if by_web else "join sends"
            safe = "; ssh is safe" if by_ssh else ""
            lines.append(f"others on the network can read what {read}, so no password is taken that way{safe}")
        self.invitation: Final = tuple(lines)
        """Lines with address, commands and code, which the host passes on to the players."""


class BindError(OSError):
    """Raised if an address or port cannot be bound.

    It has the error number and message of the operating system.
    """


@contextmanager
def _listening() -> Iterator[None]:
    """Convert errors of binding an address or port into ``BindError``; let other errors pass.

    An error that names a file is not converted.
    """
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EADDRNOTAVAIL  # newer versions of asyncio set no number
        if number not in (errno.EACCES, errno.EADDRINUSE, errno.EADDRNOTAVAIL) or error.filename is not None:
            raise
        raise BindError(number, os.strerror(number)) from None


@asynccontextmanager
async def open_club(
    offer: ServerOptions, *, think: Think | None = None, tell: Callable[[str], object] = lambda _line: None
) -> AsyncIterator[ClubServer]:
    """Open a club, and on exit notify all clients and close it.

    ``think`` chooses the robots' actions; by default the club starts processes of its own for them. ``log`` is called
    with each line of the host's log.

    Raises ``CardtableError`` if a club of this home is open already, ``BindError`` if an address or port cannot be
    bound, and another ``OSError`` if a file cannot be used.
    """
    use_reusing_executor()
    processes, since = max(2, (os.cpu_count() or 1) - 1), int(time.time())
    thinkers = RobotPool(processes)
    async with AsyncExitStack() as stack:
        stack.enter_context(status_file.hold_host_lock())
        remove_left_homes()
        stack.enter_context(_collecting_garbage())
        stack.push_async_callback(thinkers.stop)
        members = AccountStore(offer.code, new_nicks=offer.new_nicks)
        room = ClubLobby(offer.name, members, think or thinkers.choose, most_tables=offer.most_tables, tell=tell)
        await room.open()
        door = WebSocketEndpoint(room, most_guests=offer.most_guests)
        by_ssh, by_web = None, None
        with _listening():
            server = await stack.enter_async_context(door.serve(offer.address, offer.port, offer.ssl))
            if offer.ssh is not None or offer.web is not None:
                inner = await stack.enter_async_context(door.serve("127.0.0.1", 0))
                programs = HostedClients(members, client_command(_port(inner)), tell=tell)
                if offer.ssh is not None:
                    by_ssh = await stack.enter_async_context(_ssh(offer, offer.ssh, programs))
                if offer.web is not None:
                    by_web = await stack.enter_async_context(_web(offer, offer.web, programs))
        port = _port(server)
        club = ClubServer(offer, room, port, by_ssh, by_web)

        def now() -> Status:
            people, tables = room.people, room.tables
            return Status(
                offer.name,
                club.invitation,
                port,
                since,
                people,
                tables,
                processes,
                thinkers.waiting,
                room.saving_fails,
            )

        keeping = asyncio.create_task(status_file.write_periodically(now))
        stack.push_async_callback(_stop, keeping)
        stack.push_async_callback(room.close, CLOSES)
        yield club


@contextmanager
def _collecting_garbage() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*COLLECT)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@asynccontextmanager
async def _ssh(offer: ServerOptions, port: int, programs: HostedClients) -> AsyncIterator[tuple[int, str]]:
    """Open the ssh endpoint while the context is active, and yield its port and the fingerprint of its key."""
    from cardtable.club.server.ssh_server import SshEndpoint, host_key  # noqa: PLC0415 - lazy: optional, only with --ssh

    key, ssh = host_key(), SshEndpoint(programs)
    async with await ssh.listen(offer.address, port, key) as listening:
        try:
            yield listening.get_port(), key.get_fingerprint()
        finally:
            await ssh.close(CLOSES)


def _web(offer: ServerOptions, port: int, programs: HostedClients) -> AbstractAsyncContextManager[int]:
    """Return a context manager that opens the browser endpoint and yields its port."""
    from cardtable.club.server.web_server import WebEndpoint  # noqa: PLC0415 - lazy: optional, only with --web

    return WebEndpoint(programs, sanitize(offer.name), offer.address, offer.ssl).listen(port, CLOSES)


def client_command(port: int) -> list[str]:
    """Return the command line of a client program that the host runs for a guest.

    It connects to ``port`` of the loopback interface.
    """
    return list(build_command("cardtable.__main__", "join", f"127.0.0.1:{port}"))


def _port(server: Server) -> int:
    port: int = next(iter(server.sockets)).getsockname()[1]
    return port


async def _stop(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])


async def run_club(offer: ServerOptions, tell: Callable[[str], object]) -> int:
    """Run a club until a signal ends it, and return the exit code.

    ``log`` is called with each line of the invitation, and then with each line of the host's log. If the shutdown takes
    longer than ``SHUTDOWN_SECONDS``, the process exits with code 1.
    """
    async with open_club(offer, tell=tell) as club:
        for line in club.invitation:
            tell(line)
        code = await _wait_for_signal()
        late = Timer(GRACE_SECONDS, os._exit, (_FAILED,))
        late.daemon = True
        late.start()
        tell(CLOSES)
    return code


async def _wait_for_signal() -> int:
    """Wait for a signal that ends the process, and return the exit code.

    SIGTERM and SIGINT give 0, since a service that is stopped has not failed. SIGHUP and SIGQUIT give 128 plus the
    number of the signal, unless the process ignores them. On Windows no signals are handled.
    """
    loop = asyncio.get_running_loop()
    exit_code: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not exit_code.done():
            exit_code.set_result(code)

    if sys.platform != "win32":
        loop.add_signal_handler(signal.SIGTERM, end, 0)
        loop.add_signal_handler(signal.SIGINT, end, 0)
        for number in (signal.SIGHUP, signal.SIGQUIT):
            if signal.getsignal(number) != signal.SIG_IGN:  # ignored under nohup
                loop.add_signal_handler(number, end, _BY_SIGNAL + number)
    return await exit_code
