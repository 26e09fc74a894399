"""Charts of ratings and statistics: line plots, points, columns and bars, without frames and legends."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, pairwise
from typing import Final

import msgspec
from rich.cells import cell_len

from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, Canvas, shorten_names, truncate
from cardtable.ui.toolkit.painting.layout import Box
from cardtable.wording.formatting import format_number

_BRAILLE: Final = 0x2800
_DOTS: Final = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""Bits of the Unicode braille patterns (from U+2800), by row and column of the dot."""
MIN_PLOT_SIZE: Final = (18, 4)
"""Minimum columns and rows of a plot; nothing is painted in a smaller box."""
_MIN_PLOT_WIDTH: Final = 14
"""Minimum number of columns that full names leave for the plot, including the gap between them."""


class Curve(msgspec.Struct, frozen=True):
    """Line of a plot: its name, and a value for each step from the first one; it may end before the last step."""

    name: str
    values: Sequence[int]
    ink: str


class Scale(msgspec.Struct, frozen=True):
    """Mapping of steps (from 0) and values to the dots of a plot; a cell has 2 by 4 dots."""

    area: Box
    """Cells of the plot."""
    steps: float
    low: float
    high: float

    def find_dot(self, step: float, value: float) -> tuple[int, int]:
        """Return the column and the row of a dot, counted from the top left corner of the area."""
        right, bottom = 2 * self.area.width - 1, 4 * self.area.height - 1
        x = round(step * right / self.steps) if self.steps else 0
        return x, round((self.high - value) * bottom / (self.high - self.low))

    def find_row(self, value: float) -> int:
        return self.find_dot(0, value)[1] // 4


