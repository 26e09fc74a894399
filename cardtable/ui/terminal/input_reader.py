"""Reader of what is typed, which dates it by when it was typed rather than when it is read.

The system says only that bytes are waiting, not since when. While the program is held up, by SIGSTOP or a busy machine,
keys wait that were pressed before what is shown now could be seen. Whatever was typed lies between the last moment
at which nothing was waiting and the moment of reading. If these are further apart than waiting makes them, the
earlier one is taken. Moments are seconds of `time.monotonic`, as those of Textual's messages are.
"""

import os
from contextlib import suppress
from math import inf
from select import select
from threading import Lock
from time import monotonic
from typing import Any, Final

from textual.app import App
from textual.driver import Driver

MOST_WAIT: Final = 0.1
"""Seconds that a call of `read` waits at most."""
_HELD_UP: Final = MOST_WAIT + 0.08
"""Seconds between looks at the input after which the program was held up."""
_MOST_READ: Final = 4096


class InputReader:
    """Reader of a file descriptor, for one thread; `note_waiting` may be called by another."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._empty_at = monotonic()
        """When nothing was waiting last, or all of it was read."""
        self._waiting_at = inf
        """When something was seen to be waiting that is not read yet."""
        self._lock = Lock()
        self.typed_at = self._empty_at
        """When what was read last was typed."""

    def read(self, seconds: float) -> bytes | None:
        """Return what is waiting, or comes within so many seconds; None if nothing does, and b"" at the end."""
        began = monotonic()
        if not self._is_waiting(0):
            self._empty_at = began
            if not self._is_waiting(seconds):
                return None
        came = monotonic()
        with self._lock:
            data = b""
            with suppress(OSError):  # the terminal has gone
                data = os.read(self._descriptor, _MOST_READ)
            waiting_at, self._waiting_at = self._waiting_at, inf
        self.typed_at = min(self._empty_at if came - self._empty_at > _HELD_UP else came, waiting_at)
        if len(data) < _MOST_READ:
            self._empty_at = came
        return data

    def note_waiting(self) -> None:
        """Date what is waiting now, if anything is, before this moment."""
        with self._lock:
            if self._is_waiting(0):
                self._waiting_at = min(self._waiting_at, monotonic())

    def _is_waiting(self, seconds: float) -> bool:
        return bool(select([self._descriptor], [], [], seconds)[0])


class InputDriver(Driver):
    """A driver that reads with an `InputReader`."""

    reader: InputReader | None = None


def note_waiting_input(app: App[Any]) -> None:
    """Date what is waiting at the terminal or browser before this moment: it was not typed for what is shown next."""
    driver = app._driver
    if isinstance(driver, InputDriver) and driver.reader:
        driver.reader.note_waiting()
