"""Client processes that the host runs for guests who connect by ssh or in a browser."""

import asyncio
import os
import signal
import struct
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Final, Self

from cardtable.club.addresses import ConnectionOrigin, client_network
from cardtable.club.server.accounts import AccountStore
from cardtable.club.server.limits import HostLog, network_share
from cardtable.store import paths
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE, HINT_LOCK_VARIABLE, NICK_VARIABLE
from cardtable.store.errors import format_os_error
from cardtable.workers.client import convert_start_errors, lower_priority
from cardtable.workers.server import build_environment

MOST: Final = 32
"""Default maximum of the number of client processes."""
MOST_OF_GUEST: Final = 2
"""Maximum number of client processes of one guest; one more ends the oldest."""
REPLACED: Final = "You have come in again, and the oldest of your programs ends."
_HOME_PREFIX: Final = "guest-"
_HANDED_DOWN: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "LD_LIBRARY_PATH")
"""Environment variables passed on to client processes."""


class CapacityError(Exception):
    """A client process cannot be started; the text is a message for the guest."""


class HostedClients:
    """Pool of places for client processes, shared by the ssh and browser endpoints."""

    def __init__(
        self,
        members: AccountStore,
        words: Sequence[str],
        *,
        most: int = MOST,
        tell: Callable[[str], object] = lambda _line: None,
    ) -> None:
        """Create a pool without processes.

        ``command`` is the command line of a client process, which reads nick and token from its environment.
        ``max_processes`` is the number of places, and ``log`` is called with each line for the host's log.
        """
        self.members: Final = members
        self.command: Final = words
        self._most, self._log = most, HostLog(tell)
        self._places: list[_Place] = []
        """Places in use, oldest first."""

    @asynccontextmanager
    async def reserve_place(
        self, nick: str, origin: ConnectionOrigin, end: Callable[[str], Awaitable[None]]
    ) -> AsyncIterator[dict[str, str]]:
        """Reserve a place for a client process of a guest, and yield the environment of the process.

        The process logs in by a temporary token, which stands for the guest's own connection from ``origin``. If there
        is no room or the guest already has ``MAX_PER_GUEST`` processes, the guest's oldest process is ended first. To
        end this process in turn, ``end_process`` is awaited with a message for the guest. On exit the token is revoked
        and the temporary home folder removed.

        Raises ``CapacityError`` if there is no room and the guest has no other process, or if the home folder cannot be
        created.
        """
        place = _Place(nick, client_network(origin.address), end)
        await self._make_room(place)
        self._places.append(place)
        token = self.members.issue_temporary_token(nick, origin)
        try:
            with _temporary_home() as home:
                given = {name: os.environ[name] for name in _HANDED_DOWN if name in os.environ}
                own = {
                    "CARDTABLE_HOME": home,
                    "HOME": home,
                    "TMPDIR": home,
                    NICK_VARIABLE: nick,
                    ADMISSION_TOKEN_VARIABLE: token,
                }
                yield build_environment(given | own | {HINT_LOCK_VARIABLE: str(paths.hint_lock_file())})
        finally:
            self.members.revoke(token)
            self._places.remove(place)
            place.is_free.set()

    async def _make_room(self, place: "_Place") -> None:
        """End the oldest processes of the guest until there is room for ``place``.

        Raises ``CapacityError`` if there is no room and the guest has no process.
        """
        while True:
            own = [each for each in self._places if each.nick == place.nick]
            why = self._refusal(place.network)
            if not why and len(own) < MOST_OF_GUEST:
                return
            if not own:
                self._log.write(f"{place.nick} cannot come in: {why}", place.nick)
                raise CapacityError(why)
            await own[0].end(REPLACED)
            await own[0].is_free.wait()

    def _refusal(self, network: str) -> str:
        """Return the reason why no process can be added for a network, or an empty string if one can."""
        if len(self._places) >= self._most:
            return f"{self._most} guests are here by ssh or in a browser, and no more can. Try again later."
        own = sum(place.network == network for place in self._places)
        if own >= network_share(self._most, len(self._places) - own):
            return f"{own} guests are here from your address by ssh or in a browser. Try again later."
        return ""


class _Place:
    """Place of a client process."""

    def __init__(self, nick: str, network: str, end: Callable[[str], Awaitable[None]]) -> None:
        self.nick, self.network, self.end = nick, network, end
        self.is_free: Final = asyncio.Event()
        """Event that is set once the process has ended."""


@contextmanager
def _temporary_home() -> Iterator[str]:
    """Create a home folder for a client process, and remove it on exit.

    Raises ``CapacityError`` if it cannot be created.
    """
    folder = paths.guest_homes_folder()
    try:
        paths.create_folder(folder)
        home = TemporaryDirectory(prefix=_HOME_PREFIX, dir=folder, ignore_cleanup_errors=True)
    except OSError as error:
        raise CapacityError(f"the club cannot start your program: {format_os_error(error)}. Try again later.") from None
    with home as path:
        yield path


