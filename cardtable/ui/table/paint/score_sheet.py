"""Score sheet on the whole screen, with all rounds of the session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.game import Bonus, CardsTitle, Score, Seat, Sides, Title, competition_ranks
from cardtable.engine.text_format import weighted
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.contracts import DECLARED, LEFT
from cardtable.ui.game_view.game_view import Row
from cardtable.ui.table.model.view_state import TableViewState
from cardtable.ui.table.paint.board import FACTS
from cardtable.ui.toolkit.footer import paint_footer
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.charts import Curve, plot
from cardtable.ui.toolkit.painting.layout import Box, grid_of
from cardtable.ui.toolkit.painting.text_fit import WHOLE_NAME, join_fitting, shorten_names, truncate, wrap
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar
from cardtable.wording.formatting import STAR, figure, signed, signed_plus, title_text


def seats_in_order(frame: TableViewState) -> list[Seat]:
    """Return all seats, grouped by side in display order."""
    return [seat for side in frame.sides for seat in side]


def places(frame: TableViewState) -> tuple[int, ...]:
    """Return the place of each seat, numbered from 1: the final one, or by the current totals."""
    sides = frame.game.sides_of(frame.view)
    return frame.ranks or competition_ranks(frame.view.totals, lowest_wins=frame.game.lowest_wins, sides=sides)


def results(frame: TableViewState) -> tuple[int, ...]:
    """Return the final result of each seat, or its current total before the end."""
    return frame.results or frame.view.totals


def by_place(frame: TableViewState) -> Sides:
    """Return the sides by place, best first; sides with equal places clockwise from the viewing side."""
    place = places(frame)
    return tuple(sorted(frame.sides, key=lambda side: place[side[0]]))


def total_lines(frame: TableViewState) -> list[Curve]:
    """Return the totals after each round as a curve for each side, from 0 and with the viewing side first."""
    return [
        Curve(frame.side_name(side), (0, *[score.totals[side[0]] for score in frame.scores])) for side in frame.sides
    ]


def has_fallen(frame: TableViewState, score: Score, seat: Seat) -> bool:
    """Return True if the seat did not win exactly the number of tricks it bid; False in games without exact bids."""
    if not frame.game.exact_bids:
        return False
    bid, won = score.figures[seat]
    return bid != won


def bonuses(frame: TableViewState) -> list[tuple[int, str, Bonus]]:
    """Return all bonuses earned so far, each with the number of the round and the name of the side."""
    return [
        (round_number, frame.side_name(side), bonus)
        for round_number, score in enumerate(frame.scores, start=1)
        for side in sorted(frame.sides)
        for bonus in score.bonuses[side[0]]
    ]


@dataclass(frozen=True, slots=True)
class Tally:
    """Number of successful rounds of each seat, with a heading."""

    heading: str
    counts: tuple[int, ...]


def tally(frame: TableViewState) -> Tally:
    """Count the exact bids of each seat in games with exact bids, else the rounds in which it had the best points."""
    count = range(len(frame.names))
    if frame.game.exact_bids:
        return Tally(
            "Exact bids", tuple(sum(not has_fallen(frame, score, seat) for score in frame.scores) for seat in count)
        )
    each = frame.game.sides_of(frame.view)
    best = [competition_ranks(score.points, lowest_wins=frame.game.lowest_wins, sides=each) for score in frame.scores]
    return Tally(frame.piece.best_rounds, tuple(sum(place[seat] == 1 for place in best) for seat in count))


def paint_tally(canvas: Canvas, box: Box, frame: TableViewState) -> None:
    """Paint the tally as a bar for each side, in two columns if one does not fit."""
    inks, rounds = canvas.theme.inks, len(frame.scores)
    counts, order = tally(frame).counts, frame.sides
    wide = len(order) <= box.height
    rows, width = (len(order), box.width) if wide else (-(-len(order) // 2), (box.width - 3) // 2)
    names = [frame.side_name(side) for side in order]
    label = min(max(map(cell_len, names)), max(width // 4, WHOLE_NAME)) + 2
    bar = width - label - len(f"{rounds} of {rounds}") - 1
    for i, (side, name) in enumerate(zip(order, shorten_names(names, label - 2), strict=True)):
        x, y = box.x + i // rows * (width + 3), box.y + i % rows
        own, done = frame.seat in side, counts[side[0]]
        ink = inks.text if own else inks.muted
        canvas.text(x, y, name, ink, bold=own)
        paint_bar(canvas, Box(x + label, y, bar, 1), done, rounds)
        canvas.right(x + width - 1, y, f"{done} of {rounds}", ink)


def paint_bar(canvas: Canvas, box: Box, done: int, of: int) -> None:
    """Paint a thin bar in steps of half a column on a track; an empty bar if ``total`` is 0."""
    theme = canvas.theme
    halves = 2 * box.width * done // of if of else 0
    full, half = divmod(halves, 2)
    canvas.text(box.x, box.y, "━" * box.width, theme.grounds.track)
    canvas.text(box.x, box.y, "━" * full + "╸" * half, theme.inks.soft)


PANEL: Final = 34
"""Width of the panel on large screens, in columns."""


def paint_sheet_panel(canvas: Canvas, frame: TableViewState, deals: int) -> None:
    """Paint the panel of a large screen: remaining contracts, plot of the totals by round, and notes.

    The plot is wide enough for ``round_count`` rounds. If the game has no note on contracts, tally and bonuses are
    painted instead.
    """
    theme, edge = canvas.theme, canvas.width - PANEL
    canvas.fill(edge, 1, PANEL, canvas.height - 2, theme.grounds.panel)
    x, width = edge + 3, PANEL - 5
    height = min(max(13, (canvas.height - 14) // 2), 20)
    contracts, y = frame.piece.contracts, 2
    if contracts:
        y = _paint_all_left(canvas, Box(x, y, width, 0), frame, contracts.left(frame.view)) + 1
        height = 13
    canvas.text(x, y, "Totals by round", theme.inks.text, bold=True)
    plot(canvas, Box(x, y + 2, width, height), total_lines(frame), 0, max(deals, 1))
    y += 2 + height + 2
    if contracts and contracts.note:
        for i, line in enumerate(wrap(contracts.note, width)):
            canvas.text(x, y + i, line, theme.inks.muted)
    elif frame.scores:
        _paint_earned(canvas, x, y, width, frame)


def _paint_all_left(canvas: Canvas, box: Box, frame: TableViewState, rows: Sequence[Row]) -> int:
    """Paint the remaining contracts with a column for each seat; return the row below."""
    inks, seats = canvas.theme.inks, seats_in_order(frame)
    canvas.text(box.x, box.y, "Contracts left", inks.text, bold=True)
    label = max(card_faces.shown_width(row.label) for row in rows) + 1
    step = (box.width - label) // len(seats)
    ends = [box.x + label + step * (i + 1) - 1 for i in range(len(seats))]
    names = shorten_names(frame.names, step - 1)
    for end, seat in zip(ends, seats, strict=True):
        canvas.right(end, box.y + 2, names[seat], inks.muted)
    for y, row in enumerate(rows, box.y + 3):
        paint_left(canvas, box.x, y, row, ends)
    return box.y + 3 + len(rows)


def _paint_earned(canvas: Canvas, x: int, y: int, width: int, frame: TableViewState) -> None:
    theme = canvas.theme
    canvas.text(x, y, tally(frame).heading, theme.inks.text, bold=True)
    paint_tally(canvas, Box(x, y + 2, width, len(frame.names)), frame)
    y += 2 + len(frame.names) + 2
    _paint_bonuses(canvas, Box(x, y, width, canvas.height - 2 - y), frame)


def _paint_bonuses(canvas: Canvas, box: Box, frame: TableViewState) -> None:
    earned = bonuses(frame)[-max(box.height - 2, 0) :]
    if not earned or box.height < 3:
        return
    inks = canvas.theme.inks
    canvas.text(box.x, box.y, "Bonuses", inks.text, bold=True)
    width = min(max([cell_len(name) for _, name, _ in earned]), WHOLE_NAME)
    names = shorten_names([name for _, name, _ in earned], width)
    for y, ((round_number, _, bonus), name) in enumerate(zip(earned, names, strict=True), start=box.y + 2):
        canvas.right(box.x + 1, y, str(round_number), inks.muted)
        canvas.text(box.x + 3, y, name, inks.text)
        x = canvas.text(box.x + 3 + width + 1, y, signed_plus(bonus.points), inks.text, bold=True) + 1
        canvas.text(x, y, truncate(bonus.name, box.right + 1 - x), inks.muted)


def paint_left(canvas: Canvas, x: int, y: int, row: Row, ends: Sequence[int]) -> None:
    """Paint how often a contract can still be named: a value in each seat's column, or one value for all seats."""
    inks = canvas.theme.inks
    card_faces.paint_text(canvas, x, y, row.label, inks.text)
    for end, value in zip(ends, row.values, strict=False):
        some = len(value) - len(value.lstrip(LEFT))
        canvas.text(end - len(value) + 1, y, value[:some], inks.text, bold=True)
        canvas.text(end - len(value) + 1 + some, y, value[some:], inks.quiet)
    if len(row.values) < len(ends):
        canvas.text(ends[0] + 2, y, "of all players", inks.quiet)


