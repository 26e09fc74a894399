"""Queue that serialises session changes requested by several clients."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Final, TypeAlias, TypeVar

from cardtable.engine.errors import CardtableError
from cardtable.engine.referee import IllegalAction
from cardtable.session.session_events import SessionEvent

Change: TypeAlias = Callable[[], Sequence[SessionEvent] | None]
"""Function that changes a session and returns the events, or only reads it and returns ``None``."""
TABLE_CLOSED: Final = "the table is closed"
PROGRAM_FAULT: Final = "the club's program has made a mistake, which its log names; try again"
"""Refusal of a request that has met an unexpected error."""


class CommandQueue:
    """Queue of changes that clients have requested, executed one at a time."""

    def __init__(self, execute: Callable[[Change], Awaitable[None]]) -> None:
        """Create an empty queue; ``execute`` is the coroutine function that executes a change."""
        self._execute = execute
        self._queue: deque[tuple[Change, asyncio.Future[None]]] = deque()
        self.not_empty: Final = asyncio.Event()
        """Event that is set while the queue is not empty."""
        self._close_reason: str | None = None
        """Reason for which all changes are refused; ``None`` while the queue is open."""

    async def submit(self, change: Change) -> None:
        """Queue a change, and wait until it has been executed.

        Raises the ``IllegalAction`` or ``CardtableError`` of the change. ``CardtableError`` is also raised if the
        change fails with any other error, or if the queue is closed before the change is executed.
        """
        if self._close_reason:
            raise CardtableError(self._close_reason)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((change, done))
        self.not_empty.set()
        await done

    async def run_next(self, timeout: float | None) -> bool:
        """Execute the next change and return True; return False if none arrives within ``timeout`` seconds.

        With ``None`` the wait is unlimited.
        """
        try:
            async with asyncio.timeout(timeout):
                await self.not_empty.wait()
        except TimeoutError:
            return False
        await self.run_next_now()
        return True

    async def run_next_now(self) -> None:
        """Execute the next change without waiting for one; the queue must not be empty.

        ``IllegalAction`` and ``CardtableError`` of the change are raised in ``submit`` only; any other error is raised
        here.
        """
        change, done = self._queue.popleft()
        if not self._queue:
            self.not_empty.clear()
        try:
            await self._execute(change)
        except (IllegalAction, CardtableError) as error:
            _resolve(done, error)
        except BaseException as error:
            _resolve(done, CardtableError(PROGRAM_FAULT if isinstance(error, Exception) else TABLE_CLOSED))
            raise
        _resolve(done)

    def close(self, reason: str) -> None:
        """Refuse all queued and all later changes with a ``CardtableError`` that gives the reason."""
        self._close_reason = reason
        for _, done in self._queue:
            _resolve(done, CardtableError(reason))


def _resolve(done: "asyncio.Future[None]", error: Exception | None = None) -> None:
    """Complete the future of a change, unless its caller has been cancelled."""
    if done.done():
        return
    if error:
        done.set_exception(error)
    else:
        done.set_result(None)


T = TypeVar("T")


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
