"""After a key a test goes on once nothing is under way any more, not once the processor has had a rest."""

import asyncio
from collections.abc import Iterator

import pytest
import textual.app
import textual.pilot
from textual._context import active_app
from textual.app import ScreenStackError

QUIET = 2
"""Turns of the loop in a row in which nothing was to be done, once the picture is up to date."""
MOST_SECONDS = 10
"""Longer is not waited for: something goes on by itself."""


class Settling:
    """Waits until every message is answered, every thread has come back, and the picture is painted."""

    def __init__(self) -> None:
        self.in_threads = 0

    def run_in_executor(self, right):
        """The loop's own way to use a thread, counted."""

        def counted(loop, executor, do, *given):
            future = right(loop, executor, do, *given)
            self.in_threads += 1
            future.add_done_callback(self._back)
            return future

        return counted

    def _back(self, _future: object) -> None:
        self.in_threads -= 1

    async def settled(self, *_: float) -> None:
        """In the place of ``wait_for_idle``, which sleeps for 20 ms or more, and guesses on a busy machine."""
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
        """Whether a new size is still to be told to the screens, which takes the library a moment."""
        app = active_app.get(None)
        return app is not None and (app._resize_event is not None or app._resize_timer is not None)

    def _paint(self) -> None:
        try:
            active_app.get().screen._on_timer_update()
        except (LookupError, ScreenStackError):
            return


@pytest.fixture(autouse=True)
def settling() -> Iterator[None]:
    """Pilots wait so."""
    waiting = Settling()
    with pytest.MonkeyPatch.context() as patch:
        loop = asyncio.base_events.BaseEventLoop
        patch.setattr(loop, "run_in_executor", waiting.run_in_executor(loop.run_in_executor))
        patch.setattr(textual.app, "wait_for_idle", waiting.settled)
        patch.setattr(textual.pilot, "wait_for_idle", waiting.settled)
        yield
