"""Following of sessions that another program or a host plays."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.referee import IllegalAction
from cardtable.session.session_events import AwaitingRemote, SessionEvent, SessionOver
from cardtable.session.session_protocol import PlayableSession
from cardtable.store import paths
from cardtable.ui.table.model.view_model import TableViewModel

TEXT_INTERVAL: Final = 1.0
"""Seconds between two updates of the text on absent players."""
POLL_INTERVAL: Final = 0.5
"""Seconds between two reads of a journal that another program on this machine writes."""


class Spectator:
    """Reader of the lines that another program or the host adds to the session."""

    def __init__(
        self,
        session: PlayableSession,
        view_model: TableViewModel,
        run_exclusive: Callable[[Callable[[], None]], Awaitable[Any]],
        show: Callable[[], None],
    ) -> None:
        """``run_exclusive`` runs a function in a worker thread with exclusive use of the session."""
        self._playable, self._view_model, self._run_exclusive, self._show = session, view_model, run_exclusive, show
        self._read_at = datetime.now(UTC)

    async def wait_for_line(self) -> None:
        """Wait without a time limit until the session has a new line; failed reads are shown in the banner."""
        playable = self._playable
        self._view_model.spectator_reason = playable.spectator_reason
        self._show()
        while playable.pending == AwaitingRemote(0):
            if playable.data_available is None:
                await asyncio.sleep(POLL_INTERVAL)
            elif not await self._wait_for_data(playable.data_available):
                continue
            before, banner = self._view_model.banner, ""
            try:
                await self._run_exclusive(playable.poll)
            except CardtableError as error:
                banner = before if before.endswith(str(error)) else self._format_last_read(str(error))
            else:
                self._read_at = datetime.now(UTC)
                is_abandoned = playable.session and playable.session.path.parent == paths.archive_folder()
                if is_abandoned and playable.pending == AwaitingRemote(0):
                    banner = "It has been given up in another program."
            if banner != before:
                self._view_model.banner = banner
                self._show()
        self._view_model.spectator_reason = playable.spectator_reason

    async def _wait_for_data(self, available: asyncio.Event) -> bool:
        """Wait at most ``TEXT_INTERVAL`` seconds for data from the host; return True if there is some.

        The text on absent players is updated, too, because it can change without new data.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(available.wait(), TEXT_INTERVAL)
        if self._view_model.spectator_reason != self._playable.spectator_reason:
            self._view_model.spectator_reason = self._playable.spectator_reason
            self._show()
        return available.is_set()

    async def wait_after_end(self) -> None:
        """Wait after the end of the session for data from the host, such as messages or an undo."""
        assert self._playable.data_available is not None
        self._show()
        await self._playable.data_available.wait()
        if self._playable.pending == SessionOver():
            self._playable.data_available.clear()

    def apply_next_line(self) -> Sequence[SessionEvent]:
        """Apply the next line, and return its events.

        Raises ``CardtableError`` if the line is not legal in this session.
        """
        try:
            return self._playable.apply_next()
        except IllegalAction as error:
            raise CardtableError(self._format_last_read(str(error))) from None

    def _format_last_read(self, reason: str) -> str:
        return f"This is how it stood at {self._read_at.astimezone():%H:%M:%S}: {reason}"
