"""Score sheet on the whole screen, with all rounds of the session."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

import msgspec
from rich.cells import cell_len

from cardtable.engine.game import Bonus, CardsTitle, Score, Seat, Sides, Title, competition_ranks
from cardtable.engine.secret_choices import list_seats_to_act
from cardtable.engine.text_format import format_weighted
from cardtable.store.session_files import format_former_players
from cardtable.ui.game_view.game_view import Row
from cardtable.ui.game_view.trick_game import DECLARED, REMAINING
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.board import FACT_SEPARATOR, get_seat_ink
from cardtable.ui.toolkit.page import paint_footer
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, Canvas, join_fitting, shorten_names, truncate, wrap
from cardtable.ui.toolkit.painting.charts import Curve, paint_bar, paint_plot
from cardtable.ui.toolkit.painting.layout import Box, get_layout
from cardtable.ui.toolkit.scroll_list import paint_scroll_bar
from cardtable.wording.formatting import WINNER_MARK, format_figure, format_gain, format_number, format_round_title
from cardtable.wording.terms import format_loss


def list_seats(frame: TableFrame) -> list[Seat]:
    return [seat for side in frame.sides for seat in side]


def compute_places(frame: TableFrame) -> tuple[int, ...]:
    """Return the place of each seat, numbered from 1: the final one, or by the current totals."""
    sides = frame.game.sides_of(frame.view)
    return frame.ranks or competition_ranks(frame.view.totals, lowest_wins=frame.game.lowest_wins, sides=sides)


def compute_results(frame: TableFrame) -> tuple[int, ...]:
    return frame.results or frame.view.totals


def sort_sides_by_place(frame: TableFrame) -> Sides:
    """Return the sides by place, best first; sides with equal places clockwise from the viewing side."""
    places = compute_places(frame)
    return tuple(sorted(frame.sides, key=lambda side: places[side[0]]))


def build_total_curves(canvas: Canvas, frame: TableFrame) -> list[Curve]:
    """Return the totals after each round as a curve for each side, from 0 and with the viewing side first."""
    return [
        Curve(
            frame.format_side(side),
            (0, *[score.totals[side[0]] for score in frame.scores]),
            get_seat_ink(canvas, frame, side[0]),
        )
        for side in frame.sides
    ]


def has_missed_bid(frame: TableFrame, score: Score, seat: Seat) -> bool:
    """Return True if the seat did not win exactly the number of tricks it bid; False in games without exact bids."""
    if not frame.game.exact_bids:
        return False
    bid, won = score.figures[seat]
    return bid != won


def list_bonuses(frame: TableFrame) -> list[tuple[int, str, Bonus]]:
    """Return all bonuses earned so far, each with the number of the round and the name of the side."""
    return [
        (round_number, frame.format_side(side), bonus)
        for round_number, score in enumerate(frame.scores, start=1)
        for side in sorted(frame.sides)
        for bonus in score.bonuses[side[0]]
    ]


class Tally(msgspec.Struct, frozen=True):
    """Number of successful rounds of each seat, with a heading."""

    heading: str
    counts: tuple[int, ...]


def count_successes(frame: TableFrame) -> Tally:
    """Count the exact bids of each seat in games with exact bids, else the rounds in which it had the best points."""
    seats, scores = range(len(frame.names)), frame.scores
    if frame.game.exact_bids:
        made = tuple(sum(not has_missed_bid(frame, score, seat) for score in scores) for seat in seats)
        return Tally("Exact bids", made)
    sides, lowest_wins = frame.game.sides_of(frame.view), frame.game.lowest_wins
    places_by_round = [competition_ranks(score.points, lowest_wins=lowest_wins, sides=sides) for score in scores]
    return Tally(
        frame.game_view.best_rounds, tuple(sum(places[seat] == 1 for places in places_by_round) for seat in seats)
    )


def paint_tally(canvas: Canvas, box: Box, frame: TableFrame) -> None:
    """Paint the tally as a bar for each side, in two columns if one does not fit."""
    inks, rounds = canvas.theme.inks, len(frame.scores)
    counts, order = count_successes(frame).counts, frame.sides
    wide = len(order) <= box.height
    rows, width = (len(order), box.width) if wide else (-(-len(order) // 2), (box.width - 3) // 2)
    names = [frame.format_side(side) for side in order]
    label = min(max(map(cell_len, names)), max(width // 4, NICK_WIDTH)) + 2
    bar = width - label - len(f"{rounds} of {rounds}") - 1
    for i, (side, name) in enumerate(zip(order, shorten_names(names, label - 2), strict=True)):
        x, y = box.x + i // rows * (width + 3), box.y + i % rows
        own, done, ink = frame.seat in side, counts[side[0]], get_seat_ink(canvas, frame, side[0])
        canvas.write(x, y, name, ink, bold=own)
        paint_bar(canvas, x + label, y, bar, 2 * bar * done // rounds, ink)
        canvas.write_right(x + width - 1, y, f"{done} of {rounds}", inks.text if own else inks.muted)


def compute_panel_width(canvas: Canvas) -> int:
    """Return the width of the panel on large screens, in columns; its chart has half of what is beyond 120 columns."""
    return 34 + max(canvas.width - 120, 0) // 2


def paint_sheet_panel(canvas: Canvas, frame: TableFrame) -> None:
    """Paint the panel of a large screen: remaining contracts, from the first round on a plot of the totals, and notes.

    If the game has no note on contracts, tally and bonuses are painted instead.
    """
    theme, panel_width = canvas.theme, compute_panel_width(canvas)
    edge = canvas.width - panel_width
    canvas.fill(edge, 1, panel_width, canvas.height - 2, theme.grounds.panel)
    x, width = edge + 3, panel_width - 5
    height = min(max(13, (canvas.height - 14) // 2), 20)
    game_view, y = frame.game_view, 2
    if game_view.has_declarers:
        y = _paint_contracts_left(canvas, Box(x, y, width, 0), frame, game_view.contracts_left(frame.view)) + 1
        height = 13
    if frame.scores:
        canvas.write(x, y, "Totals by round", theme.inks.text, bold=True)
        paint_plot(canvas, Box(x, y + 2, width, height), build_total_curves(canvas, frame), len(frame.scores))
        y += 2 + height + 2
    if game_view.contracts_note:
        for i, line in enumerate(wrap(game_view.contracts_note, width)):
            canvas.write(x, y + i, line, theme.inks.muted)
    elif frame.scores:
        seats = len(frame.names)
        canvas.write(x, y, count_successes(frame).heading, theme.inks.text, bold=True)
        paint_tally(canvas, Box(x, y + 2, width, seats), frame)
        y += 2 + seats + 2
        _paint_bonuses(canvas, Box(x, y, width, canvas.height - 2 - y), frame)


def _paint_contracts_left(canvas: Canvas, box: Box, frame: TableFrame, rows: Sequence[Row]) -> int:
    """Paint the remaining contracts with a column for each seat; return the row below."""
    inks, seats = canvas.theme.inks, list_seats(frame)
    canvas.write(box.x, box.y, "Contracts left", inks.text, bold=True)
    label = max(card_faces.measure_text(row.label) for row in rows) + 1
    step = (box.width - label) // len(seats)
    ends = [box.x + label + step * (i + 1) - 1 for i in range(len(seats))]
    names = shorten_names(frame.names, step - 1)
    for end, seat in zip(ends, seats, strict=True):
        canvas.write_right(end, box.y + 2, names[seat], get_seat_ink(canvas, frame, seat))
    for y, row in enumerate(rows, box.y + 3):
        paint_contract_row(canvas, box.x, y, row, ends)
    return box.y + 3 + len(rows)


def _paint_bonuses(canvas: Canvas, box: Box, frame: TableFrame) -> None:
    earned = list_bonuses(frame)[-max(box.height - 2, 0) :]
    if not earned or box.height < 3:
        return
    inks = canvas.theme.inks
    canvas.write(box.x, box.y, "Bonuses", inks.text, bold=True)
    width = min(max([cell_len(name) for _, name, _ in earned]), NICK_WIDTH)
    names = shorten_names([name for _, name, _ in earned], width)
    for y, ((round_number, _, bonus), name) in enumerate(zip(earned, names, strict=True), start=box.y + 2):
        canvas.write_right(box.x + 1, y, str(round_number), inks.muted)
        canvas.write(box.x + 3, y, name, inks.text)
        x = canvas.write(box.x + 3 + width + 1, y, format_gain(bonus.points), inks.text, bold=True) + 1
        canvas.write(x, y, truncate(bonus.name, box.right + 1 - x), inks.muted)


def paint_contract_row(canvas: Canvas, x: int, y: int, row: Row, ends: Sequence[int]) -> None:
    """Paint how often a contract can still be named: a value in each seat's column, or one value for all seats."""
    inks = canvas.theme.inks
    card_faces.paint_text(canvas, x, y, row.label, inks.text)
    for end, value in zip(ends, row.values, strict=False):
        some = len(value) - len(value.lstrip(REMAINING))
        canvas.write(end - len(value) + 1, y, value[:some], inks.text, bold=True)
        canvas.write(end - len(value) + 1 + some, y, value[some:], inks.quiet)
    if len(row.values) < len(ends):
        canvas.write(ends[0] + 2, y, "of all players", inks.quiet)


