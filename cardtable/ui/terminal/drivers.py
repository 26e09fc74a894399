"""What the program is shown with: a terminal, a browser."""

import sys

from textual import constants
from textual.driver import Driver


def fitting() -> type[Driver] | None:
    """The driver for where the program runs; ``None`` for the usual one."""
    if constants.DRIVER is not None:
        from cardtable.ui.terminal.in_browser import BrowserDriver  # noqa: PLC0415 - seldom there

        return BrowserDriver
    if sys.platform == "win32":
        return None
    from cardtable.ui.terminal.in_terminal import TerminalDriver  # noqa: PLC0415 - not everywhere

    return TerminalDriver