TOP: Final = 5
"""First row of the rounds."""
CONTRACT: Final = "contract"
POINTS: Final = "pts"
TOTAL: Final = "tot"
LEAST_WHO: Final = 5
"""Minimum width of the declarer's name in columns."""
BELOW: Final = 2
"""Number of rows below the current round when the sheet is opened."""


NAMING: Final = "to name the contract"
DECLARING: Final = "to declare"
"""Description of the declarer's decision, long (``NAMING``) and short (``DECLARING``)."""
UNNAMED: Final = "?"
"""Placeholder for a contract that has not been named."""


class _DealTitle(NamedTuple):
    words: str
    short: str = ""
    """Abbreviated title for narrow columns."""
    digits: int = 0
    """Number of digits with which the title begins, if it begins with a number of cards; else 0."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Positions of the sheet's columns."""

    large: bool
    width: int
    """Width of the sheet without the panel."""
    rows: int
    """Number of rows for rounds."""
    round_end: int
    who: int
    who_width: int
    """Width of the declarer's name including the gap after it; 0 if it is not shown."""
    deal: int
    deal_width: int
    first: int
    """First column of the first block; each side has a block."""
    step: int
    """Width of a block."""
    columns: Mapping[str, int]
    """Last column of the values under each displayed heading, relative to the block."""

    @property
    def end(self) -> int:
        """Last column of the totals, relative to the block."""
        return self.columns[TOTAL]

    def block(self, index: int) -> int:
        """Return the first column of the block of the side with this index."""
        return self.first + index * self.step


