"""Changes of a hosted session: executed one at a time, and retried if the disk refuses them."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, TypeAlias

from cardtable.club.server.host_events import Emit, SaveFailed, TimeTaken, ignore_event
from cardtable.engine.errors import CardtableError
from cardtable.engine.referee import IllegalAction
from cardtable.session.session_events import SessionEvent
from cardtable.store.errors import NotSaved
from cardtable.store.sessions import Session
from cardtable.workers.tasks import run_uninterrupted

Change: TypeAlias = Callable[[], Sequence[SessionEvent] | None]
"""Function that changes a session and returns the events, or only reads it and returns ``None``."""
RETRY_SECONDS: Final = 1.0
"""Seconds after which a failed robot request, or a change that could not be saved, is retried."""
TABLE_CLOSED: Final = "the table is closed"
PROGRAM_FAULT: Final = "the club's program has made a mistake, which its log names; try again"
"""Refusal of a request that has met an unexpected error."""


class SessionChanges:
    """Queue of changes of a hosted session, each executed in a thread, since every journal line is flushed to the disk.

    A change that the disk refuses does not fail: it is kept and retried, and sent to the clients once it is saved.
    While it waits, further changes that the disk refuses raise ``NotSaved``.
    """

    def __init__(
        self,
        session: Session,
        clock: Callable[[], float],
        update_clients: Callable[[Sequence[SessionEvent] | None], None],
        emit: Emit = ignore_event,
    ) -> None:
        """Create an empty queue.

        ``clock`` returns the time in seconds. ``update_clients`` is called with what each change has returned, or
        without events if the change waits for the disk.
        """
        self._session, self._clock, self._update_clients, self._emit = session, clock, update_clients, emit
        self._queue: deque[tuple[Change, asyncio.Future[None]]] = deque()
        self.not_empty: Final = asyncio.Event()
        """Event that is set while the queue is not empty."""
        self._close_reason: str | None = None
        """Reason for which all changes are refused; ``None`` while the queue is open."""
        self._unsaved: deque[Change] = deque()
        """Changes that the disk has refused, retried in this order; clients do not see their events yet."""
        self._retry_at = 0.0
        self._last_error: NotSaved | None = None
        """Error of the last change that the disk refused; ``None`` if it never refused one."""

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

    async def refresh_clients(self) -> None:
        """Update all clients, unless the table is closed."""
        with suppress(CardtableError):
            await self.submit(lambda: ())

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
            await self.apply(change)
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

    # Changes that the disk refuses

    @property
    def save_error(self) -> NotSaved | None:
        """Error because of which changes wait for the disk; ``None`` if everything is saved."""
        return self._last_error if self._unsaved else None

    def check_saved(self) -> None:
        """Raise ``NotSaved`` while changes wait for the disk."""
        if self.save_error:
            raise self.save_error

    @property
    def unsaved_count(self) -> int:
        """Number of changes that would be lost if the session were closed now."""
        return len(self._unsaved)

    async def apply(self, change: Change) -> None:
        """Execute a change in a thread, and then update the clients."""
        saving_before, error_before = self._session.file.saving_seconds, self._last_error
        happened = await run_uninterrupted(
            asyncio.to_thread(self._execute_or_keep, change)
        )  # cancellation must not free the session for others before the thread ends
        if (seconds := self._session.file.saving_seconds - saving_before) > 0:
            self._emit(TimeTaken("save", seconds))
        if self._last_error is not error_before:
            self._emit(SaveFailed("session"))
        self._update_clients(happened)

    async def apply_if_saved(self, change: Change) -> None:
        """Apply a change that no client has requested, unless changes wait for the disk."""
        if not self._unsaved:
            await self.apply(change)

    def _execute_or_keep(self, change: Change) -> Sequence[SessionEvent] | None:
        """Execute a change, or queue it for a retry if the disk refuses it.

        For a queued change no events are returned. It leaves the queue only once it is saved; until then clients see
        that the table waits. Raises ``NotSaved`` if the disk refuses a change while another one waits.
        """
        try:
            happened = change()
        except NotSaved as error:
            if self._unsaved and self._unsaved[0] is not change:
                raise
            self.queue_retry(change, error)
            return ()
        if self._unsaved and self._unsaved[0] is change:
            self._unsaved.popleft()
        if not self._unsaved:
            self._session.clocks.start()
        return happened

    def queue_retry(self, change: Change, error: NotSaved) -> None:
        """Queue a change that the disk refused for a retry, once only; the clocks stop until it is saved."""
        if change not in self._unsaved:
            self._unsaved.append(change)
        self._retry_at = self._clock() + RETRY_SECONDS
        self._last_error = error
        self._session.clocks.stop()

    async def retry_unsaved(self) -> None:
        """Retry the changes that the disk refused, in order.

        Before the retry is due, another change is executed if one arrives. A change that has become impossible
        meanwhile is dropped.
        """
        left = self._retry_at - self._clock()
        if left > 0 and await self.run_next(left):
            return
        while self._unsaved:
            change = self._unsaved[0]
            try:
                await self.apply(change)
            except (CardtableError, IllegalAction):  # the change is obsolete
                self._unsaved.popleft()
                await self.apply(lambda: ())
            if self._unsaved and self._unsaved[0] is change:
                return


def _resolve(done: "asyncio.Future[None]", error: Exception | None = None) -> None:
    """Complete the future of a change, unless its caller has been cancelled."""
    if done.done():
        return
    if error:
        done.set_exception(error)
    else:
        done.set_result(None)
