"""Painting of the decision box: title, options in lists, grids and numbers, and notes."""

from collections.abc import Sequence
from typing import Final

from cardtable.ui.game_view.decision import BoxRow, Decision, Option
from cardtable.ui.game_view.hand_cursor import PointOption
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Box, Layout
from cardtable.ui.toolkit.painting.text_fit import centre_window, wrap
from cardtable.wording.formatting import insert_suit_signs

MAX_NOTE_ROWS: Final = 3
"""Maximum number of rows of notes below the options."""
_MARK_WIDTH: Final = 2
"""Width of a mark in columns."""


def compute_box_height(decision: Decision, option_index: int, width: int, *, airy: bool, on_mat: bool = False) -> int:
    """Return the height of the whole box in rows, from the title to the last note."""
    below = wrap_notes(decision, option_index, width, on_mat=on_mat)
    separator_rows = 1 if below and not on_mat else 0
    return _count_title_rows(airy=airy) + len(decision.list_rows(option_index)) + separator_rows + len(below)


def _count_title_rows(*, airy: bool) -> int:
    return 2 if airy else 1


def compute_box_on_mat(layout: Layout, decision: Decision, option_index: int) -> Box:
    """Return the rectangle of the box at the bottom of the mat, for screens without a panel."""
    mat = layout.mat
    height = min(compute_box_height(decision, option_index, mat.width - 4, airy=False, on_mat=True), mat.height)
    return Box(mat.x, mat.bottom - height + 1, mat.width, height)


def wrap_notes(decision: Decision, option_index: int, width: int, *, on_mat: bool = False) -> list[str]:
    """Return the wrapped notes on an option; with ``on_mat`` also its worth, which the box covers on the mat."""
    option = decision.options[option_index]
    texts = [*([option.worth] if on_mat else []), option.note or decision.note]
    return [line for note in texts if note for line in wrap(note, width, card_faces.measure_text)][:MAX_NOTE_ROWS]


def paint_decision(
    canvas: Canvas, box: Box, frame: TableViewState, decision: Decision, *, airy: bool, on_mat: bool = False
) -> None:
    """Paint the decision box in ``box``, scrolled to the cursor if it has too many rows.

    ``airy`` adds an empty row below the title. ``on_mat`` omits the row above the notes, since the box covers part of
    the mat.
    """
    inks, y = canvas.theme.inks, box.y
    lines = decision.list_rows(frame.option)
    below = wrap_notes(decision, frame.option, box.width, on_mat=on_mat)
    separator_rows = 1 if below and not on_mat else 0
    room = box.height - _count_title_rows(airy=airy) - separator_rows - len(below)
    x = canvas.write(box.x, y, decision.title, inks.gold, bold=True) + 1
    _paint_marks(canvas, box, y, decision.marks, (inks.text, inks.muted))
    last = _select_visible_lines(lines, len(decision.options) - 1, room)
    beside = x + len(_format_part(decision, last)) < box.right - _MARK_WIDTH * (len(decision.marks) - 1)
    if len(last) < len(lines) and not beside and not separator_rows:
        separator_rows, room = 1, room - 1
    shown_lines = _select_visible_lines(lines, frame.option, room)
    part = _format_part(decision, shown_lines) if len(shown_lines) < len(lines) else ""
    if beside:
        canvas.write(x, y, part, inks.muted)
    y += _count_title_rows(airy=airy)
    for line in shown_lines:
        _paint_line(canvas, Box(box.x, y, box.width, 1), frame, decision, line)
        y += 1
    if not beside and separator_rows:
        canvas.write_right(box.right, y, part, inks.muted)
    for note_row, note in enumerate(below, y + separator_rows):
        card_faces.paint_text(canvas, box.x, note_row, note, inks.muted, max_width=box.width)


def _format_part(decision: Decision, lines: Sequence[BoxRow]) -> str:
    """Return which options these lines have, counted from 1: ``1–16 of 37``. The last options have the longest text."""
    listed = [option for line in lines for option in line.options]
    return f"{listed[0] + 1}–{listed[-1] + 1} of {len(decision.options)}"


def _select_visible_lines(lines: Sequence[BoxRow], option_index: int, max_lines: int) -> Sequence[BoxRow]:
    """Return at most ``max_lines`` lines, including the one with the option ``option_index``."""
    if len(lines) <= max_lines:
        return lines
    cursor_line = next(i for i, line in enumerate(lines) if option_index in line.options)
    start = centre_window(cursor_line, max_lines, len(lines))
    return lines[start : start + max_lines]