def remove_left_homes() -> None:
    """Remove home folders of client processes left behind by a host that was killed.

    The caller must be the only host of this home. Symbolic links and folders with other names are kept.
    """
    folder = paths.guest_homes_folder()
    if folder.is_symlink():
        return
    with suppress(OSError), os.scandir(folder) as entries:
        left = [Path(entry.path) for entry in entries if entry.name.startswith(_HOME_PREFIX) and _is_folder(entry)]
        for home in left:
            rmtree(home, ignore_errors=True)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)


MOST_COLUMNS: Final = 500
MOST_ROWS: Final = 200
"""Maximum height of a terminal, in rows, as ``MAX_COLUMNS`` is its maximum width: every cell costs time and memory."""
GRACE_SECONDS: Final = 3.0
"""Seconds for a process to end after its terminal is closed, and then for its output to end."""


class PtyProcess:
    """Process in a pseudo-terminal; create it with ``start``."""

    def __init__(self, process: Process, descriptor: int) -> None:
        self._process, self._descriptor = process, descriptor
        self._typing: asyncio.WriteTransport
        self._painting: asyncio.ReadTransport
        self._painted = asyncio.Event()
        """Event that is set at the end of the output."""

    @classmethod
    async def start(
        cls,
        words: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int],
        painted: Callable[[bytes], None],
        full: Callable[[bool], None],
    ) -> Self:
        """Start a command in a new pseudo-terminal.

        ``size`` is the number of columns and rows, clamped to ``MAX_COLUMNS`` and ``MAX_ROWS``. ``on_output`` is called
        with the output as it arrives, and ``pause_input`` with True if the caller should pause the input, with False if
        it may resume. Raises ``OSError`` if the process cannot be started.
        """
        import pty  # noqa: PLC0415 - lazy: optional, not on Windows

        outside, inside = pty.openpty()
        try:
            _resize(outside, size)
            with convert_start_errors():
                process = await asyncio.create_subprocess_exec(
                    *words, stdin=inside, stdout=inside, stderr=inside, env=environment, start_new_session=True
                )
            lower_priority(process.pid)
        except OSError:
            os.close(outside)
            raise
        finally:
            os.close(inside)
        program, loop = cls(process, outside), asyncio.get_running_loop()
        reads, writes = os.fdopen(os.dup(outside), "rb"), os.fdopen(os.dup(outside), "wb")
        program._painting, _ = await loop.connect_read_pipe(lambda: _Painting(painted, program._painted.set), reads)
        program._typing, _ = await loop.connect_write_pipe(lambda: _Typing(full), writes)
        return program

    def type(self, typed: bytes) -> None:
        """Write bytes to the terminal's input, unless it is closing."""
        if not self._typing.is_closing():
            self._typing.write(typed)

    def resize(self, size: tuple[int, int]) -> None:
        _resize(self._descriptor, size)
        self._send(signal.SIGWINCH)

    def pause_output(self, on: bool) -> None:
        """Pause the reading of output if ``paused`` is true, otherwise resume it."""
        if self._painting.is_closing():
            return
        if on:
            self._painting.pause_reading()
        else:
            self._painting.resume_reading()

    async def wait(self) -> int:
        """Wait until the process has ended and its output has been read, and return the exit code.

        Output that continues for more than ``GRACE_SECONDS`` after the end of the process is not awaited.
        """
        code = await self._process.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._painted.wait()
        return code

    async def end(self) -> None:
        """Hang up the terminal, and wait until the process has ended; kill it after ``GRACE_SECONDS``."""
        self._send(signal.SIGHUP)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self.wait()
        finally:
            self._send(signal.SIGKILL)
            self._typing.abort()
            self._painting.close()
            os.close(self._descriptor)
        await self._process.wait()

    def _send(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            self._process.send_signal(number)


def _resize(descriptor: int, size: tuple[int, int]) -> None:
    import fcntl  # noqa: PLC0415 - lazy: optional, not on Windows
    import termios  # noqa: PLC0415 - lazy: optional, not on Windows

    columns, rows = (min(max(wished, 1), most) for wished, most in zip(size, (MOST_COLUMNS, MOST_ROWS), strict=True))
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class _Painting(asyncio.Protocol):
    def __init__(self, painted: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        self._painted, self._ended = painted, ended

    def data_received(self, data: bytes) -> None:
        self._painted(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's
        self._ended()


class _Typing(asyncio.BaseProtocol):
    def __init__(self, full: Callable[[bool], None]) -> None:
        self._full = full

    def pause_writing(self) -> None:
        self._full(True)

    def resume_writing(self) -> None:
        self._full(False)
