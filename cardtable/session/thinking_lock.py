"""Lock that lets only one guest program of a club host compute hints at a time.

The host names the lock file in the environment variable ``HINT_LOCK_VARIABLE``; without it, nothing is locked.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Final

from cardtable.store import atomic_io, file_lock
from cardtable.store.club_tokens import HINT_LOCK_VARIABLE

LOCK_RETRY_SECONDS: Final = 0.05
"""Time between two attempts to acquire the lock, in seconds."""


@contextmanager
def try_thinking_lock() -> Iterator[Iterator[None]]:
    """Return a context that yields an iterator over the times to wait for the lock, which is released at the end."""
    file = os.environ.get(HINT_LOCK_VARIABLE)
    if file is None:
        yield iter(())
        return
    descriptor = atomic_io.open_regular(Path(file), os.O_RDWR | os.O_CREAT)

    def iter_attempts() -> Iterator[None]:
        while not file_lock.lock(descriptor):
            yield

    try:
        yield iter_attempts()
    finally:
        file_lock.unlock_and_close(descriptor)


@contextmanager
def wait_for_thinking_lock() -> Iterator[None]:
    """Hold the lock, for which this thread waits."""
    with try_thinking_lock() as attempts:
        for _ in attempts:
            sleep(LOCK_RETRY_SECONDS)
        yield