def _paint_line(canvas: Canvas, box: Box, frame: TableViewState, decision: Decision, line: BoxRow) -> None:
    inks, group = canvas.theme.inks, line.group
    if group is None:
        return
    if not line.options:
        card_faces.paint_text(canvas, box.x, box.y, group.heading, inks.muted, max_width=box.width)
        _paint_marks(canvas, box, box.y, group.marks, (inks.text, inks.muted))
        return
    options = decision.options
    if group.single_shown:
        at = frame.in_box and line.options[0] == frame.option
        _paint_number(canvas, box, decision, line.options[0], group.heading, is_selected=at)
        return
    cell = box.width // group.columns
    if group.is_grid:
        cell = min(cell, 5 if box.width > 24 else 4)
    for column, index in enumerate(line.options):
        at = frame.in_box and index == frame.option
        gap = 1 if group.columns == 2 else 0
        place = Box(box.x + cell * column, box.y, cell - gap, 1)
        paint = _paint_bid if group.is_grid else _paint_option
        paint(canvas, place, options[index], index, is_selected=at)


def _choose_inks(canvas: Canvas, option: Option, *, is_selected: bool) -> tuple[str, str]:
    """Return the inks of an option's label and of its effect, which stands at the right."""
    theme = canvas.theme
    if is_selected:
        return theme.grounds.panel, theme.grounds.panel
    return (theme.inks.text, theme.inks.muted) if option.action else (theme.inks.off, theme.inks.off)


def _paint_bid(canvas: Canvas, box: Box, option: Option, index: int, *, is_selected: bool) -> None:
    ink, _ = _choose_inks(canvas, option, is_selected=is_selected)
    if is_selected:
        canvas.fill(box.x, box.y, 3, 1, canvas.theme.inks.gold)
    canvas.write(box.x + 2 - len(option.label), box.y, option.label, ink, bold=option.action is not None)
    canvas.add_hit_box(box.x, box.y, box.width, 1, PointOption(index))


def _paint_option(canvas: Canvas, box: Box, option: Option, index: int, *, is_selected: bool) -> None:
    ink, quiet = _choose_inks(canvas, option, is_selected=is_selected)
    suits = canvas.theme.suits.gold if is_selected else None
    if is_selected:
        canvas.fill(box.x - 1, box.y, box.width + 2, 1, canvas.theme.inks.gold)
    x = card_faces.paint_text(canvas, box.x, box.y, option.label, ink, bold=option.action is not None, suits=suits)
    effect = insert_suit_signs(option.effect)
    if x + 1 + len(effect) <= box.right + 1:
        card_faces.paint_text(canvas, box.right - len(effect) + 1, box.y, option.effect, quiet, suits=suits)
    _paint_marks(canvas, box, box.y, option.marks, (ink, quiet))
    canvas.add_hit_box(box.x - 1, box.y, box.width + 2, 1, PointOption(index))


def _paint_number(canvas: Canvas, box: Box, decision: Decision, index: int, heading: str, *, is_selected: bool) -> None:
    """Paint an option between arrows, which select the previous and the next option by mouse."""
    theme, option = canvas.theme, decision.options[index]
    before, after = decision.move_horizontal(index, -1), decision.move_horizontal(index, 1)
    ink, quiet = _choose_inks(canvas, option, is_selected=is_selected)
    if is_selected:
        canvas.fill(box.x - 1, box.y, box.width + 2, 1, theme.inks.gold)
    suits = theme.suits.gold if is_selected else None
    x = card_faces.paint_text(canvas, box.x, box.y, f"{heading} " if heading else "", ink, suits=suits)
    if before is not None and before != index:
        canvas.add_hit_box(x - 1, box.y, 3, 1, PointOption(before))
        canvas.write(x, box.y, "◂", quiet)
    x += 2
    start = x
    x = card_faces.paint_text(canvas, x, box.y, option.label, ink, bold=True, suits=suits)
    canvas.add_hit_box(start, box.y, x - start, 1, PointOption(index))
    if after is not None and after != index:
        canvas.add_hit_box(x, box.y, 3, 1, PointOption(after))
        canvas.write(x + 1, box.y, "▸", quiet)


def _paint_marks(canvas: Canvas, box: Box, y: int, marks: Sequence[str], inks: tuple[str, str]) -> None:
    """Paint a mark for each seat, right-aligned; the first one, for the viewing seat, in bold."""
    own, others = inks
    for i, mark in enumerate(marks):
        x = box.right - _MARK_WIDTH * (len(marks) - 1 - i)
        canvas.write_right(x, y, mark, others if i else own, bold=not i)
