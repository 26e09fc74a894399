"""Board at the end of a session: podium, plot of the totals, and lines about bests and decisions."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.engine.game import Seat, Sides
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.paint import score_sheet
from cardtable.ui.table.paint.round_end import (
    compute_hand_area,
    format_outcome,
    get_side_ink,
    paint_remarks,
    paint_tally,
)
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.charts import paint_plot
from cardtable.ui.toolkit.painting.layout import Box, Layout, get_layout
from cardtable.ui.toolkit.painting.text_fit import shorten_names, truncate
from cardtable.wording.formatting import WINNER_MARK, format_number
from cardtable.wording.session_end import EndLine

_PLACES: Final = 3
"""Number of places on the podium. Equal totals share a place."""
_MIN_HEIGHT: Final = 3
_MAX_HEIGHT: Final = 9
"""Limits of the height of the winners' blocks in rows."""
_MAX_LINES: Final = 8
"""Maximum number of lines on a large mat."""
_COLUMN, _MAX_COLUMN = 8, 15
"""Usual and maximum width of a block and the gap after it, in columns."""
_MIN_OTHER_WIDTH: Final = 7
"""Minimum width of place, name and result of a side that shares a row with others."""
_MIN_COLUMNS: Final = {1: 9, 2: 6}
"""Minimum width of a block and the gap after it, by the number of rows for its texts."""


def paint_session_end(canvas: Canvas, layout: Layout, frame: TableViewState) -> None:
    """Paint podium and plot on the mat, and lines about bests and decisions in the place of the hand.

    A large mat has room for the lines. The tally of exact bids or best rounds follows if it fits.
    """
    theme, mat = canvas.theme, layout.wide_mat
    canvas.fill(mat.x, mat.y, mat.width, mat.height, theme.grounds.mat)
    canvas.write(mat.x + 2, mat.y + 1, format_outcome(frame, mat.width - 4), theme.inks.text, bold=True)
    text_rows = 1 if layout.tiny else 2
    if frame.remarks:
        mat = paint_remarks(canvas, layout, frame, text_rows + _MIN_HEIGHT + 1).wide_mat
    body = Box(mat.x + 2, mat.y + 3, mat.width - 4, mat.height - 3)
    below, lines = compute_hand_area(layout), frame.end_lines.lines if frame.end_lines else ()
    if layout.large:
        line_count = _paint_lines(canvas, body, lines)
        body = Box(body.x, body.y, body.width, body.height - line_count - 1)
    else:
        start = below.y if layout.tiny else below.y - 1
        line_count = _paint_lines(canvas, Box(below.x, start, below.width, canvas.height - 1 - start), lines)
    has_plot = not layout.tiny and bool(frame.scores)
    width = body.width if not has_plot else 3 * (_MAX_COLUMN if layout.large else _COLUMN)
    _paint_podium(canvas, Box(body.x, body.y, width, body.height), frame, text_rows)
    if has_plot:
        plot = Box(body.x + width + 2, body.y, body.width - width - 2, body.height - 1)
        paint_plot(canvas, plot, score_sheet.build_total_curves(frame), len(frame.scores))
    if layout.large or not line_count:
        paint_tally(canvas, layout, below, frame)


