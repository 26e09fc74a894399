"""A finished round on the whole screen, as the last deal shows it."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.telling.round_words import begins, what
from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Box, Layout, layout
from cardtable.ui.widgets.page import MARGIN, paint_page_header, too_small
from cardtable.ui.widgets.round_board import Shown, paint_board, paint_hand, paint_lines
from cardtable.ui.widgets.round_list import paint_below, paint_list
from cardtable.ui.words import cut, whole, wrap

_WIDEST: Final = 70
"""Columns of a block of sentences."""
_INDENT: Final = 2
_FRAME_ROWS: Final = 4
"""Rows of a block beside its sentences: the title, the hand, and a free row before and after them."""


def paint_finished(canvas: Canvas, title: str, shown: Shown, said: Sequence[str]) -> None:
    """Header, board and panel; over them sentences that were asked for.  The footer is left to who shows it."""
    if too_small(canvas):
        return
    grid, finished = layout(canvas.width, canvas.height), shown.cursor.round
    facts = [f"round {finished.number}", *filter(None, [what(finished)]), begins(finished, shown.names)]
    about = f"{finished.game.about.title}   "
    room = canvas.width - 2 * MARGIN - cell_len(title) - 3 - cell_len(about)
    paint_page_header(canvas, title, about + whole(facts, ", ", room))
    if grid.tiny:
        paint_below(canvas, paint_lines(canvas, 1, shown), shown)
    else:
        paint_board(canvas, grid, shown)
        paint_list(canvas, grid, shown)
    if said:
        _paint_said(canvas, grid, shown, said)


def _paint_said(canvas: Canvas, grid: Layout, shown: Shown, said: Sequence[str]) -> None:
    """A block at the foot of the board: who is spoken of, the hand that was held then, and the sentences."""
    inks, width, cursor = canvas.theme.inks, min(grid.board.width, _WIDEST), shown.cursor
    lines = [line for text in said for line in wrap(text, width - 2 * _INDENT, faces.shown_width)]
    frame = _FRAME_ROWS - (cursor.step is None)
    height = min(len(lines) + frame, grid.board.height)
    x, y = grid.board.x + (grid.board.width - width) // 2, grid.board.bottom + 1 - height
    canvas.fill(x, y, width, height, canvas.theme.grounds.row)
    after = canvas.text(x + _INDENT, y, "Why", inks.text, bold=True) + 2
    if cursor.seat is not None:
        canvas.text(after, y, cut(shown.names[cursor.seat], width - 10), inks.soft)
    if cursor.step is not None:
        hand = cursor.step.view.hand
        paint_hand(canvas, Box(x + _INDENT, y + 1, width - 2 * _INDENT, 1), hand, hand, cursor.step.used)
    for row, line in enumerate(lines[: height - frame + 1], y + frame - 1):
        faces.words(canvas, x + _INDENT, row, line, inks.text, most=width - 2 * _INDENT)