def turns(canvas: Canvas, frame: TableViewState) -> bool:
    """Return True if the remaining contracts are on another side, because the screen has no panel for them.

    Games without contracts have no other side.
    """
    return frame.piece.contracts is not None and not grid_of(canvas).large


def paint_contracts(canvas: Canvas, frame: TableViewState) -> None:
    """Paint the other side of the sheet: names and remaining contracts."""
    contracts = frame.piece.contracts
    assert contracts is not None
    plan = _plan(canvas, frame, _deal_titles(frame))
    _paint_header(canvas, frame)
    canvas.fill(0, 1, plan.width, 3, canvas.theme.grounds.mat)
    canvas.text(plan.round_end - 1, 3, "contracts left", canvas.theme.inks.muted)
    _paint_names(canvas, plan, frame)
    _paint_band(canvas, plan, frame)
    ends = [plan.block(i) + plan.end for i in range(len(frame.sides))]
    x, y = plan.round_end - 1, TOP
    for y, row in enumerate(contracts.left(frame.view), TOP):
        paint_left(canvas, x, y, row, ends)
    if contracts.note:
        for line_y, line in enumerate(wrap(contracts.note, canvas.width - 2 * x), y + 2):
            canvas.text(x, line_y, line, canvas.theme.inks.muted)
    paint_footer(canvas, [("switch", "the rounds"), ("leave", "back to the table")], 2, sheet=False)


def paint_sheet(canvas: Canvas, frame: TableViewState, scroll: int) -> int:
    """Paint the sheet from the round with index ``first_round``; return the largest index that fills the screen."""
    deals = _deal_titles(frame)
    plan = _plan(canvas, frame, deals)
    largest = max(len(deals) - plan.rows, 0)
    top = min(scroll, largest)
    _paint_header(canvas, frame)
    _paint_heads(canvas, plan, frame)
    _paint_band(canvas, plan, frame)
    for row, index in enumerate(range(top, min(top + plan.rows, len(deals)))):
        _paint_round(canvas, plan, frame, TOP + row, index, deals[index])
    paint_scroll_bar(canvas, plan.width - 2, top, len(deals), TOP, plan.rows)
    if plan.large:
        paint_sheet_panel(canvas, frame, len(deals))
    keys = [("up down", "scroll")] if largest else []
    keys += [("switch", "contracts left")] if turns(canvas, frame) else []
    paint_footer(canvas, [*keys, ("leave", "back to the table")], 2, sheet=False)
    return largest


