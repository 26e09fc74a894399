"""Board and panel after a round or a session: points, plot of the totals, bonuses, podium and lines about bests."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len

from cardtable.engine.game import Seat, Sides
from cardtable.engine.text_format import format_weighted
from cardtable.ui.game_view.game_view import Progress, Row, Section
from cardtable.ui.game_view.motion import PodiumKey
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint import score_sheet
from cardtable.ui.table.paint.board import get_seat_ink
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, Canvas, CardBounds, shorten_names, truncate, wrap
from cardtable.ui.toolkit.painting.charts import MIN_PLOT_SIZE, paint_plot
from cardtable.ui.toolkit.painting.layout import Box, Layout, get_layout
from cardtable.wording.formatting import WINNER_MARK, YOU, format_figure, format_gain, format_number, format_time_loss
from cardtable.wording.session_end import EndLine

MAX_BAR_WIDTH: Final = 12
_ORDINALS: Final = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


class _Cell(msgspec.Struct, frozen=True):
    text: str
    ink: str
    bold: bool = False


class _TableRow(msgspec.Struct, frozen=True):
    """Row of the table on the mat."""

    label: _Cell
    cells: tuple[_Cell, ...]
    joins_previous: bool = False
    """True if no empty row separates this row from the row above."""


def paint_round_end(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint points and plot on the mat, and progress towards bonuses in the place of the hand.

    A lesson that has not taught them shows none of these, or only the points.
    """
    theme, mat = canvas.theme, layout.wide_mat
    if not frame.shows_round:
        return
    canvas.fill(mat.x, mat.y, mat.width, mat.height, theme.grounds.mat)
    if frame.shows_totals:
        canvas.write(mat.x + 2, mat.y + 1, f"Round {frame.view.finished}", theme.inks.text, bold=True)
    figures = (*frame.game.columns, format_weighted("points", frame.scores[-1].weight)) if frame.scores else ()
    headings = (*figures, "total", "place") if _has_totals(layout, frame) else figures
    right = _paint_score_table(canvas, layout, headings, _build_round_rows(canvas, layout, frame))
    if not frame.shows_totals:
        return
    if not layout.tiny:
        box = Box(right + 4, mat.y + 3, mat.right - right - 5, mat.height - 4)
        if box.width >= MIN_PLOT_SIZE[0]:
            first = paint_plot(canvas, box, score_sheet.build_total_curves(canvas, frame), len(frame.scores))
            canvas.write(first, mat.y + 1, "Totals", theme.inks.text, bold=True)
    _paint_progress(canvas, layout, compute_hand_area(layout), frame.game_view.progress(frame.view))


def paint_remarks(canvas: Canvas, layout: Layout, frame: TableFrame, row_count: int) -> Layout:
    """Paint the remarks below the title; return the layout with the mat reduced to the rows below them.

    ``row_count`` is the number of rows that the table needs; remarks that leave too few rows are partly covered.
    """
    mat = layout.wide_mat
    lines_of_text = wrap(" ".join(frame.remarks), mat.width - 4)
    for row, line in enumerate(lines_of_text, mat.y + 2):
        canvas.write(mat.x + 2, row, line, canvas.theme.inks.text)
    down = min(len(lines_of_text), mat.height - 4 - row_count)
    return replace(layout, wide_mat=Box(mat.x, mat.y + down, mat.width, mat.height - down))


def format_end_prompt(frame: TableFrame) -> tuple[str, ...]:
    """Return the prompt and its explanations at the end of a round or session, or the current message."""
    if frame.reason:
        return frame.reason, ""
    if frame.is_over:
        return "The session is over.", "{play} leaves"
    if frame.spectator_reason:
        return f"Round {frame.view.finished} is over.", "{play} sits down" if frame.can_sit_down else "{leave} leaves"
    if frame.prompt:
        return "The round is over.", ""
    goes_on = "{play} shows the result" if frame.is_last_round else f"{{play}} deals round {frame.view.finished + 1}"
    watched = (frame.playback.format_label(),) if frame.playback else ()
    return f"Round {frame.view.finished} is over.", *watched, goes_on


