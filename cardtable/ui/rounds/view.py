"""A round told again on the whole screen: as the last deal shows it, and what the replay has of it."""

from collections.abc import Sequence
from typing import Final

from cardtable.play.finished_round import Step
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import cut, wrap
from cardtable.ui.draw.layout import Box, Layout, layout
from cardtable.ui.page.page import paint_page_header, too_small
from cardtable.ui.rounds.board import paint_board, paint_hand, paint_lines
from cardtable.ui.rounds.lines import paint_below, paint_list
from cardtable.ui.rounds.shown import AtRow, HandShown, Shown
from cardtable.wording.round_words import begins, what

_WIDEST: Final = 70
"""Columns of a block of sentences."""
_INDENT: Final = 2
_FRAME_ROWS: Final = 4
"""Rows of a block beside its sentences: the title, the hand, and a free row before and after them."""


def paint_finished(canvas: Canvas, title: str, shown: AtRow, said: Sequence[str]) -> None:
    """Header, board and panel; over them sentences that were asked for.  The footer is left to who shows it."""
    if too_small(canvas):
        return
    grid, cursor = layout(canvas.width, canvas.height), shown.cursor
    paint_round_header(canvas, title, shown, f"round {shown.round.number}")
    if grid.tiny:
        paint_below(canvas, paint_lines(canvas, 1, shown), shown)
    else:
        paint_board(canvas, grid, shown)
        paint_list(canvas, grid, shown)
    if said:
        paint_said(canvas, grid, "" if cursor.seat is None else shown.names[cursor.seat], cursor.step, said)


def paint_round_header(canvas: Canvas, title: str, shown: Shown, which: str, right: str = "") -> None:
    """The game, ``which`` round, what is played in it, and who declares, deals or begins; as much as there is room."""
    more = [*filter(None, [what(shown.round)]), begins(shown.round, shown.names)]
    paint_page_header(canvas, title, f"{shown.round.game.about.title}   {which}", right, more)


def paint_said(canvas: Canvas, grid: Layout, name: str, step: Step | None, said: Sequence[str]) -> None:
    """A block at the foot of the board: who is spoken of, the hand that was held then, and the sentences."""
    inks, width = canvas.theme.inks, min(grid.board.width, _WIDEST)
    lines = [line for text in said for line in wrap(text, width - 2 * _INDENT, card_faces.shown_width)]
    frame = _FRAME_ROWS - (step is None)
    height = min(len(lines) + frame, grid.board.height)
    x, y = grid.board.x + (grid.board.width - width) // 2, grid.board.bottom + 1 - height
    canvas.fill(x, y, width, height, canvas.theme.grounds.row)
    after = canvas.text(x + _INDENT, y, "Why", inks.text, bold=True) + 2
    canvas.text(after, y, cut(name, width - 10), inks.soft)
    if step is not None:
        hand = HandShown((), step.view.hand, step.view.hand, step.used, unseen=0, taken=0)
        paint_hand(canvas, Box(x + _INDENT, y + 1, width - 2 * _INDENT, 1), hand)
    for row, line in enumerate(lines[: height - frame + 1], y + frame - 1):
        card_faces.words(canvas, x + _INDENT, row, line, inks.text, most=width - 2 * _INDENT)
