"""Signals of the window and of job control, answered in the loop that runs.

Textual's driver answers them wherever the program just is.  There a new size interrupts the one
before while that is being told, and the older one is told last and stays; and a stop waits for
ever for a lock that is held by what it has interrupted.
"""

import asyncio
import signal
import sys


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
