"""Painting of marks: bars and texts in the middle of the table, and texts for plates."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.engine.game import Mark
from cardtable.ui.toolkit.painting.canvas import Canvas, join_fitting, truncate
from cardtable.ui.toolkit.painting.layout import Box
from cardtable.wording.players import format_mark, format_plate_mark, format_short_mark, format_value

_MAX_BAR: Final = 16
_MIN_BAR: Final = 4
"""Maximum and minimum width of a bar in columns."""
_GAP: Final = 3
"""Number of columns between two marks in a row."""
_MAX_ROWS: Final = 2
"""Maximum number of rows in the middle."""


def count_mark_rows(marks: Sequence[Mark], width: int) -> int:
    return len(_arrange(marks, width)[0])


def paint_middle_marks(canvas: Canvas, box: Box, marks: Sequence[Mark]) -> None:
    """Paint marks in the first rows of ``box``, each row centred, a track as a bar; what does not fit is left out."""
    rows, bar = _arrange(marks, box.width)
    for y, row in enumerate(rows, box.y):
        x = box.centre[0] - _measure_row(row, bar) // 2
        for mark in row:
            x = _paint_mark(canvas, max(x, box.x), y, mark, bar, box.width) + _GAP


def _arrange(marks: Sequence[Mark], width: int) -> tuple[list[list[Mark]], int]:
    """Return rows of marks and the width of their bars, which is as large as the width of the rows permits.

    It is 0, for no bars, if some mark does not fit otherwise.
    """
    for bar in range(_MAX_BAR, _MIN_BAR - 1, -1):
        rows = _fill_rows(marks, width, bar)
        if len(rows) <= 1 and all(_measure_row(row, bar) <= width for row in rows):
            return rows, bar
    bar = _MIN_BAR if all(_measure_row([mark], _MIN_BAR) <= width for mark in marks) else 0
    return _fill_rows(marks, width, bar)[:_MAX_ROWS], bar


def _fill_rows(marks: Sequence[Mark], width: int, bar: int) -> list[list[Mark]]:
    rows: list[list[Mark]] = []
    for mark in marks:
        if rows and _measure_row([*rows[-1], mark], bar) <= width:
            rows[-1].append(mark)
        else:
            rows.append([mark])
    return rows


def _measure_row(marks: Sequence[Mark], bar: int) -> int:
    widths = [cell_len(format_mark(mark)) + (bar + 1 if mark.of and bar else 0) for mark in marks]
    return sum(widths) + _GAP * (len(marks) - 1)


def _paint_mark(canvas: Canvas, x: int, y: int, mark: Mark, bar: int, max_width: int) -> int:
    """Paint the name, the bar and the value of a mark in at most ``max_width`` columns; return the next column."""
    inks = canvas.theme.inks
    if cell_len(format_mark(mark)) > max_width:
        return canvas.write(x, y, _shorten_mark(mark, format_plate_mark(mark), max_width), inks.text)
    if not format_value(mark):
        return canvas.write(x, y, mark.name, inks.text)
    x = canvas.write(x, y, mark.name, inks.muted) + 1
    if mark.of and bar:
        x = paint_track(canvas, x, y, bar, mark) + 1
    return canvas.write(x, y, format_value(mark), inks.text, bold=True)


def paint_track(canvas: Canvas, x: int, y: int, width: int, mark: Mark) -> int:
    """Paint the track of a mark as a bar; return the next column.

    Any progress fills at least one cell, and only the end fills all.
    """
    assert mark.of is not None
    assert isinstance(mark.value, int)
    done = max(mark.value, 0)
    filled = width if done >= mark.of else min(-(-width * done // mark.of), width - 1)
    canvas.write(x, y, "▅" * width, canvas.theme.grounds.bonus)  # the colour of tracks is hardly visible on the mat
    canvas.write(x, y, "▅" * filled, canvas.theme.inks.bar)
    return x + width


def paint_plate_marks(canvas: Canvas, box: Box, marks: Sequence[Mark]) -> Sequence[Mark]:
    """Paint the first marks in the row ``box`` below a plate; return those that do not fit.

    A single track has a bar if there is room.
    """
    canvas.fill(box.x, box.y, box.width, 1, canvas.theme.grounds.plate)
    room = box.width - 2
    texts = [*map(format_short_mark, marks)]
    number = next((n for n in range(len(marks), 1, -1) if cell_len(" ".join(texts[:n])) <= room), 1)
    x = canvas.write(box.x + 1, box.y, join_marks(marks[:number], room), canvas.theme.inks.text) + 1
    bar = box.x + 1 + room - x
    if number == 1 and marks[0].of and bar >= _MIN_BAR:
        paint_track(canvas, x, box.y, bar, marks[0])
    return marks[number:]


def join_marks(marks: Sequence[Mark], width: int, fact: str = "") -> str:
    """Join as many marks as fit into ``width`` columns, in their short form, and after them ``fact`` if it fits."""
    return _join_texts(marks, [*map(format_short_mark, marks), *([fact] if fact else [])], " ", width)


def join_plate_marks(marks: Sequence[Mark], width: int) -> str:
    """Join as many marks as fit into ``width`` columns, in their form for a wide plate."""
    return _join_texts(marks, list(map(format_plate_mark, marks)), "  ", width)


def _join_texts(marks: Sequence[Mark], texts: Sequence[str], separator: str, width: int) -> str:
    return join_fitting([_shorten_mark(marks[0], texts[0], width), *texts[1:]], separator, width)


def _shorten_mark(mark: Mark, text: str, width: int) -> str:
    """Return ``text``, the name of a mark and its value, in at most ``width`` columns.

    The name is cut, or left out if nothing of it fits beside the value. A value is cut only if it is too long alone.
    """
    value = text.removeprefix(mark.name)
    room = width - cell_len(value)
    if cell_len(text) <= width or not value or cell_len(value.strip()) > width:
        return truncate(text, width)
    return f"{truncate(mark.name, room)}{value}" if room > 1 else value.strip()
