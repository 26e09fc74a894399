"""Output of painted rows: pictures as SVG, and filters for terminals without colours, Unicode or signs of suits.

The filters apply to all widgets and preserve the width of every row. A picture loads nothing: no fonts, style sheets
or images. Backgrounds and block characters are rectangles, so that cards have no gaps in any font. All other characters
are text. Words are stretched or compressed to the width of their cells, because viewers differ in their fonts.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple
from unicodedata import category
from xml.sax.saxutils import escape

from rich.cells import cell_len, set_cell_size
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from cardtable.engine.text_format import replace_control_chars
from cardtable.ui.toolkit.painting.canvas import Canvas
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


CELL_WIDTH: Final = 8
CELL_HEIGHT: Final = 16
"""Width and height of a cell in units of the picture; eighths of both are whole numbers."""
_SCALE: Final = 1.25
"""Pixels for each unit, if the viewer does not scale the picture."""
_BASELINE: Final = 12
"""Distance of the baseline from the top of a cell, in units."""
_FONT_SIZE: Final = 13
_FONTS: Final = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
"""Fonts of the viewer's machine, in the order of preference."""
_DEFAULT_GROUND: Final = "#000000"
"""Background of cells that have none, as in a picture without colours."""
_PLAIN: Final = Style()
_DIM_SHARE: Final = 0.5
"""Share of the background in the ink of dim text."""
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Pattern of the characters that XML 1.0 does not allow."""
_SHADES: Final = {"░": 0.25, "▒": 0.5, "▓": 0.75}
"""Share of the ink in block characters that are a mixture of ink and background."""
_UPPER_LEFT, _UPPER_RIGHT, _LOWER_LEFT, _LOWER_RIGHT = (0, 0, 4, 8), (4, 0, 4, 8), (0, 8, 4, 8), (4, 8, 4, 8)
_BLOCKS: Final[dict[str, tuple[tuple[int, int, int, int], ...]]] = {
    **{chr(0x2580 + eighths): ((0, 16 - 2 * eighths, 8, 2 * eighths),) for eighths in range(1, 9)},
    **{chr(0x2590 - eighths): ((0, 0, eighths, 16),) for eighths in range(1, 8)},
    "▀": ((0, 0, 8, 8),),
    "▐": ((4, 0, 4, 16),),
    "▕": ((7, 0, 1, 16),),
    "▖": (_LOWER_LEFT,),
    "▗": (_LOWER_RIGHT,),
    "▘": (_UPPER_LEFT,),
    "▙": (_UPPER_LEFT, _LOWER_LEFT, _LOWER_RIGHT),
    "▚": (_UPPER_LEFT, _LOWER_RIGHT),
    "▛": (_UPPER_LEFT, _UPPER_RIGHT, _LOWER_LEFT),
    "▜": (_UPPER_LEFT, _UPPER_RIGHT, _LOWER_RIGHT),
    "▝": (_UPPER_RIGHT,),
    "▞": (_UPPER_RIGHT, _LOWER_LEFT),
    "▟": (_UPPER_RIGHT, _LOWER_LEFT, _LOWER_RIGHT),
    "━": ((0, 7, 8, 2),),
    "╸": ((0, 7, 4, 2),),
    "╺": ((4, 7, 4, 2),),
}
"""Rectangles of block characters: left, top, width and height in units."""


class _Cell(NamedTuple):
    """Character of one or two columns."""

    x: int
    char: str
    """Character with the combining characters that follow it."""
    width: int
    ink: str
    ground: str
    bold: bool
    underlined: bool

    @property
    def is_symbol(self) -> bool:
        """True if fonts may draw the character with another width than letters, as suit signs."""
        return not self.char.isascii() and category(self.char[0])[0] == "S"

    def can_precede(self, other: "_Cell") -> bool:
        """Return True if both cells can be in one text, in which all characters have the same width."""
        is_repeated_symbol = self.char == other.char or not (self.is_symbol or other.is_symbol)
        return self[2:] == other[2:] and self.char + other.char != "  " and is_repeated_symbol


class _Rectangle(NamedTuple):
    x: int
    y: int
    width: int
    height: int
    colour: str


def format_canvas(canvas: Canvas, title: str, options: RenderOptions) -> str:
    """Return a canvas as SVG, with the line filters of ``options``."""
    ground = Color.parse(canvas.theme.grounds.felt)
    strips = [canvas.render_row(y) for y in range(canvas.height)]
    for line_filter in build_filters(options):
        strips = [strip.apply_filter(line_filter, ground) for strip in strips]
    return format_svg(strips, canvas.width, title)


def format_svg(rows: Sequence[Iterable[Segment]], width: int, title: str) -> str:
    """Return rows of ``width`` columns as SVG. ``title`` is what viewers and screen readers call the picture."""
    lines = [list(_iter_cells(segments)) for segments in rows]
    size = width * CELL_WIDTH, len(lines) * CELL_HEIGHT
    ground = _find_usual_ground(lines)
    grounds = [
        _Rectangle(cell.x * CELL_WIDTH, y * CELL_HEIGHT, cell.width * CELL_WIDTH, CELL_HEIGHT, cell.ground)
        for y, line in enumerate(lines)
        for cell in line
        if cell.ground != ground
    ]
    blocks = [block for y, line in enumerate(lines) for cell in line for block in _iter_blocks(cell, y)]
    texts = [text for y, line in enumerate(lines) for text in _iter_texts(line, y)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{size[0] * _SCALE:g}" '
            f'height="{size[1] * _SCALE:g}" viewBox="0 0 {size[0]} {size[1]}">',
            f"<title>{_escape(title)}</title>",
            f'<rect width="{size[0]}" height="{size[1]}" fill="{ground}"/>',
            '<g shape-rendering="crispEdges">',
            *map(_format_rectangle, [*_merge_rectangles(grounds), *_merge_rectangles(blocks)]),
            "</g>",
            f'<g font-family="{_FONTS}" font-size="{_FONT_SIZE}" style="font-variant-emoji:text">',
            *texts,
            "</g>",
            "</svg>",
            "",
        ]
    )


def _iter_cells(segments: Iterable[Segment]) -> Iterator[_Cell]:
    x, previous = 0, None
    for text, style, control in segments:
        if control:
            continue
        look = style or _PLAIN
        ink, ground = find_colours(look, _DEFAULT_GROUND)
        if look.dim:
            ink = _blend(ink, ground, _DIM_SHARE)
        for char in text:
            width = cell_len(char)
            if width:
                if previous:
                    yield previous
                previous = _Cell(x, char, width, ink, ground, bool(look.bold), bool(look.underline))
                x += width
            elif previous:
                previous = previous._replace(char=previous.char + char)
    if previous:
        yield previous


def _blend(ink: str, ground: str, share: float) -> str:
    return Color.parse(ink).blend(Color.parse(ground), share).hex.lower()


def _find_usual_ground(lines: Iterable[Iterable[_Cell]]) -> str:
    """Return the background of the most cells."""
    counts: dict[str, int] = {}
    for line in lines:
        for cell in line:
            counts[cell.ground] = counts.get(cell.ground, 0) + cell.width
    return max(counts, key=counts.__getitem__, default=_DEFAULT_GROUND)


def _iter_blocks(cell: _Cell, y: int) -> Iterator[_Rectangle]:
    """Yield the rectangles of a block character in row ``y``; none for any other character."""
    if cell.char in _SHADES:
        ink = _blend(cell.ground, cell.ink, _SHADES[cell.char])
        yield _Rectangle(cell.x * CELL_WIDTH, y * CELL_HEIGHT, CELL_WIDTH, CELL_HEIGHT, ink)
    for left, top, width, height in _BLOCKS.get(cell.char, ()):
        yield _Rectangle(cell.x * CELL_WIDTH + left, y * CELL_HEIGHT + top, width, height, cell.ink)


def _merge_rectangles(rectangles: Iterable[_Rectangle]) -> list[_Rectangle]:
    """Join rectangles of one colour that lie side by side, and then those that lie one below the other."""
    rows: dict[tuple[int, int, int, str], _Rectangle] = {}
    for rectangle in rectangles:
        left = rows.pop((rectangle.y, rectangle.x, rectangle.height, rectangle.colour), None)
        joined = rectangle if left is None else rectangle._replace(x=left.x, width=left.width + rectangle.width)
        rows[joined.y, joined.x + joined.width, joined.height, joined.colour] = joined
    columns: dict[tuple[int, int, int, str], _Rectangle] = {}
    for rectangle in sorted(rows.values()):
        above = columns.pop((rectangle.x, rectangle.y, rectangle.width, rectangle.colour), None)
        joined = rectangle if above is None else rectangle._replace(y=above.y, height=above.height + rectangle.height)
        columns[joined.x, joined.y + joined.height, joined.width, joined.colour] = joined
    return sorted(columns.values(), key=lambda rectangle: (rectangle.y, rectangle.x))


def _format_rectangle(area: _Rectangle) -> str:
    return f'<rect x="{area.x}" y="{area.y}" width="{area.width}" height="{area.height}" fill="{area.colour}"/>'


def _iter_texts(line: Sequence[_Cell], y: int) -> Iterator[str]:
    """Yield the text elements of row ``y``, without spaces at their ends."""
    run: list[_Cell] = []
    for cell in line:
        if run and not run[-1].can_precede(cell):
            yield from _format_run(run, y)
            run = []
        run.append(cell)
    yield from _format_run(run, y)


def _format_run(run: Sequence[_Cell], y: int) -> Iterator[str]:
    """Yield the text element of cells with the same look; none if they are blank or block characters."""
    cells = [*run]
    while cells and cells[0].char == " ":
        del cells[0]
    while cells and cells[-1].char == " ":
        del cells[-1]
    if not cells or cells[0].char in _BLOCKS or cells[0].char in _SHADES:
        return
    first, length = cells[0], sum(cell.width for cell in cells) * CELL_WIDTH
    weight = ' font-weight="bold"' if first.bold else ""
    line = ' text-decoration="underline"' if first.underlined else ""
    x, position = first.x * CELL_WIDTH, f'textLength="{length}"'
    if len(cells) == 1:
        x, position = x + length // 2, 'text-anchor="middle"'
    text = _escape("".join([cell.char for cell in cells]))
    yield f'<text x="{x}" y="{y * CELL_HEIGHT + _BASELINE}" {position} fill="{first.ink}"{weight}{line}>{text}</text>'


def _escape(text: str) -> str:
    """Return the text as XML, with U+FFFD in place of characters that are invisible or not allowed."""
    return escape(_NOT_IN_XML.sub("\ufffd", replace_control_chars(text)))
