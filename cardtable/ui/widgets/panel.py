"""The panel at the right: facts of the round, a table of the seats, messages, the decision box."""

from rich.cells import cell_len

from cardtable.engine.cards import NAME
from cardtable.engine.contract import Note
from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Box, Layout
from cardtable.ui.pieces.piece import GRID_COLUMNS, Decision, Names, Option, Row, Section
from cardtable.ui.sight import Sight
from cardtable.ui.widgets.board import PointOption
from cardtable.ui.words import YOU, second_person, wrap

OURS = "****"
"""Begins a message of the program."""


def paint_panel(canvas: Canvas, grid: Layout, sight: Sight, sections: tuple[Section, ...]) -> None:
    """Sections in their order, one blank row between, the decision box always at the foot."""
    panel = grid.panel
    canvas.fill(panel.x, panel.y, panel.width, panel.height, canvas.theme.grounds.panel)
    end = panel.bottom + 1
    if sight.waiting and sight.decision:
        end = _paint_box(canvas, grid, sight, sight.decision)
    y = grid.panel_text.y
    for section in sections:
        if y + 1 + len(section.rows) > end:
            break
        y = _paint_section(canvas, grid, y, section) + 1
    _paint_messages(canvas, grid, sight, y, end - 1)


def _paint_section(canvas: Canvas, grid: Layout, y: int, section: Section) -> int:
    inks, box = canvas.theme.inks, grid.panel_text
    if section.heading:
        faces.words(canvas, box.x, y, section.heading, inks.text, bold=True, most=box.width)
        _right(canvas, box.right, y, section.aside, inks.muted)
        y += 1
    for row in section.rows:
        _paint_row(canvas, grid, y, row)
        y += 1
    return y


def _paint_row(canvas: Canvas, grid: Layout, y: int, row: Row) -> None:
    inks, box = canvas.theme.inks, grid.panel_text
    step = 10 if grid.large else 8
    ink = inks.text if row.own else inks.muted
    left = box.x
    for i, value in enumerate(reversed(row.values)):
        colour = inks.muted if row.heading else inks.gold if row.asked and not i else inks.text
        left = _right(canvas, box.right - step * i, y, value, colour, bold=row.own or (row.asked and not i))
    room = left - box.x - 1 if row.values else box.width
    faces.words(canvas, box.x, y, row.label, ink, bold=row.own, most=room)
    canvas.text(box.x + 5, y, ("■" * row.squares)[: max(room - 5, 0)], inks.bar)


def _right(canvas: Canvas, x: int, y: int, text: str, ink: str, *, bold: bool = False) -> int:
    start = x - len(faces.shown_text(text)) + 1
    faces.words(canvas, start, y, text, ink, bold=bold)
    return start


def teller(note: Note, names: Names) -> str:
    """Who did what a message says; the program's own begin with stars."""
    return OURS if note.seat is None else names[note.seat]


def told(note: Note, names: Names) -> str:
    """What a message says, cards in notation; of the person looking in the second person."""
    own = note.seat is not None and names[note.seat] == YOU
    return second_person(note.text) if own else note.text


def lines(sight: Sight) -> list[tuple[str, str]]:
    """All messages, who and what; in games of long turns a line tells all that one seat did."""
    said: list[tuple[str, str]] = []
    before: Note | None = None
    for note in sight.messages:
        who, what = teller(note, sight.names), told(note, sight.names)
        points = what.startswith(("+", "-"))
        if before is not None and sight.piece.joins and before.seat == note.seat is not None and not points:
            said[-1] = who, said[-1][1] + _joined(before, note, what, own=who == YOU)
        else:
            said.append((who, what))
        before = note
    return said


def _joined(before: Note, note: Note, what: str, *, own: bool) -> str:
    if not _is_card(note):
        return f", {what}"
    return f" {what}" if _is_card(before) else f", {'play' if own else 'plays'} {what}"


def _is_card(note: Note) -> bool:
    return note.text in NAME