FIRST_ROW: Final = 5
"""First row of the rounds."""
CONTRACT_HEADING: Final = "contract"
POINTS_HEADING: Final = "pts"
TOTAL_HEADING: Final = "tot"
MIN_DECLARER_WIDTH: Final = 5
"""Minimum width of the declarer's name in columns."""
ROWS_BELOW: Final = 2
"""Number of rows below the current round when the sheet is opened."""


NAMING: Final = "to name the contract"
DECLARING: Final = "to declare"
"""Description of the declarer's decision, long (``NAMING``) and short (``DECLARING``)."""
UNNAMED: Final = "?"
"""Placeholder for a contract that has not been named."""


class _RoundTitle(NamedTuple):
    text: str
    short: str = ""
    """Abbreviated title for narrow columns."""
    digits: int = 0
    """Number of digits with which the title begins, if it begins with a number of cards; else 0."""


class _SheetColumns(msgspec.Struct, frozen=True):
    """Positions of the sheet's columns."""

    large: bool
    width: int
    """Width of the sheet without the panel."""
    rows: int
    """Number of rows for rounds."""
    round_end: int
    declarer: int
    declarer_width: int
    """Width of the declarer's name including the gap after it; 0 if it is not shown."""
    title: int
    title_width: int
    first: int
    """First column of the first block; each side has a block."""
    step: int
    """Width of a block."""
    columns: Mapping[str, int]
    """Last column of the values under each displayed heading, relative to the block."""

    @property
    def total_end(self) -> int:
        """Last column of the totals, relative to the block."""
        return self.columns[TOTAL_HEADING]

    def find_block(self, index: int) -> int:
        return self.first + index * self.step


