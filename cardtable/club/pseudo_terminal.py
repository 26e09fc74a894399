"""A program in a pseudo-terminal of this machine, for somebody whose terminal is elsewhere."""

import asyncio
import os
import signal
import struct
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

from cardtable.pipes.child import starting

MOST_COLUMNS: Final = 500
MOST_ROWS: Final = 200
"""That are painted: each costs time and memory."""
GRACE_SECONDS: Final = 3.0
"""For which the program may keep on after its terminal has gone."""


class ProgramInTerminal:
    """Gets what is typed, and gives what it paints.  Made by ``start``."""

    def __init__(self, process: Process, descriptor: int) -> None:
        self._process, self._descriptor = process, descriptor
        self._typing: asyncio.WriteTransport
        self._painting: asyncio.ReadTransport
        self._painted = asyncio.Event()
        """Set once it paints nothing more."""

    @classmethod
    async def start(
        cls,
        words: Sequence[str],
        environment: Mapping[str, str],
        size: tuple[int, int],
        painted: Callable[[bytes], None],
        full: Callable[[bool], None],
    ) -> Self:
        """Start what these words name, in so many columns and rows.

        ``painted`` gets what it paints; ``full`` is told when no more should be typed, and when it should again.
        Raises ``OSError``.
        """
        import pty  # noqa: PLC0415 - not everywhere

        outside, inside = pty.openpty()
        try:
            _resize(outside, size)
            with starting():
                process = await asyncio.create_subprocess_exec(
                    *words, stdin=inside, stdout=inside, stderr=inside, env=environment, start_new_session=True
                )
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
        """Pass on what is typed."""
        if not self._typing.is_closing():
            self._typing.write(typed)

    def resize(self, size: tuple[int, int]) -> None:
        """Its terminal has so many columns and rows now."""
        _resize(self._descriptor, size)
        self._send(signal.SIGWINCH)

    def hold(self, on: bool) -> None:
        """Whether what it paints has to wait."""
        if self._painting.is_closing():
            return
        if on:
            self._painting.pause_reading()
        else:
            self._painting.resume_reading()

    async def ended(self) -> int:
        """Wait until it has ended by itself, and all that it painted was given; its exit code."""
        code = await self._process.wait()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._painted.wait(), GRACE_SECONDS)
        return code

    async def end(self) -> None:
        """Take its terminal away, and wait until it has ended."""
        self._send(signal.SIGHUP)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.ended(), GRACE_SECONDS)
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
    import fcntl  # noqa: PLC0415 - not everywhere
    import termios  # noqa: PLC0415 - not everywhere

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
