"""The panel of a score table: what is left to be played, or how everybody stands, and when the session is over."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.words import counted
from cardtable.scoring.kit.asked import LeftRow, StillLeft
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import cut, wrap
from cardtable.ui.draw.names import cut_alike
from cardtable.ui.score_table.scoring import Scoring
from cardtable.wording.words import ordinal, signed

_LEFT: Final = "●"
GONE: Final = "·"


class _Panel(NamedTuple):
    """The panel, and what it tells of."""

    canvas: Canvas
    it: Scoring
    edge: int
    """Its first column."""
    x: int
    """Where words begin."""
    air: int
    """Free rows between lines."""


def paint_panel(canvas: Canvas, it: Scoring, width: int, *, large: bool) -> None:
    """At the right side, between header and footer."""
    edge = canvas.width - width
    panel = _Panel(canvas, it, edge, edge + 2 + large, int(large))
    canvas.fill(edge, 1, width, canvas.height - 2, canvas.theme.grounds.panel)
    y, tables = 2, it.sheet.left()
    for left in tables:
        y = _paint_left(panel, y, left) + 1 + panel.air
    if not tables:
        y = _paint_places(panel, y) + 1 + panel.air
    said = wrap(it.sheet.over_words[:1].upper() + it.sheet.over_words[1:] + ".", canvas.width - panel.x - 2)
    if y + len(said) < canvas.height - 1:
        for row, line in enumerate(said, y):
            canvas.text(panel.x, row, line, canvas.theme.inks.muted)


def _paint_left(panel: _Panel, y: int, left: StillLeft) -> int:
    """What is left of something; returns the row below it."""
    canvas, names, x = panel.canvas, panel.it.names, panel.x
    inks = canvas.theme.inks
    canvas.text(x, y, left.heading, inks.text, bold=True)
    by_seat = any(isinstance(head, int) for head in left.heads)
    labels = [names[row.label] if isinstance(row.label, int) else row.label for row in left.rows]
    wide = max(map(cell_len, labels)) + 1 if by_seat else 9
    beside = max((canvas.width - 2 - x - wide) // len(names), 3)
    step = beside if by_seat else max([6, *[cell_len(str(head)) + 2 for head in left.heads]])
    y += 2
    for place, head in enumerate(cut_alike(names, step - 1) if by_seat else map(str, left.heads)):
        here = by_seat and place == panel.it.asks
        canvas.text(x + wide + step * place, y, head, inks.gold if here else inks.muted, bold=here)
    y += bool(left.heads)
    for row, label in zip(left.rows, labels, strict=True):
        _paint_row(panel, y, row, label, [x + wide + step * place for place in range(len(row.left))])
        y += 1 + panel.air * (len(left.rows) <= 6)
    return y


def _paint_row(panel: _Panel, y: int, row: LeftRow, label: str, columns: Sequence[int]) -> None:
    canvas, inks = panel.canvas, panel.canvas.theme.inks
    here = row.label == panel.it.asks
    if here:
        canvas.text(panel.edge, y, "▌", inks.gold)
    ink = inks.gold if here else inks.off if row.none else inks.text
    end = canvas.text(panel.x, y, cut(label, columns[0] - panel.x - 1), ink, bold=here)
    for column, (left, of) in zip(columns, row.left, strict=True):
        end = canvas.text(column, y, _LEFT * left, inks.text)
        end = canvas.text(end, y, GONE * (of - left), inks.quiet)
    if row.note:
        canvas.text(end + 2, y, row.note.replace("-", "−"), inks.quiet)


def _paint_places(panel: _Panel, y: int) -> int:
    """How everybody stands; returns the row below."""
    canvas, it, inks = panel.canvas, panel.it, panel.canvas.theme.inks
    heading = f"After {counted(it.sheet.finished, 'round')}" if it.sheet.finished else "No round yet"
    canvas.text(panel.x, y, heading, inks.text, bold=True)
    y += 2
    for place, seat in sorted(zip(it.sheet.places(), range(it.sheet.seats), strict=True)):
        canvas.text(panel.x, y, ordinal(place) if it.sheet.finished else "", inks.muted)
        total = signed(it.sheet.totals[seat])
        end = canvas.right(canvas.width - 3, y, total, inks.text, bold=True)
        canvas.text(panel.x + 5, y, cut(it.names[seat], end - panel.x - 6), inks.text)
        y += 1 + panel.air
    return y
