"""A club that is open: its doors, its robots, and what is to be told of it."""

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

from cardtable.club.addresses import LOCAL, is_local, reached_at
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
from cardtable.workers.server import command
from cardtable.workers.threads import reuse_threads


class RobotPool:
    """So many processes; a table has one request at a time, so that the turns are fair."""

    def __init__(self, number: int) -> None:
        self._all: Final = [RobotClient() for _ in range(number)]
        self._free: asyncio.Queue[RobotClient] = asyncio.Queue()
        for thinker in self._all:
            self._free.put_nowait(thinker)
        self.waiting = 0
        """Requests that are not answered yet."""

    async def choose(self, request: ChooseRequest) -> Action:
        """The action of a robot.  Raises ``CardtableError`` if it cannot choose."""
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
        """End the processes."""
        for thinker in self._all:
            await thinker.stop()


CLOSES: Final = "The club has closed."
GRACE_SECONDS: Final = 8
"""After these the program ends, whatever it waits for."""
COLLECT: Final = (20_000, 20, 100)
"""When garbage is collected: so seldom that views are gone by themselves before; in a full club it takes long."""
_FAILED: Final = 1
_BY_SIGNAL: Final = 128
"""Exit codes above this name the signal that ended a program."""


class ServerOptions(msgspec.Struct, frozen=True):
    """What is opened to whom."""

    name: str
    address: str = LOCAL
    """To listen on; nothing: all of this machine."""
    port: int = PORT
    code: str = ""
    most_guests: int = 200
    most_tables: int = 100
    new_nicks: int = NEW_NICKS
    """The most that one address may bring within an hour."""
    ssl: SSLContext | None = None
    ssh: int | None = None
    """The port of the door for those who have nothing but ``ssh``."""
    web: int | None = None
    """The port of the door for browsers."""


class ClubServer:
    """An open club."""

    def __init__(
        self, offer: ServerOptions, room: ClubLobby, port: int, by_ssh: tuple[int, str] | None, by_web: int | None
    ) -> None:
        """``by_ssh``: port and fingerprint of that door; ``by_web``: port of that one."""
        host = reached_at(offer.address)
        self.room: Final = room
        self.address: Final = f"{host}:{port}"
        self.port: Final = port
        where = "on this machine only" if is_local(offer.address) else f"at {self.address}"
        lines = [f"{offer.name} is open {where}", f"cardtable join {'wss://' * bool(offer.ssl)}{self.address}"]
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
        """What others have to be told, in lines."""


class BindError(OSError):
    """The address or one of the ports cannot be had, as its number and words tell."""


@contextmanager
def _listening() -> Iterator[None]:
    """Tell what stands in the way of listening from other trouble, such as with a file."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EADDRNOTAVAIL  # which newer versions of asyncio do not tell
        if number not in (errno.EACCES, errno.EADDRINUSE, errno.EADDRNOTAVAIL) or error.filename is not None:
            raise
        raise BindError(number, os.strerror(number)) from None


@asynccontextmanager
async def opened(
    offer: ServerOptions, *, think: Think | None = None, tell: Callable[[str], object] = lambda _line: None
) -> AsyncIterator[ClubServer]:
    """Open a club, and close it when this is left; all guests are told.

    ``think`` has robots choose, if not in processes of the club's own; ``tell`` gets a line for each happening.
    Raises ``CardtableError`` where one is open already, and ``OSError``, such as ``BindError``, where it cannot be.
    """
    reuse_threads()
    processes, since = max(2, (os.cpu_count() or 1) - 1), int(time.time())
    thinkers = RobotPool(processes)
    async with AsyncExitStack() as stack:
        stack.enter_context(status_file.the_only_one())
        remove_left_homes()
        stack.enter_context(_collecting_seldom())
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
                programs = HostedClients(members, guests_program(_port(inner)), tell=tell)
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

        keeping = asyncio.create_task(status_file.keep(now))
        stack.push_async_callback(_stop, keeping)
        stack.push_async_callback(room.close, CLOSES)
        yield club


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*COLLECT)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@asynccontextmanager
async def _ssh(offer: ServerOptions, port: int, programs: HostedClients) -> AsyncIterator[tuple[int, str]]:
    """Open the door for ``ssh``: its port, and the fingerprint of its key."""
    from cardtable.club.server.ssh_server import SshEndpoint, host_key  # noqa: PLC0415 - not needed without

    key, ssh = host_key(), SshEndpoint(programs)
    async with await ssh.listen(offer.address, port, key) as listening:
        try:
            yield listening.get_port(), key.get_fingerprint()
        finally:
            await ssh.close(CLOSES)


def _web(offer: ServerOptions, port: int, programs: HostedClients) -> AbstractAsyncContextManager[int]:
    """Open the door for browsers: its port."""
    from cardtable.club.server.web_server import WebEndpoint  # noqa: PLC0415 - not needed without

    return WebEndpoint(programs, sanitize(offer.name), offer.address, offer.ssl).listen(port, CLOSES)


def guests_program(port: int) -> list[str]:
    """What runs here for a guest; it comes in where the host listens for its own machine only."""
    return list(command("cardtable.__main__", "join", f"127.0.0.1:{port}"))


def _port(server: Server) -> int:
    port: int = next(iter(server.sockets)).getsockname()[1]
    return port


async def _stop(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.wait([task])


async def run(offer: ServerOptions, tell: Callable[[str], object]) -> int:
    """Have a club open until a signal asks the program to end; its exit code.

    ``tell`` gets the invitation, and then a line for each happening.
    """
    async with opened(offer, tell=tell) as club:
        for line in club.invitation:
            tell(line)
        code = await _asked_to_end()
        late = Timer(GRACE_SECONDS, os._exit, (_FAILED,))
        late.daemon = True
        late.start()
        tell(CLOSES)
    return code


async def _asked_to_end() -> int:
    """Wait for a signal; the exit code.  A service that is stopped has done what it should."""
    loop = asyncio.get_running_loop()
    asked: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not asked.done():
            asked.set_result(code)

    if sys.platform != "win32":
        loop.add_signal_handler(signal.SIGTERM, end, 0)
        loop.add_signal_handler(signal.SIGINT, end, 0)
        for number in (signal.SIGHUP, signal.SIGQUIT):
            if signal.getsignal(number) != signal.SIG_IGN:  # nohup
                loop.add_signal_handler(number, end, _BY_SIGNAL + number)
    return await asked
