"""Boxes over a darkened screen: the key sheet, and a few lines of text."""

from collections.abc import Sequence
from typing import Final, TypeAlias

from rich.cells import cell_len

from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Box, layout
from cardtable.ui.words import cut, wrap

Keys: TypeAlias = Sequence[tuple[str, str]]
"""Keys, each with what it does."""
Groups: TypeAlias = Sequence[tuple[str, Keys]]
"""Keys by topic."""
Pair: TypeAlias = tuple[tuple[str, Keys], tuple[str, Keys]]
"""Two topics side by side."""

_WIDE: Final = Box(0, 0, 92, 28)
_USUAL: Final = Box(0, 0, 72, 20)
_INDENT: Final = 3
_GAP: Final = 3
"""Columns between keys and words, and between one pair of them and the next."""


def paint_help(canvas: Canvas, title: str, aside: str, groups: Groups) -> None:
    """Darken the canvas and lay the key sheet over it, in two columns by topic.

    Where that does not fit, the topics follow each other with their keys in running lines.
    """
    pairs = _pairs(groups)
    left, right = _columns(pairs)
    wanted = _wanted(canvas)
    inner = min(wanted.width, canvas.width - 4) - 2 * _INDENT
    rows = [max(len(a[1]), len(b[1])) + 1 for a, b in pairs]
    air = wanted is _WIDE
    height = 4 + sum(rows) + len(rows) * (1 + 2 * air)
    if left + _GAP + right > inner or height > canvas.height - 2:
        _paint_running(canvas, title, aside, groups)
        return
    box = _block(canvas, title, aside, height)
    x = box.x + max(_INDENT + left + _GAP, min(box.width * 7 // 12, box.width - _INDENT - right))
    y = box.y + 3 + air
    for (name, keys), (other_name, other_keys) in pairs:
        rows_left = _paint_topic(canvas, box.x + _INDENT, y, name, keys, air=air)
        rows_right = _paint_topic(canvas, x, y, other_name, other_keys, air=air)
        y += max(rows_left, rows_right) + 1 + air
    _paint_footer(canvas)


def paint_box(canvas: Canvas, title: str, lines: Sequence[str]) -> None:
    """Darken the canvas and lay lines of text over it, cards in notation; the last ones if not all fit."""
    wanted = _wanted(canvas)
    width = min(wanted.width, canvas.width - 4) - 2 * _INDENT
    most = min(wanted.height, canvas.height - 2) - 4
    shown = [row for line in lines for row in wrap(line, width)][-most:]
    box = _block(canvas, title, "", len(shown) + 4, least=0)
    for row, line in enumerate(shown):
        faces.words(canvas, box.x + _INDENT, box.y + 3 + row, line, canvas.theme.inks.text, most=width)
    _paint_footer(canvas)


def _wanted(canvas: Canvas) -> Box:
    return _WIDE if layout(canvas.width, canvas.height).large else _USUAL


def _block(canvas: Canvas, title: str, aside: str, height: int, least: int | None = None) -> Box:
    """The darkened canvas with an empty block in the middle, its title on the second row."""
    wanted, inks = _wanted(canvas), canvas.theme.inks
    canvas.dim()
    height = min(max(height, wanted.height if least is None else least), canvas.height - 2)
    width = min(wanted.width, canvas.width - 4)
    box = Box((canvas.width - width) // 2, max((canvas.height - 1 - height) // 2, 1), width, height)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.mat)
    x = canvas.text(box.x + _INDENT, box.y + 1, title, inks.text, bold=True) + 2
    canvas.text(x, box.y + 1, cut(aside, box.right - x - 1), inks.soft)
    return box


def _pairs(groups: Groups) -> list[Pair]:
    """The topics two by two; a last one alone is divided."""
    pairs: list[Pair] = list(zip(groups[::2], groups[1::2], strict=False))
    if len(groups) % 2:
        name, keys = groups[-1]
        half = (len(keys) + 1) // 2
        pairs.append(((name, keys[:half]), ("", keys[half:])))
    return pairs


def _columns(pairs: Sequence[Pair]) -> tuple[int, int]:
    """The widths of the two columns."""
    left = [key for (_, keys), _ in pairs for key in keys]
    right = [key for _, (_, keys) in pairs for key in keys]
    return _width(left), _width(right)


def _width(keys: Keys) -> int:
    return _key_width(keys) + max([cell_len(word) for _, word in keys], default=0)


def _key_width(keys: Keys) -> int:
    return max([cell_len(key) for key, _ in keys], default=0) + _GAP


def _paint_topic(canvas: Canvas, x: int, y: int, name: str, keys: Keys, *, air: bool) -> int:
    """One topic; returns its rows."""
    inks = canvas.theme.inks
    canvas.text(x, y, name, inks.text, bold=True)
    return 1 + air + len(keys)


def _paint_running(canvas: Canvas, title: str, aside: str, groups: Groups) -> None:
    """Topic after topic, the keys of each in lines filled from the left."""
