"""The score sheet: every round of the session, on the whole screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.engine.contract import Score, Seat
from cardtable.engine.titles import CardsTitle, Title
from cardtable.engine.words import weighted
from cardtable.play.seen import Stage
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.column import paint_scroll_bar
from cardtable.ui.draw.fitting import cut, whole, wrap
from cardtable.ui.draw.layout import grid_of
from cardtable.ui.draw.names import WHOLE_NAME, cut_alike
from cardtable.ui.kit.contracts import DECLARED
from cardtable.ui.page.footer import paint_footer
from cardtable.ui.table.model.frame import Frame
from cardtable.ui.table.paint import standing
from cardtable.ui.table.paint.header import FACTS
from cardtable.ui.table.paint.sheet_panel import PANEL, paint_left, paint_sheet_panel
from cardtable.wording.cards import STAR
from cardtable.wording.titles import shown
from cardtable.wording.words import figure, gained, signed

TOP: Final = 5
"""The first row of the rounds."""
CONTRACT: Final = "contract"
POINTS: Final = "pts"
TOTAL: Final = "tot"
LEAST_WHO: Final = 5
"""Columns that the one who says what is played has at least, where that is shown."""
BELOW: Final = 2
"""Rows that follow the present round when the sheet is opened."""


NAMING: Final = "to name the contract"
DECLARING: Final = "to declare"
"""What the one does who says what is played, also where there is little room."""
UNNAMED: Final = "?"
"""Stands for the contract that is to be named."""


class _Deal(NamedTuple):
    """What a round is."""

    words: str
    short: str = ""
    """The same where room is scarce."""
    digits: int = 0
    """How many of a number of cards it begins with."""


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the columns lie."""

    large: bool
    width: int
    """Columns of the sheet, without the panel."""
    rows: int
    """Rows for rounds."""
    round_end: int
    who: int
    who_width: int
    """Columns of the one who said what is played, the gap after it among them; 0 where that is not shown."""
    deal: int
    deal_width: int
    first: int
    """The first column of the first block: there is one for each side."""
    step: int
    """Columns of a block."""
    columns: Mapping[str, int]
    """Under each heading that is shown: where its values end, from the beginning of a block."""

    @property
    def end(self) -> int:
        """Where the totals end, from the beginning of a block."""
        return self.columns[TOTAL]

    def block(self, index: int) -> int:
        """The first column of a side's block."""
        return self.first + index * self.step


def turns(canvas: Canvas, frame: Frame) -> bool:
    """Whether the sheet has another side: the contracts that are left, for which there is no panel."""
    return frame.piece.contracts is not None and not grid_of(canvas).large


def paint_contracts(canvas: Canvas, frame: Frame) -> None:
    """The other side: the contracts that are left, below the names."""
    contracts = frame.piece.contracts
    assert contracts is not None
    plan = _plan(canvas, frame, _deals(frame))
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


def paint_sheet(canvas: Canvas, frame: Frame, scroll: int) -> int:
    """Paint the sheet from round ``scroll`` (counted from 0) on.

    Returns the largest ``scroll`` that still fills the screen.
    """
    deals = _deals(frame)
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


def _paint_band(canvas: Canvas, plan: _Plan, frame: Frame) -> None:
    for index in range(0, len(frame.sides), 2):
        canvas.fill(plan.block(index), TOP - 1, plan.step, canvas.height - TOP, canvas.theme.grounds.band)


def opening(canvas: Canvas, frame: Frame) -> int:
    """The ``scroll`` at which the sheet is opened: the present round the third from below, where it can be."""
    rows, deals = _rounds(canvas), len(_deals(frame))
    present = len(frame.scores) - (0 if frame.view.playing else 1)
    return max(min(present + 1 + BELOW - rows, deals - rows), 0)


def _rounds(canvas: Canvas) -> int:
    return canvas.height - TOP - 2


def _deals(frame: Frame) -> list[_Deal]:
    """What each round is: those finished, the present one, and those to come where they are fixed."""
    finished = [_deal(score.title, score.weight) for score in frame.scores]
    coming = [_deal(title) if title else _Deal(DECLARED) for title in frame.piece.coming(frame.view)]
    if frame.view.playing and coming[:1] == [_Deal(DECLARED)]:
        coming[0] = _Deal(UNNAMED)
    return [*finished, *(coming or [_Deal("")] * frame.view.playing)]