def build_end_sections(frame: TableFrame) -> tuple[Section, ...]:
    """Return the sections of the panel: next round and ranking, or the best rounds at the end of the session."""
    if frame.is_over:
        return _build_best_rounds(frame) if frame.scores else ()
    rows, places = [Row("", ("total", "place"), heading=True)], score_sheet.compute_places(frame)
    for side in score_sheet.sort_sides_by_place(frame):
        values = format_number(frame.view.totals[side[0]]), str(places[side[0]])
        rows.append(Row(frame.format_side(side), values, own=frame.seat in side, total_of=side[0]))
    ranking = Section(rows=tuple(rows))
    if frame.prompt or frame.is_last_round:
        return (ranking,)
    return Section("Next", rows=frame.game_view.next_round(frame.view, frame.names)), ranking


def _build_best_rounds(frame: TableFrame) -> tuple[Section, ...]:
    """Return a section with each side's best round by weighted points, best side first; the worst if all are equal."""
    sign = 1 if frame.game.lowest_wins else -1
    for title, choose in (("Best rounds", min), ("Worst rounds", max)):
        chosen = {
            side: choose(
                (sign * score.weight * score.points[side[0]], number) for number, score in enumerate(frame.scores, 1)
            )
            for side in score_sheet.sort_sides_by_place(frame)
        }
        rows = [
            Row(frame.format_side(side), (format_gain(sign * points), str(number)), own=frame.seat in side)
            for side, (points, number) in sorted(chosen.items(), key=lambda item: item[1][0])
        ]
        if len({points for points, _ in chosen.values()}) > 1:
            return (Section(title, rows=(Row("", ("points", "round"), heading=True), *rows)),)
    return ()


def format_outcome(frame: TableFrame, width: int) -> str:
    """Return a sentence on the winners and the player's own place in at most ``width`` columns.

    Names are shortened if necessary; then the player's place and who has lost before the end are omitted, and at last
    the sentence is truncated.
    """
    parts = [_format_outcome(frame, shorten_names(frame.names, most)) for most in (width, 12, NICK_WIDTH)]
    texts = [won + own for won, own in parts] + [won for won, _ in parts]
    return next((text for text in texts if cell_len(text) <= width), truncate(texts[-1], width))


def _format_outcome(frame: TableFrame, names: Sequence[str]) -> tuple[str, str]:
    places, me = score_sheet.compute_places(frame), frame.seat
    winners = [seat for seat in score_sheet.list_seats(frame) if places[seat] == 1]
    winner_names = " and ".join(filter(None, (", ".join(names[seat] for seat in winners[:-1]), names[winners[-1]])))
    won = sum(side[0] in winners for side in frame.sides)
    verb = "share the win" if won > 1 else "wins" if len(winners) == 1 and winner_names != YOU else "win"
    sentence = f"{winner_names} {verb} with {format_number(score_sheet.compute_results(frame)[winners[0]])}"
    if (late := frame.game.timed_out(frame.view)) is not None:
        return f"{format_time_loss(names[late])}; {'you' + sentence[3:] if winner_names == YOU else sentence}", ""
    losses = [
        f"; {format_time_loss(name) if reason == 'clock' else f'{name} left'}"
        for seat, reason in sorted(frame.lost.items())
        for name in [names[seat].lower() if names[seat] == YOU else names[seat]]
    ]
    if me in winners or me in frame.lost or names[me] != YOU:
        return sentence, "".join(losses)
    ordinal, equal = _ORDINALS[places[me] - 1], sum(places[side[0]] == places[me] for side in frame.sides)
    own = f"; you {f'share {ordinal} place' if equal > 1 else f'are {ordinal}'}"
    return sentence, "".join([own, *losses])


def _has_totals(layout: Layout, frame: TableFrame) -> bool:
    return (layout.tiny and frame.shows_totals) or not frame.scores


def _build_round_rows(canvas: Canvas, layout: Layout, frame: TableFrame) -> list[_TableRow]:
    """Return a row for each seat, grouped by side, and for each bonus if all rows fit."""
    sides, rows = frame.sides, list[_TableRow]()
    if not frame.scores:
        for side in sides:
            name = _make_name_cell(canvas, layout, frame, side[0], frame.format_side(side))
            rows.append(_TableRow(name, _make_total_cells(canvas, layout, frame, side)))
        return rows
    bonuses = frame.scores[-1].bonuses
    whole = len(frame.names) + sum([len(bonuses[side[0]]) for side in sides]) <= _count_table_rows(layout)
    for side in sides:
        rows += _iter_side_rows(canvas, layout, frame, side, with_bonuses=whole)
    return rows


