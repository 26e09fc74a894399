"""A session that another program plays, shown as it is played there."""

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
"""Seconds from one picture to the next of how long somebody is waited for."""
EACH: Final = 0.5
"""Seconds from one look at the journal to the next: no program tells another that it has written."""


class Spectator:
    """Waits for what another program writes, again and again."""

    def __init__(
        self,
        run: PlayableSession,
        showing: TableViewModel,
        alone: Callable[[Callable[[], None]], Awaitable[Any]],
        show: Callable[[], None],
    ) -> None:
        """``alone`` uses the session in a thread while nothing else does."""
        self._run, self._showing, self._alone, self._show = run, showing, alone, show
        self._read = datetime.now(UTC)

    async def wait(self) -> None:
        """Wait until something is written, however long that takes."""
        run = self._run
        self._showing.looking = run.spectator_reason
        self._show()
        while run.pending == AwaitingRemote(0):
            if run.data_available is None:
                await asyncio.sleep(EACH)
            elif not await self._comes(run.data_available):
                continue
            before, banner = self._showing.banner, ""
            try:
                await self._alone(run.poll)
            except CardtableError as error:
                banner = before or self._standing(str(error))
            else:
                self._read = datetime.now(UTC)
                given_up = run.session and run.session.path.parent == paths.archive()
                if given_up and run.pending == AwaitingRemote(0):
                    banner = "It has been given up in another program."
            if banner != before:
                self._showing.banner = banner
                self._show()
        self._showing.looking = run.spectator_reason

    async def _comes(self, coming: asyncio.Event) -> bool:
        """Wait a while until something comes; whether it has.  Who is waited for may be waited for no longer."""
        with suppress(TimeoutError):
            await asyncio.wait_for(coming.wait(), TICK)
        if self._showing.looking != self._run.spectator_reason:
            self._showing.looking = self._run.spectator_reason
            self._show()
        return coming.is_set()

    async def stay(self) -> None:
        """The session is over: show what is said and done afterwards at other machines."""
        assert self._run.data_available is not None
        self._show()
        await self._run.data_available.wait()
        if self._run.pending == SessionOver():
            self._run.data_available.clear()

    def take(self) -> Sequence[SessionEvent]:
        """Let the next line happen here, too.  Raises ``CardtableError`` where it cannot be understood."""
        try:
            return self._run.apply_next()
        except IllegalAction as error:
            raise CardtableError(self._standing(str(error))) from None

    def _standing(self, why: str) -> str:
        return f"This is how it stood at {self._read.astimezone():%H:%M:%S}: {why}"