def _paint_band(canvas: Canvas, plan: _Plan, frame: TableViewState) -> None:
    for index in range(0, len(frame.sides), 2):
        canvas.fill(plan.block(index), TOP - 1, plan.step, canvas.height - TOP, canvas.theme.grounds.band)


def opening(canvas: Canvas, frame: TableViewState) -> int:
    """Return the index of the first visible round when the sheet is opened.

    The current round is then ``ROWS_BELOW`` rows above the last one, if there are enough rounds.
    """
    rows, deals = _visible_rounds(canvas), len(_deal_titles(frame))
    present = len(frame.scores) - (0 if frame.view.playing else 1)
    return max(min(present + 1 + BELOW - rows, deals - rows), 0)


def _visible_rounds(canvas: Canvas) -> int:
    return canvas.height - TOP - 2


def _deal_titles(frame: TableViewState) -> list[_DealTitle]:
    """Return the titles of finished rounds, of the current round, and of future rounds if the game knows them."""
    finished = [_deal_title(score.title, score.weight) for score in frame.scores]
    coming = [
        _deal_title(title) if title else _DealTitle(DECLARED) for title in frame.piece.upcoming_titles(frame.view)
    ]
    if frame.view.playing and coming[:1] == [_DealTitle(DECLARED)]:
        coming[0] = _DealTitle(UNNAMED)
    return [*finished, *(coming or ([_DealTitle("")] if frame.view.playing else []))]


def _deal_title(title: Title, weight: int = 1) -> _DealTitle:
    digits = len(str(title.cards)) if isinstance(title, CardsTitle) else 0
    return _DealTitle(weighted(title_text(title), weight), weighted(title_text(title, short=True), weight), digits)


