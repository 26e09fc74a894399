"""Pilots that wait after a key until the program is idle, instead of for a fixed time."""

import asyncio
from collections.abc import Iterator

import pytest
import textual.app
import textual.pilot
from textual._context import active_app
from textual.app import ScreenStackError

from tests.waiting import TIMEOUT

IDLE_TURNS = 2
"""Number of turns of the loop in a row without work, after which the program counts as idle."""


class IdleWaiter:
    """Waits until all messages are handled, all threads have returned and the screen is painted."""

    def __init__(self) -> None:
        self.pending_threads = 0

    def count_thread_calls(self, original):
        """Wrap the loop's ``run_in_executor`` and count calls in progress."""

        def counted(loop, executor, do, *arguments):
            future = original(loop, executor, do, *arguments)
            self.pending_threads += 1
            future.add_done_callback(self._on_thread_done)
            return future

        return counted

    def _on_thread_done(self, _future: object) -> None:
        self.pending_threads -= 1

    async def wait_until_idle(self, *_: float) -> None:
        """Replace Textual's ``wait_for_idle``, which sleeps for 20 ms or more and guesses on a busy machine."""
        loop = asyncio.get_running_loop()
        end = loop.time() + TIMEOUT
        for _ in range(2):
            await self._wait_for_loop(loop, end)
            self._paint()
        await self._wait_for_loop(loop, end)

    async def _wait_for_loop(self, loop, end: float) -> None:
        quiet = 0
        while quiet < IDLE_TURNS:
            waits = self.pending_threads or self._is_resized()
            await asyncio.sleep(0.001 if waits else 0)
            quiet = 0 if waits or loop._ready else quiet + 1
            assert loop.time() < end, f"never idle: {self.pending_threads} threads run, {loop._ready} is to be done"

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
def idle_waiter() -> Iterator[None]:
    """Make pilots wait with `IdleWaiter`."""
    waiting = IdleWaiter()
    with pytest.MonkeyPatch.context() as patch:
        loop = asyncio.base_events.BaseEventLoop
        patch.setattr(loop, "run_in_executor", waiting.count_thread_calls(loop.run_in_executor))
        patch.setattr(textual.app, "wait_for_idle", waiting.wait_until_idle)
        patch.setattr(textual.pilot, "wait_for_idle", waiting.wait_until_idle)
        yield