def has_reverse_side(canvas: Canvas, frame: TableFrame) -> bool:
    """Return True if the remaining contracts are on another side, because the screen has no panel for them.

    Games without contracts have no other side.
    """
    return frame.game_view.has_declarers and not get_layout(canvas).large


def paint_contracts(canvas: Canvas, frame: TableFrame) -> None:
    """Paint the other side of the sheet: names and remaining contracts."""
    plan = _compute_columns(canvas, frame, _list_round_titles(frame))
    _paint_header(canvas, frame)
    canvas.fill(0, 1, plan.width, 3, canvas.theme.grounds.mat)
    canvas.write(plan.round_end - 1, 3, "contracts left", canvas.theme.inks.muted)
    _paint_names(canvas, plan, frame)
    _paint_bands(canvas, plan, frame)
    ends = [plan.find_block(i) + plan.total_end for i in range(len(frame.sides))]
    x, y = plan.round_end - 1, FIRST_ROW
    for y, row in enumerate(frame.game_view.contracts_left(frame.view), FIRST_ROW):
        paint_contract_row(canvas, x, y, row, ends)
    if frame.game_view.contracts_note:
        for line_y, line in enumerate(wrap(frame.game_view.contracts_note, canvas.width - 2 * x), y + 2):
            canvas.write(x, line_y, line, canvas.theme.inks.muted)
    paint_footer(canvas, {"switch": "the rounds", "leave": "back to the table"}, 2, with_help=False)


