"""Opening the program, and how every command of it ends.

Exit codes: 0 done, 1 a bad file or nothing to do, 2 wrong arguments, 130 interrupted.  An error
is one line on standard error that begins with ``cardtable:``.
"""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from cardtable.store.errors import CardtableError
from cardtable.store.settings import Flags
from cardtable.store.text import clean

if TYPE_CHECKING:
    from cardtable.store.sessions import Session

FAILED: Final = 1
MISUSED: Final = 2
INTERRUPTED: Final = 130


def ended(command: Callable[[], int | None]) -> int:
    """Run a command; its exit code.  What goes wrong is said in a line."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        code = command()
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        return _hang_up()
    except CardtableError as error:
        return complain(str(error), FAILED)
    except OSError as error:
        return complain(": ".join(str(part) for part in (error.filename, error.strerror) if part), FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    return code or 0


def complain(message: str, code: int = FAILED) -> int:
    """Say in one line on standard error what is wrong; gives back ``code``."""
    print(f"cardtable: {clean(' '.join(message.split()))}", file=sys.stderr)
    return code


def in_browser() -> bool:
    """Whether ``cardtable serve`` has started this program for a tab of a browser."""
    return bool(os.environ.get("TEXTUAL_DRIVER"))


def on_screen() -> bool:
    """Whether pages can be shown: drawn on standard error, with keys from input, and no output going elsewhere."""
    return in_browser() or all(stream and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def need_terminal() -> None:
    """Raise ``CardtableError`` where no table can be shown: it is drawn on standard error, keys come from input."""
    if in_browser():
        return
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        raise CardtableError("the table needs a terminal; cardtable --help lists what works without one")


def open_picker() -> None:
    """Open the program where a person chooses."""
    open_at(None, Flags())


def open_at(session: "Session | None", flags: Flags) -> None:
    """Open the program at the table of a session, or at the picker."""
    need_terminal()
    from cardtable.ui.app import run

    run(session, flags)


def open_page(flags: Flags, page: str, *about: object) -> None:
    """Open the program at a page, over the picker."""
    need_terminal()
    from cardtable.ui.app import run

    run(None, flags, (page, *about))


def open_plain(session: "Session | None", flags: Flags) -> None:
    """Play in plain lines at the table of a session, or open the picker with numbers."""
    from cardtable.plain.room import run

    run(session, flags)


def _hang_up() -> int:
    """Nobody reads the output any more: say nothing, not even when Python flushes it at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED
