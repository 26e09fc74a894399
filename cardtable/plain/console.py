"""Console input and output; writes only printable text and the sequence that clears the screen."""

import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from textwrap import wrap
from time import sleep
from types import FrameType
from typing import Final

from cardtable.engine.errors import CardtableError, EndedBySignal
from cardtable.engine.text_format import sanitize
from cardtable.wording.formatting import measure_terminal, print_similar_characters

PROMPT: Final = "> "
CLEAR_SEQUENCE: Final = "\x1b[H\x1b[2J\x1b[3J"
"""Escape sequence that clears the screen and the scrollback of a terminal."""
_EXIT_SIGNALS: Final = tuple(
    signal.Signals[name] for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGBREAK") if name in signal.Signals.__members__
)
"""Signals besides SIGINT (Ctrl+C) that ask the program to end; SIGBREAK is Ctrl+Break on Windows."""
_SIGNAL_EXIT_BASE: Final = 128
"""Exit code of a program that was ended by signal n, less n."""
DISCARD_SECONDS: Final = 0.6
"""Time after a curtain in which input is discarded, in seconds; the player typed it before they could read the curtain.
"""
_MAX_LINE_LENGTH: Final = 4096
"""Largest number of characters read from one line; the rest of the line is discarded."""
_MAX_PRINTED_LENGTH: Final = 100_000
"""Largest number of characters printed of one line."""
_SPACE_AFTER_NUMBER: Final = re.compile(r"(?<=\d:) ")
"""Pattern of the space between a number and its item, at which lines are not wrapped."""

_CONTROL_SEQUENCE: Final = re.compile(
    "(?:\x1b[]P_^X]|[\x9d\x90\x9f\x9e\x98]).*?(?:\x07|\x9c|\x1b\\\\|$)|(?:\x1b\\[|\x9b)[ -?]*(?:[@-~]|$)|\x1bO.|\x1b",
    re.DOTALL,
)
"""Pattern of control strings (OSC, DCS, APC, PM, SOS), control sequences (CSI) and function keys (SS3), as in ECMA-48.
"""


class QuitRequested(Exception):
    """Raised if the player quits: by ``quit``, or at the end of input."""


def prepare_output(*, ascii_only: bool) -> None:
    """Let the console of Windows obey escape sequences, such as the one of ``clear_screen``.

    With ``ascii_only``, non-ASCII characters are replaced in all further output, including names and chat.
    """
    if sys.platform == "win32":
        from colorama import just_fix_windows_console  # noqa: PLC0415 - lazy: optional, Windows only

        just_fix_windows_console()
    if ascii_only:
        print_similar_characters(sys.stdout, "ascii")


def print_lines(*lines: str) -> None:
    """Print lines without control characters; on a terminal they are wrapped at words.

    No line is wrapped between a number and its item.
    """
    width = measure_terminal(sys.stdout)[0]
    for line in lines:
        text = sanitize(line, _MAX_PRINTED_LENGTH)
        print(_wrap_line(text, width) if 0 < width < len(text) else text)


def _wrap_line(line: str, width: int) -> str:
    glued = _SPACE_AFTER_NUMBER.sub("\xa0", line)
    return "\n".join(wrap(glued, width, break_long_words=False, break_on_hyphens=False)).replace("\xa0", " ")


def print_prompt() -> None:
    print(PROMPT, end="", flush=True)


def read_line(begin: Callable[[], None] = print_prompt, end: Callable[[], None] = lambda: None) -> str:
    """Print the prompt, and return a line of input without surrounding blanks.

    ``begin`` prints the prompt, and ``end`` is called when the line has been read, before anything else is printed.
    Raises ``QuitRequested`` at the end of input.
    """
    begin()
    try:
        line = rest = _read_chunk()
        while rest and not rest.endswith("\n"):
            rest = _read_chunk()
    finally:
        end()
    if not line or not sys.stdin.isatty():
        print()  # no Enter key has ended the line on the screen
    if not line:
        raise QuitRequested
    return strip_control_sequences(line).strip()


def confirm(*question: str) -> bool:
    """Ask for ``yes``; return False after any other line. Raises ``QuitRequested`` at the end of input."""
    print_lines(*question)
    return read_line().lower() in ("yes", "y")


def strip_control_sequences(line: str) -> str:
    """Remove a terminal's reports and the sequences of function keys from a line of input."""
    return _CONTROL_SEQUENCE.sub("", line.removeprefix("\ufeff"))


def _read_chunk() -> str:
    """Read a line, or its first ``_MAX_LINE_LENGTH`` characters.

    The result is empty at the end of input, if the terminal is gone, or if the input cannot be decoded.
    """
    try:
        return sys.stdin.readline(_MAX_LINE_LENGTH) if sys.stdin else ""
    except (OSError, UnicodeError):
        return ""


def discard_input() -> None:
    """Wait ``DISCARD_SECONDS``, and discard everything typed until then.

    Without a terminal nothing is discarded, since every line of a pipe is meant for the next prompt.
    """
    if not is_on_terminal():
        return
    sys.stdout.flush()
    sleep(DISCARD_SECONDS)
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - lazy: optional, Windows only

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios  # noqa: PLC0415 - lazy: optional, POSIX only

        with suppress(termios.error):  # the terminal may be gone
            termios.tcflush(sys.stdin, termios.TCIFLUSH)


def is_on_terminal() -> bool:
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def require_privacy(people: int) -> None:
    """Check that the hands of ``people`` players at one keyboard can be hidden from each other.

    Raises ``CardtableError`` if there are several players and no terminal.
    """
    if people > 1 and not is_on_terminal():
        raise CardtableError(f"{people} people take turns here, and a pipe cannot hide their hands; use a terminal")


def clear_screen() -> None:
    print(CLEAR_SEQUENCE, end="", flush=True)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT and signals that end the program until the context is left; only the first one is delivered."""
    deferred: list[tuple[int, FrameType | None]] = []

    def defer(number: int, frame: FrameType | None) -> None:
        deferred.append((number, frame))

    with _handle_signals(defer, signal.SIGINT, *_EXIT_SIGNALS):
        yield
    for number, frame in deferred[:1]:
        answer = signal.getsignal(number)
        if callable(answer):
            answer(number, frame)


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Convert signals that end the program into ``EndedBySignal``, so that cleanup runs."""

    def exit_program(number: int, _frame: FrameType | None) -> None:
        raise EndedBySignal(_SIGNAL_EXIT_BASE + number)

    with _handle_signals(exit_program, *_EXIT_SIGNALS):
        yield


@contextmanager
def _handle_signals(handler: Callable[[int, FrameType | None], None], *numbers: signal.Signals) -> Iterator[None]:
    """Install a handler for signals, and restore the previous handlers on exit."""
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, answered in before.items():
            signal.signal(number, answered)
