"""Variables of the environment that the terminal library would follow wherever they lead."""

import os
import re
from typing import Final

from cardtable.store.settings import colour_choice

MOST_CELLS: Final = 999
"""Columns or rows of the largest terminal that there may be."""
_SIZE: Final = re.compile("[1-9][0-9]{1,2}"), f"a number from 10 to {MOST_CELLS}"
_SENSIBLE: Final = {
    "COLUMNS": _SIZE,
    "LINES": _SIZE,
    "TEXTUAL_COLOR_SYSTEM": (re.compile("auto|standard|256|truecolor|windows"), "auto, standard, 256 or truecolor"),
    "TEXTUAL_FPS": (re.compile("[1-9][0-9]{0,2}"), "a number from 1 to 999"),
    "ESCDELAY": (re.compile("[1-9][0-9]{0,3}"), "a number from 1 to 9999"),
}
"""What each may be, and that in words."""
_COLOUR_SYSTEMS: Final = {"2": "256", "3": "truecolor"}
"""What Textual calls the numbers of colours that ``FORCE_COLOR`` may ask for."""


def follow_colour_choice() -> None:
    """Set for the terminal library how many colours ``FORCE_COLOR`` asks for, and hide a ``NO_COLOR`` that is empty.

    To be called before that library is imported.
    """
    if os.environ.get("NO_COLOR") == "":
        del os.environ["NO_COLOR"]
    wanted, _ = colour_choice()
    system = _COLOUR_SYSTEMS.get(os.environ.get("FORCE_COLOR", ""))
    if wanted and system:
        os.environ.setdefault("TEXTUAL_COLOR_SYSTEM", system)


def leave_out_absurd() -> list[str]:
    """Take absurd ones out of the environment of this process; what they were, in a line each.

    To be called before the terminal library is imported, which reads some of them then.
    """
    found = []
    for name, (sensible, words) in _SENSIBLE.items():
        value = os.environ.get(name)
        if value is not None and not sensible.fullmatch(value):
            del os.environ[name]
            if value:
                found.append(f"{name}={value[:40]}, which is not {words}")
    return found
