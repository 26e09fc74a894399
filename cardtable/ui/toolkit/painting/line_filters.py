"""Textual line filters for every row of output: ASCII only, no colours, letters for suits.

The filters apply to all widgets and preserve the width of every row.
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

from cardtable.ui.toolkit.painting.themes import RenderOptions, compute_contrast, compute_luminance
from cardtable.wording.formatting import SUIT_LETTERS, to_ascii

_BAR_DOTS: Final = str.maketrans("▅■━╸─▪", "......")
"""Replacements for the characters of a bar that show an empty remainder."""
_FAINT_CONTRAST: Final = 3.0
"""Contrast below which a bar is an empty remainder."""
_LIGHT_LUMINANCE: Final = 0.14
"""Minimum luminance of a background that is shown in reverse video.

Such backgrounds are those of cards, chips, scroll bars and the plate of the seat to act.
"""
_DIM_CONTRAST: Final = 4.05
"""Contrast below which an ink that is not bold is shown dim: forbidden choices, and content below an overlay."""
_CACHE_SIZE: Final = 4096
"""Number of texts and styles that are cached."""


class SuitLetterFilter(LineFilter):
    """Filter that replaces suit signs with letters."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        return [Segment(text.translate(SUIT_LETTERS), style, control) for text, style, control in segments]


class AsciiFilter(LineFilter):
    """Filter that replaces all characters outside ASCII."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment
            if segment.text.isascii() or segment.control
            else Segment(_to_ascii(segment.text, faint=_is_faint(segment.style, background.hex6)), segment.style)
            for segment in segments
        ]


class MonoFilter(LineFilter):
    """Filter that removes colours.

    Light backgrounds become reverse video, faint inks become dim, and everything else is plain or bold.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            Segment(text, style and _remove_colours(style, background.hex6), control)
            for text, style, control in segments
        ]


@cache
def build_filters(options: RenderOptions) -> list[LineFilter]:
    """Return the filters for these options, in the order of their application; cached."""
    available: list[tuple[bool, Callable[[], LineFilter]]] = [
        (options.suit_letters, SuitLetterFilter),
        (options.ascii, AsciiFilter),
        (options.mono, MonoFilter),
    ]
    return [make() for is_needed, make in available if is_needed]


@lru_cache(_CACHE_SIZE)
def _to_ascii(text: str, *, faint: bool) -> str:
    """Return the text in ASCII with the same width; bars of a faint ink become dots."""
    if faint:
        text = text.translate(_BAR_DOTS)
    return set_cell_size("".join([to_ascii(char).ljust(cell_len(char)) for char in text]), cell_len(text))


@lru_cache(_CACHE_SIZE)
def _is_faint(style: Style | None, background: str) -> bool:
    return style is not None and compute_contrast(*find_colours(style, background)) < _FAINT_CONTRAST


@lru_cache(_CACHE_SIZE)
def _remove_colours(style: Style, background: str) -> Style:
    ink, ground = find_colours(style, background)
    reverse = compute_luminance(ground) >= _LIGHT_LUMINANCE
    dim = not (reverse or style.bold) and compute_contrast(ink, ground) < _DIM_CONTRAST
    return Style(bold=style.bold, dim=dim, reverse=reverse, underline=style.underline, italic=style.italic)


def find_colours(style: Style, background: str) -> tuple[str, str]:
    """Return the visible ink and background of a style, with reverse video resolved."""
    ink, ground = _to_hex(style.color, "#ffffff"), _to_hex(style.bgcolor, background)
    return (ground, ink) if style.reverse else (ink, ground)


def _to_hex(colour: RichColor | None, default: str) -> str:
    return default if colour is None or colour.is_default else colour.get_truecolor().hex
