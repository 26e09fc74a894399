"""Signals: of the window and of job control, answered in the loop that runs, and those that ask for the end.

Textual's driver answers them wherever the program just is.  There a new size interrupts the one
before while that is being told, and the older one is told last and stays; and a stop waits for
ever for a lock that is held by what it has interrupted.
"""

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


def answer_in_turn() -> None:
    """Answer from now on, in the loop that runs, what the driver answers so far."""
    if sys.platform != "win32":
        _in_the_loop(signal.SIGTSTP)
        _in_the_loop(signal.SIGCONT)
        tell_size()


def tell_size() -> None:
    """Tell the size, and from now on each new one in turn; the driver has begun anew to do so itself."""
    if sys.platform != "win32":
        _in_the_loop(signal.SIGWINCH)
        signal.raise_signal(signal.SIGWINCH)


def _in_the_loop(number: signal.Signals) -> None:
    answer = signal.getsignal(number)
    if callable(answer):
        asyncio.get_running_loop().add_signal_handler(number, answer, number, None)


def end_when_asked(leave: Callable[[int], object], at_once: Callable[[], bool]) -> None:
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
