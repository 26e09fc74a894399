"""One program and one thread at a time changes the files that all programs on one home write."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from random import uniform
from threading import Lock
from time import monotonic, sleep
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.store import disk, paths

_LONGEST_WAIT: Final = 5.0
"""Seconds that other programs may take."""
_PATIENCE: Final = (0.001, 0.02)
"""Seconds between two tries, drawn by lot, so that of several who wait each has her turn."""
_HERE: Final = Lock()


@contextmanager
def alone() -> Iterator[None]:
    """Wait until nobody else changes settings or players, and let nobody do so meanwhile.

    Raises ``OSError``, and ``CardtableError`` where another program goes on for too long.
    """
    with _HERE:
        paths.make(paths.home())
        descriptor = disk.open_regular(paths.home() / "home.lock", os.O_RDWR | os.O_CREAT)
        try:
            end = monotonic() + _LONGEST_WAIT
            while not disk.lock(descriptor):
                if monotonic() > end:
                    raise CardtableError(
                        "another program is changing settings or players; nothing was saved, try again"
                    )
                sleep(uniform(*_PATIENCE))
            yield
        finally:
            disk.let_go(descriptor)
