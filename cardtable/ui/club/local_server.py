"""Club server inside this program.

It runs in a thread with an event loop of its own, so that screens and server cannot block each other.
"""

import asyncio
import errno
from collections import deque
from collections.abc import Callable
from threading import Thread
from typing import Final

from cardtable.club.addresses import LOCALHOST
from cardtable.club.administration import Bans, HostCommand, ListBans, ListPeople, ListTables, People, Tables
from cardtable.club.protocol import RequestFailed, ServerMessage, TableInfo
from cardtable.club.server import server
from cardtable.club.server.accounts import generate_code
from cardtable.club.server.club_file import read_club_file
from cardtable.club.server.requests import execute_request
from cardtable.club.server.server import BindError, ClubServer
from cardtable.club.server.server_options import ServerOptions
from cardtable.engine.errors import CardtableError

MAX_LOG_LINES: Final = 50
"""Number of lines of the host's log that are retained; older ones are dropped."""


class LocalServer:
    """Controller of the club server that runs inside this program.

    After ``stop`` it can be started again.
    """

    def __init__(self) -> None:
        self.code: Final = read_club_file().code or generate_code()
        """Proposed access code for a club on the network: the code of the last club, or a new one."""
        self._club: ClubServer | None = None
        """Open club; ``None`` while it is closed."""
        self.url = ""
        """WebSocket address by which the client in this program reaches the club."""
        self.owner_token = ""
        """Token by which the club recognises the player at this program as its owner; empty until a club is open."""
        self.people = People(())
        """People in the open club, and newcomers who wait, when ``refresh`` was last called; so are the following."""
        self.tables: tuple[TableInfo, ...] = ()
        self.bans = Bans((), ())
        self.log: Final[deque[str]] = deque(maxlen=MAX_LOG_LINES)
        """Lines of the host's log, the newest last."""
        self.on_change: Callable[[], object] = lambda: None
        """Callback that is called in the screens' event loop after the log or the invitation has changed."""

    @property
    def invitation(self) -> tuple[str, ...]:
        """Lines of the invitation, the first of which states that the club is open; empty while it is closed."""
        return self._club.invitation if self._club else ()

    @property
    def disk_warning(self) -> str | None:
        """Warning about the size of the open club's sessions; ``None`` if there is none."""
        use = self._club.lobby.disk_space.use if self._club else None
        return str(use) if use and use.stage else None

    @property
    def required_code(self) -> str:
        """Access code that clients of the open club must send; empty if none is required, or no club is open."""
        return self._club.lobby.accounts.code if self._club else ""

    async def execute(self, command: HostCommand) -> ServerMessage | None:
        """Execute a command of the administrator in the open club, and return its result.

        The command is executed to its end even if the caller is cancelled.
        """
        club = self._club
        if club is None or self._is_stopping:
            return RequestFailed("the club is closed")
        running = asyncio.run_coroutine_threadsafe(execute_request(club.administration, command), self._server_loop)
        return await asyncio.shield(asyncio.wrap_future(running))

    async def refresh(self) -> None:
        """Read people, tables and bans of the open club anew; nothing happens if it is closed."""
        for command in (ListPeople(), ListTables(), ListBans()):
            match await self.execute(command):
                case People() as people:
                    self.people = people
                case Tables(tables):
                    self.tables = tables
                case Bans() as bans:
                    self.bans = bans
                case _:
                    pass

    def start(
        self, name: str, *, on_network: bool, code: str, port: int, ssh_port: int | None, web_port: int | None
    ) -> None:
        """Start the server in a thread and return at once; ``wait_until_open`` reports the outcome.

        ``name`` is the name of the club. With ``on_network`` the club is open to the network, otherwise to this machine
        only. ``code`` is the required access code, empty for none. ``port``, ``ssh_port`` and ``web_port`` are the
        ports of the WebSocket, ssh and browser endpoints: 0 selects any free port, and ``None`` omits the endpoint.
        ``stop`` must be called before the program ends.
        """
        self._main_loop, self._is_stopping = asyncio.get_running_loop(), False
        self._opened: asyncio.Future[ClubServer] = self._main_loop.create_future()
        self._ended: asyncio.Future[None] = self._main_loop.create_future()
        options = ServerOptions(name, "" if on_network else LOCALHOST, port, code, ssh_port=ssh_port, web_port=web_port)
        try:
            Thread(target=self._run, args=(options,), daemon=True).start()
        except RuntimeError as error:
            self._fail(OSError(str(error)))

    async def wait_until_open(self) -> None:
        """Wait until the server accepts clients, then set the club, the address and the owner's token.

        Raises ``CardtableError`` if the club cannot be opened, and ``ImportError`` if a library of the ssh or browser
        endpoint is not installed.
        """
        await asyncio.wait([self._opened])  # continues even if the caller is cancelled
        try:
            club = self._opened.result()
        except OSError as error:
            raise CardtableError(_describe_error(error)) from None
        self._club, self.url = club, f"ws://localhost:{club.port}"
        self.owner_token = club.lobby.accounts.owner_token

    async def stop(self) -> None:
        """Disconnect the guests and stop the server; return once the server has ended.

        A start in progress is awaited first. Nothing happens if the start has failed. Raises the error with which the
        server has ended, if there is one.
        """
        await asyncio.wait([self._opened])
        if self._opened.exception():
            return
        if not self._is_stopping:
            self._is_stopping = True
            self._server_loop.call_soon_threadsafe(self._stop_requested.set)
        await asyncio.wait([self._ended])
        self._ended.result()
        self._club, self.people, self.tables, self.bans = None, People(()), (), Bans((), ())
        self.log.clear()
        self.on_change()

    def _run(self, options: ServerOptions) -> None:
        """Run the server in its thread until it is stopped, and pass an error to the screens' event loop."""
        try:
            asyncio.run(self._serve(options))
        except Exception as error:
            self._main_loop.call_soon_threadsafe(self._fail, error)
        else:
            self._main_loop.call_soon_threadsafe(self._ended.set_result, None)

    async def _serve(self, options: ServerOptions) -> None:
        self._server_loop, self._stop_requested = asyncio.get_running_loop(), asyncio.Event()
        async with server.open_club(
            options, log=lambda event: self._main_loop.call_soon_threadsafe(self._add_log_line, str(event))
        ) as club:
            self._main_loop.call_soon_threadsafe(self._opened.set_result, club)
            await self._stop_requested.wait()

    def _fail(self, error: Exception) -> None:
        (self._ended if self._opened.done() else self._opened).set_exception(error)

    def _add_log_line(self, line: str) -> None:
        self.log.append(line)
        self.on_change()


def _describe_error(error: OSError) -> str:
    if isinstance(error, BindError) and error.errno == errno.EADDRINUSE:
        return f"another program of this machine listens at port {error.port}; choose another"
    return f"no club can be opened: {error.strerror or error}"
