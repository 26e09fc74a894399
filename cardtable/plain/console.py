"""Reading and printing lines; nothing but printable text goes out, and to clear the screen."""

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
"""Takes what was printed from the screen of a terminal, and from what can be scrolled back to."""
_ENDING: Final = tuple(
    signal.Signals[name] for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if name in signal.Signals.__members__
)
"""Signals that ask the program to end, beside that of Ctrl+C."""
_BY_SIGNAL: Final = 128
"""Exit codes above this name the signal that ended a program."""
SEEN: Final = 0.6
"""Seconds after which a curtain has been seen, so that what is typed is meant for it."""
_MOST_TYPED: Final = 4096
"""Characters of a line that are read; what follows is no answer to anything."""
_MOST_PRINTED: Final = 100_000
"""Characters of a line that are printed."""
_AFTER_NUMBER: Final = re.compile(r"(?<=\d:) ")
"""The blank between a number and what it stands for."""

_SEQUENCE: Final = re.compile(
    "(?:\x1b[]P_^X]|[\x9d\x90\x9f\x9e\x98]).*?(?:\x07|\x9c|\x1b\\\\|$)|(?:\x1b\\[|\x9b)[ -?]*(?:[@-~]|$)|\x1bO.|\x1b",
    re.DOTALL,
)
"""Control strings (OSC, DCS, APC, PM, SOS), control sequences (CSI) and function keys (SS3), as in ECMA-48."""


class QuitRequested(Exception):
    """The person has left: by ``quit``, or since nothing more can be read."""


def print_ascii_only() -> None:
    """From now on print names and talk, too, without letters beyond ASCII."""
    codecs.register_error("nearest", _nearest)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="ascii", errors="nearest")


def _nearest(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return in_ascii(error.object[error.start : error.end]), error.end


def say(*lines: str) -> None:
    """Print lines; on a terminal none is broken within a word, nor between a number and what it stands for."""
    width = get_terminal_size().columns if sys.stdout and sys.stdout.isatty() else 0
    for line in lines:
        told = sanitize(line, _MOST_PRINTED)
        print(_broken(told, width) if 0 < width < len(told) else told)


def _broken(line: str, width: int) -> str:
    """A line as lines of a terminal."""
    glued = _AFTER_NUMBER.sub("\xa0", line)
    return "\n".join(wrap(glued, width, break_long_words=False, break_on_hyphens=False)).replace("\xa0", " ")


def ask() -> str:
    """A line that is typed.  Raises ``QuitRequested`` at the end of what can be read."""
    print(PROMPT, end="", flush=True)
    line = rest = _read()
    while rest and not rest.endswith("\n"):
        rest = _read()
    if not line or not sys.stdin.isatty():
        print()  # nobody has pressed Enter on the screen
    if not line:
        raise QuitRequested
    return typed_text(line).strip()


def typed_text(line: str) -> str:
    """Return what a person has typed of a line, without answers of the terminal and keys that type nothing."""
    return _SEQUENCE.sub("", line.removeprefix("\ufeff"))


def _read() -> str:
    """A line or a part of one; nothing where there is no more, or where the terminal has gone."""
    try:
        return sys.stdin.readline(_MOST_TYPED) if sys.stdin else ""
    except OSError:
        return ""


def forget_typed() -> None:
    """Drop what was typed before, and what is typed until what was printed last has been seen.

    Of no effect where nobody sits at a terminal: each line of a pipe is meant for what is asked next.
    """
    if not on_terminal():
        return
    sys.stdout.flush()
    sleep(SEEN)
    try:
        import termios  # noqa: PLC0415  (late: not there on every system)
    except ImportError:
        return
    with suppress(termios.error):  # the terminal may have gone
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def on_terminal() -> bool:
    """Whether a person sits at a terminal, whose screen can be cleared."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty())


def need_privacy(people: int) -> None:
    """Raise ``CardtableError`` where people take turns and their hands could not be hidden from each other."""
    if people > 1 and not on_terminal():
        raise CardtableError(f"{people} people take turns here, and a pipe cannot hide their hands; use a terminal")


def clear() -> None:
    """Clear the screen of the terminal."""
    print(CLEAR, end="", flush=True)


@contextmanager
def unbroken() -> Iterator[None]:
    """Let Ctrl+C, and what else ends the program, wait until what is being done is done."""
    asked: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        asked.append((number, frame))

    with _answered_by(note, signal.SIGINT, *_ENDING):
        yield
    for number, frame in asked[:1]:
        answer = signal.getsignal(number)
        if callable(answer):
            answer(number, frame)


@contextmanager
def in_order() -> Iterator[None]:
    """Let a signal that ends the program end what is being done in order: it raises ``SystemExit``."""

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(_BY_SIGNAL + number)

    with _answered_by(end, *_ENDING):
        yield


@contextmanager
def _answered_by(answer: Callable[[int, FrameType | None], None], *numbers: signal.Signals) -> Iterator[None]:
    """Let signals be answered so, and then as before."""
    before = {number: signal.signal(number, answer) for number in numbers}
    try:
        yield
    finally:
        for number, answered in before.items():
            signal.signal(number, answered)
