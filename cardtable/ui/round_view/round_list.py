"""List of the lines of a finished round (tricks with their winners, bids, turns), and explanations of its decisions.

The list is in a panel or below the board. The expert computes explanations in the background.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol

import msgspec
from rich.cells import cell_len

from cardtable.engine.bidding import Bid
from cardtable.engine.card_order import CardOrder
from cardtable.engine.cards import NAME
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header
from cardtable.session.robot_client import RobotClient
from cardtable.session.round_replay import RoundReplay, RoundRow, Step
from cardtable.ui.round_view.board import format_piles, paint_board, paint_hand, paint_seat_lines
from cardtable.ui.round_view.playhead import PlateContents, RoundSnapshot, RowSnapshot
from cardtable.ui.toolkit.page import paint_page_header
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, Canvas, shorten_names, truncate, wrap
from cardtable.ui.toolkit.painting.layout import Box, Layout, compute_layout
from cardtable.wording import review
from cardtable.wording.formatting import WINNER_MARK
from cardtable.wording.log_entries import describe_round_title, describe_row, describe_starter, describe_step
from cardtable.wording.players import Names
from cardtable.workers.tasks import start_task

_CELL_WIDTH: Final = 5
"""Width of a card of a trick with its star and a gap, in columns."""
_MAX_CELLS: Final = 4
"""Maximum number of cards of a trick in a line; a trick of more cards takes two lines."""
_DESCRIPTION_ROWS: Final = 3
"""Minimum number of rows below the list, for the description of the line under the cursor."""
MARK: Final = "›"
"""Sign before the entry under the cursor."""


class PointLine(NamedTuple):
    """Mouse target of an entry (card, bid or other step) of a line."""

    row: int
    column: int


class LinesArea(msgspec.Struct, frozen=True):
    """Area in which the lines are painted."""

    box: Box
    has_gaps: bool
    """True if an empty row follows each line."""
    cards_per_line: int
    """Maximum number of cards of a trick side by side."""


def paint_list(canvas: Canvas, layout: Layout, snapshot: RowSnapshot) -> None:
    """Paint the panel: a heading, the lines around the cursor, and a description of the line under the cursor."""
    theme, panel, text = canvas.theme, layout.panel, layout.panel_text
    canvas.fill(panel.x, panel.y, panel.width, panel.height, theme.grounds.panel)
    heading = "Tricks" if snapshot.cursor.round.has_tricks else "Turns"
    canvas.write(text.x, panel.y + 1, heading, theme.inks.text, bold=True)
    description = describe_row(snapshot.cursor.round, snapshot.cursor.row, snapshot.names)
    if snapshot.cursor.row.trick and card_faces.measure_text(description) > text.width:
        description = description.replace(", ", ",\n")
    words = wrap(description, text.width, card_faces.measure_text)
    foot = panel.bottom - max(_DESCRIPTION_ROWS, min(len(words), 5))
    cards_per_line = compute_cards_per_line(len(snapshot.names))
    room = foot - (panel.y + 3)
    lines = sum(count_rows(row, cards_per_line) for row in snapshot.cursor.round.rows)
    has_gaps = layout.large and 2 * lines <= room + 1
    area = LinesArea(Box(text.x, panel.y + 3, text.width, room), has_gaps, cards_per_line)
    _paint_rows(canvas, area, snapshot, panel)
    for y, line in enumerate(words[:5], foot + 1):
        card_faces.paint_text(canvas, text.x, y, line, theme.inks.muted, max_width=text.width)


def compute_name_room(names: Names) -> int:
    return min(max(map(cell_len, names)), NICK_WIDTH)


def compute_cards_per_line(seats: int) -> int:
    return seats if seats <= _MAX_CELLS else -(-seats // 2)


def count_rows(row: RoundRow, per_line: int) -> int:
    return -(-len(row.cards) // per_line) or 1


def _paint_rows(canvas: Canvas, area: LinesArea, snapshot: RowSnapshot, panel: Box) -> None:
    rows, current, gap = snapshot.cursor.round.rows, snapshot.cursor.row_index, 1 if area.has_gaps else 0
    heights = [count_rows(row, area.cards_per_line) + gap for row in rows]
    first = current
    while first and sum(heights[first - 1 : current + 3]) <= area.box.height:
        first -= 1
    while first and sum(heights[first - 1 :]) - gap <= area.box.height:
        first -= 1
    y = area.box.y
    for number in range(first, len(rows)):
        if y + heights[number] - gap > area.box.bottom + 1:
            break
        if number == current:
            canvas.fill(panel.x, y, panel.width, heights[number] - gap, canvas.theme.grounds.row)
            canvas.write(panel.x, y, "▌", canvas.theme.inks.gold)
        canvas.add_hit_box(panel.x, y, panel.width, heights[number], PointLine(number, 0))
        column = snapshot.cursor.column if number == current else None
        paint_row(canvas, area, snapshot.round, snapshot.names, number, y, column)
        y += heights[number]


def paint_row(
    canvas: Canvas, area: LinesArea, replay: RoundReplay, names: Names, number: int, y: int, column: int | None = None
) -> None:
    """Paint the line ``number`` of the round from row ``y``.

    ``column`` is the index of the entry under the cursor; ``None`` if the cursor is on another line.
    """
    row, x, has_cursor = replay.rows[number], area.box.x, column is not None
    inks = canvas.theme.inks
    if row.trick:
        canvas.write_right(x + 1, y, str(row.trick), inks.text if has_cursor else inks.muted)
        _paint_cells(canvas, area, row, number, y, [NAME[card] for _, card in row.cards], column)
    elif len(row.steps) > 1:
        canvas.write(x, y, "bid", inks.text if has_cursor else inks.muted)
        steps = [replay.steps[step] for step in row.steps]
        texts = [str(step.event.tricks) if isinstance(step.event, Bid) else str(step.event) for step in steps]
        _paint_cells(canvas, area, row, number, y, texts, column)
    else:
        _paint_step(canvas, area, replay, names, number, y, has_cursor=has_cursor)


def _paint_cells(
    canvas: Canvas, area: LinesArea, row: RoundRow, number: int, y: int, texts: list[str], column: int | None
) -> None:
    """Paint the cards of a trick or bids side by side, with a star after the card that won the trick."""
    inks, has_cursor = canvas.theme.inks, column is not None
    for i, text in enumerate(texts):
        end = area.box.x + 5 + _CELL_WIDTH * (i % area.cards_per_line)
        line = y + i // area.cards_per_line
        start = end - card_faces.measure_text(text) + 1
        card_faces.paint_text(canvas, start, line, text, inks.text if has_cursor else inks.soft, bold=has_cursor)
        if i == column:
            canvas.write(start - 1, line, MARK, inks.gold, bold=True)
        if row.trick and row.cards[i][0] == row.taker:
            canvas.write(end + 1, line, WINNER_MARK, inks.gold if has_cursor else inks.muted)
        canvas.add_hit_box(end - 3, line, _CELL_WIDTH, 1, PointLine(number, i))


def _paint_step(
    canvas: Canvas, area: LinesArea, replay: RoundReplay, names: Names, number: int, y: int, *, has_cursor: bool
) -> None:
    """Paint an action with the name of its seat, which is left out if the line before has the same seat."""
    inks, row, x = canvas.theme.inks, replay.rows[number], area.box.x
    ink = inks.text if has_cursor else inks.soft
    if not row.steps:
        canvas.write(x, y, "the end", inks.text if has_cursor else inks.muted, bold=has_cursor)
        return
    name, action = describe_step(replay.steps[row.steps[0]], names)[0]
    before = replay.rows[number - 1].steps if number else ()
    same = before and describe_step(replay.steps[before[-1]], names)[0][0] == name
    if name and (not same or has_cursor):
        canvas.write(x, y, shorten_name(name, names), ink, bold=has_cursor)
    name_width = compute_name_room(names) + 1 if name else 0
    room = area.box.width - name_width
    text = card_faces.shorten_text(action, room)
    card_faces.paint_text(canvas, x + name_width, y, text, ink, bold=has_cursor, max_width=room)


def shorten_name(name: str, names: Names) -> str:
    """Shorten the name of a seat to the width of the names.

    A name that is not among ``names`` is returned unchanged.
    """
    return shorten_names(names, compute_name_room(names))[names.index(name)] if name in names else name


def paint_below(canvas: Canvas, y: int, snapshot: RowSnapshot) -> None:
    """Paint the contents of the panel below the seats, for terminals without a panel.

    These are the middle of the table, the lines around the cursor, and a description of the line under the cursor.
    """
    inks, width = canvas.theme.inks, canvas.width - 2
    piles = format_piles(snapshot)
    if piles:
        card_faces.paint_text(canvas, 1, y, card_faces.shorten_text(piles, width), inks.soft, max_width=width)
        y += 1
    description = describe_row(snapshot.cursor.round, snapshot.cursor.row, snapshot.names)
    words = wrap(description, width, card_faces.measure_text)[:2]
    foot = canvas.height - 1 - len(words)
    area = LinesArea(Box(1, y, width, foot - y), has_gaps=False, cards_per_line=6)
    _paint_rows(canvas, area, snapshot, Box(0, y, canvas.width, foot - y))
    for row, line in enumerate(words, foot):
        card_faces.paint_text(canvas, 1, row, line, inks.muted, max_width=width)


_MAX_WIDTH: Final = 70
"""Maximum width of the block with an explanation, in columns."""
_INDENT: Final = 2
_FRAME_ROWS: Final = 4
"""Number of rows of this block besides the sentences.

