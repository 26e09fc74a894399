"""Painting of advice on the table: a hint with its reason and the alternatives, and a lesson's text and question."""

from collections.abc import Sequence
from math import isinf
from typing import Final, NamedTuple

from msgspec.structs import replace
from rich.cells import cell_len

from cardtable.engine.cards import Card, iter_cards, mask_of
from cardtable.robots.hints import Advice, AdviceLine
from cardtable.robots.kit.hint_spec import TOO_CLOSE_TEXT, format_percentage
from cardtable.ui.game_view.hand_cursor import HintRow
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.panel import compute_box_on_mat
from cardtable.ui.toolkit.page import KeyTarget
from cardtable.ui.toolkit.painting import card_faces, markup_text
from cardtable.ui.toolkit.painting.canvas import (
    MIN_NAME_WIDTH,
    NICK_WIDTH,
    Canvas,
    CardBounds,
    join_fitting,
    shorten_names,
    truncate,
    wrap,
)
from cardtable.ui.toolkit.painting.card_faces import FULL, LARGE, SMALL, Size
from cardtable.ui.toolkit.painting.layout import Box, Layout, get_layout
from cardtable.wording.formatting import format_tenths, split_cards
from cardtable.wording.learning import format_prompt_text, format_step

_INDENT: Final = 3
_GAP: Final = 3
_NARROW_GAP: Final = 2
"""Columns before points and percentages in a table without bars."""
_EMPTY_ROWS: Final = 3
"""Rows around the title, and after the sentence, which are given up if there is no room."""
_BAR_WIDTH: Final = 10
"""Width of a bar in columns."""
_MIN_WIDTH_FOR_BARS: Final = 70
"""Minimum width of the hint, in columns, for bars."""
ALIKE_MARK: Final = "≈"
"""Mark of an alternative that is behind the best one by no more than the error."""
_CHIP_SIZE: Final = Size(card_faces.CHIP.width + 1, 1)
"""Size of a card of the trick, with a column for the star of the winning card."""
_SHARE_WIDTH: Final = 5
"""Width of a percentage in columns."""
_ERROR_WIDTH: Final = 6
"""Width of an error in columns, including the space before it."""
_POINTS_WIDTH: Final = 6 + _ERROR_WIDTH
"""Width of points with their error in columns."""


