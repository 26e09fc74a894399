"""What the terminal is and can do, as far as the program can tell."""

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Literal, cast

from rich.console import Console
from textual import constants

from cardtable.store.settings import COLOUR_VARIABLES
from cardtable.ui.draw.layout import LEAST

_COLOURS = {None: "no colours", "standard": "16 colours", "256": "256 colours", "truecolor": "all colours"}
_VARIABLES = (
    *("TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "SSH_TTY", *COLOUR_VARIABLES, "LANG", "LC_ALL", "LC_CTYPE"),
)


def few_colours() -> bool:
    """Whether it has sixteen colours at most; a browser has all."""
    return constants.DRIVER is None and _console().color_system in (None, "standard", "windows")


def ascii_only() -> bool:
    """Whether what is written to it can have no other signs; the library would write question marks."""
    return _encoding().lower().replace("-", "") not in ("utf8", "unknown")


def _encoding() -> str:
    return getattr(sys.stderr, "encoding", None) or "unknown"


def _console() -> Console:
    system = cast('Literal["auto"]', os.environ.get("TEXTUAL_COLOR_SYSTEM", "auto"))  # one of those that Rich knows
    return Console(stderr=True, force_terminal=True, color_system=system)


def facts(why_mono: str) -> Iterator[tuple[str, str]]:
    """Yield the names of facts, each with what it is; ``why_mono``: what asks for no colours, if anything does."""
    is_terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
    width, height = shutil.get_terminal_size((0, 0))
    least = "{}x{}".format(*LEAST)
    size = f"{width}x{height}" if width else "size unknown"
    if not is_terminal:
        yield "terminal", "none here: the table needs one, --plain does not"
    else:
        small = width < LEAST[0] or height < LEAST[1]
        yield "terminal", f"{size}{f', too small: {least} is needed' if small else ''}"
    able = _COLOURS.get(_console().color_system, "some colours")
    yield "colours", f"none, as {why_mono} asks; the terminal can show {able}" if why_mono else able
    yield "characters", f"{_encoding()}{', so nothing but ASCII is shown: suits need UTF-8' * ascii_only()}"
    found = [f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name)]
    yield "environment", " ".join(found) or "says nothing of the terminal"
