"""Client processes that the host runs for guests who connect by ssh or in a browser."""

import asyncio
import errno
import os
import signal
import struct
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple, Self

from msgspec.structs import replace

from cardtable.club.addresses import ConnectionOrigin, HostedOrigin, compute_client_network
from cardtable.club.server.accounts import MAX_SETTINGS_BYTES, ClubAccounts
from cardtable.club.server.host_events import Emit, ProgramRefused, ignore_event
from cardtable.club.server.limits import LIMITS
from cardtable.club.terminal_size import TerminalSize
from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, paths
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE, HINT_LOCK_VARIABLE, NICK_VARIABLE
from cardtable.store.errors import format_os_error
from cardtable.store.seating import is_same_nick
from cardtable.workers.client import convert_start_errors, kill_process, lower_priority, send_signal
from cardtable.workers.server import build_environment

_HOME_PREFIX: Final = "guest-"
_INHERITED_VARIABLES: Final = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "LD_LIBRARY_PATH"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"),  # without them Windows opens no connection
)
"""Environment variables passed on to client processes."""


class CapacityError(Exception):
    """A client process cannot be started; the text is a message for the guest."""


class HostedClient(NamedTuple):
    """Client process to start: its command line and its environment."""

    command: Sequence[str]
    environment: dict[str, str]


class HostedClients:
    """Pool of places for client processes, shared by the ssh and browser endpoints."""

    def __init__(
        self,
        accounts: ClubAccounts,
        serve: Callable[[HostedOrigin], AbstractAsyncContextManager[Sequence[str]]],
        *,
        max_processes: int = LIMITS.all_programs.number,
        emit: Emit = ignore_event,
    ) -> None:
        """Create a pool without processes.

        ``serve`` returns a context manager with a listener for one client process alone, which yields the command line
        of the process; this reads nick and token from its environment. ``max_processes`` is the number of places, and
        ``emit`` is called with each event.
        """
        self.accounts: Final = accounts.store
        self.authenticator: Final = accounts.authenticator
        self._administration = accounts.administration
        self._serve = serve
        self._limit, self.emit = replace(LIMITS.all_programs, number=max_processes), emit
        self._slots: list[_Slot] = []
        """Places in use, oldest first."""

    @asynccontextmanager
    async def reserve_slot(
        self, nick: str, origin: ConnectionOrigin, credential: str, end_process: Callable[[str], Awaitable[None]]
    ) -> AsyncIterator[HostedClient]:
        """Reserve a place for a client process of a guest, and yield the process to start.

        The process logs in by a token of its own at a listener of its own, whose connections all count for ``origin``.
        ``credential`` is the token hash or key fingerprint by which the guest's device has logged in there.

        If there is no room or the guest already has as many processes as are allowed, the guest's oldest process is
        ended first. To end this process in turn, ``end_process`` is awaited with a message for the guest. On exit the
        settings are stored with the account, the token is revoked, the listener closed and the temporary home folder
        removed.

        Raises ``CapacityError`` if there is no room and the guest has no other process, or if the home folder cannot be
        created, and ``OSError`` if there is no port.
        """
        record = HostedOrigin(origin.address, origin.is_private, origin.transport, credential)
        slot = _Slot(record, end_process)
        await self._make_room(nick, slot.network)
        self._slots.append(slot)
        token = self.authenticator.issue_hosted_token(nick, record)
        try:
            with _create_temporary_home() as home:
                settings_file, account = paths.get_settings_file(Path(home)), self.accounts.find_account(nick)
                if account and account.settings:
                    settings_file.write_text(account.settings, encoding="utf-8")
                inherited = {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
                own = {
                    "CARDTABLE_HOME": home,
                    "HOME": home,
                    **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), home),
                    NICK_VARIABLE: nick,
                    ADMISSION_TOKEN_VARIABLE: token,
                }
                environment = build_environment(inherited | own | {HINT_LOCK_VARIABLE: str(paths.hint_lock_file())})
                try:
                    async with self._serve(record) as command:
                        yield HostedClient(command, environment)
                finally:
                    with suppress(OSError, UnicodeError, CardtableError):  # the program's own, or the disk
                        settings = atomic_io.read(settings_file, MAX_SETTINGS_BYTES).decode()
                        await self._administration.store_settings(self.authenticator.get_hosted_nick(record), settings)
        finally:
            self._slots.remove(slot)
            self.authenticator.revoke_hosted_token(record)
            slot.freed.set()

    @property
    def process_count(self) -> int:
        """Number of client processes, including those that are starting or ending."""
        return len(self._slots)

    async def _make_room(self, nick: str, network: str) -> None:
        """End the oldest processes of a guest until there is room for one more from a network.

        Raises ``CapacityError`` if there is no room and the guest has no process.
        """
        while True:
            own = self._list_slots(nick)
            refusal = self._find_refusal(network)
            if not refusal and len(own) < LIMITS.programs.number:
                return
            if refusal and not own:
                self.emit(ProgramRefused(nick, refusal))
                raise CapacityError(refusal)
            await own[0].end_process(LIMITS.programs.refusal)
            await own[0].freed.wait()

    async def end_processes(self, nick: str, reason: str) -> None:
        """End all processes of a guest, each with a message for the guest, and wait until they have ended."""
        own = self._list_slots(nick)
        await asyncio.gather(*[slot.end_process(reason) for slot in own])
        await asyncio.gather(*[slot.freed.wait() for slot in own])

    def _list_slots(self, nick: str) -> list["_Slot"]:
        """Return the places of a guest, oldest first, also of programs in which the guest has signed in since."""
        nicks = [self.authenticator.get_hosted_nick(slot.origin) for slot in self._slots]
        return [slot for slot, own in zip(self._slots, nicks, strict=True) if is_same_nick(own, nick)]

    def _find_refusal(self, network: str) -> str | None:
        """Return the reason why no process can be added for a network, or ``None`` if one can."""
        if len(self._slots) >= self._limit.number:
            return self._limit.format_refusal()
        own = sum(slot.network == network for slot in self._slots)
        if own >= self._limit.compute_share(len(self._slots) - own):
            return self._limit.share_refusal.format(own=own)
        return None


