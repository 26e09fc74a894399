"""Signal handlers for termination, job control and the window size.

Textual's driver handles signals in the code that they interrupt. There, the report of a new window size can interrupt
the report of an older one, which then is the last and stays; and a stop can deadlock, waiting for a lock that the
interrupted code holds. Therefore these handlers are moved to the event loop.
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
"""Seconds after a termination signal at which the program exits without waiting any longer."""
_EXIT_DATA_LOST: Final = 1
_EXIT_SIGNAL_BASE: Final = 128
"""Difference between an exit code and the number of the signal that ended the program."""


def move_handlers_to_loop() -> None:
    """Move the driver's handlers of SIGTSTP, SIGCONT and SIGWINCH to the running event loop."""
    if sys.platform != "win32":
        _handle_in_loop(signal.SIGTSTP)
        _handle_in_loop(signal.SIGCONT)
        report_size()


def report_size() -> None:
    """Report the window size again and move the handler of SIGWINCH to the event loop.

    Needed after the driver has reinstalled its handler.
    """
    if sys.platform != "win32":
        _handle_in_loop(signal.SIGWINCH)
        signal.raise_signal(signal.SIGWINCH)


def _handle_in_loop(number: signal.Signals) -> None:
    handler = signal.getsignal(number)
    if callable(handler):
        asyncio.get_running_loop().add_signal_handler(number, handler, number, None)


def install_termination_handlers(request_exit: Callable[[int], object], save_at_once: Callable[[], bool]) -> None:
    """Call ``request_exit`` with the exit code, in the running event loop, after SIGTERM, SIGHUP, SIGINT or SIGQUIT.

    If the program has not ended after ``GRACE_SECONDS``, for instance because a terminal that accepts no output blocks
    the loop, ``save_at_once`` is called in the interrupted code and the program exits. ``save_at_once`` returns True if
    no data are lost; otherwise the exit code is 1. A second signal does not extend this time.
    """
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()

    def handle_signal(number: int, _frame: FrameType | None) -> None:
        def exit_at_once(*_: object) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(GRACE_SECONDS)  # in case the disk does not respond
            code = _EXIT_DATA_LOST
            try:
                if save_at_once():
                    code = _EXIT_SIGNAL_BASE + number
            finally:
                os._exit(code)

        if not signal.getitimer(signal.ITIMER_REAL)[0]:  # a second signal does not extend the grace period
            signal.signal(signal.SIGALRM, exit_at_once)
            signal.alarm(GRACE_SECONDS)
        with suppress(RuntimeError):  # the loop has already ended
            loop.call_soon_threadsafe(request_exit, _EXIT_SIGNAL_BASE + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, handle_signal)
