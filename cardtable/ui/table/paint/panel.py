"""The panel at the right: facts of the round, a table of the seats, messages, the decision box."""

from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.fitting import wrap
from cardtable.ui.draw.layout import Box, Layout
from cardtable.ui.kit.deciding import BID_COLUMNS, Decision
from cardtable.ui.kit.piece import Row, Section
from cardtable.ui.table.model.frame import Frame
from cardtable.ui.table.paint.decision_box import box_height, paint_decision
from cardtable.wording.cards import written
from cardtable.wording.notes import messages

LEAST_SECTION: Final = 3
"""Rows that the decision box leaves to what the round is."""
VALUE_ROOM: Final = 3
"""Columns kept for the value after a bar."""
SQUARES: Final = 5
"""The column, from 0, at which squares begin where names are short."""


def paint_panel(canvas: Canvas, grid: Layout, frame: Frame, sections: tuple[Section, ...]) -> None:
    """Sections in their order, one blank row between, the decision box always at the foot."""
    panel = grid.panel
    canvas.fill(panel.x, panel.y, panel.width, panel.height, canvas.theme.grounds.panel)
    end = panel.bottom + 1
    if frame.box:
        end = _paint_box(canvas, grid, frame, frame.box)
    y = grid.panel_text.y
    for section in sections:
        if y + 1 + len(section.rows) > end:
            break
        y = _paint_section(canvas, grid, y, section) + 1
    _paint_messages(canvas, grid, frame, y, end - 1)


def _paint_section(canvas: Canvas, grid: Layout, y: int, section: Section) -> int:
    inks, box = canvas.theme.inks, grid.panel_text
    if section.heading:
        card_faces.words(canvas, box.x, y, section.heading, inks.text, bold=True, most=box.width)
        _right(canvas, box.right, y, section.aside, inks.muted)
        y += 1
    step, squares = _column_step(grid, section), _squares_start(grid, section)
    for row in section.rows:
        _paint_row(canvas, grid, y, row, step, squares)
        y += 1
    return y


def _column_step(grid: Layout, section: Section) -> int:
    """Columns from the end of one value to the next; three narrow ones leave more room to the names."""
    if all(len(row.values) <= 2 for row in section.rows):
        return 10 if grid.large else 8
    widest = max(len(value) for row in section.rows for value in row.values)
    return 7 if grid.large else min(widest + 2, 7)


def _squares_start(grid: Layout, section: Section) -> int:
    """Where the squares of all rows begin: after the longest label, of which they leave five letters at least."""
    most = max((row.squares for row in section.rows), default=0)
    if not most:
        return grid.panel_text.width
    longest = max(cell_len(row.label) for row in section.rows)
    return max(min(longest + 1, grid.panel_text.width - VALUE_ROOM - most), SQUARES)


def _paint_row(canvas: Canvas, grid: Layout, y: int, row: Row, step: int, squares: int) -> None:
    inks, box = canvas.theme.inks, grid.panel_text
    ink = inks.text if row.own else inks.muted
    left = box.x
    for i, value in enumerate(reversed(row.values)):
        colour = inks.muted if row.heading else inks.gold if row.asked and not i else inks.text
        left = _right(canvas, box.right - step * i, y, value, colour, bold=row.own or (row.asked and not i))
    room = left - box.x - 1 if row.values else box.width
    if row.bar is not None:
        room = _paint_bar(canvas, box.right - VALUE_ROOM, y, 16 if grid.large else 12, *row.bar) - box.x - 1
    most = min(room, squares - 1) if row.squares else room
    card_faces.words(canvas, box.x, y, row.label, ink, bold=row.own, most=most)
    canvas.text(box.x + squares, y, ("■" * row.squares)[: max(room - squares, 0)], inks.bar)


def _paint_bar(canvas: Canvas, end: int, y: int, width: int, done: int, limit: int) -> int:
    """How far on the way to a limit; its colour warns from two thirds on.  Returns the bar's first column."""
    inks, x = canvas.theme.inks, end - width + 1
    filled = min(width, -(-width * done // limit)) if done > 0 else 0
    ink = inks.bad if done >= limit else inks.warn if 3 * done >= 2 * limit else inks.bar
    canvas.text(x, y, "▅" * width, canvas.theme.grounds.track)
    canvas.text(x, y, "▅" * filled, ink)
    return x


def _right(canvas: Canvas, x: int, y: int, text: str, ink: str, *, bold: bool = False) -> int:
    start = x - len(written(text)) + 1
    card_faces.words(canvas, start, y, text, ink, bold=bold)
    return start


class MessageRow(NamedTuple):
    """A row of a message; cards in notation."""

    who: str
    """Whose it is, in its first row."""
    what: str
    quiet: bool
    first: bool


def folded(frame: Frame, width: int) -> list[MessageRow]:
    """Messages folded to a width."""
    rows: list[MessageRow] = []
    for who, what, quiet in messages(frame.messages, frame.names, joins=frame.piece.joins):
        start = wrap(what, max(width - cell_len(who) - 1, 8), card_faces.shown_width)[0]
        rows.append(MessageRow(who, start, quiet, first=True))
        rest = wrap(what[len(start) :], width - 1, card_faces.shown_width)
        rows += [MessageRow("", part, quiet, first=False) for part in rest if part]
    return rows


def _paint_messages(canvas: Canvas, grid: Layout, frame: Frame, y: int, end: int) -> None:
    room = end - y
    if room < 2 or not frame.messages:
        return
    inks, box = canvas.theme.inks, grid.panel_text
    canvas.text(box.x, y, "Messages", inks.text, bold=True)
    rows = folded(frame, box.width)[-(room - 1) :]
    while len(rows) > 1 and not rows[0].first:  # the beginning of that message is out of sight
        del rows[0]
    for i, row in enumerate(rows, start=1):
        x = canvas.text(box.x, y + i, row.who, inks.muted) + 1
        ink = inks.muted if row.quiet else inks.text
        card_faces.words(canvas, x, y + i, row.what, ink, most=box.right + 1 - x)


def _paint_box(canvas: Canvas, grid: Layout, frame: Frame, decision: Decision) -> int:
    """The decision box; returns its first row."""
    panel, text = grid.panel, grid.panel_text
    airy = grid.large and BID_COLUMNS in [group.columns for group in decision.groups]
    wanted = box_height(decision, frame.option, text.width, airy=airy)
    height = min(wanted, panel.height - LEAST_SECTION - 1 - 2 * grid.large)
    top = panel.bottom - height - 2 * grid.large
    canvas.fill(panel.x, top, panel.width, panel.bottom - top + 1, canvas.theme.grounds.mat)
    paint_decision(canvas, Box(text.x, top + grid.large, text.width, height), frame, decision, airy=airy)
    return top
