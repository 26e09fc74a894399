"""List of the lines of a finished round (tricks with their winners, bids, turns), in a panel or below the board."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.bidding import Bid
from cardtable.engine.cards import NAME
from cardtable.session.round_replay import RoundLine, RoundReplay, Step
from cardtable.ui.round_view.board import paint_board, paint_hand, paint_lines, piles_in_a_line
from cardtable.ui.round_view.playhead import HandShown, RoundSnapshot, RowSnapshot
from cardtable.ui.toolkit.page import paint_if_too_small, paint_page_header
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.layout import Box, Layout, compute_layout
from cardtable.ui.toolkit.painting.text_fit import WHOLE_NAME, shorten_names, truncate, wrap
from cardtable.wording.formatting import STAR
from cardtable.wording.players import Names
from cardtable.wording.rounds import row_words, starter_text, step_words, title_in_words

_CELL: Final = 5
"""Width of a card of a trick with its star and a gap, in columns."""
_MOST_CELLS: Final = 4
"""Maximum number of cards of a trick in a line; a trick of more cards takes two lines."""
_FOOT: Final = 3
"""Minimum number of rows below the list, for the description of the line under the cursor."""
MARK: Final = "›"
"""Sign before the entry under the cursor."""


class PointLine(NamedTuple):
    """Mouse target of an entry (card, bid or other step) of a line."""

    row: int
    column: int


@dataclass(frozen=True, slots=True)
class LinesArea:
    """Area in which the lines are painted."""

    box: Box
    air: bool
    """True if an empty row follows each line."""
    per: int
    """Maximum number of cards of a trick side by side."""


def paint_list(canvas: Canvas, layout: Layout, shown: RowSnapshot) -> None:
    """Paint the panel: a heading, the lines around the cursor, and a description of the line under the cursor."""
    theme, panel, text = canvas.theme, layout.panel, layout.panel_text
    canvas.fill(panel.x, panel.y, panel.width, panel.height, theme.grounds.panel)
    heading = "Tricks" if shown.cursor.round.tricks else "Turns"
    canvas.text(text.x, panel.y + 1, heading, theme.inks.text, bold=True)
    description = row_words(shown.cursor.round, shown.cursor.row, shown.names)
    if shown.cursor.row.trick and card_faces.shown_width(description) > text.width:
        description = description.replace(", ", ",\n")
    words = wrap(description, text.width, card_faces.shown_width)
    foot = panel.bottom - max(_FOOT, min(len(words), 5))
    rows = shown.cursor.round.rows
    seats = len(shown.names)
    per = cards_per_line(seats)
    room = foot - (panel.y + 3)
    lines = sum(height(row, per) for row in rows)
    place = LinesArea(Box(text.x, panel.y + 3, text.width, room), layout.large and 2 * lines <= room + 1, per)
    _paint_rows(canvas, place, shown, panel)
    for y, line in enumerate(words[:5], foot + 1):
        card_faces.paint_text(canvas, text.x, y, line, theme.inks.muted, most=text.width)


def name_room(names: Names) -> int:
    """Return the width in columns of the names before actions."""
    return min(max(map(cell_len, names)), WHOLE_NAME)


def cards_per_line(seats: int) -> int:
    """Return the number of cards of a trick that are side by side in a line of the panel."""
    return seats if seats <= _MOST_CELLS else -(-seats // 2)


def height(row: RoundLine, per: int) -> int:
    """Return the number of rows of a line with at most ``per_line`` cards side by side."""
    return -(-len(row.cards) // per) or 1


def _paint_rows(canvas: Canvas, place: LinesArea, shown: RowSnapshot, panel: Box) -> None:
    rows, at = shown.cursor.round.rows, shown.cursor.at
    heights = [height(row, place.per) + place.air for row in rows]
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
        canvas.add_hit_box(panel.x, y, panel.width, heights[number], PointLine(number, 0))
        column = shown.cursor.column if number == at else None
        paint_row(canvas, place, shown.round, shown.names, number, y, column)
        y += heights[number]


def paint_row(
    canvas: Canvas, place: LinesArea, replay: RoundReplay, names: Names, number: int, y: int, column: int | None = None
) -> None:
    """Paint the line ``number`` of the round from row ``y``.

    ``column`` is the index of the entry under the cursor; ``None`` if the cursor is on another line.
    """
    row, x, here = replay.rows[number], place.box.x, column is not None
    inks = canvas.theme.inks
    if row.trick:
        canvas.right(x + 1, y, str(row.trick), inks.text if here else inks.muted)
        _paint_cells(canvas, place, row, number, y, [NAME[card] for _, card in row.cards], column)
    elif len(row.steps) > 1:
        canvas.text(x, y, "bid", inks.text if here else inks.muted)
        steps = [replay.steps[step] for step in row.steps]
        said = [str(step.event.tricks) if isinstance(step.event, Bid) else str(step.event) for step in steps]
        _paint_cells(canvas, place, row, number, y, said, column)
    else:
        _paint_step(canvas, place, replay, names, number, y, here=here)


def _paint_cells(
    canvas: Canvas, place: LinesArea, row: RoundLine, number: int, y: int, texts: list[str], column: int | None
) -> None:
    """Paint the cards of a trick or bids side by side, with a star after the card that won the trick."""
    inks, here = canvas.theme.inks, column is not None
    for i, text in enumerate(texts):
        end = place.box.x + 5 + _CELL * (i % place.per)
        line = y + i // place.per
        start = end - card_faces.shown_width(text) + 1
        card_faces.paint_text(canvas, start, line, text, inks.text if here else inks.soft, bold=here)
        if i == column:
            canvas.text(start - 1, line, MARK, inks.gold, bold=True)
        if row.trick and row.cards[i][0] == row.taker:
            canvas.text(end + 1, line, STAR, inks.gold if here else inks.muted)
        canvas.add_hit_box(end - 3, line, _CELL, 1, PointLine(number, i))


def _paint_step(
    canvas: Canvas, place: LinesArea, replay: RoundReplay, names: Names, number: int, y: int, *, here: bool
) -> None:
    """Paint an action with the name of its seat, which is left out if the line before has the same seat."""
    inks, row = canvas.theme.inks, replay.rows[number]
    if not row.steps:
        canvas.text(place.box.x, y, "the end", inks.text if here else inks.muted, bold=here)
        return
    who, what = step_words(replay.steps[row.steps[0]], names)[0]
    before = replay.rows[number - 1].steps if number else ()
    same = before and step_words(replay.steps[before[-1]], names)[0][0] == who
    x = place.box.x
    room = name_room(names)
    if who and (not same or here):
        canvas.text(x, y, short_name(who, names), inks.text if here else inks.soft, bold=here)
    x, most = (x + room + 1, place.box.width - room - 1) if who else (x, place.box.width)
    card_faces.paint_text(canvas, x, y, shorten(what, most), inks.text if here else inks.soft, bold=here, most=most)


def short_name(who: str, names: Names) -> str:
    """Shorten the name of a seat to the width of the names; a name that is not among ``names`` is returned unchanged."""
    return shorten_names(names, name_room(names))[names.index(who)] if who in names else who


def shorten(text: str, width: int) -> str:
    """Shorten a text with cards in notation to ``width`` columns, with an ellipsis in place of the last words."""
    if card_faces.shown_width(text) <= width:
        return text
    parts = text.split()
    while len(parts) > 1 and card_faces.shown_width(" ".join(parts)) + 1 > width:
        parts.pop()
    return " ".join(parts) + "…"


def paint_below(canvas: Canvas, y: int, shown: RowSnapshot) -> None:
    """Paint the contents of the panel below the seats, for terminals without a panel.

    These are the middle of the table, the lines around the cursor, and a description of the line under the cursor.
    """
    inks, width = canvas.theme.inks, canvas.width - 2
    piles = piles_in_a_line(shown)
    if piles:
        card_faces.paint_text(canvas, 1, y, shorten(piles, width), inks.soft, most=width)
        y += 1
    words = wrap(row_words(shown.cursor.round, shown.cursor.row, shown.names), width, card_faces.shown_width)[:2]
    foot = canvas.height - 1 - len(words)
    _paint_rows(
        canvas, LinesArea(Box(1, y, width, foot - y), air=False, per=6), shown, Box(0, y, canvas.width, foot - y)
    )
    for row, line in enumerate(words, foot):
        card_faces.paint_text(canvas, 1, row, line, inks.muted, most=width)


_WIDEST: Final = 70
"""Maximum width of the block with an explanation, in columns."""
_INDENT: Final = 2
_FRAME_ROWS: Final = 4
"""Number of rows of this block besides the sentences.

