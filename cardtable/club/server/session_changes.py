"""Changes of a hosted session: executed one at a time, and retried if the disk refuses them."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from cardtable.club.server.command_queue import Change, CommandQueue, run_uninterrupted
from cardtable.club.server.host_counters import COUNTERS
from cardtable.engine.errors import CardtableError
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_count
from cardtable.session.session_events import SessionEvent
from cardtable.store.errors import NotSaved
from cardtable.store.sessions import Session

RETRY_SECONDS: Final = 1.0
"""Seconds after which a failed robot request, or a change that could not be saved, is retried."""


class SessionChanges(CommandQueue):
    """Queue of changes of a hosted session, each executed in a thread, since every journal line is flushed to the disk.

    A change that the disk refuses does not fail: it is kept and retried, and sent to the clients once it is saved.
    While it waits, further changes that the disk refuses raise ``NotSaved``.
    """

    def __init__(
        self,
        session: Session,
        clock: Callable[[], float],
        update_clients: Callable[[Sequence[SessionEvent] | None], None],
    ) -> None:
        """Create an empty queue.

        ``clock`` returns the time in seconds. ``update_clients`` is called with what each change has returned, or
        without events if the change waits for the disk.
        """
        super().__init__(self.apply)
        self._session, self._clock, self._update_clients = session, clock, update_clients
        self._unsaved: deque[Change] = deque()
        """Changes that the disk has refused, retried in this order; clients do not see their events yet."""
        self._retry_at = 0.0
        self._last_error: NotSaved | None = None
        """Error of the last change that the disk refused; ``None`` if it never refused one."""

    @property
    def save_error(self) -> NotSaved | None:
        """Error because of which changes wait for the disk; ``None`` if everything is saved."""
        return self._last_error if self._unsaved else None

    def check_saved(self) -> None:
        """Raise ``NotSaved`` while changes wait for the disk."""
        if self.save_error:
            raise self.save_error

    @property
    def lost_changes(self) -> str | None:
        """Message about the changes that would be lost if the session were closed now; ``None`` if there are none."""
        if not self.save_error:
            return None
        were = "was not saved and is" if len(self._unsaved) == 1 else "were not saved and are"
        number = format_count(len(self._unsaved), "change")
        return f"{number} at the table {self._session.header.id} {were} lost: {self.save_error.os_message}"

    async def apply(self, change: Change) -> None:
        """Execute a change in a thread, and then update the clients."""
        saving_before, error_before = self._session.file.saving_seconds, self._last_error
        happened = await run_uninterrupted(
            asyncio.to_thread(self._execute_or_keep, change)
        )  # cancellation must not free the session for others before the thread ends
        if (seconds := self._session.file.saving_seconds - saving_before) > 0:
            COUNTERS.saving.observe(seconds)
        COUNTERS.save_errors["session"] += self._last_error is not error_before
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
        """Queue a change that the disk refused for a retry; the clocks stop until it is saved."""
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