def paint_sheet(canvas: Canvas, frame: TableFrame, first_round: int) -> int:
    """Paint the sheet from the round with index ``first_round``; return the largest index that fills the screen."""
    titles = _list_round_titles(frame)
    plan = _compute_columns(canvas, frame, titles)
    largest = max(len(titles) - plan.rows, 0)
    top = min(first_round, largest)
    _paint_header(canvas, frame)
    _paint_headings(canvas, plan, frame)
    _paint_bands(canvas, plan, frame)
    _paint_remarks(canvas, plan, frame)
    for row, index in enumerate(range(top, min(top + plan.rows, len(titles)))):
        _paint_round(canvas, plan, frame, FIRST_ROW + row, index, titles[index])
    paint_scroll_bar(canvas, plan.width - 2, top, len(titles), FIRST_ROW, plan.rows)
    if plan.large:
        paint_sheet_panel(canvas, frame)
    keys = {
        "up down": "scroll" if largest else "",
        "switch": "contracts left" if has_reverse_side(canvas, frame) else "",
        "leave": "back to the table",
    }
    paint_footer(canvas, keys, 2, with_help=False)
    return largest


def _paint_bands(canvas: Canvas, plan: _SheetColumns, frame: TableFrame) -> None:
    height, ground = canvas.height - FIRST_ROW, canvas.theme.grounds.band
    for index in range(0, len(frame.sides), 2):
        canvas.fill(plan.find_block(index), FIRST_ROW - 1, plan.step, height, ground)


def compute_opening_scroll(canvas: Canvas, frame: TableFrame) -> int:
    """Return the index of the first visible round when the sheet is opened.

    The current round is then ``ROWS_BELOW`` rows above the last one, if there are enough rounds.
    """
    rows, deals = _count_visible_rounds(canvas), len(_list_round_titles(frame))
    present = len(frame.scores) - (0 if frame.view.playing else 1)
    return max(min(present + 1 + ROWS_BELOW - rows, deals - rows), 0)


def _count_visible_rounds(canvas: Canvas) -> int:
    return max(canvas.height - FIRST_ROW - 2, 0)


def _list_round_titles(frame: TableFrame) -> list[_RoundTitle]:
    """Return the titles of finished rounds, of the current round, and of future rounds if the game knows them."""
    finished = [_make_round_title(score.title, score.weight) for score in frame.scores]
    titles = frame.game_view.upcoming_titles(frame.view)
    coming = [_make_round_title(title) if title else _RoundTitle(DECLARED) for title in titles]
    if frame.view.playing and coming[:1] == [_RoundTitle(DECLARED)]:
        coming[0] = _RoundTitle(UNNAMED)
    return [*finished, *(coming or ([_RoundTitle("")] if frame.view.playing else []))]


def _make_round_title(title: Title, weight: int = 1) -> _RoundTitle:
    digits = len(str(title.cards)) if isinstance(title, CardsTitle) else 0
    long, short = format_round_title(title), format_round_title(title, short=True)
    return _RoundTitle(format_weighted(long, weight), format_weighted(short, weight), digits)