def _paint_podium(canvas: Canvas, box: Box, frame: TableViewState, text_rows: int) -> None:
    """Paint a block for each side in the first places, and a line for each of the others.

    The name and the result are above a block, in ``text_rows`` rows. If the others have no room for a line each, they
    share one.
    """
    place, order = score_sheet.compute_places(frame), score_sheet.sort_sides_by_place(frame)
    columns = box.width // _MIN_COLUMNS[text_rows]
    first = tuple([side for side in order if place[side[0]] <= _PLACES][:columns])
    others = order[len(first) :]
    gap = text_rows - 1 if others else 0
    rows = len(others) if text_rows + _MIN_HEIGHT + gap + len(others) <= box.height else 1
    height = max(min(box.height - text_rows - gap - rows, _MAX_HEIGHT), _MIN_HEIGHT)
    column = min(box.width // max(len(first), 2), _MAX_COLUMN)
    base = box.y + text_rows + height
    for position, side in enumerate(_arrange(first)):
        block_rows = max(height - (place[side[0]] - 1) * (height // _PLACES), 1)
        block = Box(box.x + position * column, base - block_rows, column - 1, block_rows)
        _paint_block(canvas, block, frame, side, text_rows)
    room = Box(box.x, base + gap, min(box.width, max(column * len(first) - 1, 2 * _COLUMN)), rows)
    _paint_others(canvas, room if rows > 1 or len(others) < 2 else Box(room.x, room.y, box.width, 1), frame, others)


def _arrange(sides: Sides) -> Sides:
    """Return the sides from left to right: the first one in the middle, if there are three or more."""
    return (sides[1], sides[0], *sides[2:]) if len(sides) >= _PLACES else sides


def _paint_block(canvas: Canvas, block: Box, frame: TableViewState, side: tuple[Seat, ...], text_rows: int) -> None:
    """Paint the block of a side with its place, and its name and result above."""
    theme, place = canvas.theme, score_sheet.compute_places(frame)[side[0]]
    canvas.fill(block.x, block.y, block.width, block.height, theme.inks.gold if place == 1 else theme.inks.quiet)
    centre = block.x + block.width // 2
    canvas.write(centre, block.y + block.height // 2, str(place), theme.grounds.mat, bold=True)
    result = format_number(score_sheet.compute_results(frame)[side[0]])
    mark = f"{WINNER_MARK} " if place == 1 and cell_len(result) + 2 <= block.width else ""
    name_ink, own = get_side_ink(canvas, frame, side), frame.seat in side
    if text_rows == 1:
        name = _shorten_name(frame, side, block.width - cell_len(f"{mark}{result}") - 1)
        x = centre - cell_len(f"{mark}{name} {result}") // 2
        x = canvas.write(max(x, block.x), block.y - 1, mark, theme.inks.gold)
        x = canvas.write(x, block.y - 1, name, name_ink, bold=own)
        canvas.write(x + 1, block.y - 1, result, theme.inks.text, bold=True)
        return
    canvas.write_centred(centre, block.y - 2, _shorten_name(frame, side, block.width), name_ink, bold=own)
    x = centre - cell_len(f"{mark}{result}") // 2
    x = canvas.write(x, block.y - 1, mark, theme.inks.gold)
    canvas.write(x, block.y - 1, result, theme.inks.text, bold=True)


def _shorten_name(frame: TableViewState, side: tuple[Seat, ...], width: int) -> str:
    names = [frame.format_side(each) for each in frame.sides]
    return shorten_names(names, width)[frame.sides.index(side)]


def _paint_others(canvas: Canvas, box: Box, frame: TableViewState, others: Sides) -> None:
    """Paint place, name and result of each side in a row of its own, or in one row of as many sides as fit."""
    inks, place = canvas.theme.inks, score_sheet.compute_places(frame)
    if len(others) > box.height:
        number = max((box.width + 3) // (_MIN_OTHER_WIDTH + 3), 1)
        own_first = sorted(others, key=lambda side: frame.seat not in side)[:number]
        others = tuple([side for side in others if side in own_first])
    results = [format_number(score_sheet.compute_results(frame)[side[0]]) for side in others]
    if len(others) > box.height:
        width = box.width // len(others) - 3
        for i, (side, result) in enumerate(zip(others, results, strict=True)):
            x = canvas.write(box.x + i * (width + 3), box.y, f"{place[side[0]]} ", inks.muted)
            name = _shorten_name(frame, side, width - 3 - cell_len(result))
            x = canvas.write(x, box.y, name, inks.text, bold=frame.seat in side)
            canvas.write(x + 1, box.y, result, inks.text)
        return
    for y, (side, result) in enumerate(zip(others, results, strict=True), box.y):
        x = canvas.write(box.x, y, f"{place[side[0]]}  ", inks.muted)
        name = _shorten_name(frame, side, box.right - x - cell_len(result))
        canvas.write(x, y, name, get_side_ink(canvas, frame, side), bold=frame.seat in side)
        canvas.write_right(box.right, y, result, inks.text)


def _paint_lines(canvas: Canvas, box: Box, lines: Sequence[EndLine]) -> int:
    """Paint the first lines that fit at the bottom of a large mat, or at the top of another box; return their number.

    A line has its label at the left and the key that shows more at the right.
    """
    inks, keys = canvas.theme.inks, canvas.appearance.keys
    in_mat = get_layout(canvas).large
    shown_lines = lines[: _MAX_LINES if in_mat else box.height]
    indent = max([len(line.label) + 2 for line in shown_lines if line.label], default=0)
    for y, line in enumerate(shown_lines, box.bottom - len(shown_lines) if in_mat else box.y):
        right = box.right + 1
        if line.key:
            right = canvas.write_right(box.right, y, keys.format_label(line.key), inks.text, bold=True) - 1
        if line.label:
            canvas.write(box.x, y, line.label, inks.muted)
            x = box.x + indent
        else:
            x = canvas.write(box.x, y, f"{WINNER_MARK} ", inks.gold)
        card_faces.paint_text(canvas, x, y, truncate(line.text, right - x), inks.text, max_width=right - x)
    return len(shown_lines)
