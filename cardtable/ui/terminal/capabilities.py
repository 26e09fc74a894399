"""Capabilities of the terminal, and validation of the environment variables that Textual reads."""

import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, TextIO, cast

from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.settings import COLOUR_VARIABLES, read_colour_choice
from cardtable.wording.formatting import measure_terminal

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS = {None: "no colours", "standard": "16 colours", "256": "256 colours", "truecolor": "all colours"}
_VARIABLES = (
    *("TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "SSH_TTY", *COLOUR_VARIABLES, "LANG", "LC_ALL", "LC_CTYPE"),
)


def has_few_colours() -> bool:
    """Return True if the terminal has at most sixteen colours; False in a browser."""
    from textual import constants  # noqa: PLC0415 - lazy: startup, after the variables it reads were checked

    return constants.DRIVER is None and _create_console().color_system in (None, "standard", "windows")


def is_remote() -> bool:
    """Return True if every picture travels over a network: by ssh, or from the host of a club to a guest."""
    return "SSH_TTY" in os.environ or is_hosted_client()


def is_ascii_only() -> bool:
    """Return True if the output encoding is known and not UTF-8, so that Textual would write question marks."""
    return _get_encoding().lower().replace("-", "") not in ("utf8", "unknown")


def get_screen_stream() -> TextIO | None:
    """Return the stream that Textual draws the screens on: standard error, on Windows standard output."""
    return sys.stdout if sys.platform == "win32" else sys.stderr


def _get_encoding() -> str:
    return getattr(get_screen_stream(), "encoding", None) or "unknown"


def _create_console() -> "Console":
    from rich.console import Console  # noqa: PLC0415 - lazy: startup, after the variables it reads were checked

    system = cast('Literal["auto"]', os.environ.get("TEXTUAL_COLOR_SYSTEM", "auto"))  # any other value has been removed
    return Console(file=get_screen_stream(), force_terminal=True, color_system=system)


def iter_facts(mono_reason: str | None, min_size: tuple[int, int]) -> Iterator[tuple[str, str]]:
    """Yield facts about the terminal for a report, as pairs of name and value.

    ``mono_reason`` is the origin of a request for no colours, such as a variable. ``min_size`` is the size that the
    table needs, as (columns, rows).
    """
    is_terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, get_screen_stream()))
    width, height = measure_terminal(get_screen_stream())
    least = "{}x{}".format(*min_size)
    size = f"{width}x{height}" if width else "size unknown"
    if not is_terminal:
        yield "terminal", "none here: the table needs one, --plain does not"
    else:
        small = width < min_size[0] or height < min_size[1]
        yield "terminal", f"{size}{f', too small: {least} is needed' if small else ''}"
    able = _COLOURS.get(_create_console().color_system, "some colours")
    yield "colours", f"none, because of {mono_reason}; the terminal can show {able}" if mono_reason else able
    effect = ", so nothing but ASCII is shown: suits need UTF-8" if is_ascii_only() else ""
    yield "characters", _get_encoding() + effect
    variables = [f"{name}={os.environ[name]}" for name in _VARIABLES if os.environ.get(name)]
    yield "environment", " ".join(variables) or "does not describe the terminal"


MAX_TERMINAL_SIDE: Final = 999
"""Maximum number of columns, and of rows, of a terminal."""
_VALID_VALUES: Final = {
    "TEXTUAL_COLOR_SYSTEM": (re.compile("auto|standard|256|truecolor|windows"), "auto, standard, 256 or truecolor"),
    "TEXTUAL_FPS": (re.compile("[1-9][0-9]{0,2}"), "a number from 1 to 999"),
    "ESCDELAY": (re.compile("[1-9][0-9]{0,3}"), "a number from 1 to 9999"),
}
"""Pattern of the valid values of each variable, and a description of them."""
_COLOUR_SYSTEMS: Final = {"2": "256", "3": "truecolor"}
"""Textual's names of the numbers of colours that ``FORCE_COLOR`` can request."""


def apply_colour_choice() -> None:
    """Select Textual's colours as ``FORCE_COLOR`` requests, unless they are already selected.

    Also removes an empty ``NO_COLOR``, which has no effect by convention. Must be called before Textual is imported.
    """
    if os.environ.get("NO_COLOR") == "":
        del os.environ["NO_COLOR"]
    colour_choice, _ = read_colour_choice()
    system = _COLOUR_SYSTEMS.get(os.environ.get("FORCE_COLOR", ""))
    if colour_choice and system:
        os.environ.setdefault("TEXTUAL_COLOR_SYSTEM", system)


def remove_invalid_variables() -> list[str]:
    """Remove variables with invalid values from the environment of this process; return a sentence about each of them.

    Empty variables are removed silently, and so are those that name a size of the terminal, except in a browser, whose
    host sets them. Must be called before Textual is imported, which reads some of them on import.
    """
    removed = []
    if "TEXTUAL_DRIVER" not in os.environ:
        os.environ.pop("COLUMNS", None)
        os.environ.pop("LINES", None)
    for name, (sensible, words) in _VALID_VALUES.items():
        value = os.environ.get(name)
        if value is not None and not sensible.fullmatch(value):
            del os.environ[name]
            if value:
                removed.append(f"{name}={value[:40]}, which is not {words}")
    return removed
