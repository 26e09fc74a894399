"""A finished round on the whole screen, as the last deal shows it."""

from collections.abc import Sequence

from cardtable.telling.round_words import begins, what
from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Box, Layout, layout
from cardtable.ui.widgets.page import paint_page_header, too_small
from cardtable.ui.widgets.round_board import Shown, paint_board, paint_lines
from cardtable.ui.widgets.round_list import paint_line, paint_list
from cardtable.ui.words import wrap


def paint_finished(canvas: Canvas, title: str, shown: Shown, said: Sequence[str]) -> None:
    """Header, board and panel; over them sentences that were asked for.  The footer is left to who shows it."""
    if too_small(canvas):
        return
    grid, finished = layout(canvas.width, canvas.height), shown.cursor.round
    facts = [f"round {finished.number}", *filter(None, [what(finished)]), begins(finished, shown.names)]
    paint_page_header(canvas, title, f"{finished.game.about.title}   {', '.join(facts)}")
    if grid.tiny:
        paint_line(canvas, paint_lines(canvas, 1, shown), shown)
    else:
        paint_board(canvas, grid, shown)
        paint_list(canvas, grid, shown)
    if said:
        _paint_said(canvas, grid, shown, said)


def _paint_said(canvas: Canvas, grid: Layout, shown: Shown, said: Sequence[str]) -> None:
    """A block on the board, where it leaves the plate of who acts to be seen."""
    inks, width = canvas.theme.inks, min(grid.board.width - 4, 66)
    lines = [line for text in said for line in wrap(text, width - 6, faces.shown_width)]
    height = min(len(lines) + 4, grid.board.height)
    above = shown.cursor.seat == shown.me and not grid.tiny
    y = grid.board.y + 1 if above else grid.board.bottom - height
    box = Box(grid.board.x + (grid.board.width - width) // 2, max(y, grid.board.y), width, height)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.row)
    canvas.text(box.x + 3, box.y + 1, "Why", inks.text, bold=True)
    for row, line in enumerate(lines[: height - 3], box.y + 2 if height < len(lines) + 4 else box.y + 3):
        faces.words(canvas, box.x + 3, row, line, inks.text, most=width - 6)
