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

TICK: Final = 1.0
"""Seconds between two updates of the text on absent players."""
EACH: Final = 0.5
"""Seconds between two reads of a journal that another program on this machine writes."""


class Spectator:
    """Reader of the lines that another program or the host adds to the session."""

    def __init__(
        self,
        session: PlayableSession,
        view_model: TableViewModel,
        alone: Callable[[Callable[[], None]], Awaitable[Any]],
        show: Callable[[], None],
    ) -> None:
        """``run_exclusive`` runs a function in a worker thread with exclusive use of the session."""
        self._run, self._showing, self._alone, self._show = session, view_model, alone, show
        self._read = datetime.now(UTC)

    async def wait(self) -> None:
        """Wait without a time limit until the session has a new line; failed reads are shown in the banner."""
        run = self._run
        self._showing.looking = run.spectator_reason
        self._show()
        while run.pending == AwaitingRemote(0):
            if run.data_available is None:
                await asyncio.sleep(EACH)
            elif not await self._wait_for_data(run.data_available):
                continue
            before, banner = self._showing.banner, ""
            try:
                await self._alone(run.poll)
            except CardtableError as error:
                banner = before or self._last_read_message(str(error))
            else:
                self._read = datetime.now(UTC)
                given_up = run.session and run.session.path.parent == paths.archive()
                if given_up and run.pending == AwaitingRemote(0):
                    banner = "It has been given up in another program."
            if banner != before:
                self._showing.banner = banner
                self._show()
        self._showing.looking = run.spectator_reason

    async def _wait_for_data(self, available: asyncio.Event) -> bool:
        """Wait at most ``TEXT_INTERVAL`` seconds for data from the host; return True if there is some.

        The text on absent players is updated, too, because it can change without new data.
        """
        with suppress(TimeoutError):
            await asyncio.wait_for(available.wait(), TICK)
        if self._showing.looking != self._run.spectator_reason:
            self._showing.looking = self._run.spectator_reason
            self._show()
        return available.is_set()

    async def wait_after_end(self) -> None:
        """Wait after the end of the session for data from the host, such as messages or an undo."""
        assert self._run.data_available is not None
        self._show()
        await self._run.data_available.wait()
        if self._run.pending == SessionOver():
            self._run.data_available.clear()

    def take(self) -> Sequence[SessionEvent]:
        """Apply the next line, and return its events.

        Raises ``CardtableError`` if the line is not legal in this session.
        """
        try:
            return self._run.apply_next()
        except IllegalAction as error:
            raise CardtableError(self._last_read_message(str(error))) from None

    def _last_read_message(self, why: str) -> str:
        return f"This is how it stood at {self._read.astimezone():%H:%M:%S}: {why}"
