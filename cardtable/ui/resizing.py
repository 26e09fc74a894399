"""Sizes of the window, told in the order in which they came."""

import asyncio
import signal
import sys


def tell_in_order() -> None:
    """Let the driver tell each new size in the loop that runs, one after the other, and now for the first time.

    It does so in a handler of signals, which the next signal interrupts where windows are
    pulled about quickly: then the older size would be told last, and stay.
    """
    if sys.platform == "win32":
        return
    tell = signal.getsignal(signal.SIGWINCH)
    if callable(tell):
        asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, tell, signal.SIGWINCH, None)
        tell(signal.SIGWINCH, None)
