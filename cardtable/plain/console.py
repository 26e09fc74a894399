"""Console input and output; only printable text is written, and the sequence that clears the screen."""

import codecs
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from shutil import get_terminal_size
from textwrap import wrap
from time import sleep
from types import FrameType
from typing import Final

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.wording.formatting import in_ascii

PROMPT: Final = "> "
CLEAR: Final = "\x1b[H\x1b[2J\x1b[3J"
"""Escape sequence that clears a terminal's screen and scrollback."""
_ENDING: Final = tuple(
    signal.Signals[name] for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if name in signal.Signals.__members__
)
"""Signals that ask the program to end, besides SIGINT of Ctrl+C."""
_BY_SIGNAL: Final = 128
"""Base of the exit codes that name the signal which ended a program."""
SEEN: Final = 0.6
"""Seconds after a curtain is printed in which input is discarded, as it was typed before the curtain was read."""
_MOST_TYPED: Final = 4096
"""Limit of characters read of a line; the rest is discarded."""
_MOST_PRINTED: Final = 100_000
"""Limit of characters printed of a line."""
_AFTER_NUMBER: Final = re.compile(r"(?<=\d:) ")
"""Space between a number and its item, at which lines are not wrapped."""

_SEQUENCE: Final = re.compile(
    "(?:\x1b[]P_^X]|[\x9d\x90\x9f\x9e\x98]).*?(?:\x07|\x9c|\x1b\\\\|$)|(?:\x1b\\[|\x9b)[ -?]*(?:[@-~]|$)|\x1bO.|\x1b",
    re.DOTALL,
)
"""Control strings (OSC, DCS, APC, PM, SOS), control sequences (CSI) and function keys (SS3), as in ECMA-48."""


class QuitRequested(Exception):
    """The player quits: by ``quit``, or at the end of input."""


def print_ascii_only() -> None:
    """Replace characters beyond ASCII in all further output, including names and chat."""
    codecs.register_error("nearest", _nearest)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="ascii", errors="nearest")


def _nearest(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return in_ascii(error.object[error.start : error.end]), error.end


def print_lines(*lines: str) -> None:
    """Print lines; on a terminal wrap them at words, but not between a number and its item."""
    width = get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else 0
    for line in lines:
        text = sanitize(line, _MOST_PRINTED)
        print(_broken(text, width) if 0 < width < len(text) else text)


def _broken(line: str, width: int) -> str:
    """Wrap a line for a terminal."""
    glued = _AFTER_NUMBER.sub("\xa0", line)
    return "\n".join(wrap(glued, width, break_long_words=False, break_on_hyphens=False)).replace("\xa0", " ")


def read_line() -> str:
    """Prompt, and return a line of input, stripped.  Raises ``QuitRequested`` at the end of input."""
    print(PROMPT, end="", flush=True)
    line = rest = _read()
    while rest and not rest.endswith("\n"):
        rest = _read()
    if not line or not sys.stdin.isatty():
        print()  # no Enter key has ended the line on the screen
    if not line:
        raise QuitRequested
    return typed_text(line).strip()


def typed_text(line: str) -> str:
    """Return the typed part of a line, without a terminal's reports and the sequences of function keys."""
    return _SEQUENCE.sub("", line.removeprefix("\ufeff"))


def _read() -> str:
    """Read a line, or its first `_MOST_TYPED` characters; empty at the end of input or if the terminal is gone."""
    try:
        return sys.stdin.readline(_MOST_TYPED) if sys.stdin else ""
    except OSError:
        return ""


def discard_input() -> None:
    """Discard input typed before the last output could be read; waits `SEEN` seconds.

    No effect without a terminal: every line of a pipe is meant for the next prompt.
    """
    if not on_terminal():
        return
    sys.stdout.flush()
    sleep(SEEN)
    try:
        import termios  # noqa: PLC0415 - lazy: optional, not on Windows
    except ImportError:
        return
    with suppress(termios.error):  # the terminal may be gone
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def on_terminal() -> bool:
    """Return True if input and output are a terminal, whose screen can be cleared."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def require_privacy(people: int) -> None:
    """Raise ``CardtableError`` if several people would play without a terminal, as their hands could not be hidden."""
    if people > 1 and not on_terminal():
        raise CardtableError(f"{people} people take turns here, and a pipe cannot hide their hands; use a terminal")


def clear() -> None:
    print(CLEAR, end="", flush=True)


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT and signals that end the program until the context is left."""
    deferred: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        deferred.append((number, frame))

    with _answered_by(note, signal.SIGINT, *_ENDING):
        yield
    for number, frame in deferred[:1]:
        answer = signal.getsignal(number)
        if callable(answer):
            answer(number, frame)


@contextmanager
def exit_on_signals() -> Iterator[None]:
    """Turn a signal that ends the program into ``SystemExit``, so that cleanup runs."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(_BY_SIGNAL + number)

    with _answered_by(end, *_ENDING):
        yield


@contextmanager
def _answered_by(answer: Callable[[int, FrameType | None], None], *numbers: signal.Signals) -> Iterator[None]:
    """Install a signal handler, and restore the previous handlers on exit."""
    before = {number: signal.signal(number, answer) for number in numbers}
    try:
        yield
    finally:
        for number, answered in before.items():
            signal.signal(number, answered)