class _Slot:
    """Place of a client process."""

    def __init__(self, origin: HostedOrigin, end_process: Callable[[str], Awaitable[None]]) -> None:
        self.origin, self.network, self.end_process = origin, compute_client_network(origin.address), end_process
        self.freed: Final = asyncio.Event()
        """Event that is set once the process has ended."""


@contextmanager
def _create_temporary_home() -> Iterator[str]:
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


def remove_stale_homes() -> None:
    """Remove home folders of client processes left behind by a host that was killed.

    The caller must be the only host of this home. Symbolic links and folders with other names are kept.
    """
    folder = paths.guest_homes_folder()
    if folder.is_symlink():
        return
    with suppress(OSError), os.scandir(folder) as entries:
        homes = [entry for entry in entries if entry.name.startswith(_HOME_PREFIX)]
        for home in homes:
            if home.is_dir(follow_symlinks=False):
                rmtree(home, ignore_errors=True)


GRACE_SECONDS: Final = 3.0
"""Seconds for a process to end after its terminal is closed, and then for its output to end."""


class PtyProcess:
    """Process in a pseudo-terminal; create it with ``start``."""

    def __init__(self, process: Process, descriptor: int) -> None:
        self._process, self._descriptor = process, descriptor
        self._input_transport: asyncio.WriteTransport
        self._output_transport: asyncio.ReadTransport
        self._output_ended = asyncio.Event()
        """Event that is set at the end of the output."""

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        environment: Mapping[str, str],
        size: TerminalSize,
        on_output: Callable[[bytes], None],
        pause_input: Callable[[bool], None],
    ) -> Self:
        """Start a command in a new pseudo-terminal.

        ``size`` is the size that the guest's terminal has reported. ``on_output`` is called with the output as it
        arrives, and ``pause_input`` with True if the caller should pause the input, with False if it may resume. Raises
        ``OSError`` if the process cannot be started.
        """
        loop = asyncio.get_running_loop()
        async with AsyncExitStack() as unfinished:
            outside, inside = _open_terminal()
            unfinished.callback(os.close, outside)
            try:
                _set_terminal_size(outside, size)
                reads = unfinished.enter_context(os.fdopen(os.dup(outside), "rb"))
                writes = unfinished.enter_context(os.fdopen(os.dup(outside), "wb"))
                with convert_start_errors():
                    process = await asyncio.create_subprocess_exec(
                        *command, stdin=inside, stdout=inside, stderr=inside, env=environment, start_new_session=True
                    )
            finally:
                os.close(inside)
            lower_priority(process.pid)
            program = cls(process, outside)
            unfinished.push_async_callback(process.wait)
            unfinished.callback(kill_process, process)
            program._output_transport, _ = await loop.connect_read_pipe(
                lambda: _OutputProtocol(on_output, program._output_ended.set), reads
            )
            unfinished.callback(program._output_transport.close)
            program._input_transport, _ = await loop.connect_write_pipe(lambda: _InputProtocol(pause_input), writes)
            unfinished.pop_all()
        return program

    def write_input(self, data: bytes) -> None:
        """Write bytes to the terminal's input, unless it is closing."""
        if not self._input_transport.is_closing():
            self._input_transport.write(data)

    def resize(self, size: TerminalSize) -> None:
        _set_terminal_size(self._descriptor, size)
        if sys.platform != "win32":
            send_signal(self._process, signal.SIGWINCH)

    def pause_output(self, paused: bool) -> None:
        """Pause the reading of output if ``paused`` is true, otherwise resume it."""
        if self._output_transport.is_closing():
            return
        if paused:
            self._output_transport.pause_reading()
        else:
            self._output_transport.resume_reading()

    async def wait(self) -> int:
        """Wait until the process has ended and its output has been read, and return the exit code.

        Output that continues for more than ``GRACE_SECONDS`` after the end of the process is not awaited.
        """
        code = await self._process.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                await self._output_ended.wait()
        return code

    async def end(self) -> None:
        """Hang up the terminal, and wait until the process has ended; kill it after ``GRACE_SECONDS``."""
        if sys.platform != "win32":
            send_signal(self._process, signal.SIGHUP)
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_SECONDS):
                    await self.wait()
        finally:
            kill_process(self._process)
            self._input_transport.abort()
            self._output_transport.close()
            os.close(self._descriptor)
        await self._process.wait()


