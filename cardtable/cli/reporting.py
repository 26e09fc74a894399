"""What libraries report, in lines like those of the program."""

import logging
import re
from collections.abc import Callable
from time import monotonic
from typing import Final

from cardtable.engine.text import clean

REPEAT_SECONDS: Final = 60.0
"""Seconds in which reports of the same kind are printed once."""
_NUMBERS: Final = re.compile(r"\d+")
_LINE_END: Final = "\n"


class _OneLine(logging.Formatter):
    """Without tracebacks: whatever comes from outside is no fault of the program."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        said = " ".join(f"{record.getMessage()}{f': {error}' if error else ''}".split())
        return f"cardtable: {clean(said)}"


class RepeatFilter(logging.Filter):
    """Drops reports like one of the last minute, whatever numbers or text from outside they hold."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock, self._last = clock, dict[str, float]()
        """When each kind of report came last, of those in the last minute."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True if the report is to be printed."""
        error = record.exc_info[1] if record.exc_info else None
        said = str(record.msg).partition(_LINE_END)[0]  # without what came from outside
        kind = _NUMBERS.sub("#", f"{record.name} {said} {type(error).__name__}")
        now = self._clock()
        self._last = {other: at for other, at in self._last.items() if now - at < REPEAT_SECONDS}
        if kind in self._last:
            return False
        self._last[kind] = now
        return True


def report_in_lines() -> None:
    """Report on standard error, a line each."""
    handler = logging.StreamHandler()
    handler.addFilter(RepeatFilter())
    handler.setFormatter(_OneLine())
    logging.basicConfig(handlers=[handler])
