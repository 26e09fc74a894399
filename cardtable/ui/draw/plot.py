"""Lines over rounds, in dots of a quarter of a row: no frame and no legend."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Final

from rich.cells import cell_len

from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.layout import Box
from cardtable.ui.draw.names import WHOLE_NAME, cut_alike
from cardtable.wording.words import signed

_BRAILLE: Final = 0x2800
_DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille sign, by row and column of its dots."""
LEAST: Final = (18, 4)
"""Columns and rows below which a plot says nothing."""
_LEAST_DOTS: Final = 14
"""Columns of dots that whole names leave at least, what stands between them and the names included."""


@dataclass(frozen=True, slots=True)
class Curve:
    """What one line shows: its name, and a value for each step from the first on; it may end early."""

    name: str
    values: Sequence[int]


@dataclass(frozen=True, slots=True)
class Scale:
    """Where steps, from 0 on, and values lie."""

    area: Box
    """The cells of the dots."""
    steps: float
    low: float
    high: float

    def dot(self, step: float, value: float) -> tuple[int, int]:
        """Column and row of a dot, from the top left corner of the area."""
        right, bottom = 2 * self.area.width - 1, 4 * self.area.height - 1
        x = round(step * right / self.steps) if self.steps else 0
        return x, round((self.high - value) * bottom / (self.high - self.low))

    def row(self, value: float) -> int:
        """The row of the area in which a value lies."""
        return self.dot(0, value)[1] // 4


def plot(canvas: Canvas, box: Box, lines: Sequence[Curve], first: int, last: int) -> int:
    """Paint the lines, one's own first, over the steps ``first`` to ``last``; nothing if there is no room.

    Where there is much room a grid with its values stands behind.  Every line ends in its
    name and value.  Returns the first column of the dots.
    """
    values = [value for line in lines for value in line.values]
    if box.width < LEAST[0] or box.height < max(LEAST[1], len(lines) + 1) or not values:
        return box.x
    low, high = min(values), max(values)
    name, figure = _label_widths(lines, box.width)
    ticks, axis = range(0), 0
    if box.width >= 40 and box.height >= 10:
        ticks = ticks_of(low, high, min(6, box.height // 3))
        high = max(high, *ticks[-1:])
        axis = max(len(signed(tick)) for tick in (ticks[0], ticks[-1])) + 1
    area = Box(box.x + axis, box.y, box.width - axis - name - figure - 3, box.height - 1)
    scale = Scale(area, last - first, low, max(high, low + 1))
    paint_grid(canvas, scale, ticks)
    _paint_lines(canvas, scale, lines)
    _paint_labels(canvas, scale, lines, name, box.right)
    canvas.text(area.x, box.bottom, str(first), canvas.theme.inks.muted)
    if last > first:
        canvas.right(area.right, box.bottom, str(last), canvas.theme.inks.muted)
    return area.x


def _label_widths(lines: Sequence[Curve], width: int) -> tuple[int, int]:
    """Columns for the names and for the values at the ends of the lines."""
    names = max(cell_len(line.name) for line in lines)
    figures = max(len(signed(line.values[-1])) for line in lines if line.values)
    return min(names, max(width // 5, min(WHOLE_NAME, width - figures - _LEAST_DOTS), 4)), figures


def ticks_of(low: int, high: int, most: int) -> range:
    """Round values from ``low`` to ``high`` or little above, at most ``most`` of them."""
    for power in count():
        for base in (10, 20, 25, 50):
            step = base * 10**power // 10
            ticks = range(-(-low // step) * step, high + step // 2 + 1, step)
            if len(ticks) <= most:
                return ticks
    raise AssertionError


def paint_grid(canvas: Canvas, scale: Scale, ticks: range) -> None:
    """Rows of points behind the lines, with their values at the left."""
    area, theme = scale.area, canvas.theme
    for tick in ticks:
        y = area.y + scale.row(tick)
        canvas.text(area.x, y, ("· " * area.width)[: area.width], theme.grounds.bonus)
        canvas.right(area.x - 2, y, signed(tick), theme.inks.muted)


def _paint_lines(canvas: Canvas, scale: Scale, lines: Sequence[Curve]) -> None:
    """One's own line is the last, and so is seen where lines meet."""
    paths = [
        (_ink(canvas, i), [scale.dot(step, value) for step, value in enumerate(line.values)])
        for i, line in enumerate(lines)
    ]
    paint_paths(canvas, scale.area, paths[::-1])


def paint_paths(canvas: Canvas, area: Box, paths: Iterable[tuple[str, Sequence[tuple[int, int]]]]) -> None:
    """Lines through points given in dots, each in its ink.  A cell has one: where lines meet the later one has it."""
    cells: dict[tuple[int, int], tuple[int, str, int]] = {}
    for i, (ink, points) in enumerate(paths):
        for x, y in _dots(points):
            owner, _, bits = cells.get((x // 2, y // 4), (i, ink, 0))
            bit = _DOTS[y % 4][x % 2]
            cells[x // 2, y // 4] = (i, ink, bits | bit if owner == i else bit)
    for (x, y), (_, ink, bits) in cells.items():
        canvas.text(area.x + x, area.y + y, chr(_BRAILLE + bits), ink)


def _ink(canvas: Canvas, index: int) -> str:
    inks = canvas.theme.plot.lines
    return inks[index % len(inks)]


def _dots(points: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    yield from points[:1]
    for (x, y), (right, end) in pairwise(points):
        steps = max(right - x, abs(end - y), 1)
        for i in range(1, steps + 1):
            yield x + round((right - x) * i / steps), y + round((end - y) * i / steps)


def _paint_labels(canvas: Canvas, scale: Scale, lines: Sequence[Curve], name: int, right: int) -> None:
    ends = sorted((scale.row(line.values[-1]), -line.values[-1], i) for i, line in enumerate(lines) if line.values)
    names = cut_alike([line.name for line in lines], name)
    for y, (_, _, i) in zip(apart([row for row, _, _ in ends], scale.area.height), ends, strict=True):
        ink = _ink(canvas, i)
        canvas.text(scale.area.right + 2, scale.area.y + y, names[i], ink, bold=not i)
        canvas.right(right, scale.area.y + y, signed(lines[i].values[-1]), ink, bold=not i)


def apart(rows: Sequence[int], height: int) -> list[int]:
    """Rows in ascending order moved so far that no two are the same, and all lie in ``height``."""
    groups: list[tuple[float, int]] = []
    for i, row in enumerate(rows):
        wanted, size = float(row - i), 1
        while groups and groups[-1][0] > wanted:
            before, more = groups.pop()
            wanted, size = (wanted * size + before * more) / (size + more), size + more
        groups.append((wanted, size))
    offsets = [min(max(round(wanted), 0), height - len(rows)) for wanted, size in groups for _ in range(size)]
    return [offset + i for i, offset in enumerate(offsets)]
