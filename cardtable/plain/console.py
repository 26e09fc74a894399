"""Reading and printing lines; nothing but printable text goes out, and to clear the screen."""

import codecs
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

from cardtable.store.errors import CardtableError
from cardtable.store.text import clean
from cardtable.telling.in_ascii import in_ascii

PROMPT: Final = "> "
CLEAR: Final = "\x1b[H\x1b[2J\x1b[3J"
"""Takes what was printed from the screen of a terminal, and from what can be scrolled back to."""
_MOST_TYPED: Final = 4096
"""Characters of a line that are read; what follows is no answer to anything."""
_MOST_PRINTED: Final = 100_000
"""Characters of a line that are printed."""


class Left(Exception):
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
    """Print lines."""
    for line in lines:
        print(clean(line, _MOST_PRINTED))


def ask() -> str:
    """A line that is typed.  Raises ``Left`` at the end of what can be read."""
    print(PROMPT, end="", flush=True)
    line = sys.stdin.readline(_MOST_TYPED) if sys.stdin else ""
    rest = line
    while rest and not rest.endswith("\n"):
        rest = sys.stdin.readline(_MOST_TYPED)
    if not line or not sys.stdin.isatty():
        print()  # nobody has pressed Enter on the screen
    if not line:
        raise Left
    return line.removeprefix("\ufeff").strip()


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
    """Let Ctrl+C wait until what is being done is done."""
    asked: list[tuple[int, FrameType | None]] = []

    def note(number: int, frame: FrameType | None) -> None:
        asked.append((number, frame))

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked and callable(before):
        before(*asked[0])