def _iter_side_rows(
    canvas: Canvas, layout: Layout, frame: TableFrame, side: tuple[Seat, ...], *, with_bonuses: bool
) -> Iterator[_TableRow]:
    """Yield the rows of a side: a row for each seat, the first one with the points, then its bonuses.

    The bonuses are omitted, and not separated from the points, unless ``with_bonuses`` is True.
    """
    earned = frame.scores[-1].bonuses[side[0]]
    separate_points = sum(bonus.points for bonus in earned) if with_bonuses else 0
    figures, blank = len(frame.game.columns), _Cell("", "")
    points = _make_points_cell(canvas, frame, side[0], separate_points)
    point_cells = (points, *_make_total_cells(canvas, layout, frame, side))
    for seat in side:
        name = _make_name_cell(canvas, layout, frame, seat, frame.names[seat])
        cells = point_cells if seat == side[0] else (blank,) * len(point_cells)
        yield _TableRow(name, (*_make_figure_cells(canvas, frame, seat), *cells), joins_previous=seat != side[0])
    for bonus in earned if with_bonuses else ():
        points = _Cell(format_gain(bonus.points), canvas.theme.inks.gold, bold=True)
        added = (*(blank,) * figures, points, *(blank,) * (len(point_cells) - 1))
        yield _TableRow(_Cell(f"  {bonus.name}", canvas.theme.inks.gold), added, joins_previous=True)


def _make_name_cell(canvas: Canvas, layout: Layout, frame: TableFrame, seat: Seat, name: str) -> _Cell:
    return _Cell(name, get_seat_ink(canvas, frame, seat), bold=not layout.tiny or seat in frame.sides[0])


def _make_figure_cells(canvas: Canvas, frame: TableFrame, seat: Seat) -> tuple[_Cell, ...]:
    """Return the figures of a seat in the last round."""
    columns = zip(frame.game.columns, frame.scores[-1].figures[seat], strict=True)
    return tuple(
        [_Cell(format_figure(head, n), canvas.theme.inks.text, bold=seat == frame.seat) for head, n in columns]
    )


def _make_points_cell(canvas: Canvas, frame: TableFrame, seat: Seat, separate_points: int) -> _Cell:
    """Return the points that a seat scored in the last round, less ``separate_points``, which have rows of their own.

    The cell is gold if its points include a bonus.
    """
    score = frame.scores[-1]
    points = score.points[seat] - separate_points
    gold = bool(score.bonuses[seat]) and not separate_points
    inks, is_loss = canvas.theme.inks, points < 0 and not frame.game.lowest_wins
    ink = inks.gold if gold else inks.loss if is_loss else inks.text
    return _Cell(format_gain(points), ink, bold=seat == frame.seat or gold)


def _make_total_cells(canvas: Canvas, layout: Layout, frame: TableFrame, side: Sequence[Seat]) -> tuple[_Cell, ...]:
    if not _has_totals(layout, frame):
        return ()
    values = format_number(frame.view.totals[side[0]]), str(score_sheet.compute_places(frame)[side[0]])
    return tuple(_Cell(value, canvas.theme.inks.text, bold=frame.seat in side) for value in values)


def _count_table_rows(layout: Layout) -> int:
    return layout.wide_mat.height - 4


def _paint_score_table(canvas: Canvas, layout: Layout, headings: Sequence[str], lines: Sequence[_TableRow]) -> int:
    """Paint as many rows of the score table as fit, and return the x coordinate of its right edge."""
    inks, mat = canvas.theme.inks, layout.wide_mat
    widths = [max(len(word), *[len(line.cells[i].text) for line in lines]) for i, word in enumerate(headings)]
    gap = 3 if layout.large else 2 if layout.tiny else 1
    room = mat.width - 4 - sum(widths) - gap * len(widths)
    longest = max(cell_len(line.label.text) for line in lines if not line.joins_previous)
    most = room if layout.tiny else 24 if layout.large else 13
    label = min(max(longest, 9), most, room)
    ends = [mat.x + 1 + label + sum(widths[: i + 1]) + gap * (i + 1) for i in range(len(widths))]
    top = mat.y + (3 if len(lines) <= _count_table_rows(layout) else 2)
    for end, word in zip(ends, headings, strict=True):
        canvas.write_right(end, top, word, inks.muted)
    y, seats = top + 1, len([line for line in lines if not line.joins_previous])
    spaced = layout.large and len(lines) + seats - 1 <= _count_table_rows(layout)
    for i, line in enumerate(lines):
        y += 1 if i and spaced and not line.joins_previous else 0
        if y > mat.bottom:
            break
        _paint_row(canvas, mat.x + 2, y, line, ends, gap)
        y += 1
    return ends[-1]