These are the title, the hand, and an empty row before and after the sentences.
"""


def paint_finished(canvas: Canvas, title: str, shown: RowSnapshot, said: Sequence[str]) -> None:
    """Paint header, board and list of a finished round; the caller paints the footer.

    ``explanation`` is painted over them, unless it is empty. In a terminal that is too small, only its required size is
    painted.
    """
    if paint_if_too_small(canvas):
        return
    grid, cursor = compute_layout(canvas.width, canvas.height), shown.cursor
    paint_round_header(canvas, title, shown, f"round {shown.round.number}")
    if grid.tiny:
        paint_below(canvas, paint_lines(canvas, 1, shown), shown)
    else:
        paint_board(canvas, grid, shown)
        paint_list(canvas, grid, shown)
    if said:
        paint_explanation(canvas, grid, "" if cursor.seat is None else shown.names[cursor.seat], cursor.step, said)


def paint_round_header(canvas: Canvas, title: str, shown: RoundSnapshot, which: str, right: str = "") -> None:
    """Paint the header: game, ``round_text``, contract, and the declarer, dealer or first player, as far as they fit.

    ``right`` is the text at the right.
    """
    more = [*filter(None, [title_in_words(shown.round)]), starter_text(shown.round, shown.names)]
    paint_page_header(canvas, title, f"{shown.round.game.about.title}   {which}", right, more)


def paint_explanation(canvas: Canvas, layout: Layout, name: str, step: Step | None, said: Sequence[str]) -> None:
    """Paint an explanation at the foot of the board: the player, the hand at that time, and the sentences.

    ``step`` is ``None`` if the hand must not be shown or no seat made the step.
    """
    inks, width = canvas.theme.inks, min(layout.board.width, _WIDEST)
    lines = [line for text in said for line in wrap(text, width - 2 * _INDENT, card_faces.shown_width)]
    frame = _FRAME_ROWS - (step is None)
    height = min(len(lines) + frame, layout.board.height)
    x, y = layout.board.x + (layout.board.width - width) // 2, layout.board.bottom + 1 - height
    canvas.fill(x, y, width, height, canvas.theme.grounds.row)
    after = canvas.text(x + _INDENT, y, "Why", inks.text, bold=True) + 2
    canvas.text(after, y, truncate(name, width - 10), inks.soft)
    if step is not None:
        hand = HandShown((), step.view.hand, step.view.hand, step.used, unseen=0, taken=0)
        paint_hand(canvas, Box(x + _INDENT, y + 1, width - 2 * _INDENT, 1), hand)
    for row, line in enumerate(lines[: height - frame + 1], y + frame - 1):
        card_faces.paint_text(canvas, x + _INDENT, row, line, inks.text, most=width - 2 * _INDENT)