def _compute_columns(canvas: Canvas, frame: TableFrame, titles: Sequence[_RoundTitle]) -> _SheetColumns:
    grid = get_layout(canvas)
    large = grid.large
    width = canvas.width - compute_panel_width(canvas) if large else canvas.width
    round_end, gap = (7, 1) if large else (4, 0)
    declarer = round_end + 2
    longest = max([cell_len(title.text) for title in titles], default=0)
    longest = max(longest, len(CONTRACT_HEADING)) if frame.game_view.has_declarers else longest
    title_width = max(min(longest + 1, width // 5), 4) if longest else 0
    blocks, widths = len(frame.sides), _measure_values(frame)
    declarer_width = MIN_DECLARER_WIDTH if frame.game_view.has_declarers and not grid.tiny else 0
    room = width - 2 - declarer - title_width - gap
    if declarer_width:
        spare = room - blocks * (widths[POINTS_HEADING] + widths[TOTAL_HEADING] + 2)
        declarer_width = max(min(max(map(cell_len, frame.names)), NICK_WIDTH, spare - 1) + 1, MIN_DECLARER_WIDTH)
    title = declarer + declarer_width
    room = (room - declarer_width) // blocks
    columns = _fit_headings(frame, widths, room)
    return _SheetColumns(
        large=large,
        width=width,
        rows=_count_visible_rounds(canvas),
        round_end=round_end,
        declarer=declarer,
        declarer_width=declarer_width,
        title=title,
        title_width=title_width,
        first=title + title_width + gap,
        step=min(room, columns[TOTAL_HEADING] + 6),
        columns=columns,
    )


def _fit_headings(frame: TableFrame, widths: dict[str, int], room: int) -> dict[str, int]:
    """Return the last column of the values under each heading, relative to the block.

    If not all headings fit into ``room`` columns, the last figures are omitted first, then the points. The omitted
    headings are removed from ``widths``.
    """
    figures = list(frame.game.columns)
    while len(widths) > 1 and sum(widths.values()) + len(widths) > room:
        del widths[figures.pop() if figures else POINTS_HEADING]
    gap = max(min((room - 2 - sum(widths.values())) // max(len(widths) - 1, 1), 3), 1)
    ends = accumulate(width + gap for width in widths.values())
    return {heading: end - gap for heading, end in zip(widths, ends, strict=True)}


def _measure_values(frame: TableFrame) -> dict[str, int]:
    """Return the maximum width of the values under each heading, in columns."""
    headings = (*frame.game.columns, POINTS_HEADING, TOTAL_HEADING)
    widths = [len(word) for word in headings]
    for score in frame.scores:
        for side in frame.sides:
            points, total = format_gain(score.points[side[0]]), format_number(score.totals[side[0]])
            values = (*_format_figures(frame, score, side), points, total)
            widths = [max(width, len(value)) for width, value in zip(widths, values, strict=True)]
    return dict(zip(headings, widths, strict=True))


def _format_figures(frame: TableFrame, score: Score, side: Sequence[Seat]) -> list[str]:
    """Return a side's figures under the game's headings: ``4``, or ``4+3`` for two seats."""
    columns = zip(frame.game.columns, *[score.figures[seat] for seat in side], strict=True)
    return ["+".join([format_figure(head, number) for number in numbers]) for head, *numbers in columns]


def _paint_header(canvas: Canvas, frame: TableFrame) -> None:
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    name, status = _describe_status(frame)
    x = canvas.write(2, 0, "Score sheet", inks.text, bold=True) + 3
    x = canvas.write(x, 0, frame.game.about.title, inks.muted) + 3
    if status == NAMING and x + sum(map(cell_len, (*frame.facts[:1], name, status))) + 3 > canvas.width - 3:
        status = DECLARING
    start = canvas.write_right(canvas.width - 3, 0, status, inks.muted)
    if name:
        start = canvas.write_right(start - 2, 0, name, inks.text, bold=True)
    canvas.write(x, 0, join_fitting(frame.facts, FACT_SEPARATOR, start - 2 - x), inks.muted)


def _describe_status(frame: TableFrame) -> tuple[str, str]:
    """Return the name of the player to act and the kind of decision, or "" and a description of the stage."""
    view = frame.view
    if frame.is_over:
        return "", "session over"
    if frame.is_round_over:
        return "", f"round {view.finished} is over"
    if view.turn < 0:
        return "", ""
    if any(view.choosing):
        *others, seat = list_seats_to_act(view)
        return ("", f"{len(others) + 1} players are to choose") if others else (frame.names[seat], "to choose")
    if frame.game_view.has_declarers and frame.game.contract(view) is None:
        return frame.names[view.turn], NAMING
    return frame.names[view.turn], "to bid" if None in _list_bids(frame) else "to play"


def _list_bids(frame: TableFrame) -> tuple[int | None, ...]:
    """Return the bid of each seat in the current round, ``None`` before the bid; empty in games without bids."""
    bids = frame.game.bids(frame.view)
    return bids.made if bids else ()


def _paint_headings(canvas: Canvas, plan: _SheetColumns, frame: TableFrame) -> None:
    """Paint names, totals and column headings, which do not scroll."""
    inks, has_declarers = canvas.theme.inks, frame.game_view.has_declarers
    canvas.fill(0, 1, plan.width, 3, canvas.theme.grounds.mat)
    canvas.write_right(plan.round_end, 3, "round" if plan.large else "rd", inks.muted)
    if has_declarers and plan.declarer_width:
        canvas.write(plan.declarer, 3, frame.game_view.declarer_heading, inks.muted)
    if plan.title_width:
        tells_end = any(not isinstance(score.title, CardsTitle) for score in frame.scores)
        heading = CONTRACT_HEADING if has_declarers else "end" if tells_end else "deal"
        canvas.write(plan.title, 3, truncate(heading, plan.title_width), inks.muted)
    _paint_names(canvas, plan, frame)
    for i in range(len(frame.sides)):
        for heading, offset in plan.columns.items():
            canvas.write_right(plan.find_block(i) + offset, 3, heading, inks.muted)


def _paint_names(canvas: Canvas, plan: _SheetColumns, frame: TableFrame) -> None:
    """Paint names and totals, with a star for the leader.

    Totals are in a row of their own if names would have to be shortened beside them.
    """
    inks, places = canvas.theme.inks, compute_places(frame)
    totals = [format_number(frame.view.totals[side[0]]) for side in frame.sides]
    stars = [2 if frame.scores and places[side[0]] == 1 else 0 for side in frame.sides]
    names = [frame.format_side(side) for side in frame.sides]
    needed = [cell_len(name) + star + len(total) for name, star, total in zip(names, stars, totals, strict=True)]
    beside = max(needed) < plan.total_end
    names = names if beside else shorten_names(names, plan.step - 1)
    for i, (side, name, total, star) in enumerate(zip(frame.sides, names, totals, stars, strict=True)):
        x = plan.find_block(i) + 1
        after = canvas.write(x, 2 if beside else 1, name, get_seat_ink(canvas, frame, side[0]), bold=True)
        start = canvas.write_right(plan.find_block(i) + plan.total_end, 2, total, inks.text, bold=True)
        if star:
            canvas.write(after + 1 if beside else start - 2, 2, WINNER_MARK, inks.gold, bold=True)


def _paint_remarks(canvas: Canvas, plan: _SheetColumns, frame: TableFrame) -> None:
    """Paint above the first round who has lost the session, or who else has made rounds, in each column."""
    makers, width = frame.former_players or [()] * len(frame.names), plan.step - 1
    for i, side in enumerate(frame.sides):
        losses = [format_loss(frame.lost[seat], width) for seat in side if seat in frame.lost]
        text = ", ".join([*losses, *filter(None, [format_former_players(makers[seat]) for seat in side])])
        ink = canvas.theme.inks.loss if losses else canvas.theme.inks.muted
        canvas.write(plan.find_block(i) + 1, FIRST_ROW - 1, truncate(text, width), ink)


def _paint_round(
    canvas: Canvas, plan: _SheetColumns, frame: TableFrame, y: int, index: int, title: _RoundTitle
) -> None:
    theme = canvas.theme
    present = index == len(frame.scores) and frame.view.playing
    if present:
        canvas.fill(2, y, plan.width - 4, 1, theme.grounds.row)
        canvas.write(2, y, "▌", theme.inks.gold)
    done = index < len(frame.scores)
    ink = theme.inks.soft if done else theme.inks.text if present else theme.inks.quiet
    canvas.write_right(plan.round_end, y, str(index + 1), ink, bold=present)
    if frame.game_view.has_declarers and plan.declarer_width:
        declarer = frame.game_view.declarer(frame.view, index)
        names = shorten_names(frame.names, plan.declarer_width - 1)
        canvas.write(plan.declarer, y, "" if declarer is None else names[declarer], ink)
    if title.text == UNNAMED:
        canvas.write(plan.title, y, title.text, theme.inks.gold, bold=True)
    else:
        _paint_round_title(canvas, plan, y, title, ink, bold=present)
    for i, side in enumerate(frame.sides):
        if done:
            _paint_score(canvas, plan, frame, y, plan.find_block(i), side, index)
        elif present:
            _paint_bids(canvas, plan, frame, y, plan.find_block(i), side)
        elif not frame.game_view.has_declarers:
            canvas.write_right(plan.find_block(i) + min(plan.columns.values()), y, "·", theme.inks.quiet)


def _paint_round_title(
    canvas: Canvas, plan: _SheetColumns, y: int, title: _RoundTitle, ink: str, *, bold: bool
) -> None:
    """Paint the title of a round: text left-aligned, numbers of cards right-aligned."""
    room = plan.title_width - 1
    x = plan.title + (max(room - 1 - title.digits, 0) if title.digits else 0)
    words = title.text if cell_len(title.text) <= room else title.short
    card_faces.paint_text(canvas, x, y, truncate(words, room), ink, bold=bold)


def _paint_score(
    canvas: Canvas, plan: _SheetColumns, frame: TableFrame, y: int, block: int, side: Sequence[Seat], index: int
) -> None:
    inks, score, seat = canvas.theme.inks, frame.scores[index], side[0]
    fell = has_missed_bid(frame, score, seat)
    for heading, figures in zip(frame.game.columns, _format_figures(frame, score, side), strict=True):
        if heading in plan.columns:
            lost = fell and heading == frame.game.columns[-1]
            ink = inks.loss if lost else inks.soft
            canvas.write_right(block + plan.columns[heading], y, figures, ink, bold=lost)
    if POINTS_HEADING in plan.columns:
        _paint_points(canvas, frame, y, block + plan.columns[POINTS_HEADING], score, seat)
    leads = index == len(frame.scores) - 1 and compute_places(frame)[seat] == 1
    ink, total = inks.text if leads else inks.muted, format_number(score.totals[seat])
    canvas.write_right(block + plan.total_end, y, total, ink, bold=leads)


def _paint_points(canvas: Canvas, frame: TableFrame, y: int, end: int, score: Score, seat: Seat) -> None:
    """Paint the points scored in a round, on a chip if they include a bonus."""
    theme, points = canvas.theme, score.points[seat]
    text = format_gain(points) if points else "·"
    lost = points < 0 and not frame.game.lowest_wins
    ink = theme.inks.loss if lost else theme.inks.soft if points else theme.inks.quiet
    chip = bool(score.bonuses[seat])
    if chip:
        canvas.fill(end - len(text), y, len(text) + 1, 1, theme.grounds.bonus)
        ink = theme.inks.text
    canvas.write_right(end, y, text, ink, bold=chip)


def _paint_bids(
    canvas: Canvas, plan: _SheetColumns, frame: TableFrame, y: int, block: int, side: Sequence[Seat]
) -> None:
    """Paint the bids of a side in the current round."""
    bids, inks = _list_bids(frame), canvas.theme.inks
    if not bids or "bid" not in plan.columns:
        return
    end = block + plan.columns["bid"]
    asked = frame.view.turn in side and bids[frame.view.turn] is None
    unsaid = ["?" if seat == frame.view.turn else "·" for seat in side]
    texts = [none if bids[seat] is None else str(bids[seat]) for seat, none in zip(side, unsaid, strict=True)]
    if asked or any(bids[seat] is not None for seat in side):
        canvas.write_right(end, y, "+".join(texts), inks.gold if asked else inks.text, bold=asked)