def folded(sight: Sight, width: int) -> list[tuple[str, str]]:
    """Messages folded to a width: who and what, in notation; the rest of one begins with a space for who."""
    rows: list[tuple[str, str]] = []
    for name, what in lines(sight):
        start = wrap(what, max(width - cell_len(name) - 1, 8), faces.shown_width)[0]
        rest = what[len(start) :].strip()
        rows.append((name, start))
        rows += [(f" {name}", part) for part in wrap(rest, width - 1, faces.shown_width) if part]
    return rows


def _paint_messages(canvas: Canvas, grid: Layout, sight: Sight, y: int, end: int) -> None:
    room = end - y
    if room < 2 or not sight.messages:
        return
    inks, box = canvas.theme.inks, grid.panel_text
    canvas.text(box.x, y, "Messages", inks.text, bold=True)
    for i, (name, text) in enumerate(folded(sight, box.width)[-(room - 1) :], start=1):
        follows = name.startswith(" ")
        x = canvas.text(box.x, y + i, "" if follows else name, inks.muted) + 1
        ink = inks.muted if name.strip() == OURS else inks.text
        faces.words(canvas, x, y + i, text, ink, most=box.right + 1 - x)


def _paint_box(canvas: Canvas, grid: Layout, sight: Sight, decision: Decision) -> int:
    """The decision box; returns its first row."""
    panel, text = grid.panel, grid.panel_text
    below = notes(decision, sight.option, text.width)
    height = (
        (2 if grid.large else 0) + 1 + (grid.large and decision.grid) + decision.rows + bool(below) + len(below) + 1
    )
    top = panel.bottom - height + 1
    canvas.fill(panel.x, top, panel.width, height, canvas.theme.grounds.mat)
    paint_decision(canvas, Box(text.x, top + grid.large, text.width, height), sight, decision, wide=grid.large)
    return top


def notes(decision: Decision, at: int, width: int) -> list[str]:
    """What stands below the options, in lines of ``width`` columns."""
    note = decision.options[at].note or decision.note
    return wrap(note, width, faces.shown_width)[:3] if note else []


def paint_decision(canvas: Canvas, box: Box, sight: Sight, decision: Decision, *, wide: bool) -> None:
    """Title, options and note of the decision box, from the top of ``box``."""
    inks, y = canvas.theme.inks, box.y
    canvas.text(box.x, y, decision.title, inks.gold, bold=True)
    y += 1 + (wide and decision.grid)
    cell = 5 if wide else 4
    for i, option in enumerate(decision.options):
        at = sight.in_box and i == sight.option
        if decision.grid:
            _cell(canvas, box.x + cell * (i % GRID_COLUMNS), y + i // GRID_COLUMNS, option, i, at=at)
        else:
            _line(canvas, box, y + i, option, i, at=at)
    y += decision.rows
    for part in notes(decision, sight.option, box.width):
        y += 1
        faces.words(canvas, box.x, y, part, inks.muted, most=box.width)


def _cell(canvas: Canvas, x: int, y: int, option: Option, index: int, *, at: bool) -> None:
    theme = canvas.theme
    ink = theme.grounds.panel if at else theme.inks.text if option.action else theme.inks.off
    if at:
        canvas.fill(x, y, 3, 1, theme.inks.gold)
    canvas.text(x + 2 - len(option.label), y, option.label, ink, bold=option.action is not None)
    canvas.spot(x, y, 4, 1, PointOption(index))


def _line(canvas: Canvas, box: Box, y: int, option: Option, index: int, *, at: bool) -> None:
    theme = canvas.theme
    ink = theme.grounds.panel if at else theme.inks.text if option.action else theme.inks.off
    suits = theme.suits.gold if at else None
    if at:
        canvas.fill(box.x - 1, y, box.width + 2, 1, theme.inks.gold)
    x = faces.words(canvas, box.x, y, option.label, ink, bold=option.action is not None, suits=suits)
    effect = faces.shown_text(option.effect)
    if x + 1 + len(effect) <= box.right + 1:
        faces.words(canvas, box.right - len(effect) + 1, y, option.effect, ink if at else theme.inks.muted, suits=suits)
    canvas.spot(box.x - 1, y, box.width + 2, 1, PointOption(index))