def paint_hint(canvas: Canvas, frame: TableFrame, *, shows_figures: bool = False) -> None:
    """Darken the table above the prompt, and paint the advice on it, over the full width.

    Cards on the mat that the sentence or the recommended action names stay bright, and the hint is above or below them.
    If it has no room there, it is at the top, and they are chips beside its title.
    ``shows_figures``: True to list all choices with their figures below the sentence.
    """
    inks, grid, advice = canvas.theme.inks, get_layout(canvas), frame.advice
    area = Box(grid.margin - 1, grid.board.y, canvas.width - 2 * (grid.margin - 1), grid.prompt_row - grid.board.y)
    sentence, text_rows = _wrap_text(frame, area.width - 2 * _INDENT)
    count = len(advice.lines) if advice and shows_figures else 0
    height = 1 + text_rows + (2 + count if count else 0)
    named = _find_named_cards(canvas, frame)
    free = _find_free_rows(area, [bounds for _, bounds in named], height)
    room = free or area
    height = min(height, room.height)
    gap = int(height + _EMPTY_ROWS <= room.height)
    height += gap * _EMPTY_ROWS
    _dim_board(canvas, Box(0, area.y, canvas.width, area.height), [bounds for _, bounds in named])
    box = Box(area.x, room.y + (room.height - height) // 2 if free else area.y, area.width, height)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.mat)
    y = box.y + gap
    title = f"Hint for {frame.names[frame.seat]}" if frame.playback and frame.can_request_hint else "Hint"
    x = canvas.write(box.x + _INDENT, y, title, inks.text, bold=True) + _GAP
    if advice and len(advice.lines) > 1:
        x = canvas.write(x, y, f"choice {frame.hint_row + 1} of {len(advice.lines)}", inks.soft) + _GAP
    if frame.can_request_hint:
        paint_trick_chips(canvas, Box(x, y, box.right - _INDENT - x + 1, 1), frame)
    if free is None:
        for card, _ in named[: max(box.right - _INDENT - x + 1, 0) // _CHIP_SIZE.width]:
            card_faces.paint_card(canvas, x, y, card_faces.CHIP, card)
            x += _CHIP_SIZE.width
    y += 1 + gap
    for row_y, part in enumerate(sentence, y):
        card_faces.paint_text(canvas, box.x + _INDENT, row_y, part, inks.text)
    if advice and count:
        y += text_rows + gap
        _paint_lines(canvas, Box(box.x, y, box.width, box.bottom + 1 - y), frame, advice)


def _find_named_cards(canvas: Canvas, frame: TableFrame) -> list[tuple[Card, CardBounds]]:
    """Return the cards on the mat that the sentence or the recommended action names, with their rectangles.

    The cards of a trick are left out, because the hint shows them as chips anyway.
    """
    trick = frame.game.trick(frame.view)
    if frame.advice is None or (trick and trick.lying):
        return []
    words = [part for part in split_cards(frame.advice.sentence) if not isinstance(part, str)]
    used = frame.advice.lines[0].action.cards_used() if frame.advice.lines else 0
    found = [(card, canvas.card_bounds.get(card)) for card in iter_cards(used | mask_of(words))]
    end = get_layout(canvas).prompt_row
    return [(card, bounds) for card, bounds in found if bounds and not bounds.is_in_hand and bounds.y < end]


def _find_free_rows(area: Box, cards: Sequence[CardBounds], min_height: int) -> Box | None:
    """Return the part of ``area`` above or below all the cards, whichever is higher; all of it without cards.

    Returns ``None`` if neither part has ``min_height`` rows.
    """
    if not cards:
        return area
    first, last = min(card.y for card in cards), max(card.y + card.height - 1 for card in cards)
    parts = Box(area.x, area.y, area.width, first - area.y), Box(area.x, last + 1, area.width, area.bottom - last)
    best = max(parts, key=lambda part: part.height)
    return best if best.height >= min_height else None


def _dim_board(canvas: Canvas, area: Box, cards: Sequence[CardBounds]) -> None:
    """Darken a rectangle except for the cards in it."""
    bright = [(canvas.crop(card.x, card.y, card.visible_width, card.height), card) for card in cards]
    canvas.dim(area.x, area.y, area.width, area.height)
    for picture, card in bright:
        canvas.blit(picture, card.x, card.y)


def _wrap_text(frame: TableFrame, width: int) -> tuple[list[str], int]:
    """Return the text for the selected choice, wrapped, and the rows that the longest one of all choices needs."""
    texts = [frame.advice.format_choice(line) for line in frame.advice.lines] if frame.advice else []
    wrapped = [wrap(text, width, card_faces.measure_text) for text in texts or [_format_sentence(frame)]]
    return wrapped[frame.hint_row if frame.hint_line else 0], max(map(len, wrapped))


def _format_sentence(frame: TableFrame) -> str:
    if frame.advice:
        return frame.advice.sentence
    if frame.can_request_hint:
        return "The expert is thinking ..."
    return "No robot has to choose now" if frame.playback else "It is not your turn"


def paint_trick_chips(canvas: Canvas, box: Box, frame: TableFrame) -> None:
    """Paint the trick, which a hint or a text covers, as chips after the players' names.

    A star marks the winning card.
    """
    inks = canvas.theme.inks
    trick = frame.game.trick(frame.view)
    if trick is None or not trick.lying:
        return
    cards = trick.lying
    name_width = min((box.width + 1) // len(cards) - _CHIP_SIZE.width - 2, NICK_WIDTH)
    names = shorten_names(frame.names, max(name_width, 1))
    x = box.x
    for seat, which in cards:
        if name_width >= MIN_NAME_WIDTH:
            x = canvas.write(x, box.y, names[seat], inks.soft) + 1
        look = card_faces.CardLook(is_winning=seat == trick.winning)
        card_faces.paint_card(canvas, x, box.y, _CHIP_SIZE, which, look)
        x += _CHIP_SIZE.width + 1


class _Columns(NamedTuple):
    """Columns of the table of choices, counted from the left edge of the hint."""

    points_end: int
    """Last column of the points."""
    share_heading: str
    """Heading of the percentages; empty if they are left out."""
    has_bars: bool
    reasons: int
    """First column of the reasons."""
    reason_width: int


def _compute_columns(advice: Advice, width: int) -> _Columns:
    """Return the columns for a hint of ``width`` columns."""
    scale, has_bars = advice.scale, width >= _MIN_WIDTH_FOR_BARS
    gap = _GAP if has_bars else _NARROW_GAP
    names = max(card_faces.measure_text(line.name) for line in advice.lines)
    points = _INDENT + names + gap + _POINTS_WIDTH
    points_end = max(points, _INDENT + len(scale.column_heading)) - 1
    headings = () if scale.includes_later_rounds else (advice.goal_clause, advice.goal)
    reasons = points_end + 1 + _GAP
    share_heading = next((text for text in headings if text and reasons + len(text) < width), "")
    if not any(line.share for line in advice.lines):
        share_heading = ""
    if share_heading:
        reasons += (_BAR_WIDTH + 1 if has_bars else 0) + _SHARE_WIDTH + gap
    return _Columns(points_end, share_heading, has_bars, reasons, width - (_INDENT if has_bars else 1) - reasons)


def _join_reasons(line: AdviceLine, max_width: int) -> str:
    """Return as many reasons as fit, the most important first; empty if none does."""
    texts = [", ".join(line.reasons[:number]) for number in range(len(line.reasons), 0, -1)]
    return next((text for text in texts if card_faces.measure_text(text) <= max_width), "")


def _paint_lines(canvas: Canvas, box: Box, frame: TableFrame, advice: Advice) -> None:
    """Paint choices with points, probabilities and reasons, and a row of notes; the selected one is highlighted.

    If not all have room, the selected one is among those that are shown, and the row of notes tells which they are.
    """
    inks, columns = canvas.theme.inks, _compute_columns(advice, box.width)
    points_end = box.x + columns.points_end
    shares = points_end + 1 + _GAP
    canvas.write_right(points_end, box.y, advice.scale.column_heading, inks.soft)
    canvas.write(shares, box.y, columns.share_heading, inks.soft)
    end = min(max(box.height - 2, frame.hint_row + 1), len(advice.lines))
    first = max(end - (box.height - 2), 0)
    for y, row in enumerate(range(first, end), box.y + 1):
        line = advice.lines[row]
        _paint_choice(canvas, Box(box.x, y, box.width, 1), frame, advice, row)
        lead = advice.compute_lead(line)
        if lead is not None:
            points = format_tenths(advice.scale.apply_sheet_sign(lead))
            canvas.write_right(points_end - _ERROR_WIDTH, y, points, inks.text)
            canvas.write(points_end - _ERROR_WIDTH + 2, y, format_error(line), inks.soft)
        if line.is_as_good and row:
            canvas.write(points_end + 2, y, ALIKE_MARK, inks.text)
        if line.share is not None and columns.share_heading:
            _paint_share(canvas, shares, y, line.share, is_selected=row == frame.hint_row, with_bar=columns.has_bars)
        reasons = _join_reasons(line, columns.reason_width)
        card_faces.paint_text(canvas, box.x + columns.reasons, y, reasons, inks.soft)
    is_alike = any(line.is_as_good for line in advice.lines[1:])
    notes = [
        f"{ALIKE_MARK} {TOO_CLOSE_TEXT}" if is_alike else "",
        advice.scale.note,
        advice.order_note,
    ]
    part = f"{first + 1}–{end} of {len(advice.lines)}" if end - first < len(advice.lines) else ""
    x = canvas.write_right(box.right - _INDENT, box.bottom, part, inks.text)
    note = join_fitting(list(filter(None, notes)), " " * _GAP, x - box.x - _INDENT - (_GAP if part else 0))
    canvas.write(box.x + _INDENT, box.bottom, note, inks.soft)


def _paint_choice(canvas: Canvas, box: Box, frame: TableFrame, advice: Advice, row: int) -> None:
    """Paint the name of a choice as a mouse target; highlight its rows if it is the selected one."""
    is_selected = row == frame.hint_row
    if is_selected:
        canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.row)
    if is_selected and frame.waiting:
        canvas.write(box.x, box.y, "▌", canvas.theme.inks.gold)
    canvas.add_hit_box(box.x, box.y, box.width, box.height, HintRow(row))
    ink, name = canvas.theme.inks.text, advice.lines[row].name
    card_faces.paint_text(canvas, box.x + _INDENT, box.y, name, ink, bold=is_selected)


def format_error(line: AdviceLine) -> str:
    """Return the error of an alternative's points as text; "" if all possible deals were enumerated.

    "±?" stands for an unknown error, after a single sampled deal.
    """
    if isinf(line.error):  # sampled in a single world
        return "±?"
    return f"±{line.error:.1f}" if line.error else ""


def _paint_share(canvas: Canvas, x: int, y: int, share: float, *, is_selected: bool, with_bar: bool) -> None:
    """Paint a probability, after a bar if ``with_bar`` is True.

    The bar of the selected line is bold, so that it stays bright on the highlighted row.
    """
    inks = canvas.theme.inks
    if with_bar:
        canvas.write(x, y, "▅" * _BAR_WIDTH, canvas.theme.grounds.track)
        canvas.write(x, y, "▅" * round(_BAR_WIDTH * share), inks.bar, bold=is_selected)
        x += _BAR_WIDTH + 1
    canvas.write(x, y, f"{format_percentage(share):>{_SHARE_WIDTH}}", inks.text)


TEXT_COLUMNS: Final = 54
"""Width of the text in columns."""
_BOX_COLUMNS: Final = 58
"""Width of the box in columns, where the board is wide enough."""
_STEP_GAP: Final = 2
"""Columns between title, step and key."""
_MIN_TRICK_ROWS: Final = 4
"""Least height of a mat, in rows, on which a trick of four cards is legible."""
_MIN_PILE_ROWS: Final = 6
"""The same for piles and melds."""
_MIN_SMALL_PILE_ROWS: Final = 8
"""The same for piles one step smaller than full cards."""
_MIN_FULL_PILE_ROWS: Final = 12
"""The same for piles one step smaller than large cards."""
_MIN_SIX_ROWS: Final = 9
"""The same for the cards of more than four seats."""
_MIN_SIX_FULL_ROWS: Final = 11
"""The same for more than four seats and full cards."""


_MIN_ROOMY_ROWS: Final = 9
"""Least height of a mat, in rows, that is painted as on a screen with a panel."""
_TITLE_ROWS: Final = 3
"""Rows above the headings of the points of a round."""


def layout_lesson(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with a row above the prompt for the question, and with the mat below the text.

    A mat that would become too low for the cards stays where it is, and the text covers its upper part.
    """
    if frame.is_reading and _fits_below(layout, frame, box := compute_text_box(layout, frame)):
        return _move_mat(replace(layout, large=False), box.bottom + 2, layout.prompt_row - 1)
    return _move_mat(layout, layout.mat.y, layout.prompt_row - 1)


def layout_points(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with the points of a round below the text, if there is room.

    The text covers their title if that saves the rows that are missing.
    """
    box = compute_text_box(layout, frame)
    if not frame.is_reading or not _fits_below(layout, frame, box):
        return layout
    top = box.bottom + 1
    missing = _TITLE_ROWS + 1 + len(frame.sides) - (layout.prompt_row - top)
    return _move_mat(layout, top - (_TITLE_ROWS if missing > 0 else 0), layout.prompt_row)


def _fits_below(layout: Layout, frame: TableFrame, box: Box) -> bool:
    """Return True if enough rows are left below the text for plate, mat and question, or for the points of a round."""
    if not frame.is_in_play:
        return layout.prompt_row - (box.bottom + 1) > len(frame.sides)
    least = _MIN_PILE_ROWS
    if frame.game.has_tricks:
        least = _MIN_SIX_ROWS if len(frame.names) > 4 else _MIN_TRICK_ROWS
    return layout.prompt_row - 1 - (box.bottom + 2) >= least


def _move_mat(layout: Layout, top: int, end: int) -> Layout:
    """Return the layout with the mat in the rows from ``top`` to above ``end``, and the opposite plate above it.

    Facts below the mat are left out.
    """
    mat, wide, laid = [Box(box.x, top, box.width, end - top) for box in (layout.mat, layout.wide_mat, layout.laid_mat)]
    plate = layout.top_plate
    return replace(
        layout,
        mat=mat,
        wide_mat=wide,
        laid_mat=laid,
        facts=Box(wide.x, end, wide.width, 0),
        top_plate=Box(plate.x, top - 1, plate.width, 1),
        top_hand_rows=2,
    )


def layout_cards(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with the largest cards, but not larger than before, that fit on the mat of a lesson.

    On a screen whose panel is hidden, the mat ends above a decision box that leaves enough of it.
    """
    decision = None if layout.tiny or layout.panel.width else frame.box_on_mat
    if decision and (end := compute_box_on_mat(layout, decision, frame.option).y) - layout.mat.y >= _MIN_PILE_ROWS:
        layout = _move_mat(layout, layout.mat.y, end)
    rows, card = layout.mat.height, layout.card
    if (frame.is_reading or decision) and (rows < _MIN_ROOMY_ROWS or not frame.game.has_tricks):
        layout = replace(layout, tiny=True)
    if not frame.game.has_tricks:
        largest = SMALL if rows < _MIN_SMALL_PILE_ROWS else FULL if rows < _MIN_FULL_PILE_ROWS else LARGE
        return replace(layout, card=min(card, largest, key=lambda size: size.height))
    if len(frame.names) > 4:
        return replace(layout, card=FULL if card is LARGE and rows < _MIN_SIX_FULL_ROWS else card)
    apart = 4 if layout.large else 2
    fitting = [size for size in (LARGE, FULL) if size.height <= card.height and 2 * size.height + apart <= rows]
    return replace(layout, card=fitting[0] if fitting else min(card, SMALL, key=lambda size: size.height))


def compute_text_box(layout: Layout, frame: TableFrame) -> Box:
    """Return the rectangle of the text at the top of the board, with a free row at its end if there is room.

    If the cards or points do not fit below, it covers the whole mat.
    """
    board, rows = layout.board, 1 + len(_layout_text(frame))
    width, y = min(_BOX_COLUMNS, board.width - 1), board.y + 1 if layout.large else board.y
    whole = Box(board.x + (board.width - width) // 2, y, width, layout.prompt_row - y)
    boxes = [replace(whole, height=min(height, whole.height)) for height in (rows + 1, rows)]
    if frame.game_view.wide or not frame.is_in_play:
        whole = replace(whole, x=board.x, width=board.width)
    return next((box for box in boxes if _fits_below(layout, frame, box)), whole)


def _layout_text(frame: TableFrame) -> list[markup_text.Row]:
    if frame.prompt is None:
        return []
    note = "" if frame.prompt.answer is None else " The cursor will be on it."
    return markup_text.layout_rows(format_prompt_text(frame.prompt) + note, TEXT_COLUMNS)


def paint_lesson(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint the text or the question of the lesson, whichever the pupil is to read now.

    Its title is in the header if that is free, and else with the text.
    ``layout`` is the one of the table without a lesson.
    """
    lesson, inks = frame.prompt, canvas.theme.inks
    if lesson is None:
        return
    if not frame.shows_totals and not frame.is_reading:
        x = layout.margin + cell_len(frame.game.about.title) + 2
        canvas.write(x, 0, f"{lesson.title}  {format_step(lesson)}", inks.muted)
    if line := frame.question or lesson.announcement:
        board, y = layout.board, layout.prompt_row - 1
        canvas.fill(board.x, y, board.width, 1, canvas.theme.grounds.row)
        card_faces.paint_text(canvas, board.x + layout.margin, y, line, inks.text, bold=bool(frame.question))
    if not frame.is_reading:
        return
    box = compute_text_box(layout, frame)
    canvas.fill(box.x, box.y, box.width, box.height, canvas.theme.grounds.panel)
    canvas.add_hit_box(box.x, box.y, box.width, box.height, KeyTarget("play"))
    left = box.x + (box.width - TEXT_COLUMNS) // 2
    end = canvas.write_right(left + TEXT_COLUMNS - 1, box.y, ": continue", inks.muted)
    end = canvas.write_right(end - 1, box.y, canvas.appearance.keys.format_label("play"), inks.text, bold=True)
    room = end - left - 2 * _STEP_GAP
    steps = format_step(lesson), f"{lesson.step}/{lesson.steps}", ""
    step = next((step for step in steps if cell_len(lesson.title) + len(step) <= room), steps[-1])
    x = canvas.write(left, box.y, truncate(lesson.title, room - len(step)), inks.text, bold=True)
    canvas.write(x + _STEP_GAP, box.y, step, inks.muted)
    rows = _layout_text(frame)
    for y, row in enumerate(rows, box.y + 1):
        markup_text.paint_row(canvas, left, y, row)
    y = min(box.y + 2 + len(rows), box.bottom)
    if frame.is_in_play and y > box.y + len(rows) and not _fits_below(layout, frame, box):
        paint_trick_chips(canvas, Box(left, y, TEXT_COLUMNS, 1), frame)
