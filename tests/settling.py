"""Pilots that wait after a key until the program is idle, instead of for a fixed time."""

import asyncio
from collections.abc import Iterator

import pytest
import textual.app
import textual.pilot
from textual._context import active_app
from textual.app import ScreenStackError

QUIET = 2
"""Number of turns of the loop in a row without work, after which the program counts as idle."""
MOST_SECONDS = 10
"""Seconds after which waiting ends: something goes on by itself, such as an animation."""


class Settling:
    """Waits until all messages are handled, all threads have returned and the screen is painted."""

    def __init__(self) -> None:
        self.in_threads = 0

    def run_in_executor(self, right):
        """Wrap the loop's ``run_in_executor`` and count calls in progress."""

        def counted(loop, executor, do, *given):
            future = right(loop, executor, do, *given)
            self.in_threads += 1
            future.add_done_callback(self._back)
            return future

        return counted

    def _back(self, _future: object) -> None:
        self.in_threads -= 1

    async def settled(self, *_: float) -> None:
        """Replace Textual's ``wait_for_idle``, which sleeps for 20 ms or more and guesses on a busy machine."""
        loop = asyncio.get_running_loop()
        end = loop.time() + MOST_SECONDS
        for _ in range(2):
            await self._quiet(loop, end)
            self._paint()
        await self._quiet(loop, end)

    async def _quiet(self, loop, end: float) -> None:
        quiet = 0
        while quiet < QUIET:
            waits = self.in_threads or self._is_resized()
            await asyncio.sleep(0.001 if waits else 0)
            quiet = 0 if waits or loop._ready else quiet + 1
            if loop.time() > end:
                return

    def _is_resized(self) -> bool:
        """Return True while Textual has not yet passed a new size on to its screens."""
        app = active_app.get(None)
        return app is not None and (app._resize_event is not None or app._resize_timer is not None)

    def _paint(self) -> None:
        try:
            active_app.get().screen._on_timer_update()
        except (LookupError, ScreenStackError):
            return


@pytest.fixture(autouse=True)
def settling() -> Iterator[None]:
    """Make pilots wait with `IdleWaiter`."""
    waiting = Settling()
    with pytest.MonkeyPatch.context() as patch:
        loop = asyncio.base_events.BaseEventLoop
        patch.setattr(loop, "run_in_executor", waiting.run_in_executor(loop.run_in_executor))
        patch.setattr(textual.app, "wait_for_idle", waiting.settled)
        patch.setattr(textual.pilot, "wait_for_idle", waiting.settled)
        yield
