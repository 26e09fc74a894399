"""Painting of a lesson on the table: its text above the mat, and its question above the prompt."""

from typing import Final

from msgspec.structs import replace
from rich.cells import cell_len

from cardtable.ui.table.model.frame import TableFrame
from cardtable.ui.table.paint.hint import paint_trick_chips
from cardtable.ui.toolkit.page import KeyTarget
from cardtable.ui.toolkit.painting import card_faces, markup_text
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.card_faces import FULL, LARGE, SMALL
from cardtable.ui.toolkit.painting.layout import Box, Layout
from cardtable.ui.toolkit.painting.text_fit import truncate
from cardtable.wording.learning import format_prompt_text, format_step

TEXT_COLUMNS: Final = 54
"""Width of the text in columns."""
_BOX_COLUMNS: Final = 58
"""Width of the box in columns, where the board is wide enough."""
_STEP_GAP: Final = 2
"""Columns between title, step and key."""
_MIN_TRICK_ROWS: Final = 4
"""Least height of a mat, in rows, on which a trick of four cards is legible."""
_MIN_PILE_ROWS: Final = 6
"""The same for piles and melds."""
_MIN_SMALL_PILE_ROWS: Final = 8
"""The same for piles one step smaller than full cards."""
_MIN_FULL_PILE_ROWS: Final = 12
"""The same for piles one step smaller than large cards."""
_MIN_SIX_ROWS: Final = 9
"""The same for the cards of more than four seats."""
_MIN_SIX_FULL_ROWS: Final = 11
"""The same for more than four seats and full cards."""


_MIN_ROOMY_ROWS: Final = 9
"""Least height of a mat, in rows, that is painted as on a screen with a panel."""
_TITLE_ROWS: Final = 3
"""Rows above the headings of the points of a round."""


def layout_lesson(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with a row above the prompt for the question, and with the mat below the text.

    A mat that would become too low for the cards stays where it is, and the text covers its upper part.
    """
    if frame.is_reading and _fits_below(layout, frame, box := compute_text_box(layout, frame)):
        return _move_mat(replace(layout, large=False), box.bottom + 2, layout.prompt_row - 1)
    return _move_mat(layout, layout.mat.y, layout.prompt_row - 1)


def layout_points(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with the points of a round below the text, if there is room.

    The text covers their title if that saves the rows that are missing.
    """
    box = compute_text_box(layout, frame)
    if not frame.is_reading or not _fits_below(layout, frame, box):
        return layout
    top = box.bottom + 1
    missing = _TITLE_ROWS + 1 + len(frame.sides) - (layout.prompt_row - top)
    return _move_mat(layout, top - (_TITLE_ROWS if missing > 0 else 0), layout.prompt_row)


def _fits_below(layout: Layout, frame: TableFrame, box: Box) -> bool:
    """Return True if enough rows are left below the text for plate, mat and question, or for the points of a round."""
    if not frame.is_in_play:
        return layout.prompt_row - (box.bottom + 1) > len(frame.sides)
    least = _MIN_PILE_ROWS
    if frame.game.has_tricks:
        least = _MIN_SIX_ROWS if len(frame.names) > 4 else _MIN_TRICK_ROWS
    return layout.prompt_row - 1 - (box.bottom + 2) >= least


def _move_mat(layout: Layout, top: int, end: int) -> Layout:
    """Return the layout with the mat in the rows from ``top`` to above ``end``, and the opposite plate above it.

    Facts below the mat are left out.
    """
    mat, wide, laid = [Box(box.x, top, box.width, end - top) for box in (layout.mat, layout.wide_mat, layout.laid_mat)]
    plate = layout.top_plate
    return replace(
        layout,
        mat=mat,
        wide_mat=wide,
        laid_mat=laid,
        facts=Box(wide.x, end, wide.width, 0),
        top_plate=Box(plate.x, top - 1, plate.width, 1),
    )


def layout_cards(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with the largest cards, but not larger than before, that fit on the mat of a lesson."""
    rows, card = layout.mat.height, layout.card
    if frame.is_reading and (rows < _MIN_ROOMY_ROWS or not frame.game.has_tricks):
        layout = replace(layout, tiny=True)
    if not frame.game.has_tricks:
        largest = SMALL if rows < _MIN_SMALL_PILE_ROWS else FULL if rows < _MIN_FULL_PILE_ROWS else LARGE
        return replace(layout, card=min(card, largest, key=lambda size: size.height))
    if len(frame.names) > 4:
        return replace(layout, card=FULL if card is LARGE and rows < _MIN_SIX_FULL_ROWS else card)
    apart = 4 if layout.large else 2
    fitting = [size for size in (LARGE, FULL) if size.height <= card.height and 2 * size.height + apart <= rows]
    return replace(layout, card=fitting[0] if fitting else min(card, SMALL, key=lambda size: size.height))


def compute_text_box(layout: Layout, frame: TableFrame) -> Box:
    """Return the rectangle of the text at the top of the board, with a free row at its end if there is room.

    If the cards do not fit below, it covers the whole mat.
    """
    board, rows = layout.board, 1 + len(_layout_text(frame))
    width, y = min(_BOX_COLUMNS, board.width - 1), board.y + 1 if layout.large else board.y
    whole = Box(board.x + (board.width - width) // 2, y, width, layout.prompt_row - y)
    boxes = [replace(whole, height=min(height, whole.height)) for height in (rows + 1, rows)]
    return next((box for box in boxes if _fits_below(layout, frame, box)), whole)


def _layout_text(frame: TableFrame) -> list[markup_text.Row]:
    return markup_text.layout_rows(format_prompt_text(frame.prompt), TEXT_COLUMNS) if frame.prompt else []


def paint_lesson(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint the text or the question of the lesson, whichever the pupil is to read now.

    ``layout`` is the one of the table without a lesson.
    """
    lesson, inks = frame.prompt, canvas.theme.inks
    if lesson is None:
        return
    if frame.question:
        board, y = layout.board, layout.prompt_row - 1
        canvas.fill(board.x, y, board.width, 1, canvas.theme.grounds.row)
        card_faces.paint_text(canvas, board.x + layout.margin, y, frame.question, inks.text, bold=True)
    if not frame.is_reading:
        return
    box = compute_text_box(layout, frame)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.panel)
    canvas.add_hit_box(box.x, box.y, box.width, box.height, KeyTarget("play"))
    left = box.x + (box.width - TEXT_COLUMNS) // 2
    end = canvas.write_right(left + TEXT_COLUMNS - 1, box.y, ": continue", inks.muted)
    end = canvas.write_right(end - 1, box.y, canvas.appearance.keys.format_label("play"), inks.text, bold=True)
    room = end - left - 2 * _STEP_GAP
    steps = format_step(lesson), f"{lesson.step}/{lesson.steps}", ""
    step = next((step for step in steps if cell_len(lesson.title) + len(step) <= room), steps[-1])
    x = canvas.write(left, box.y, truncate(lesson.title, room - len(step)), inks.text, bold=True)
    canvas.write(x + _STEP_GAP, box.y, step, inks.muted)
    rows = _layout_text(frame)
    for y, row in enumerate(rows, box.y + 1):
        markup_text.paint_row(canvas, left, y, row)
    y = min(box.y + 2 + len(rows), box.bottom)
    if frame.is_in_play and y > box.y + len(rows) and not _fits_below(layout, frame, box):
        paint_trick_chips(canvas, Box(left, y, TEXT_COLUMNS, 1), frame)