def _paint_row(canvas: Canvas, x: int, y: int, line: _TableRow, ends: Sequence[int], gap: int) -> None:
    starts = [end - len(cell.text) + 1 for cell, end in zip(line.cells, ends, strict=True) if cell.text]
    room = min(starts, default=ends[-1]) - gap - x  # in a row without values, the label may use all columns
    canvas.write(x, y, truncate(line.label.text, room), line.label.ink, bold=line.label.bold)
    for cell, end in zip(line.cells, ends, strict=True):
        canvas.write_right(end, y, cell.text, cell.ink, bold=cell.bold)


def compute_hand_area(layout: Layout) -> Box:
    """Return the area of the hand, which is free at the end of a round."""
    top = layout.prompt_row + (1 if layout.tiny else 3)
    margin = layout.margin + 1
    return Box(layout.board.x + margin, top, layout.board.width - 2 * margin, layout.height - 1 - top)


def paint_tally(canvas: Canvas, layout: Layout, box: Box, frame: TableFrame) -> None:
    if layout.tiny or not frame.scores:
        return
    top = box.y if layout.large else box.y - 1
    canvas.write(box.x, top, score_sheet.count_successes(frame).heading, canvas.theme.inks.text, bold=True)
    first = top + (2 if layout.large and box.height >= len(frame.names) + 2 else 1)
    score_sheet.paint_tally(canvas, Box(box.x, first, min(box.width, 53), canvas.height - 1 - first), frame)


