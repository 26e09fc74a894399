"""Beside the score sheet: the contracts that are left, the totals as lines, and what was earned."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import cut, wrap
from cardtable.ui.draw.layout import Box
from cardtable.ui.draw.names import WHOLE_NAME, cut_alike
from cardtable.ui.draw.plot import plot
from cardtable.ui.kit.contracts import LEFT
from cardtable.ui.kit.piece import Row
from cardtable.ui.table.model.frame import Frame
from cardtable.ui.table.paint import standing
from cardtable.wording.words import gained

PANEL: Final = 34
"""Columns of the panel, where there is room for one."""


def paint_sheet_panel(canvas: Canvas, frame: Frame, deals: int) -> None:
    """The contracts left, the totals as lines, and what there is to tell of these; ``deals``: how many rounds."""
    theme, edge = canvas.theme, canvas.width - PANEL
    canvas.fill(edge, 1, PANEL, canvas.height - 2, theme.grounds.panel)
    x, width = edge + 3, PANEL - 5
    height = min(max(13, (canvas.height - 14) // 2), 20)
    contracts, y = frame.piece.contracts, 2
    if contracts:
        y = _paint_all_left(canvas, Box(x, y, width, 0), frame, contracts.left(frame.view)) + 1
        height = 13
    canvas.text(x, y, "Totals by round", theme.inks.text, bold=True)
    plot(canvas, Box(x, y + 2, width, height), standing.total_lines(frame), 0, max(deals, 1))
    y += 2 + height + 2
    if contracts and contracts.note:
        for i, line in enumerate(wrap(contracts.note, width)):
            canvas.text(x, y + i, line, theme.inks.muted)
    elif frame.scores:
        _paint_earned(canvas, x, y, width, frame)


def _paint_all_left(canvas: Canvas, box: Box, frame: Frame, rows: Sequence[Row]) -> int:
    """The contracts that are left, a column each seat; returns the row below."""
    inks, seats = canvas.theme.inks, standing.seats(frame)
    canvas.text(box.x, box.y, "Contracts left", inks.text, bold=True)
    label = max(card_faces.shown_width(row.label) for row in rows) + 1
    step = (box.width - label) // len(seats)
    ends = [box.x + label + step * (i + 1) - 1 for i in range(len(seats))]
    names = cut_alike(frame.names, step - 1)
    for end, seat in zip(ends, seats, strict=True):
        canvas.right(end, box.y + 2, names[seat], inks.muted)
    for y, row in enumerate(rows, box.y + 3):
        paint_left(canvas, box.x, y, row, ends)
    return box.y + 3 + len(rows)


def _paint_earned(canvas: Canvas, x: int, y: int, width: int, frame: Frame) -> None:
    """What everybody has done how often, and every bonus."""
    theme = canvas.theme
    canvas.text(x, y, standing.tally(frame).heading, theme.inks.text, bold=True)
    standing.paint_tally(canvas, Box(x, y + 2, width, len(frame.names)), frame)
    y += 2 + len(frame.names) + 2
    _paint_bonuses(canvas, Box(x, y, width, canvas.height - 2 - y), frame)


def _paint_bonuses(canvas: Canvas, box: Box, frame: Frame) -> None:
    earned = standing.bonuses(frame)[-max(box.height - 2, 0) :]
    if not earned or box.height < 3:
        return
    inks = canvas.theme.inks
    canvas.text(box.x, box.y, "Bonuses", inks.text, bold=True)
    width = min(max([cell_len(name) for _, name, _ in earned]), WHOLE_NAME)
    names = cut_alike([name for _, name, _ in earned], width)
    for y, ((round_number, _, bonus), name) in enumerate(zip(earned, names, strict=True), start=box.y + 2):
        canvas.right(box.x + 1, y, str(round_number), inks.muted)
        canvas.text(box.x + 3, y, name, inks.text)
        x = canvas.text(box.x + 3 + width + 1, y, gained(bonus.points), inks.text, bold=True) + 1
        canvas.text(x, y, cut(bonus.name, box.right + 1 - x), inks.muted)


def paint_left(canvas: Canvas, x: int, y: int, row: Row, ends: Sequence[int]) -> None:
    """What is left of a contract: a sign for each seat that ends at its column, or one for all seats."""
    inks = canvas.theme.inks
    card_faces.words(canvas, x, y, row.label, inks.text)
    for end, value in zip(ends, row.values, strict=False):
        some = len(value) - len(value.lstrip(LEFT))
        canvas.text(end - len(value) + 1, y, value[:some], inks.text, bold=True)
        canvas.text(end - len(value) + 1 + some, y, value[some:], inks.quiet)
    if len(row.values) < len(ends):
        canvas.text(ends[0] + 2, y, "of all players", inks.quiet)
