"""Ending when the system asks for it: the program is to end, or its terminal has gone."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Final

GRACE_SECONDS: Final = 3
"""After these the program ends, whatever it waits for."""
_NOT_KEPT: Final = 1
_BY_SIGNAL: Final = 128
"""Exit codes above this name the signal that ended a program."""


def when_asked(leave: Callable[[int], object], at_once: Callable[[], bool]) -> None:
    """Call ``leave`` with the exit code, in the loop that runs, when a signal asks the program to end.

    A terminal that takes no more output can hold that loop for ever; then ``at_once`` is called, whatever else
    goes on, which tells whether all is kept, and the program ends.
    """
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()

    def end(number: int, _frame: FrameType | None) -> None:
        def end_at_once(*_: object) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(GRACE_SECONDS)  # for a disk that does not answer
            code = _NOT_KEPT
            try:
                if at_once():
                    code = _BY_SIGNAL + number
            finally:
                os._exit(code)

        if not signal.getitimer(signal.ITIMER_REAL)[0]:  # asked again it has no longer
            signal.signal(signal.SIGALRM, end_at_once)
            signal.alarm(GRACE_SECONDS)
        with suppress(RuntimeError):  # the loop has ended by itself
            loop.call_soon_threadsafe(leave, _BY_SIGNAL + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, end)