def _plan(canvas: Canvas, frame: TableViewState, deals: Sequence[_DealTitle]) -> _Plan:
    grid = grid_of(canvas)
    large = grid.large
    width = canvas.width - PANEL if large else canvas.width
    round_end = 7 if large else 4
    who = round_end + 2
    longest = max([cell_len(deal.words) for deal in deals], default=0)
    longest = max(longest, len(CONTRACT)) if frame.piece.contracts else longest
    deal_width = max(min(longest + 1, width // 5), 4) if longest else 0
    blocks, widths = len(frame.sides), _widths(frame)
    who_width = LEAST_WHO if frame.piece.contracts and not grid.tiny else 0
    room = width - 2 - who - deal_width - large
    if who_width:
        spare = room - blocks * (widths[POINTS] + widths[TOTAL] + 2)
        who_width = max(min(max(map(cell_len, frame.names)), WHOLE_NAME, spare - 1) + 1, LEAST_WHO)
    deal = who + who_width
    first = deal + deal_width + large
    room = (room - who_width) // blocks
    columns = _columns(frame, widths, room)
    step = min(room, columns[TOTAL] + 6)
    return _Plan(
        large, width, _visible_rounds(canvas), round_end, who, who_width, deal, deal_width, first, step, columns
    )


def _columns(frame: TableViewState, widths: dict[str, int], room: int) -> dict[str, int]:
    """Return the last column of the values under each heading, relative to the block.

    If not all headings fit into ``room`` columns, the last figures are omitted first, then the points. The omitted
    headings are removed from ``widths``.
    """
    figures = list(frame.game.columns)
    while len(widths) > 1 and sum(widths.values()) + len(widths) > room:
        del widths[figures.pop() if figures else POINTS]
    gap = max(min((room - 2 - sum(widths.values())) // max(len(widths) - 1, 1), 3), 1)
    ends = accumulate(width + gap for width in widths.values())
    return {heading: end - gap for heading, end in zip(widths, ends, strict=True)}


def _widths(frame: TableViewState) -> dict[str, int]:
    """Return the maximum width of the values under each heading, in columns."""
    headings = (*frame.game.columns, POINTS, TOTAL)
    widths = [len(word) for word in headings]
    for score in frame.scores:
        for side in frame.sides:
            values = (*_figures(frame, score, side), signed_plus(score.points[side[0]]), signed(score.totals[side[0]]))
            widths = [max(width, len(value)) for width, value in zip(widths, values, strict=True)]
    return dict(zip(headings, widths, strict=True))


def _figures(frame: TableViewState, score: Score, side: Sequence[Seat]) -> list[str]:
    """Return a side's figures under the game's headings: ``4``, or ``4+3`` for two seats."""
    columns = zip(frame.game.columns, *[score.figures[seat] for seat in side], strict=True)
    return ["+".join([figure(head, number) for number in numbers]) for head, *numbers in columns]


def _paint_header(canvas: Canvas, frame: TableViewState) -> None:
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    who, what = _current_status(frame)
    x = canvas.text(2, 0, "Score sheet", inks.text, bold=True) + 3
    x = canvas.text(x, 0, frame.game.about.title, inks.muted) + 3
    if what == NAMING and x + sum(map(cell_len, (*frame.facts[:1], who, what))) + 3 > canvas.width - 3:
        what = DECLARING
    start = canvas.right(canvas.width - 3, 0, what, inks.muted)
    if who:
        start = canvas.right(start - 2, 0, who, inks.text, bold=True)
    canvas.text(x, 0, join_fitting(frame.facts, FACTS, start - 2 - x), inks.muted)


def _current_status(frame: TableViewState) -> tuple[str, str]:
    """Return the name of the player to act and the kind of decision, or "" and a description of the stage."""
    view = frame.view
    if frame.stage is Stage.SESSION_END:
        return "", "the session is over"
    if frame.stage is Stage.ROUND_END:
        return "", f"round {view.finished} is over"
    if view.turn < 0:
        return "", ""
    if frame.piece.contracts and frame.game.contract(view) is None:
        return frame.names[view.turn], NAMING
    return frame.names[view.turn], "to bid" if None in _bids(frame) else "to play"


def _bids(frame: TableViewState) -> tuple[int | None, ...]:
    """Return the bid of each seat in the current round, ``None`` before the bid; empty in games without bids."""
    bids = frame.game.bids(frame.view)
    return bids.made if bids else ()


def _paint_heads(canvas: Canvas, plan: _Plan, frame: TableViewState) -> None:
    """Paint names, totals and column headings, which do not scroll."""
    inks, contracts = canvas.theme.inks, frame.piece.contracts
    canvas.fill(0, 1, plan.width, 3, canvas.theme.grounds.mat)
    canvas.right(plan.round_end, 3, "round" if plan.large else "rd", inks.muted)
    if contracts and plan.who_width:
        canvas.text(plan.who, 3, contracts.head, inks.muted)
    if plan.deal_width:
        canvas.text(plan.deal, 3, truncate(CONTRACT if contracts else "deal", plan.deal_width), inks.muted)
    _paint_names(canvas, plan, frame)
    for i in range(len(frame.sides)):
        for heading, offset in plan.columns.items():
            canvas.right(plan.block(i) + offset, 3, heading, inks.muted)


def _paint_names(canvas: Canvas, plan: _Plan, frame: TableViewState) -> None:
    """Paint names and totals, with a star for the leader.

    Totals are in a row of their own if names would have to be shortened beside them.
    """
    inks, place = canvas.theme.inks, places(frame)
    totals = [signed(frame.view.totals[side[0]]) for side in frame.sides]
    stars = [2 * (bool(frame.scores) and place[side[0]] == 1) for side in frame.sides]
    names = [frame.side_name(side) for side in frame.sides]
    needed = [cell_len(name) + star + len(total) for name, star, total in zip(names, stars, totals, strict=True)]
    beside = max(needed) < plan.end
    names = names if beside else shorten_names(names, plan.step - 1)
    for i, (name, total, star) in enumerate(zip(names, totals, stars, strict=True)):
        x = plan.block(i) + 1
        after = canvas.text(x, 2 if beside else 1, name, inks.text, bold=True)
        start = canvas.right(plan.block(i) + plan.end, 2, total, inks.text, bold=True)
        if star:
            canvas.text(after + 1 if beside else start - 2, 2, STAR, inks.gold, bold=True)


def _paint_round(canvas: Canvas, plan: _Plan, frame: TableViewState, y: int, index: int, deal: _DealTitle) -> None:
    theme = canvas.theme
    present = index == len(frame.scores) and frame.view.playing
    if present:
        canvas.fill(2, y, plan.width - 4, 1, theme.grounds.row)
        canvas.text(2, y, "▌", theme.inks.gold)
    done = index < len(frame.scores)
    ink = theme.inks.soft if done else theme.inks.text if present else theme.inks.quiet
    canvas.right(plan.round_end, y, str(index + 1), ink, bold=present)
    if frame.piece.contracts and plan.who_width:
        who = frame.piece.contracts.declarer(frame.view, index)
        canvas.text(plan.who, y, "" if who is None else shorten_names(frame.names, plan.who_width - 1)[who], ink)
    if deal.words == UNNAMED:
        canvas.text(plan.deal, y, deal.words, theme.inks.gold, bold=True)
    else:
        _paint_deal(canvas, plan, y, deal, ink, bold=present)
    for i, side in enumerate(frame.sides):
        if done:
            _paint_score(canvas, plan, frame, y, plan.block(i), side, index)
        elif present:
            _paint_bids(canvas, plan, frame, y, plan.block(i), side)
        elif not frame.piece.contracts:
            canvas.right(plan.block(i) + min(plan.columns.values()), y, "·", theme.inks.quiet)


def _paint_deal(canvas: Canvas, plan: _Plan, y: int, deal: _DealTitle, ink: str, *, bold: bool) -> None:
    """Paint the title of a round: text left-aligned, numbers of cards right-aligned."""
    room = plan.deal_width - 1
    x = plan.deal + (max(room - 1 - deal.digits, 0) if deal.digits else 0)
    words = deal.words if cell_len(deal.words) <= room else deal.short
    card_faces.paint_text(canvas, x, y, truncate(words, room), ink, bold=bold)


def _paint_score(
    canvas: Canvas, plan: _Plan, frame: TableViewState, y: int, block: int, side: Sequence[Seat], index: int
) -> None:
    inks, score, seat = canvas.theme.inks, frame.scores[index], side[0]
    fell = has_fallen(frame, score, seat)
    for heading, figures in zip(frame.game.columns, _figures(frame, score, side), strict=True):
        if heading in plan.columns:
            lost = fell and heading == frame.game.columns[-1]
            ink = inks.loss if lost else inks.soft
            canvas.right(block + plan.columns[heading], y, figures, ink, bold=lost)
    if POINTS in plan.columns:
        _paint_points(canvas, frame, y, block + plan.columns[POINTS], score, seat)
    leads = index == len(frame.scores) - 1 and places(frame)[seat] == 1
    canvas.right(block + plan.end, y, signed(score.totals[seat]), inks.text if leads else inks.muted, bold=leads)


def _paint_points(canvas: Canvas, frame: TableViewState, y: int, end: int, score: Score, seat: Seat) -> None:
    """Paint the points scored in a round, on a chip if they include a bonus."""
    theme, points = canvas.theme, score.points[seat]
    text = signed_plus(points) if points else "·"
    lost = points < 0 and not frame.game.lowest_wins
    ink = theme.inks.loss if lost else theme.inks.soft if points else theme.inks.quiet
    chip = bool(score.bonuses[seat])
    if chip:
        canvas.fill(end - len(text), y, len(text) + 1, 1, theme.grounds.bonus)
        ink = theme.inks.text
    canvas.right(end, y, text, ink, bold=chip)


def _paint_bids(canvas: Canvas, plan: _Plan, frame: TableViewState, y: int, block: int, side: Sequence[Seat]) -> None:
    """Paint the bids of a side in the current round."""
    bids, inks = _bids(frame), canvas.theme.inks
    if not bids or "bid" not in plan.columns:
        return
    end = block + plan.columns["bid"]
    asked = frame.view.turn in side and bids[frame.view.turn] is None
    unsaid = ["?" if seat == frame.view.turn else "·" for seat in side]
    texts = [none if bids[seat] is None else str(bids[seat]) for seat, none in zip(side, unsaid, strict=True)]
    if asked or any(bids[seat] is not None for seat in side):
        canvas.right(end, y, "+".join(texts), inks.gold if asked else inks.text, bold=asked)
