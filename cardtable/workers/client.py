"""A process of the program's own: it is started when something is asked of it, and its answers are awaited."""

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import TypeVar

from cardtable.workers.server import ANSWER, HEAD, TROUBLE, WorkerRequest, command, environment, framed

A = TypeVar("A")


class WorkerError(ChildProcessError):
    """The process cannot answer; why, in words."""


class WorkerProcess:
    """A process that answers one request at a time; is it lost, the next request starts it again.

    It ends with this process: it reads the end of its input.
    """

    def __init__(self, module: str, patience: float = 0.0) -> None:
        """``patience``: seconds that it has to end by itself once nobody wants its answers any more."""
        self._module, self._patience = module, patience
        self._process: Process | None = None
        self._lock = asyncio.Lock()
        self._endings: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Have it ready.  Raises ``OSError`` where there can be no process."""
        async with self._lock:
            await self._running()

    async def ask(self, request: WorkerRequest[A]) -> AsyncGenerator[A, None]:
        """Each answer as it comes; if this is left before the last one, the process ends.

        Raises ``OSError``: ``WorkerError`` where it cannot answer, ``ChildProcessError`` where it dies.
        """
        async with self._lock:
            process, kind, body = await self._running(), ANSWER, b""
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(framed(ANSWER, pickle.dumps(request)))
                await process.stdin.drain()
                while kind == ANSWER:
                    kind, size = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
                    body = await process.stdout.readexactly(size)
                    if kind == ANSWER:
                        yield pickle.loads(body)  # noqa: S301 - from the program that this one started
            except (ConnectionError, asyncio.IncompleteReadError):
                raise ChildProcessError("a process of the program has died") from None
            finally:
                if kind == ANSWER:
                    self.part()
            if kind == TROUBLE:
                raise WorkerError(body.decode())

    async def one(self, request: WorkerRequest[A]) -> A:
        """The only answer to a request."""
        [answer] = [each async for each in self.ask(request)]
        return answer

    async def _running(self) -> Process:
        if self._process is not None and self._process.returncode is not None:
            self.part()
        if self._process is None:
            starting = asyncio.create_task(_started(self._module))
            try:
                self._process = await asyncio.shield(starting)  # whose end could be missed, broken off
            except asyncio.CancelledError:
                self._see_off(_unwanted(starting))
                raise
        return self._process

    def part(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        if not self._patience:
            _kill(process)
        self._see_off(_end(process, self._patience))

    def _see_off(self, end: Coroutine[None, None, None]) -> None:
        ending = asyncio.create_task(end)
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    async def stop(self) -> None:
        """End the process, and wait until it has ended."""
        self.part()
        while self._endings:
            await asyncio.wait(self._endings)


async def _started(module: str) -> Process:
    """Start a process.  Raises ``OSError`` where there can be none, also for want of memory or threads."""
    start = partial(asyncio.create_subprocess_exec, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    with starting():
        return await start(*command(module), env=environment(), process_group=0)  # Ctrl+C is for this process only


@contextmanager
def starting() -> Iterator[None]:
    """Raise ``OSError`` where no process can be started, also for want of memory or threads."""
    try:
        if sys.version_info < (3, 12) or not hasattr(os, "pidfd_open"):
            _try_thread()
        yield
    except (RuntimeError, MemoryError) as error:
        raise ChildProcessError(f"no process can be started: {str(error) or 'no memory'}") from None


def _try_thread() -> None:
    """Start a thread, as asyncio does for each process once it runs; without one it would be left behind."""
    thread = Thread(target=int, daemon=True)
    thread.start()
    thread.join()


async def _unwanted(starting: asyncio.Task[Process]) -> None:
    """End it as soon as it is there."""
    with suppress(OSError):
        process = await starting
        _kill(process)
        await process.communicate()


async def _end(process: Process, patience: float) -> None:
    """Close its input, and read the rest of its output, or it would wait for that."""
    try:
        await asyncio.wait_for(process.communicate(b""), patience or None)
    except TimeoutError:
        _kill(process)
        await process.communicate()


def _kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        process.kill()
