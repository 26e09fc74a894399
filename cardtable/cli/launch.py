"""Start of the front ends, and the exit codes and error messages of all commands.

Exit codes: 0 success, 1 a bad file, nothing to do or data not saved, 2 wrong arguments, 130 interrupted by Ctrl+C, 128
plus its number for another signal that ended the program. An error is one line on standard error that begins with
``cardtable:``.
"""

import gc
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO, TypeAlias

from cardtable.engine.errors import CardtableError, EndedBySignal, format_exception_text
from cardtable.engine.text_format import sanitize
from cardtable.store import paths
from cardtable.store.errors import SeveralSessions, UnsavedDataError
from cardtable.store.settings import TerminalFlags

if TYPE_CHECKING:
    from cardtable.store.sessions import Session

FAILED: Final = 1
USAGE_ERROR: Final = 2
INTERRUPTED: Final = 130
MAX_FACT_LENGTH: Final = 400
"""Maximum length, in characters, of a fact or a complaint, which may contain a path."""
_MAX_LINE_LENGTH: Final = 2000
"""Maximum length, in characters, of an error line with complete paths."""
_NON_DRAWING_TERMS: Final = ("dumb", "unknown")
"""Values of ``TERM`` that denote terminals without cursor control, on which screens cannot be drawn."""
_NO_THREAD_MESSAGE: Final = "can't start new thread"
"""Message of Python's ``RuntimeError`` if no thread can be started."""
PROGRESS_SECONDS: Final = 5.0
"""Minimum time between two progress lines in seconds, if standard error is not a terminal."""
_SECONDS_PER_DAY: Final = 86_400
_MAX_FRAMES: Final = 8
"""Maximum number of stack frames printed after an internal error."""


def run_command(command: Callable[[], int | None]) -> int:
    """Run a command and return the exit code. Every error is printed in one line."""
    _open_closed_descriptors()
    _ignore_impossible_time_zone()
    try:
        for stream in (sys.stdout, sys.stderr):
            _accept_all_characters(stream)
        if sys.stdin and hasattr(sys.stdin, "reconfigure"):
            sys.stdin.reconfigure(errors="replace")
        code = command()
        if sys.stdout:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_unwritable_output()
        return FAILED
    except CardtableError as error:
        print_error(str(error))
        return USAGE_ERROR if isinstance(error, SeveralSessions) else FAILED
    except OSError as error:
        _discard_unwritable_output()
        print_error(": ".join(str(part) for part in (error.filename, error.strerror) if part) or str(error))
        return FAILED
    except UnsavedDataError as error:
        _print_unsaved(error)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except EndedBySignal:
        raise
    except (Exception, SystemExit) as error:
        _print_unexpected(error)
        return FAILED
    return code or 0


def _print_unexpected(error: Exception | SystemExit) -> None:
    """Print an exception that is no error for the user.

    ``SystemExit`` is raised again unless code of another package has raised it.
    """
    if isinstance(error, MemoryError) or format_exception_text(error) == _NO_THREAD_MESSAGE:
        print_error("the system has no memory or no threads left; your games are saved")
        return
    from cardtable.games import find_plugin_failure

    if failed := find_plugin_failure(error):
        print_error(str(failed))
    elif isinstance(error, SystemExit):
        raise error
    else:
        _report_fault(error)


def _accept_all_characters(stream: TextIO | None) -> None:
    """Print characters that the encoding of a stream lacks as similar ones, such as suits as letters."""
    if stream is None or not hasattr(stream, "reconfigure"):
        return
    if stream.encoding.lower().replace("-", "") == "utf8":
        stream.reconfigure(errors="replace")
    else:
        from cardtable.wording.formatting import print_similar_characters

        print_similar_characters(stream)


def print_error(message: str, max_length: int = 200) -> None:
    """Print an error in one line on standard error, truncated to ``max_length`` characters."""
    _print_to_standard_error(f"cardtable: {sanitize(' '.join(message.split()), max_length)}")


def _print_to_standard_error(*lines: str) -> None:
    """Print lines on standard error, or nowhere if it is closed or cannot be written."""
    if sys.stderr:
        try:
            print(*lines, sep="\n    ", file=sys.stderr, flush=True)
        except OSError:
            _discard_unwritable_output()


class Interruption:
    """What has stopped a long command before its end."""

    code = 0
    """Exit code of the command; 0 if nothing has stopped it."""
    reason = ""
    """Error in one line; empty if a signal has stopped the command."""

    def print_progress(self, done: str) -> None:
        """Print ``done``, such as ``stopped after 3 of 10 deals``, with the reason if there is one."""
        print_error(f"{done}: {self.reason}" if self.reason else done, _MAX_LINE_LENGTH)


@contextmanager
def collect_interruption(has_results: Callable[[], object]) -> Iterator[Interruption]:
    """Yield an object that receives what stops the body: Ctrl+C, a signal such as SIGTERM, an error of a game or robot.

    Such an error is raised if ``has_results`` returns False then.
    """
    from cardtable.plain.console import exit_on_signals  # lazy: startup

    interruption = Interruption()
    try:
        with exit_on_signals():
            yield interruption
    except KeyboardInterrupt:
        interruption.code = INTERRUPTED
    except EndedBySignal as ended:
        interruption.code = ended.code
    except (CardtableError, ChildProcessError) as error:
        if not has_results():
            raise
        interruption.code, interruption.reason = FAILED, str(error)


def print_fact(name: str, fact: str, width: int) -> None:
    """Print a fact in one line, sanitized, after its name in a column of ``width`` characters."""
    print(f"{name:<{width}}{sanitize(fact, MAX_FACT_LENGTH)}")


