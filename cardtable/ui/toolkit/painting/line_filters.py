"""The last thing before the terminal: rows as they are painted, in ASCII, without colours, with letters for suits.

It is done to all that is shown, whoever paints it, and keeps the width of everything.
"""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from cardtable.ui.toolkit.painting.themes import RenderOptions, contrast, luminance
from cardtable.wording.formatting import SUIT_LETTERS, letter

_BARS: Final = str.maketrans("▅■━╸─▪", "......")
"""Bars, where what is left of them is shown."""
_FAINT: Final = 3.0
"""Contrast below which a bar is what is left of it."""
_LIGHT: Final = 0.14
"""Luminance from which on a ground is shown reversed: cards, plates of who is to act, chips, thumbs."""
_QUIET: Final = 4.05
"""Contrast below which an ink that is not bold is shown dim: what is forbidden, and what lies under something."""
_KEPT: Final = 4096
"""How many texts and styles are remembered."""


class Letters(LineFilter):
    """Suits as letters."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The row with letters for suits."""
        return [Segment(text.translate(SUIT_LETTERS), style, control) for text, style, control in segments]


class Ascii(LineFilter):
    """Nothing but ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The row with something in ASCII in each column."""
        return [
            segment
            if segment.text.isascii() or segment.control
            else Segment(_in_columns(segment.text, faint=_faint(segment.style, background.hex6)), segment.style)
            for segment in segments
        ]


class Mono(LineFilter):
    """No colours: light grounds reversed, faint inks dim, all else plain; bold stays."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The row without colours."""
        return [
            Segment(text, style and _without_colours(style, background.hex6), control)
            for text, style, control in segments
        ]


@cache
def filters(needed: RenderOptions) -> list[LineFilter]:
    """What does it, in this order."""
    made: list[Callable[[], LineFilter]] = (
        [Letters] * needed.suit_letters + [Ascii] * needed.ascii + [Mono] * needed.mono
    )
    return [make() for make in made]


@lru_cache(_KEPT)
def _in_columns(text: str, *, faint: bool) -> str:
    """A text in ASCII that has as many columns; bars of faint ink are dotted."""
    if faint:
        text = text.translate(_BARS)
    return set_cell_size("".join([letter(char).ljust(cell_len(char)) for char in text]), cell_len(text))


@lru_cache(_KEPT)
def _faint(style: Style | None, background: str) -> bool:
    return style is not None and contrast(*_colours(style, background)) < _FAINT


@lru_cache(_KEPT)
def _without_colours(style: Style, background: str) -> Style:
    ink, ground = _colours(style, background)
    reverse = luminance(ground) >= _LIGHT
    dim = not (reverse or style.bold) and contrast(ink, ground) < _QUIET
    return Style(bold=style.bold, dim=dim, reverse=reverse, underline=style.underline, italic=style.italic)


def _colours(style: Style, background: str) -> tuple[str, str]:
    """The ink and the ground as they are seen."""
    ink, ground = _hex(style.color, "#ffffff"), _hex(style.bgcolor, background)
    return (ground, ink) if style.reverse else (ink, ground)


def _hex(colour: RichColor | None, default: str) -> str:
    return default if colour is None or colour.is_default else colour.get_truecolor().hex
