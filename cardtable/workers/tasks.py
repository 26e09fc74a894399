"""Tasks, each of which has somebody who learns of its errors, and the pool of threads for blocking work."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Final, TypeVar

T = TypeVar("T")
_RUNNING: Final[set[asyncio.Task[None]]] = set()
"""Tasks of ``start_task`` that have not ended, since the event loop itself does not keep them from being deleted."""


def start_task(work: Coroutine[object, None, None]) -> asyncio.Task[None]:
    """Run a coroutine in a task that nobody needs to await.

    The event loop's exception handler is called if the task fails. For a task that ``asyncio.create_task`` has created
    this happens only when the task is deleted, which may be at the end of the program.
    """
    task = asyncio.create_task(work)
    _RUNNING.add(task)
    task.add_done_callback(_handle_end)
    return task


def _handle_end(task: asyncio.Task[None]) -> None:
    _RUNNING.discard(task)
    if not task.cancelled():
        task.result()


async def stop_task(task: asyncio.Task[None] | None) -> None:
    """Cancel a task, and wait until it has ended; nothing happens for ``None``."""
    if task is not None:
        task.cancel()
        await asyncio.wait([task])


async def run_uninterrupted(coro: Coroutine[object, object, T]) -> T:
    """Run ``coro`` to completion even if the caller is cancelled; re-raise the cancellation afterwards.

    Returns the result of ``coro``; after a cancellation, its result or error is dropped.
    """
    task = asyncio.ensure_future(coro)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # retrieved, so that asyncio does not log it as unhandled
        raise


@asynccontextmanager
async def run_beside(work: Coroutine[object, None, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Run a coroutine in a task during a block, and cancel it at the end of the block if it still runs.

    Raises the error of the task at the end of the block, unless the block raises one itself.
    """
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])
        error = None if task.cancelled() else task.exception()
    if error:
        raise error


class ReusingExecutor(ThreadPoolExecutor):
    """Thread pool that makes do with its present threads if the system refuses to start more.

    The first thread is started at once; raises ``RuntimeError`` if that fails.
    """

    def __init__(self) -> None:
        super().__init__(thread_name_prefix="cardtable")
        self.submit(int)

    def _adjust_thread_count(self) -> None:
        """Start a thread if possible. Otherwise an existing thread runs the work, which is already queued."""
        try:
            super()._adjust_thread_count()
        except (RuntimeError, MemoryError):
            if not any(thread.is_alive() for thread in self._threads):
                raise


def use_reusing_executor() -> None:
    """Make a ``ReusingExecutor`` the default executor of the running event loop, used by ``asyncio.to_thread``."""
    asyncio.get_running_loop().set_default_executor(ReusingExecutor())