def is_in_browser() -> bool:
    return bool(os.environ.get("TEXTUAL_DRIVER"))


def can_show_screens() -> bool:
    """Return True if screens can be shown and standard output is not redirected."""
    return not _explain_no_screen() and (is_in_browser() or bool(sys.stdout and sys.stdout.isatty()))


def _explain_no_screen() -> str | None:
    """Return the reason why screens cannot be shown; ``None`` if they can.

    Screens are drawn on standard error, on Windows on standard output, and keys are read from standard input.
    """
    if is_in_browser():
        return None
    from cardtable.ui.terminal.capabilities import get_screen_stream

    if not all(map(is_terminal, (sys.stdin, get_screen_stream()))):
        return "the table needs a terminal"
    kind = os.environ.get("TERM", "").lower()
    return f"the table needs a terminal that can draw, and TERM={kind} cannot" if kind in _NON_DRAWING_TERMS else None


def require_terminal() -> None:
    """Raise ``CardtableError`` with the reason if screens cannot be shown."""
    if reason := _explain_no_screen():
        from cardtable.store.club_tokens import is_hosted_client

        advice = "cardtable --plain plays in lines of text"
        if is_hosted_client():  # the guest has no command line there
            advice = "connect from another terminal, or install cardtable and join with --plain"
        raise CardtableError(f"{reason}; {advice}")


@contextmanager
def show_progress_bar(length: int, label: str) -> Iterator[Callable[[int], object]]:
    """Show a progress bar, if standard error is a terminal; yield a function that advances it by a number of steps.

    ``length``: number of steps in all; 0 for no progress bar.
    """
    if not (length and is_terminal(sys.stderr)):
        yield lambda _steps: None
        return
    import click

    with click.progressbar(length=length, label=label, width=20, file=sys.stderr) as bar:
        yield bar.update


@contextmanager
def show_progress() -> Iterator[Callable[[str], None]]:
    """Yield a function that shows a text about the progress.

    On a terminal, each text replaces the last one. Elsewhere a text is printed at most every ``PROGRESS_SECONDS``.
    """
    printed_at, width = time.monotonic(), 0

    def show(text: str) -> None:
        nonlocal printed_at, width
        if is_terminal(sys.stderr):
            print(f"\r{text:<{width}}", end="", file=sys.stderr, flush=True)
            width = len(text)
        elif time.monotonic() - printed_at > PROGRESS_SECONDS:
            printed_at = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        if width:
            print(f"\r{'':<{width}}", end="\r", file=sys.stderr, flush=True)


def is_terminal(stream: TextIO | None) -> bool:
    return bool(stream and stream.isatty())


Page: TypeAlias = tuple[str, *tuple[object, ...]]
"""Name of a page, and its arguments."""


def open_screen(session: "Session | None" = None, flags: TerminalFlags | None = None, page: Page | None = None) -> None:
    """Open the screens at the table of a session, at a page, or at the picker."""
    require_terminal()
    paths.home()  # raises if there is none, while the error can be read
    gc.disable()  # until the first screen is shown, as imports create no garbage
    from cardtable.ui.terminal import capabilities

    capabilities.remove_invalid_variables()
    capabilities.apply_colour_choice()
    from cardtable.ui.app import run

    gc.freeze()
    if id_ := run(session, flags, page):
        command, lead = f"cardtable resume {id_}", "Saved. To continue: "
        if len(lead + command) > shutil.get_terminal_size().columns:  # the id would be broken in two
            lead = "Saved: "
        print(f"{lead}{command}", file=sys.stderr)


def open_plain(session: "Session | None", flags: TerminalFlags, page: Page | None = None) -> None:
    """Open the plain-text front end at the table of a session, at a page that it has, or at the picker."""
    paths.home()  # raises if there is none
    from cardtable.plain.picker import run

    run(session, flags, page)


def _discard_unwritable_output() -> None:
    """Discard all further output that cannot be written.

    Python's flush at exit would fail again and change the exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _open_closed_descriptors() -> None:
    """Open the standard descriptors that are closed, so that no file of the player takes the place of one.

    Programs that this one starts would write their messages into such a file.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)  # the lowest descriptor that is free
            os.set_inheritable(opened, True)


def _ignore_impossible_time_zone() -> None:
    """Make UTC the local time if ``TZ`` is a day or more away from it, for which ``datetime`` has no time zone."""
    if sys.platform != "win32" and max(abs(time.timezone), abs(time.altzone)) >= _SECONDS_PER_DAY:
        os.environ["TZ"] = "UTC"
        time.tzset()


def _print_unsaved(error: UnsavedDataError) -> None:
    """Print each item of unsaved data in one line, with its complete path."""
    if isinstance(error.__cause__, CardtableError):
        print_error(str(error.__cause__))
    elif isinstance(error.__cause__, Exception):
        _report_fault(error.__cause__, "not everything is saved")
    for line in error.lines:
        print_error(line, _MAX_LINE_LENGTH)


def _report_fault(fault: Exception, consequence: str = "your games are saved") -> None:
    """Print where an internal error occurred.

    Messages and values are omitted, because they may contain cards. ``consequence``: what the error means for the
    player's data.
    """
    frames = traceback.extract_tb(fault.__traceback__)[-_MAX_FRAMES:]
    locations = [f"{Path(frame.filename).name}, line {frame.lineno}, {frame.name}" for frame in frames]
    _print_to_standard_error("Where it happened, the last call below:", *locations)
    print_error(f"crashed ({type(fault).__name__} in {locations[-1]}); {consequence}")
