"""Client of a worker process, which is started on demand."""

import asyncio
import os
import pickle
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import Thread
from typing import Final, TypeVar

from cardtable.workers import server
from cardtable.workers.tasks import run_beside, start_task
from cardtable.workers.time_limit import STUCK_EXIT_CODE

A = TypeVar("A")
_NICE: Final = 10
"""Increment of the nice value of guests' processes."""
_LARGEST_NICE: Final = 19
_WAIT_STEPS: Final = 40
"""Number of steps in which a limited time is waited for."""
_LATE: Final = "a process of the program has not answered in time"


class WorkerError(ChildProcessError):
    """The worker has refused a request; the message states the reason."""


class WorkerTimeout(ChildProcessError):
    """The worker has not answered within the limit of a request."""


class WorkerProcess:
    """Worker process that answers one request at a time.

    The process is started by the first request, and again by the next one after it has died. It ends with this process,
    because it then reads the end of its input.
    """

    def __init__(self, module: str, grace_seconds: float = 0.0) -> None:
        """Create a client without starting the process.

        ``module``: name of the module whose ``main`` the process runs. ``grace_seconds``: time that the process has to
        end by itself before it is killed; with 0 it is killed at once.
        """
        self._module, self._grace_seconds = module, grace_seconds
        self._process: Process | None = None
        self._start_task: asyncio.Task[Process] | None = None
        """Task that starts a process; ``None`` once the process is ``_process``, or is to be killed."""
        self._is_stopped = False
        self._lock = asyncio.Lock()
        self._end_tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Start the process in advance, unless a request has started it. Raises ``OSError`` if it cannot be started."""
        if self._lock.locked():
            return
        async with self._lock:
            await self._ensure_process()

    async def ask(
        self, request: server.WorkerRequest[A], limit_seconds: float | None = None
    ) -> AsyncGenerator[A, None]:
        """Yield the answers to a request as they arrive; leaving the iteration early ends the process.

        ``limit_seconds``: elapsed time for each answer, in which this process must run; ``None`` for no limit. Raises
        ``WorkerError`` if the worker refuses the request, ``WorkerTimeout`` if it exceeds this limit or one of its own,
        ``ChildProcessError``, of which both are subclasses, if the process dies, and ``OSError``, of which this is a
        subclass, if it cannot be started.
        """
        async with self._lock:
            process, kind, body = await self._ensure_process(), server.ANSWER, b""
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(server.encode_message(server.ANSWER, pickle.dumps(request)))
                await process.stdin.drain()
                while kind == server.ANSWER:
                    header = await _wait_for(process.stdout.readexactly(server.MESSAGE_HEADER.size), limit_seconds)
                    kind, size = server.MESSAGE_HEADER.unpack(header)
                    body = await process.stdout.readexactly(size)
                    if kind == server.ANSWER:
                        yield pickle.loads(body)  # noqa: S301 - data of our own child process
            except TimeoutError:
                raise WorkerTimeout(_LATE) from None
            except (ConnectionError, asyncio.IncompleteReadError):
                kill_process(process)
                if await process.wait() == STUCK_EXIT_CODE:
                    raise WorkerTimeout(_LATE) from None
                raise ChildProcessError("a process of the program has died") from None
            finally:
                if kind == server.ANSWER:
                    self.kill()
            if kind == server.LATE:
                raise WorkerTimeout(_LATE)
            if kind == server.FAILURE:
                raise WorkerError(body.decode())

    async def ask_once(self, request: server.WorkerRequest[A], limit_seconds: float | None = None) -> A:
        """Return the answer to a request that has exactly one answer. Raises the same errors as ``ask``."""
        [answer] = [response async for response in self.ask(request, limit_seconds)]
        return answer

    async def _ensure_process(self) -> Process:
        if self._process is not None and self._process.returncode is not None:
            self.kill()
        if self._process is None:
            if self._is_stopped:
                raise ChildProcessError("this process of the program has been stopped")
            self._start_task = asyncio.create_task(_start_process(self._module))
            try:
                process = await asyncio.shield(self._start_task)  # a cancelled start could miss the end of the process
            except asyncio.CancelledError:
                self._kill_starting_process()
                raise
            if self._is_stopped:
                raise ChildProcessError("this process of the program has been stopped while it was started")
            self._start_task, self._process = None, process
        return self._process

    def _kill_starting_process(self) -> None:
        """End the process that is being started, if there is one, once it runs."""
        if self._start_task is not None:
            self._end_in_background(_kill_when_started(self._start_task))
            self._start_task = None

    def kill(self) -> None:
        """End the process, even during a computation, without waiting for its end."""
        process, self._process = self._process, None
        if process is None:
            return
        if not self._grace_seconds:
            kill_process(process)
        self._end_in_background(_end_process(process, self._grace_seconds))

    def _end_in_background(self, end: Coroutine[None, None, None]) -> None:
        ending = start_task(end)
        self._end_tasks.add(ending)
        ending.add_done_callback(self._end_tasks.discard)

    async def stop(self) -> None:
        """End the process and wait until it has ended. It is not started again: further requests fail."""
        self._is_stopped = True
        self.kill()
        self._kill_starting_process()
        while self._end_tasks:
            await asyncio.wait(self._end_tasks)


async def _wait_for(result: Coroutine[None, None, A], limit_seconds: float | None) -> A:
    """Return the result of a coroutine. Raises ``TimeoutError`` after ``limit_seconds``.

    Steps are counted, not the time: while the program is stopped by a signal, or the machine is too busy to run it, a
    worker has no time to answer, or an answer is waiting.
    """
    if limit_seconds is None:
        return await result
    async with run_beside(result) as task:
        for _ in range(_WAIT_STEPS):
            if (await asyncio.wait([task], timeout=limit_seconds / _WAIT_STEPS))[0]:
                return await task
        raise TimeoutError


async def _start_process(module: str) -> Process:
    """Start a process that runs ``main`` of a module.

    Raises ``OSError`` if this fails, even for lack of memory or threads.
    """
    start = partial(asyncio.create_subprocess_exec, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    with convert_start_errors():
        return await start(
            *server.build_command(module), env=server.build_environment(), process_group=0
        )  # Ctrl+C must reach this process only


def lower_priority(pid: int) -> None:
    """Let a process of a guest have only what the others leave of the processor, on systems that can do this."""
    if sys.platform != "win32":
        with suppress(OSError):  # it may have ended
            os.setpriority(os.PRIO_PROCESS, pid, min(os.getpriority(os.PRIO_PROCESS, 0) + _NICE, _LARGEST_NICE))


@contextmanager
def convert_start_errors() -> Iterator[None]:
    """Convert errors about a lack of memory or threads into ``ChildProcessError``, while a process is started."""
    try:
        if sys.version_info < (3, 12) or not hasattr(os, "pidfd_open"):
            # asyncio needs a thread for each running process; if it fails to get one, it leaves the process behind
            thread = Thread(target=int, daemon=True)
            thread.start()
            thread.join()
        yield
    except (RuntimeError, MemoryError) as error:
        raise ChildProcessError(f"no process can be started: {str(error) or 'no memory'}") from None


async def _kill_when_started(start_task: asyncio.Task[Process]) -> None:
    """Wait until a process that is still being started runs, and kill it."""
    with suppress(OSError):
        process = await start_task
        kill_process(process)
        await process.communicate()


async def _end_process(process: Process, grace_seconds: float) -> None:
    """Let a process leave and wait for its end; kill it after ``grace_seconds``, if they are not 0.

    The remaining output is read, because a full pipe would block the process.
    """
    try:
        async with asyncio.timeout(grace_seconds or None):
            await _communicate(process, server.encode_message(server.LEAVE))
    except TimeoutError:
        kill_process(process)
        await _communicate(process)


async def _communicate(process: Process, data: bytes | None = None) -> None:
    """Send data to a process, close its input, read its output, and wait for its end."""
    try:
        await process.communicate(data)
    except RuntimeError:  # a request is in progress, which reads the output
        await process.wait()


def kill_process(process: Process) -> None:
    """Kill a process, unless it has ended."""
    if sys.platform != "win32":
        send_signal(process, signal.SIGKILL)
    else:
        with suppress(ProcessLookupError):
            process.kill()


def send_signal(process: Process, signal_number: int) -> None:
    """Send a signal to a process, unless it has ended.

    ``Process.send_signal`` may take the exit code of a process that has just ended, which asyncio then misses.
    """
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal_number)