def paint_plot(canvas: Canvas, box: Box, lines: Sequence[Curve], steps: int) -> int:
    """Paint lines over the steps 0 to ``steps``; return the first column of the dots.

    The first line is the player's own and covers the others. Each line ends in its name and last value. A large plot
    has a grid with values behind the lines. Nothing is painted if the box is too small.
    """
    values = [value for line in lines for value in line.values]
    if box.width < MIN_PLOT_SIZE[0] or box.height < max(MIN_PLOT_SIZE[1], len(lines) + 1) or not values:
        return box.x
    low, high = min(values), max(values)
    name, figure = _measure_labels(lines, box.width)
    ticks = range(0)
    if box.width >= 40 and box.height >= 10:
        ticks = choose_ticks(low, high, min(6, box.height // 3))
        high = max(high, *ticks[-1:])
    scale = _paint_scale(canvas, box, ticks, (low, max(high, low + 1)), steps, name + figure + 3)
    paths = [(line.ink, [scale.find_dot(step, value) for step, value in enumerate(line.values)]) for line in lines]
    paint_paths(canvas, scale.area, paths[::-1])  # the player's own line covers the others
    _paint_curve_labels(canvas, scale, lines, name, box.right)
    _paint_ends(canvas, scale.area, ("0", str(steps)))
    return scale.area.x


def _measure_labels(lines: Sequence[Curve], width: int) -> tuple[int, int]:
    """Return the widths, in columns, of the names and of the values at the ends of the lines."""
    names = max(cell_len(line.name) for line in lines)
    figures = max(len(format_number(line.values[-1])) for line in lines if line.values)
    return min(names, max(width // 5, min(NICK_WIDTH, width - figures - _MIN_PLOT_WIDTH), 4)), figures


def choose_ticks(low: int, high: int, max_ticks: int) -> range:
    """Return at most ``max_ticks`` equidistant round values from ``low`` to ``high`` or slightly above."""
    every = (range(-(-low // step) * step, high + step // 2 + 1, step) for step, _ in _iter_steps())
    return next(ticks for ticks in every if len(ticks) <= max_ticks)


def choose_covering_ticks(low: float, high: float, max_ticks: int) -> range:
    """Return at least two and at most ``max_ticks`` equidistant round values that include ``low`` and ``high``."""
    starts = ((int(low // unit) * unit, step) for step, unit in _iter_steps())
    every = (
        range(first, max(first + step, first - int((first - high) // step) * step) + 1, step) for first, step in starts
    )
    return next(ticks for ticks in every if len(ticks) <= max_ticks)


def _iter_steps() -> Iterator[tuple[int, int]]:
    """Yield round distances between ticks, ascending, each with a unit of which the first tick can be a multiple."""
    for power in count():
        for base, unit in ((10, 5), (20, 10), (25, 5), (50, 10)):
            yield base * 10**power // 10, max(unit * 10**power // 10, 1)


def _paint_scale(canvas: Canvas, box: Box, ticks: range, limits: tuple[float, float], steps: int, labels: int) -> Scale:
    """Paint grid lines at ``ticks`` in a box, above a last row for the end labels; return the scale of the plot.

    ``limits`` are the lowest and the highest value; ``labels`` is the width, in columns, left free at the right.
    """
    axis = max([len(format_number(tick)) for tick in ticks], default=-1) + 1
    area = Box(box.x + axis, box.y, box.width - axis - labels, box.height - 1)
    scale = Scale(area, steps, *limits)
    paint_grid(canvas, scale, ticks)
    return scale


def paint_grid(canvas: Canvas, scale: Scale, ticks: range) -> None:
    """Paint dotted grid lines, with their values at the left."""
    area, theme = scale.area, canvas.theme
    for tick in ticks:
        y = area.y + scale.find_row(tick)
        canvas.write(area.x, y, ("· " * area.width)[: area.width], theme.grounds.bonus)
        canvas.write_right(area.x - 2, y, format_number(tick), theme.inks.muted)


def paint_paths(canvas: Canvas, area: Box, paths: Iterable[tuple[str, Sequence[tuple[int, int]]]]) -> None:
    """Paint lines through points given in dots, each with its ink.

    In a cell that several lines pass only the last one is visible.
    """
    cells: dict[tuple[int, int], tuple[int, str, int]] = {}
    for i, (ink, points) in enumerate(paths):
        for x, y in _iter_line_dots(points):
            owner, _, bits = cells.get((x // 2, y // 4), (i, ink, 0))
            bit = _DOTS[y % 4][x % 2]
            cells[x // 2, y // 4] = (i, ink, bits | bit if owner == i else bit)
    for (x, y), (_, ink, bits) in cells.items():
        canvas.write(area.x + x, area.y + y, chr(_BRAILLE + bits), ink)


def _iter_line_dots(points: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    yield from points[:1]
    for (x, y), (right, end) in pairwise(points):
        steps = max(right - x, abs(end - y), 1)
        for i in range(1, steps + 1):
            yield x + round((right - x) * i / steps), y + round((end - y) * i / steps)


def _paint_curve_labels(canvas: Canvas, scale: Scale, lines: Sequence[Curve], name: int, right: int) -> None:
    names = shorten_names([line.name for line in lines], name)
    for y, i in _place_labels(scale, {i: line.values[-1] for i, line in enumerate(lines) if line.values}):
        canvas.write(scale.area.right + 2, y, names[i], lines[i].ink, bold=not i)
        canvas.write_right(right, y, format_number(lines[i].values[-1]), lines[i].ink, bold=not i)


def _place_labels(scale: Scale, values: Mapping[int, float]) -> Iterable[tuple[int, int]]:
    """Return the row of canvas for the label of each line, with the number of the line, from top to bottom.

    ``values`` are the last values by number of the line.
    """
    order = sorted(values, key=lambda i: (scale.find_row(values[i]), -values[i]))
    rows = spread_rows([scale.find_row(values[i]) for i in order], scale.area.height)
    return zip([scale.area.y + row for row in rows], order, strict=True)


def spread_rows(rows: Sequence[int], height: int) -> list[int]:
    """Move ascending rows as little as necessary so that they are distinct and less than ``height``.

    Groups of colliding rows are merged and centred (pool adjacent violators algorithm).
    """
    groups: list[tuple[float, int]] = []
    for i, row in enumerate(rows):
        ideal, size = float(row - i), 1
        while groups and groups[-1][0] > ideal:
            before, more = groups.pop()
            ideal, size = (ideal * size + before * more) / (size + more), size + more
        groups.append((ideal, size))
    offsets = [min(max(round(ideal), 0), height - len(rows)) for ideal, size in groups for _ in range(size)]
    return [offset + i for i, offset in enumerate(offsets)]


POINT_MARK: Final = "●"
_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_MIN_RANGE: Final = 10
"""Minimum difference between the lowest and the highest value of a grid."""
_LABEL_GAP: Final = 2
"""Number of columns between the end of a line and its label."""


class Series(msgspec.Struct, frozen=True):
    """Line of a plot with values for some of the steps only."""

    label: str
    """Label at the end of the line; "" for none."""
    steps: Sequence[int]
    """Steps that have a value, in ascending order, from 0."""
    values: Sequence[float]
    ink: str
    own: bool = False
    """True for the player's own line, which covers the others and has a bold label."""


def paint_series(canvas: Canvas, box: Box, series: Sequence[Series], steps: int, ends: tuple[str, str]) -> None:
    """Paint lines over the steps 0 to ``steps`` with a grid.

    ``ends`` are the labels of the first and the last step. If no line has a label, the newest point of the player's own
    line is marked.
    """
    known = [course for course in series if course.values]
    if not known:
        return
    values = [value for course in known for value in course.values]
    labels = max(cell_len(course.label) for course in known)
    scale = _paint_covering_scale(canvas, box, values, steps, labels + _LABEL_GAP if labels else 0)
    area = scale.area
    ordered = sorted(known, key=lambda course: course.own)
    paint_paths(canvas, area, [(course.ink, compute_points(scale, course)) for course in ordered])
    if labels:
        for y, i in _place_labels(scale, {i: course.values[-1] for i, course in enumerate(known)}):
            canvas.write(area.right + 1 + _LABEL_GAP, y, known[i].label, known[i].ink, bold=known[i].own)
    else:
        x, y = scale.find_dot(ordered[-1].steps[-1], ordered[-1].values[-1])
        canvas.write(area.x + x // 2, area.y + y // 4, POINT_MARK, canvas.theme.inks.gold)
    _paint_ends(canvas, area, ends)


def compute_points(scale: Scale, series: Series) -> list[tuple[int, int]]:
    """Return the points of a line in dots; of several points in a column of dots only the last one is included."""
    dots = [scale.find_dot(step, value) for step, value in zip(series.steps, series.values, strict=True)]
    return list({x: (x, y) for x, y in dots}.values())


def paint_points(canvas: Canvas, box: Box, values: Sequence[int], ends: tuple[str, str]) -> None:
    """Paint a point for each value, the newest one in gold; ``ends`` are the labels of the first and the last step."""
    scale = _paint_covering_scale(canvas, box, values, max(len(values) - 1, 1), 0)
    for step, value in enumerate(values):
        x, y = scale.find_dot(step, value)
        newest = step == len(values) - 1
        ink = canvas.theme.inks.gold if newest else canvas.theme.inks.soft
        canvas.write(scale.area.x + x // 2, scale.area.y + y // 4, POINT_MARK, ink, bold=newest)
    _paint_ends(canvas, scale.area, ends)


def _paint_covering_scale(canvas: Canvas, box: Box, values: Sequence[float], steps: int, labels: int) -> Scale:
    """Paint a grid that begins and ends with a tick, as ``_paint_scale`` does; return its scale."""
    low, high = min(values), max(values)
    ticks = choose_covering_ticks(low, max(high, low + _MIN_RANGE), min(6, max(box.height // 2, 3)))
    return _paint_scale(canvas, box, ticks, (ticks[0], ticks[-1]), steps, labels)


def _paint_ends(canvas: Canvas, area: Box, ends: tuple[str, str]) -> None:
    first, last = ends
    ink, y = canvas.theme.inks.muted, area.bottom + 1
    canvas.write(area.x, y, first, ink)
    if last != first and cell_len(first) + cell_len(last) < area.width:
        canvas.write_right(area.right, y, last, ink)


def paint_columns(canvas: Canvas, box: Box, columns: Sequence[tuple[str, float]], unit: str) -> None:
    """Paint a column chart in eighths of a row, from 0, with the first and the last value as labels.

    ``columns`` are names and values; ``unit`` follows the last value.
    """
    values = [value for _, value in columns]
    high, rows = max(*values, 1), box.height - 1
    axis = max(len(f"{values[0]:.0f}"), 3) + 1
    last = f"{values[-1]:.0f}{unit}"
    room = box.width - axis - len(last) - 1
    width, gap = next(((w, g) for w, g in ((3, 2), (2, 1), (1, 1)) if len(columns) * (w + g) <= room), (1, 0))
    muted = canvas.theme.inks.muted
    for index, (name, value) in enumerate(columns):
        x = box.x + axis + index * (width + gap)
        eighths = round(8 * rows * value / high)
        for row in range(rows):
            sign = _EIGHTHS[max(0, min(eighths - 8 * row, 8))]
            canvas.write(x, box.y + rows - 1 - row, sign * width, canvas.theme.inks.arrow)
        if width > 1 or index % 2 == 0:
            end = x + 1 if width == 3 and len(name) == 1 else x + width - 1
            canvas.write_right(end, box.bottom, name, muted)
        if index == 0:
            canvas.write_right(x - 2, box.y + rows - max(-(-eighths // 8), 1), f"{value:.0f}", muted)
        if index == len(columns) - 1 and index:
            canvas.write(x + width + 1, box.y + rows - max(-(-eighths // 8), 1), last, muted)


class Amount(msgspec.Struct, frozen=True):
    """Named value for a bar, with its text."""

    name: str
    value: float
    text: str


def paint_amounts(canvas: Canvas, box: Box, amounts: Sequence[Amount]) -> None:
    """Paint names, bars and values in two columns, without bars in a narrow box; negative values have another ink."""
    largest = max([abs(amount.value) for amount in amounts], default=0) or 1
    names = max([cell_len(amount.name) for amount in amounts], default=0)
    text_width = max([cell_len(amount.text) for amount in amounts], default=0)
    rows, gap = -(-len(amounts) // 2), 4 if box.width > 60 else 2
    width = (box.width - gap) // 2
    inks = canvas.theme.inks
    for index, amount in enumerate(amounts):
        x, y = box.x + (index // rows) * (width + gap), box.y + index % rows
        if y > box.bottom:
            continue
        room = width - names - text_width - 2
        canvas.write(x, y, truncate(amount.name, width - text_width - 1), inks.text)
        if room >= 4:
            ink = inks.loss if amount.value < 0 else inks.arrow
            paint_bar(canvas, x + names + 1, y, room, round(2 * room * abs(amount.value) / largest), ink)
        canvas.write_right(x + width - 1, y, amount.text, inks.soft)


def paint_bar(canvas: Canvas, x: int, y: int, width: int, halves: int, ink: str, *, has_track: bool = True) -> None:
    """Paint a thin bar of ``halves`` half columns, with the rest of the width as a faint track behind it."""
    if has_track:
        canvas.write(x, y, "━" * width, canvas.theme.grounds.track)
    canvas.write(x, y, "━" * (halves // 2) + "╸" * (halves % 2), ink)


def paint_split_bar(canvas: Canvas, x: int, y: int, width: int, parts: Sequence[tuple[str, str, int]]) -> None:
    """Paint a bar divided by frequency, with the label of each part below it if there is room.

    ``parts`` has a label, a short label and the frequency of each part; parts with the frequency 0 are omitted.
    """
    shown_parts = [part for part in parts if part[2]]
    whole = sum([times for *_, times in shown_parts])
    inks = canvas.theme.inks
    shades = (inks.text, inks.soft, inks.muted, inks.quiet, canvas.theme.grounds.bonus, canvas.theme.grounds.bonus)
    room, end = width - max(len(shown_parts) - 1, 0) - len(shown_parts), 0
    for shade, (name, short, times) in zip(shades, shown_parts, strict=False):
        columns = 1 + room * times // whole
        canvas.write(x + end, y, "━" * columns, shade)
        label = next((text for text in (name, short) if cell_len(text) <= max(columns, width - end)), "")
        if cell_len(label) <= columns or times == shown_parts[-1][2]:
            canvas.write(x + end, y + 1, label, inks.muted)
        end += columns + 1


def paint_rating_interval(
    canvas: Canvas, x: int, y: int, width: int, bounds: tuple[float, float], rating: tuple[float, float], ink: str
) -> None:
    """Paint a rating (mu, sigma) on a line between the two ``bounds``, with a bar of one sigma on both sides."""
    (low, high), (mu, sigma) = bounds, rating

    def find_column(value: float) -> int:
        return max(0, min(round((value - low) / (high - low) * (width - 1)), width - 1))

    canvas.write(x, y, "─" * width, canvas.theme.grounds.track)
    left, right = find_column(mu - sigma), find_column(mu + sigma)
    canvas.write(x + left, y, "━" * (right - left + 1), ink)
    canvas.write(x + find_column(mu), y, POINT_MARK, ink)