def _deal(title: Title, weight: int = 1) -> _Deal:
    digits = len(str(title.cards)) if isinstance(title, CardsTitle) else 0
    return _Deal(weighted(shown(title), weight), weighted(shown(title, short=True), weight), digits)


def _plan(canvas: Canvas, frame: Frame, deals: Sequence[_Deal]) -> _Plan:
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
    return _Plan(large, width, _rounds(canvas), round_end, who, who_width, deal, deal_width, first, step, columns)


def _columns(frame: Frame, widths: dict[str, int], room: int) -> dict[str, int]:
    """Where values end in a block; where not all fit, figures are left out from the last on, then points."""
    figures = list(frame.game.columns)
    while len(widths) > 1 and sum(widths.values()) + len(widths) > room:
        del widths[figures.pop() if figures else POINTS]
    gap = max(min((room - 2 - sum(widths.values())) // max(len(widths) - 1, 1), 3), 1)
    ends = accumulate(width + gap for width in widths.values())
    return {heading: end - gap for heading, end in zip(widths, ends, strict=True)}


def _widths(frame: Frame) -> dict[str, int]:
    """Columns of the screen that the values under each heading need."""
    headings = (*frame.game.columns, POINTS, TOTAL)
    widths = [len(word) for word in headings]
    for score in frame.scores:
        for side in frame.sides:
            values = (*_figures(frame, score, side), gained(score.points[side[0]]), signed(score.totals[side[0]]))
            widths = [max(width, len(value)) for width, value in zip(widths, values, strict=True)]
    return dict(zip(headings, widths, strict=True))


def _figures(frame: Frame, score: Score, side: Sequence[Seat]) -> list[str]:
    """What the seats of a side did, under the headings of the game: ``4``, or ``4+3``."""
    columns = zip(frame.game.columns, *[score.figures[seat] for seat in side], strict=True)
    return ["+".join([figure(head, number) for number in numbers]) for head, *numbers in columns]


def _paint_header(canvas: Canvas, frame: Frame) -> None:
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    who, what = _now(frame)
    x = canvas.text(2, 0, "Score sheet", inks.text, bold=True) + 3
    x = canvas.text(x, 0, frame.game.about.title, inks.muted) + 3
    if what == NAMING and x + sum(map(cell_len, (*frame.facts[:1], who, what))) + 3 > canvas.width - 3:
        what = DECLARING
    start = canvas.right(canvas.width - 3, 0, what, inks.muted)
    if who:
        start = canvas.right(start - 2, 0, who, inks.text, bold=True)
    canvas.text(x, 0, whole(frame.facts, FACTS, start - 2 - x), inks.muted)


def _now(frame: Frame) -> tuple[str, str]:
    """Who is to act and what, or what is over."""
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


def _bids(frame: Frame) -> tuple[int | None, ...]:
    """The bids of the round in progress; empty in games without."""
    bids = frame.game.bids(frame.view)
    return bids.made if bids else ()


def _paint_heads(canvas: Canvas, plan: _Plan, frame: Frame) -> None:
    """Names and totals, which never scroll, and what the columns are."""
    inks, contracts = canvas.theme.inks, frame.piece.contracts
    canvas.fill(0, 1, plan.width, 3, canvas.theme.grounds.mat)
    canvas.right(plan.round_end, 3, "round" if plan.large else "rd", inks.muted)
    if contracts and plan.who_width:
        canvas.text(plan.who, 3, contracts.head, inks.muted)
    if plan.deal_width:
        canvas.text(plan.deal, 3, cut(CONTRACT if contracts else "deal", plan.deal_width), inks.muted)
    _paint_names(canvas, plan, frame)
    for i in range(len(frame.sides)):
        for heading, offset in plan.columns.items():
            canvas.right(plan.block(i) + offset, 3, heading, inks.muted)


def _paint_names(canvas: Canvas, plan: _Plan, frame: Frame) -> None:
    """Names, and beside them totals, or below where names would have to be cut for them; a star for the leader."""
    inks, place = canvas.theme.inks, standing.places(frame)
    totals = [signed(frame.view.totals[side[0]]) for side in frame.sides]
    stars = [2 * (bool(frame.scores) and place[side[0]] == 1) for side in frame.sides]
    names = [frame.side_name(side) for side in frame.sides]
    needed = [cell_len(name) + star + len(total) for name, star, total in zip(names, stars, totals, strict=True)]
    beside = max(needed) < plan.end
    names = names if beside else cut_alike(names, plan.step - 1)
    for i, (name, total, star) in enumerate(zip(names, totals, stars, strict=True)):
        x = plan.block(i) + 1
        after = canvas.text(x, 2 if beside else 1, name, inks.text, bold=True)
        start = canvas.right(plan.block(i) + plan.end, 2, total, inks.text, bold=True)
        if star:
            canvas.text(after + 1 if beside else start - 2, 2, STAR, inks.gold, bold=True)


def _paint_round(canvas: Canvas, plan: _Plan, frame: Frame, y: int, index: int, deal: _Deal) -> None:
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
        canvas.text(plan.who, y, "" if who is None else cut_alike(frame.names, plan.who_width - 1)[who], ink)
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


def _paint_deal(canvas: Canvas, plan: _Plan, y: int, deal: _Deal, ink: str, *, bold: bool) -> None:
    """Words begin under each other; numbers of cards end under each other, with or without a suit behind."""
    room = plan.deal_width - 1
    x = plan.deal + (max(room - 1 - deal.digits, 0) if deal.digits else 0)
    words = deal.words if cell_len(deal.words) <= room else deal.short
    card_faces.words(canvas, x, y, cut(words, room), ink, bold=bold)


def _paint_score(
    canvas: Canvas, plan: _Plan, frame: Frame, y: int, block: int, side: Sequence[Seat], index: int
) -> None:
    inks, score, seat = canvas.theme.inks, frame.scores[index], side[0]
    fell = standing.fell(frame, score, seat)
    for heading, figures in zip(frame.game.columns, _figures(frame, score, side), strict=True):
        if heading in plan.columns:
            lost = fell and heading == frame.game.columns[-1]
            ink = inks.loss if lost else inks.soft
            canvas.right(block + plan.columns[heading], y, figures, ink, bold=lost)
    if POINTS in plan.columns:
        _paint_points(canvas, frame, y, block + plan.columns[POINTS], score, seat)
    leads = index == len(frame.scores) - 1 and standing.places(frame)[seat] == 1
    canvas.right(block + plan.end, y, signed(score.totals[seat]), inks.text if leads else inks.muted, bold=leads)


def _paint_points(canvas: Canvas, frame: Frame, y: int, end: int, score: Score, seat: Seat) -> None:
    """Points of a round; those with a bonus as a chip."""
    theme, points = canvas.theme, score.points[seat]
    text = gained(points) if points else "·"
    lost = points < 0 and not frame.game.lowest_wins
    ink = theme.inks.loss if lost else theme.inks.soft if points else theme.inks.quiet
    chip = bool(score.bonuses[seat])
    if chip:
        canvas.fill(end - len(text), y, len(text) + 1, 1, theme.grounds.bonus)
        ink = theme.inks.text
    canvas.right(end, y, text, ink, bold=chip)


def _paint_bids(canvas: Canvas, plan: _Plan, frame: Frame, y: int, block: int, side: Sequence[Seat]) -> None:
    """What the seats of a side have bid in the round in progress."""
    bids, inks = _bids(frame), canvas.theme.inks
    if not bids or "bid" not in plan.columns:
        return
    end = block + plan.columns["bid"]
    asked = frame.view.turn in side and bids[frame.view.turn] is None
    unsaid = ["?" if seat == frame.view.turn else "·" for seat in side]
    told = [none if bids[seat] is None else str(bids[seat]) for seat, none in zip(side, unsaid, strict=True)]
    if asked or any(bids[seat] is not None for seat in side):
        canvas.right(end, y, "+".join(told), inks.gold if asked else inks.text, bold=asked)