def _paint_progress(canvas: Canvas, layout: Layout, box: Box, bars: Sequence[Progress]) -> None:
    """Paint a bar of squares for each bonus; if not all fit, only those closest to completion.

    Bonuses that have become impossible are marked as lost.
    """
    if not bars:
        return
    step = 2 if layout.large and 2 * len(bars) <= box.height + 1 else 1
    nearest = sorted(bars, key=lambda bar: (bar.lost, -bar.done / bar.of))[: -(-box.height // step)]
    shown_bars = [bar for bar in bars if bar in nearest]
    bar_x = box.x + max(cell_len(bar.label) for bar in shown_bars) + 2
    count_x = bar_x + max(min(bar.of, MAX_BAR_WIDTH) for bar in shown_bars) + 3
    worth_x = count_x + max(len(f"{bar.done} of {bar.of}") for bar in shown_bars) + 3
    inks, y = canvas.theme.inks, box.y
    for bar in shown_bars:
        canvas.write(box.x, y, bar.label, inks.muted)
        _paint_squares(canvas, bar_x, y, bar)
        ink = inks.gold if bar.earned else inks.muted if bar.lost else inks.text
        canvas.write(count_x, y, f"{bar.done} of {bar.of}", inks.muted if bar.lost else inks.text)
        x = canvas.write(worth_x, y, bar.worth, ink, bold=bar.earned)
        canvas.write(x + 2, y, "earned" if bar.earned else "lost" if bar.lost else "", ink)
        y += step


def _paint_squares(canvas: Canvas, x: int, y: int, bar: Progress) -> None:
    theme = canvas.theme
    length = min(bar.of, MAX_BAR_WIDTH)
    full = min(length * bar.done // bar.of, length)
    ink = theme.inks.gold if bar.earned else theme.inks.bad if bar.lost else theme.inks.bar
    x = canvas.write(x, y, "■" * full, ink)
    canvas.write(x, y, "■" * (length - full), theme.grounds.track)


_PLACES: Final = 3
"""Number of places on the podium. Equal totals share a place."""
_MIN_HEIGHT: Final = 3
_MAX_HEIGHT: Final = 9
"""Limits of the height of the winners' blocks in rows."""
_MAX_LINES: Final = 8
"""Maximum number of lines on a large mat."""
_COLUMN, _MAX_COLUMN = 8, 15
"""Usual and maximum width of a block and the gap after it, in columns."""
_MIN_OTHER_WIDTH: Final = 7
"""Minimum width of place, name and result of a side that shares a row with others."""
_MIN_COLUMNS: Final = {1: 9, 2: 6}
"""Minimum width of a block and the gap after it, by the number of rows for its texts."""


def paint_session_end(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint podium and plot on the mat, and lines about bests and decisions in the place of the hand.

    A large mat has room for the lines. The tally of exact bids or best rounds follows if it fits.
    """
    theme, mat = canvas.theme, layout.wide_mat
    canvas.fill(mat.x, mat.y, mat.width, mat.height, theme.grounds.mat)
    canvas.write(mat.x + 2, mat.y + 1, format_outcome(frame, mat.width - 4), theme.inks.text, bold=True)
    text_rows = 1 if layout.tiny else 2
    if frame.remarks:
        mat = paint_remarks(canvas, layout, frame, text_rows + _MIN_HEIGHT + 1).wide_mat
    body = Box(mat.x + 2, mat.y + 3, mat.width - 4, mat.height - 3)
    below, lines = compute_hand_area(layout), frame.end_lines.lines if frame.end_lines else ()
    if layout.large:
        line_count = _paint_lines(canvas, body, lines)
        body = Box(body.x, body.y, body.width, body.height - line_count - 1)
    else:
        start = below.y if layout.tiny else below.y - 1
        line_count = _paint_lines(canvas, Box(below.x, start, below.width, canvas.height - 1 - start), lines)
    has_plot = not layout.tiny and bool(frame.scores)
    width = body.width if not has_plot else 3 * (_MAX_COLUMN if layout.large else _COLUMN)
    _paint_podium(canvas, Box(body.x, body.y, width, body.height), frame, text_rows)
    if has_plot:
        plot = Box(body.x + width + 2, body.y, body.width - width - 2, body.height - 1)
        paint_plot(canvas, plot, score_sheet.build_total_curves(canvas, frame), len(frame.scores))
    if layout.large or not line_count:
        paint_tally(canvas, layout, below, frame)


def _paint_podium(canvas: Canvas, box: Box, frame: TableFrame, text_rows: int) -> None:
    """Paint a block for each side in the first places, and a line for each of the others.

    The name and the result are above a block, in ``text_rows`` rows. If the others have no room for a line each, they
    share one.
    """
    places, order = score_sheet.compute_places(frame), score_sheet.sort_sides_by_place(frame)
    columns = box.width // _MIN_COLUMNS[text_rows]
    first = tuple([side for side in order if places[side[0]] <= _PLACES][:columns])
    others = order[len(first) :]
    gap = text_rows - 1 if others else 0
    rows = len(others) if text_rows + _MIN_HEIGHT + gap + len(others) <= box.height else 1
    height = max(min(box.height - text_rows - gap - rows, _MAX_HEIGHT), _MIN_HEIGHT)
    column = min(box.width // max(len(first), 2), _MAX_COLUMN)
    base = box.y + text_rows + height
    from_left = (first[1], first[0], *first[2:]) if len(first) >= _PLACES else first  # the winner in the middle
    for position, side in enumerate(from_left):
        block_rows = max(height - (places[side[0]] - 1) * (height // _PLACES), 1)
        block = Box(box.x + position * column, base - block_rows, column - 1, block_rows)
        _paint_block(canvas, block, frame, side, text_rows)
    room = Box(box.x, base + gap, min(box.width, max(column * len(first) - 1, 2 * _COLUMN)), rows)
    _paint_others(canvas, room if rows > 1 or len(others) < 2 else Box(room.x, room.y, box.width, 1), frame, others)


def _paint_block(canvas: Canvas, block: Box, frame: TableFrame, side: tuple[Seat, ...], text_rows: int) -> None:
    """Paint the block of a side with its place, and its name and result above."""
    theme, place = canvas.theme, score_sheet.compute_places(frame)[side[0]]
    bounds = CardBounds(block.x, block.y - text_rows, block.width, block.height + text_rows)
    canvas.card_bounds[PodiumKey(side[0])] = bounds
    canvas.fill(block.x, block.y, block.width, block.height, theme.inks.gold if place == 1 else theme.inks.quiet)
    centre = block.x + block.width // 2
    canvas.write(centre, block.y + block.height // 2, str(place), theme.grounds.mat, bold=True)
    result = format_number(score_sheet.compute_results(frame)[side[0]])
    mark = f"{WINNER_MARK} " if place == 1 and cell_len(result) + 2 <= block.width else ""
    name_ink, own = get_seat_ink(canvas, frame, side[0]), frame.seat in side
    if text_rows == 1:
        name = _shorten_name(frame, side, block.width - cell_len(f"{mark}{result}") - 1)
        x = centre - cell_len(f"{mark}{name} {result}") // 2
        x = canvas.write(max(x, block.x), block.y - 1, mark, theme.inks.gold)
        x = canvas.write(x, block.y - 1, name, name_ink, bold=own)
        canvas.write(x + 1, block.y - 1, result, theme.inks.text, bold=True)
        return
    canvas.write_centred(centre, block.y - 2, _shorten_name(frame, side, block.width), name_ink, bold=own)
    x = centre - cell_len(f"{mark}{result}") // 2
    x = canvas.write(x, block.y - 1, mark, theme.inks.gold)
    canvas.write(x, block.y - 1, result, theme.inks.text, bold=True)


def _shorten_name(frame: TableFrame, side: tuple[Seat, ...], width: int) -> str:
    names = [frame.format_side(other) for other in frame.sides]
    return shorten_names(names, width)[frame.sides.index(side)]


def _paint_others(canvas: Canvas, box: Box, frame: TableFrame, others: Sides) -> None:
    """Paint place, name and result of each side in a row of its own, or in one row of as many sides as fit."""
    inks, places = canvas.theme.inks, score_sheet.compute_places(frame)
    if len(others) > box.height:
        number = max((box.width + 3) // (_MIN_OTHER_WIDTH + 3), 1)
        own_first = sorted(others, key=lambda side: frame.seat not in side)[:number]
        others = tuple([side for side in others if side in own_first])
    results = [format_number(score_sheet.compute_results(frame)[side[0]]) for side in others]
    if len(others) > box.height:
        width = box.width // len(others) - 3
        for i, (side, result) in enumerate(zip(others, results, strict=True)):
            x = canvas.write(box.x + i * (width + 3), box.y, f"{places[side[0]]} ", inks.muted)
            name = _shorten_name(frame, side, width - 3 - cell_len(result))
            x = canvas.write(x, box.y, name, get_seat_ink(canvas, frame, side[0]), bold=frame.seat in side)
            canvas.write(x + 1, box.y, result, inks.text)
        return
    for y, (side, result) in enumerate(zip(others, results, strict=True), box.y):
        x = canvas.write(box.x, y, f"{places[side[0]]}  ", inks.muted)
        name = _shorten_name(frame, side, box.right - x - cell_len(result))
        canvas.write(x, y, name, get_seat_ink(canvas, frame, side[0]), bold=frame.seat in side)
        canvas.write_right(box.right, y, result, inks.text)


def _paint_lines(canvas: Canvas, box: Box, lines: Sequence[EndLine]) -> int:
    """Paint the first lines that fit at the bottom of a large mat, or at the top of another box; return their number.

    A line has its label at the left and the key that shows more at the right, with a word for it if there is room.
    """
    inks, keys = canvas.theme.inks, canvas.appearance.keys
    in_mat = get_layout(canvas).large
    shown_lines = lines[: _MAX_LINES if in_mat else box.height]
    indent = max([len(line.label) + 2 for line in shown_lines if line.label], default=0)
    for y, line in enumerate(shown_lines, box.bottom - len(shown_lines) if in_mat else box.y):
        right = box.right + 1
        if line.label:
            canvas.write(box.x, y, line.label, inks.muted)
            x = box.x + indent
        else:
            x = canvas.write(box.x, y, f"{WINNER_MARK} ", inks.gold)
        if line.key:
            label = keys.format_label(line.key)
            if x + card_faces.measure_text(line.text) + len(f"  {label} {line.more}") <= right:
                right = canvas.write_right(right - 1, y, line.more, inks.muted) - 1
            right = canvas.write_right(right - 1, y, label, inks.text, bold=True) - 1
        card_faces.paint_text(canvas, x, y, truncate(line.text, right - x), inks.text, max_width=right - x)
    return len(shown_lines)
