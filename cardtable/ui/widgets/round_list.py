"""The lines of a finished round: tricks with who took them, bids, turns; without a panel the one under the cursor."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.telling.finished_round import Row
from cardtable.telling.round_words import row_words, step_words
from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Box, Layout
from cardtable.ui.widgets.round_board import Shown
from cardtable.ui.widgets.round_middle import piles_in_a_line
from cardtable.ui.words import cut, wrap

_CELL: Final = 5
"""Columns of a card of a trick with its star and a gap."""
_MOST_CELLS: Final = 4
"""Cards of a trick in a line; of six there are two lines of three."""
_NAME: Final = 5
"""Columns of a name before what was done."""
_FOOT: Final = 3
"""Rows below the list for words about the line under the cursor."""
MARK: Final = "›"
"""Stands before the card, bid or step under the cursor."""


class PointLine(NamedTuple):
    """The mouse's target: a line, and what in it."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class _Place:
    """Where lines are painted."""

    box: Box
    air: bool
    """Whether there is a free row after each line."""
    per: int
    """Cards of a trick beside each other."""


def paint_list(canvas: Canvas, grid: Layout, shown: Shown) -> None:
    """The panel: heading, lines around the cursor, words about the one under it."""
    theme, panel, text = canvas.theme, grid.panel, grid.panel_text
    canvas.fill(panel.x, panel.y, panel.width, panel.height, theme.grounds.panel)
    heading = "Tricks" if shown.cursor.round.tricks else "Turns"
    canvas.text(text.x, panel.y + 1, heading, theme.inks.text, bold=True)
    told = row_words(shown.cursor.round, shown.cursor.row, shown.names)
    if shown.cursor.row.trick and faces.shown_width(told) > text.width:
        told = told.replace(", ", ",\n")
    words = wrap(told, text.width, faces.shown_width)
    foot = panel.bottom - max(_FOOT, min(len(words), 5))
    rows = shown.cursor.round.rows
    seats = len(shown.names)
    per = seats if seats <= _MOST_CELLS else -(-seats // 2)
    room = foot - (panel.y + 3)
    lines = sum(_height(row, per) for row in rows)
    place = _Place(Box(text.x, panel.y + 3, text.width, room), grid.large and 2 * lines <= room + 1, per)
    _paint_rows(canvas, place, shown, panel)
    for y, line in enumerate(words[:5], foot + 1):
        faces.words(canvas, text.x, y, line, theme.inks.muted, most=text.width)


def _height(row: Row, per: int) -> int:
    return -(-len(row.cards) // per) or 1


def _paint_rows(canvas: Canvas, place: _Place, shown: Shown, panel: Box) -> None:
    rows, at = shown.cursor.round.rows, shown.cursor.at
    heights = [_height(row, place.per) + place.air for row in rows]
    first = at
    while first and sum(heights[first - 1 : at + 1]) + sum(heights[at + 1 : at + 3]) <= place.box.height:
        first -= 1
    while first and sum(heights[first - 1 :]) - place.air <= place.box.height:
        first -= 1
    y = place.box.y
    for number in range(first, len(rows)):
        if y + heights[number] - place.air > place.box.bottom + 1:
            break
        if number == at:
            canvas.fill(panel.x, y, panel.width, heights[number] - place.air, canvas.theme.grounds.row)
            canvas.text(panel.x, y, "▌", canvas.theme.inks.gold)
        canvas.spot(panel.x, y, panel.width, heights[number], PointLine(number, 0))
        _paint_row(canvas, place, shown, number, y)
        y += heights[number]


def _paint_row(canvas: Canvas, place: _Place, shown: Shown, number: int, y: int) -> None:
    row, x = shown.cursor.round.rows[number], place.box.x
    inks = canvas.theme.inks
    if row.trick:
        canvas.right(x + 1, y, str(row.trick), inks.text if number == shown.cursor.at else inks.muted)
        _paint_cells(canvas, place, shown, number, y, [NAME[card] for _, card in row.cards])
    elif len(row.steps) > 1:
        canvas.text(x, y, "bid", inks.text if number == shown.cursor.at else inks.muted)
        steps = [shown.cursor.round.steps[step] for step in row.steps]
        told = [str(step.event.tricks) if isinstance(step.event, Bid) else str(step.event) for step in steps]
        _paint_cells(canvas, place, shown, number, y, told)
    else:
        _paint_step(canvas, place, shown, number, y)


def _paint_cells(canvas: Canvas, place: _Place, shown: Shown, number: int, y: int, told: list[str]) -> None:
    """Cards or bids side by side, the star behind the one that took the trick."""
    inks, row, cursor = canvas.theme.inks, shown.cursor.round.rows[number], shown.cursor
    for column, text in enumerate(told):
        end = place.box.x + 5 + _CELL * (column % place.per)
        line = y + column // place.per
        start = end - faces.shown_width(text) + 1
        here = number == cursor.at
        faces.words(canvas, start, line, text, inks.text if here else inks.soft, bold=here)
        if here and column == cursor.column:
            canvas.text(start - 1, line, MARK, inks.gold, bold=True)
        if row.trick and row.cards[column][0] == row.taker:
            canvas.text(end + 1, line, faces.STAR, inks.gold if here else inks.muted)
        canvas.spot(end - 3, line, _CELL, 1, PointLine(number, column))


def _paint_step(canvas: Canvas, place: _Place, shown: Shown, number: int, y: int) -> None:
    """Who did what; the name only where another one did the thing before."""
    inks, finished = canvas.theme.inks, shown.cursor.round
    row, here = finished.rows[number], number == shown.cursor.at
    if not row.steps:
        canvas.text(place.box.x, y, "the end", inks.text if here else inks.muted, bold=here)
        return
    who, what = step_words(finished.steps[row.steps[0]], shown.names)[0]
    before = finished.rows[number - 1].steps if number else ()
    same = before and step_words(finished.steps[before[-1]], shown.names)[0][0] == who
    x = place.box.x
    if who and (not same or here):
        canvas.text(x, y, cut(who, _NAME), inks.text if here else inks.soft, bold=here)
    x, most = (x + _NAME + 1, place.box.width - _NAME - 1) if who else (x, place.box.width)
    faces.words(canvas, x, y, fitted(what, most), inks.text if here else inks.soft, bold=here, most=most)


def fitted(text: str, width: int) -> str:
    """Words with cards in notation, cut between words to so many columns."""
    if faces.shown_width(text) <= width:
        return text
    parts = text.split()
    while len(parts) > 1 and faces.shown_width(" ".join(parts)) + 1 > width:
        parts.pop()
    return " ".join(parts) + "…"


def paint_below(canvas: Canvas, y: int, shown: Shown) -> None:
    """Where there is no panel: what lies in the middle, lines around the cursor, words about the one under it."""
    inks, width = canvas.theme.inks, canvas.width - 2
    piles = piles_in_a_line(shown.cursor, shown.me)
    if piles:
        faces.words(canvas, 1, y, fitted(piles, width), inks.soft, most=width)
        y += 1
    words = wrap(row_words(shown.cursor.round, shown.cursor.row, shown.names), width, faces.shown_width)[:2]
    foot = canvas.height - 1 - len(words)
    _paint_rows(canvas, _Place(Box(1, y, width, foot - y), air=False, per=6), shown, Box(0, y, canvas.width, foot - y))
    for row, line in enumerate(words, foot):
        faces.words(canvas, 1, row, line, inks.muted, most=width)