These are the title, the hand, and an empty row before and after the sentences.
"""


def paint_finished(canvas: Canvas, snapshot: RowSnapshot, explanation: Sequence[str]) -> None:
    """Paint header, board and list of the last finished round; the caller paints the footer.

    ``explanation`` is painted over them, unless it is empty.
    """
    grid, cursor = compute_layout(canvas.width, canvas.height), snapshot.cursor
    canvas.faces = snapshot.round.game.about.faces
    note = "" if snapshot.round.game.has_tricks else "hands as dealt"  # the points beside them may be those left
    paint_round_header(canvas, "Last deal", snapshot, f"round {snapshot.round.number}", note)
    if grid.tiny:
        paint_below(canvas, paint_seat_lines(canvas, 1, snapshot), snapshot)
    else:
        paint_board(canvas, grid, snapshot)
        paint_list(canvas, grid, snapshot)
    if explanation:
        name = "" if cursor.seat is None else snapshot.names[cursor.seat]
        paint_explanation(canvas, grid, name, cursor.step, explanation, snapshot.round.card_order)


def paint_round_header(canvas: Canvas, title: str, snapshot: RoundSnapshot, round_text: str, right: str = "") -> None:
    """Paint the header: game, ``round_text``, contract, and the declarer, dealer or first player, as far as they fit.

    ``right`` is the text at the right.
    """
    more = [*filter(None, [describe_round_title(snapshot.round)]), describe_starter(snapshot.round, snapshot.names)]
    paint_page_header(canvas, title, f"{snapshot.round.game.about.title}   {round_text}", right, more)


def paint_explanation(
    canvas: Canvas, layout: Layout, name: str, step: Step | None, explanation: Sequence[str], order: CardOrder
) -> None:
    """Paint an explanation at the foot of the board: the player, the hand at that time, and the sentences.

    ``step`` is ``None`` if the hand must not be shown or no seat made the step.
    """
    inks, width = canvas.theme.inks, min(layout.board.width, _MAX_WIDTH)
    lines = [line for text in explanation for line in wrap(text, width - 2 * _INDENT, card_faces.measure_text)]
    frame = _FRAME_ROWS if step else _FRAME_ROWS - 1
    height = min(len(lines) + frame, layout.board.height)
    x, y = layout.board.x + (layout.board.width - width) // 2, layout.board.bottom + 1 - height
    canvas.fill(x, y, width, height, canvas.theme.grounds.row)
    after = canvas.write(x + _INDENT, y, "Why", inks.text, bold=True) + 2
    canvas.write(after, y, truncate(name, width - 10), inks.soft)
    if step is not None:
        cards = step.view.hand
        hand = PlateContents((), cards, cards, step.used_cards, unseen=0, taken=0, card_order=order)
        paint_hand(canvas, Box(x + _INDENT, y + 1, width - 2 * _INDENT, 1), hand)
    for row, line in enumerate(lines[: height - frame + 1], y + frame - 1):
        card_faces.paint_text(canvas, x + _INDENT, row, line, inks.text, max_width=width - 2 * _INDENT)


THINKING: Final = "The expert is thinking ..."
_AUTOMATIC: Final = "That was automatic – nobody chose it."


class ExplanationRequest(Protocol):
    """Page with a selected step, on which the explanation of the step is shown."""

    explanation: list[str]
    """Sentences of the explanation; empty if the player has not asked for one."""

    @property
    def round(self) -> RoundReplay:
        """Round that contains the selected step."""

    @property
    def step(self) -> Step | None:
        """Selected decision; ``None`` if the selected step is automatic."""


class ExplanationTask:
    """Background task that explains decisions one at a time; a new request replaces one that waits.

    ``on_explained`` is called after an explanation that took time has been stored in its request.
    """

    def __init__(
        self, header: Header, names: Names, robot_client: RobotClient, on_explained: Callable[[], None]
    ) -> None:
        self._header, self._names, self._robot_client, self._on_explained = header, names, robot_client, on_explained
        self._task: asyncio.Task[None] | None = None
        self._last_request: tuple[ExplanationRequest, Step] | None = None

    def ask(self, request: ExplanationRequest) -> None:
        """Store the explanation of the selected step in ``request``.

        For a forced or automatic step this happens at once, otherwise as soon as the expert has answered.
        """
        step = request.step
        if step is None:
            request.explanation = [_AUTOMATIC]
        elif review.is_forced(step):
            request.explanation = review.explain_forced_step(step, self._names)
        else:
            request.explanation, self._last_request = [THINKING], (request, step)
            if self._task is None or self._task.done():
                self._task = start_task(self._answer_requests())

    def stop(self) -> None:
        """Cancel the pending request."""
        if self._task:
            self._task.cancel()

    async def _answer_requests(self) -> None:
        """Ask the expert until the request that was made last is answered or withdrawn."""
        while self._last_request and self._is_awaited(*self._last_request):
            request, step = self._last_request
            explanation = await self._explain(request.round, step)
            if self._is_awaited(request, step):
                request.explanation = explanation
                self._on_explained()

    def _is_awaited(self, request: ExplanationRequest, step: Step) -> bool:
        return request.explanation == [THINKING] and request.step is step

    async def _explain(self, replay: RoundReplay, step: Step) -> list[str]:
        try:
            request = review.create_hint_request(replay, step, self._header, self._names)
            advice = await self._robot_client.advise(request)
        except CardtableError as error:
            return [str(error)]
        return review.explain_decision(step, self._header, self._names, advice)
