"""Executor on child processes of this program."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from functools import partial
from threading import Thread
from typing import Generic, ParamSpec, TypeVar

from cardtable.workers.client import WorkerProcess
from cardtable.workers.server import WorkerRequest, serve

P = ParamSpec("P")
T = TypeVar("T")


class _WorkRequest(WorkerRequest[T], Generic[T], frozen=True):
    """Request to call a function in a child process."""

    call: Callable[[], T]


def _run_request(request: _WorkRequest[T]) -> Generator[T, None, None]:
    yield request.call()


def main() -> None:
    serve(_run_request)


class ProcessExecutor(Executor):
    """Executor on child processes, which ignore Ctrl+C and always end with this process."""

    def __init__(self, process_count: int) -> None:
        self._loop = asyncio.new_event_loop()
        self._children = [WorkerProcess(__name__) for _ in range(process_count)]
        self._tasks = set[asyncio.Task[object]]()
        self._free = asyncio.Queue[WorkerProcess]()
        for child in self._children:
            self._free.put_nowait(child)
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in a child process that is free, or as soon as one becomes free.

        The future raises ``WorkerError`` if the function raises an exception, and ``ChildProcessError`` if the child
        process dies.
        """
        return asyncio.run_coroutine_threadsafe(self._run(_WorkRequest(partial(fn, *args, **kwargs))), self._loop)

    async def _run(self, work: _WorkRequest[T]) -> T:
        """Send a request to a child process as soon as one is free, and return the result."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        child = await self._free.get()
        try:
            return await child.ask_once(work)
        finally:
            self._free.put_nowait(child)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002 - all ends at once
        """Stop the child processes immediately, even if they are busy, and cancel all calls.

        Both arguments are ignored.
        """
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for child in self._children:
            await child.stop()
