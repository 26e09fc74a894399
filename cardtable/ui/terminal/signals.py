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
from threading import Timer
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

    On Windows these are SIGINT and SIGBREAK (Ctrl+Break). If the program has not ended after ``GRACE_SECONDS``, for
    instance because a terminal that accepts no output blocks the loop, ``save_at_once`` is called in the interrupted
    code, on Windows in a thread, and the program exits. ``save_at_once`` returns True if no data are lost; otherwise
    the exit code is 1. A second signal does not extend this time.
    """
    loop, is_ending = asyncio.get_running_loop(), False

    def handle_signal(number: int, _frame: FrameType | None) -> None:
        nonlocal is_ending
        if not is_ending:
            _start_exit_timer(lambda: _exit_at_once(_EXIT_SIGNAL_BASE + number, save_at_once))
        is_ending = True
        with suppress(RuntimeError):  # the loop has already ended
            loop.call_soon_threadsafe(request_exit, _EXIT_SIGNAL_BASE + number)

    if sys.platform == "win32":
        signals = [signal.SIGINT, signal.SIGBREAK]
    else:
        signals = [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT]
    for number in signals:
        signal.signal(number, handle_signal)


def _start_exit_timer(exit_at_once: Callable[[], object]) -> None:
    """Call ``exit_at_once`` after ``GRACE_SECONDS``, in the code that runs then; on Windows, in a thread of its own."""
    if sys.platform == "win32":
        timer = Timer(GRACE_SECONDS, exit_at_once)
        timer.daemon = True
        timer.start()
    else:

        def handle_alarm(*_: object) -> None:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(GRACE_SECONDS)  # in case the disk does not respond
            exit_at_once()

        signal.signal(signal.SIGALRM, handle_alarm)
        signal.alarm(GRACE_SECONDS)


def _exit_at_once(code: int, save_at_once: Callable[[], bool]) -> None:
    """Save what is unsaved and end the process; the exit code is 1 instead of ``code`` if data are lost."""
    is_saved = False
    try:
        is_saved = save_at_once()
    finally:
        os._exit(code if is_saved else _EXIT_DATA_LOST)
