"""The one way for text from outside to the screen."""

from typing import Final
from unicodedata import category, normalize

MOST_PATH: Final = 4096
"""Characters of a path; more a system does not take."""
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of characters that are not to be seen, or that would steer the terminal."""
_MOST_COMPOSED: Final = 4
"""How many characters may become one in the normal form."""


def clean(text: str, most: int = 200) -> str:
    """The text as it may be shown: in the normal form NFC, without control and format characters.

    Each of those becomes U+FFFD.  No longer than ``most`` characters; where something is left
    out, the last of them is an ellipsis.
    """
    if len(text) <= most and text.isascii() and text.isprintable():
        return text
    composed = normalize("NFC", text[: _MOST_COMPOSED * (most + 1)])
    shown = "".join(["\ufffd" if category(c) in _HIDDEN else c for c in composed[: most + 1]])
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def place(path: object, most: int = 80) -> str:
    """The end of a path as it may be shown; the beginning is left out where it is too long."""
    whole = str(path)
    shown = clean(whole[-most:], most)
    return shown if len(whole) <= most else "…" + shown[1:]
