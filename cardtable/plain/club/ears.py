"""Two things that are heard at the same time: what is typed, and what comes from a club."""

import io
import sys
from collections import deque
from collections.abc import Callable
from threading import Condition, Semaphore, Thread
from typing import Final

from cardtable.plain.console import Left, typed_text

_MOST_TYPED: Final = 4096
"""Bytes of a line that are read at once."""
_ANSWERS: Final = 0.5
"""Seconds after which Ctrl+C is answered at the latest, on systems where waiting does not end for it."""


class Ears:
    """Hears lines, which a thread of its own reads, and that something has come.

    At a terminal lines are read all the time; of a pipe each is meant for what is asked next, and read then.
    """

    def __init__(self) -> None:
        self._heard = Condition()
        self._lines: deque[str | None] = deque()
        self._news = self._reading = False
        self._asked = Semaphore(0)
        self._typed = bool(sys.stdin and sys.stdin.isatty())
        Thread(target=self._read, daemon=True).start()

    def wake(self) -> None:
        """Something has come.  Called from any thread."""
        with self._heard:
            self._news = True
            self._heard.notify_all()

    def next(self, *, asked: bool) -> str | None:
        """The next line that is typed, or ``None`` once something has come; ``asked``: whether one is waited for.

        Raises ``Left`` at the end of what can be read.
        """
        if asked or self._typed:
            self._want()
        self.until(lambda: self._news or bool(self._lines))
        if self._news:
            self._news = False
            return None
        return self._line()

    def line(self) -> str:
        """The next line that is typed, whatever comes meanwhile.  Raises ``Left``."""
        self._want()
        self.until(lambda: bool(self._lines))
        return self._line()

    def until(self, holds: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until something holds, which what comes can change; whether it does within so many seconds."""
        with self._heard:
            if seconds is not None:
                return self._heard.wait_for(holds, seconds)
            while not self._heard.wait_for(holds, _ANSWERS):
                pass
        return True

    def _want(self) -> None:
        if not self._reading:
            self._reading = True
            self._asked.release()

    def _line(self) -> str:
        line, self._reading = self._lines.popleft(), False
        if line is None:
            raise Left
        return line

    def _read(self) -> None:
        """Read a line each time that one is wanted; past the buffer, which must not be held when the program ends."""
        with io.FileIO(sys.stdin.fileno(), closefd=False) if sys.stdin else io.BytesIO() as typed:
            while True:
                self._asked.acquire()
                try:
                    line = rest = typed.readline(_MOST_TYPED)
                    while rest and not rest.endswith(b"\n"):
                        rest = typed.readline(_MOST_TYPED)
                except OSError:  # the terminal has gone
                    line = b""
                with self._heard:
                    self._lines.append(typed_text(line.decode(errors="replace")).strip() if line else None)
                    self._heard.notify_all()
