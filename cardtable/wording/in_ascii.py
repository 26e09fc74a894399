"""What is told without signs and letters beyond ASCII, each in one column."""

from functools import cache
from typing import Final
from unicodedata import category, normalize

UNKNOWN: Final = "?"
"""Stands for a sign or letter that nothing in ASCII is like."""
SUITS: Final = str.maketrans("\u2663\u2666\u2665\u2660", "CDHS")
"""Suits as letters, for ``str.translate``."""
_SIGNS: Final = {
    **dict(zip("♣♦♥♠♧♢♡♤", "CDHSCDHS", strict=True)),
    **dict.fromkeys("★☆•‣", "*"),
    **dict.fromkeys("▲△▴↑", "^"),
    **dict.fromkeys("▼▽▾↓", "v"),
    **dict.fromkeys("▌▸▶►→›»⇒", ">"),
    **dict.fromkeys("◂◀◄←‹«⇐", "<"),
    **dict.fromkeys("●○◉◦◌◆◇↺↻⟲⟳", "o"),
    **dict.fromkeys("■▅▆▇█▄▪◼", "#"),
    **dict.fromkeys("□▫▁▂·∙⋅", "."),
    **dict.fromkeys("▃▀╸╺−–—‒―─╌┄┈‐‑", "-"),
    **dict.fromkeys("━═≈", "="),
    **dict.fromkeys("▏▕▎▍▋▊▉▐│┃║╎┆┊¦", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╯╰╔╗╚╝┏┓┗┛✓✔", "+"),
    **dict.fromkeys("╳×✗✘✕", "x"),
    **dict.fromkeys("↖↘╲", "\\"),
    **dict.fromkeys("↗↙╱", "/"),
    **dict.fromkeys("…±", "~"),
    **dict.fromkeys("░▒", ":"),
    **dict.fromkeys("▓", "%"),
    **dict.fromkeys("⏎↵", "<"),
    **dict.fromkeys("‘’‚′´", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict(zip("ßøØłŁđĐðÐþÞıæÆœŒ", "soOlLdDdDtTiaAoO", strict=True)),
}
_BRAILLE: Final = range(0x2801, 0x2900)
_UPPER, _LOWER = 0x1B, 0xE4
"""The bits of the dots in the upper and in the lower half of a braille sign."""


@cache
def letter(char: str) -> str:
    """What is like a character in ASCII: one character; none for what adds to the one before it."""
    if char.isascii():
        return char
    if char in _SIGNS:
        return _SIGNS[char]
    if ord(char) in _BRAILLE:
        return _dots(ord(char))
    if category(char) in ("Mn", "Me"):
        return ""
    if category(char) == "Zs" or char == "\u2800":
        return " "
    plain = [part for part in normalize("NFKD", char) if part.isascii()]
    return plain[0] if len(plain) == 1 else UNKNOWN


def _dots(braille: int) -> str:
    """A sign for the dots of a plot, by the height they are at."""
    upper, lower = braille & _UPPER, braille & _LOWER
    return ":" if upper and lower else "'" if upper else "."


def in_ascii(text: str) -> str:
    """A text without anything beyond ASCII."""
    return text if text.isascii() else "".join(map(letter, text))
