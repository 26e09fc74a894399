"""The panel beside the archive's list: what the session under the cursor was, and how it went."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Header
from cardtable.store.summaries import Summary
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import cut, whole, wrap
from cardtable.ui.draw.layout import Box
from cardtable.ui.draw.plot import Curve, plot
from cardtable.ui.page.footer import Press
from cardtable.wording import archived
from cardtable.wording.archived import ArchivedSession, SessionCourse
from cardtable.wording.tables import title_of, why_shut
from cardtable.wording.words import signed

_PAD: Final = 3
_NAME: Final = 12
"""Columns of a player's name."""
_EACH: Final = 2
"""Rows of a player: the figures, and a bar."""


def paint_panel(
    canvas: Canvas, box: Box, row: ArchivedSession | None, course: SessionCourse | None, keys: Sequence[tuple[str, str]]
) -> None:
    """The session of a row, and what keys do with it; ``course`` comes when its journal has been read."""
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.panel)
    canvas.spot(box.x, box.y, box.width, box.height, None)
    if row is None:
        return
    inner = Box(box.x + _PAD, box.y + 1, box.width - _PAD - 2, box.height - 2)
    y = _paint_title(canvas, inner, row, course)
    header = row.summary.header
    if header is None:
        for line, text in enumerate(wrap(why_shut(row.summary), inner.width)):
            canvas.text(inner.x, y + line, text, canvas.theme.inks.loss)
    else:
        lines = archived.best_first(row.summary, header)
        y = _paint_players(canvas, inner, y, row.summary, header, lines)
        _paint_course(canvas, Box(inner.x, y + 1, inner.width, inner.bottom - len(keys) - y - 2), header, lines, course)
    for number, (name, word) in enumerate(keys):
        line = inner.bottom - len(keys) + 1 + number
        sign = canvas.look.keys.label(name)
        canvas.text(inner.x, line, sign, canvas.theme.inks.text, bold=True)
        end = canvas.text(inner.x + 7, line, word, canvas.theme.inks.muted)
        canvas.spot(inner.x, line, end - inner.x, 1, Press(name))


def _paint_title(canvas: Canvas, box: Box, row: ArchivedSession, course: SessionCourse | None) -> int:
    """Game, day and hour, and what is to be known; returns the next free row but one."""
    summary, inks = row.summary, canvas.theme.inks
    at = canvas.right(box.right, box.y, archived.moment(row), inks.quiet)
    canvas.text(box.x, box.y, cut(title_of(summary), at - box.x - 1), inks.text, bold=True)
    y = box.y + 1
    for line in wrap(", ".join(archived.facts(row, course)), box.width)[:2]:
        canvas.text(box.x, y, line, inks.muted)
        y += 1
    if summary.name:
        canvas.text(box.x, y, whole([f'"{summary.name}"'], "", box.width), inks.muted)
        y += 1
    return y + 1


def _paint_players(canvas: Canvas, box: Box, y: int, summary: Summary, header: Header, seats: Sequence[Seat]) -> int:
    """Each with the total, and a bar as long as it is beside the largest; returns the next free row."""
    inks, lines = canvas.theme.inks, canvas.theme.plot.lines
    most = max([abs(total) for total in summary.totals], default=0)
    for place, seat in enumerate(seats):
        who, total = header.seats[seat], summary.totals[seat] if summary.totals else None
        best = bool(summary.ranks) and place == 0
        canvas.text(box.x, y, cut(who.name, _NAME), inks.text, bold=best)
        canvas.text(box.x + _NAME + 1, y, cut(who.robot or "", 8), inks.quiet)
        if total is not None:
            canvas.right(box.right, y, signed(total), inks.text, bold=best)
            long = max(total, 0) * box.width // most if most else 0
            canvas.text(box.x, y + 1, "━" * box.width, canvas.theme.grounds.track)
            canvas.text(box.x, y + 1, "━" * long, lines[place % len(lines)])
        y += _EACH
    return y


def _paint_course(
    canvas: Canvas, box: Box, header: Header, seats: Sequence[Seat], course: SessionCourse | None
) -> None:
    """The totals by round; nothing where fewer than two rounds are over, or there is no room."""
    rows = box.height - 2
    if course is None or len(course.totals) < 2 or rows < len(seats) + 2:
        return
    canvas.text(box.x, box.y, "Totals by round", canvas.theme.inks.text, bold=True)
    drawn = [Curve(header.seats[seat].name, [0, *[totals[seat] for totals in course.totals]]) for seat in seats]
    plot(canvas, Box(box.x, box.y + 2, box.width, min(rows, 12)), drawn, 0, len(course.totals))
