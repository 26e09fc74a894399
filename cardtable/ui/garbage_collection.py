"""Garbage collection at times at which it delays no key.

A collection of the oldest generation takes some 40 ms once all pages have been loaded, and Python starts one whenever
many objects have been created, which is mostly while somebody presses keys.
"""

import asyncio
import gc
from typing import Final

PAUSE: Final = 1.0
"""Seconds without input after which the oldest generation is collected."""
THRESHOLDS: Final = (700, 10, 100)
"""Thresholds of the garbage collector; see ``gc.set_threshold``.

The last one lets collections of the oldest generation start by themselves ten times as rarely as by default.
"""


class GarbageCollection:
    """Collects the oldest generation once input has paused for ``PAUSE`` seconds; does nothing before ``begin``."""

    def __init__(self) -> None:
        self._begun = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Enable the collector, and exempt all objects that exist: nearly all of them last as long as the program."""
        self._begun = True
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)
        gc.enable()

    def note_input(self) -> None:
        """Postpone the next collection, because a key or the mouse is in use."""
        if self._timer:
            self._timer.cancel()
        if self._begun:
            self._timer = asyncio.get_running_loop().call_later(PAUSE, gc.collect)