def _open_terminal() -> tuple[int, int]:
    """Return the descriptors of both ends of a new pseudo-terminal: of the host, and of the process in it.

    Raises ``OSError`` if there is none, as on Windows.
    """
    if sys.platform == "win32":
        raise OSError(errno.ENOSYS, "Windows has no pseudo-terminals")
    else:  # noqa: RET506 - for the type checker
        import pty  # noqa: PLC0415 - lazy: optional, not on Windows

        return pty.openpty()


def _set_terminal_size(descriptor: int, reported: TerminalSize) -> None:
    if sys.platform != "win32":
        import fcntl  # noqa: PLC0415 - lazy: optional, not on Windows
        import termios  # noqa: PLC0415 - lazy: optional, not on Windows

        size = reported.clamp()
        fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", size.height, size.width, 0, 0))


class _OutputProtocol(asyncio.Protocol):
    def __init__(self, on_output: Callable[[bytes], None], on_end: Callable[[], None]) -> None:
        self._on_output, self._on_end = on_output, on_end

    def data_received(self, data: bytes) -> None:
        self._on_output(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the library's
        self._on_end()


class _InputProtocol(asyncio.BaseProtocol):
    def __init__(self, pause_input: Callable[[bool], None]) -> None:
        self._pause_input = pause_input

    def pause_writing(self) -> None:
        self._pause_input(True)

    def resume_writing(self) -> None:
        self._pause_input(False)
