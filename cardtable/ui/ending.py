"""Ending when the system asks for it: the program is to end, or its terminal has gone."""

import asyncio
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Final

GRACE_SECONDS: Final = 3
"""After these the program ends, whatever it waits for."""
_BY_SIGNAL: Final = 128
"""Exit codes above this name the signal that ended a program."""


def when_asked(leave: Callable[[int], object]) -> None:
    """Call ``leave`` with the exit code, in the loop that runs, when a signal asks the program to end.

    A terminal that takes no more output can hold that loop for ever; then the system's alarm
    ends the program.  Nothing is lost by that: every move that counts is on the disk.
    """
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()

    def end(number: int, _frame: FrameType | None) -> None:
        signal.alarm(GRACE_SECONDS)
        loop.call_soon_threadsafe(leave, _BY_SIGNAL + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, end)
