"""Painting of the board: header, seats, mat, prompt and the viewing seat's hand."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace
from rich.cells import cell_len

from cardtable.engine.card_order import number_groups
from cardtable.engine.cards import BIT, SUIT, Card
from cardtable.engine.faces import Faces
from cardtable.engine.game import Mark, Seat, Sides
from cardtable.engine.secret_choices import list_seats_to_act
from cardtable.session.session_events import WATCHING, ClockLeft
from cardtable.ui.game_view.decision import Decision
from cardtable.ui.game_view.game_view import SeatPlate, count_hand, find_taker
from cardtable.ui.game_view.hand_cursor import MAT, PointCard, PointKind, PointOption, ScrollToCard, to_first_copy
from cardtable.ui.game_view.marks import (
    count_mark_rows,
    join_marks,
    join_plate_marks,
    paint_middle_marks,
    paint_plate_marks,
)
from cardtable.ui.game_view.motion import TotalKey, format_plate_key
from cardtable.ui.table.model.view_model import TableFrame
from cardtable.ui.table.paint.panel import compute_box_on_mat, paint_bid
from cardtable.ui.toolkit.page import KeyTarget
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import (
    MIN_NAME_WIDTH,
    Canvas,
    CardBounds,
    centre_window,
    shorten_names,
    shorten_names_to_fit,
    truncate,
)
from cardtable.ui.toolkit.painting.card_faces import FIT_MARK, MELD_MARK, Size
from cardtable.ui.toolkit.painting.layout import Box, Layout, compute_side_distance
from cardtable.ui.toolkit.painting.themes import Suits
from cardtable.wording.formatting import (
    SUIT_SIGNS,
    YOU,
    format_card,
    format_clock,
    format_number,
    insert_suit_signs,
    join_name_and_verb,
)
from cardtable.wording.players import (
    describe_seats_to_act,
    filter_marks,
    format_plate_mark,
    format_wait,
    get_side_index,
)
from cardtable.wording.terms import format_loss, list_terms

HALF_CARD: Final = Size(6, 2)
"""Size of a card of which only the upper part is visible."""
MAX_TINY_SEATS: Final = 4
"""Maximum number of seats for which open hands fit on a tiny screen."""
MAX_OPEN_SEATS: Final = 6
"""Maximum number of seats for which open hands fit on any other screen."""


class Word(NamedTuple):
    """Piece of text with the suit (0 to 3) whose ink it has."""

    text: str
    suit: int


Line: TypeAlias = list[Word]


def has_room_for_hands(layout: Layout, seats: int) -> bool:
    return seats <= (MAX_TINY_SEATS if layout.tiny else MAX_OPEN_SEATS)


def paint_side_hand(canvas: Canvas, area: Box, cards: Sequence[Card], *, by_suit: bool, at_bottom: bool) -> None:
    """Paint an open hand beside the mat, at the bottom of ``area`` if ``at_bottom`` is True, else at its top."""
    pad, lines = fit_hand(cards, area, canvas.faces, by_suit=by_suit)
    y = area.bottom + 1 - len(lines) if at_bottom else area.y
    for row, line in enumerate(lines, y):
        canvas.fill(area.x, row, area.width, 1, canvas.theme.cards.face)
        _paint_words(canvas, area.x + pad, row, line)


def paint_top_hand(canvas: Canvas, area: Box, cards: Sequence[Card], *, by_suit: bool) -> None:
    """Paint an open hand in lines of text, centred in ``area``."""
    pad, lines = fit_hand(cards, area, canvas.faces, by_suit=by_suit)
    width = max(map(_measure_line, lines), default=0) + 2 * pad
    for row, line in enumerate(lines, area.y):
        x = area.centre[0] - width // 2
        canvas.fill(x, row, width, 1, canvas.theme.cards.face)
        _paint_words(canvas, x + pad, row, line)


def paint_fan(canvas: Canvas, area: Box, cards: Sequence[Card]) -> bool:
    """Paint an open hand as a fan of half cards, centred in ``area``.

    Returns False, and paints nothing, if the fan does not fit.
    """
    if card_faces.MIN_STEP * (len(cards) - 1) + HALF_CARD.width > area.width:
        return False
    x = area.centre[0] - (card_faces.MIN_STEP * (len(cards) - 1) + HALF_CARD.width) // 2
    for i, card in enumerate(cards):
        shown_columns = 0 if i == len(cards) - 1 else card_faces.MIN_STEP
        card_faces.paint_card(canvas, x + card_faces.MIN_STEP * i, area.y, HALF_CARD, card, shown_columns=shown_columns)
    return True


def format_hand(cards: Sequence[Card], faces: Faces, *, by_suit: bool) -> str:
    lines = _build_lines(cards, " ", faces, by_suit=by_suit)
    return "  ".join("".join(word.text for word in line) for line in lines)


def fit_hand(cards: Sequence[Card], area: Box, faces: Faces, *, by_suit: bool) -> tuple[int, list[Line]]:
    """Return the left padding, in columns, and the lines of the most legible layout of a hand that fits into ``area``.

    If none fits, the last layout is truncated and ends in the number of omitted cards.
    """
    for pad, lines in _iter_hand_layouts(cards, area.width, faces, by_suit=by_suit):
        if len(lines) <= area.height:
            return pad, lines
    return 0, _truncate_rows(lines, area, len(cards))


def _iter_hand_layouts(
    cards: Sequence[Card], width: int, faces: Faces, *, by_suit: bool
) -> Iterator[tuple[int, list[Line]]]:
    """Yield layouts of a hand as left padding and lines, the most legible one first."""
    wide, tight = [_build_lines(cards, space, faces, by_suit=by_suit) for space in (" ", "")]
    if by_suit or all(_measure_line(line) < width for line in wide):
        for pad in (1, 0):
            rows = [_wrap_words(line, width - pad) for line in wide]
            closer = [_wrap_words(line, width - 2 * pad) for line in tight]
            yield pad, [row for a, b in zip(rows, closer, strict=True) for row in (a if len(a) == 1 else b)]
    yield 1, _wrap_words(_join_lines(wide, "  "), width - 2)
    for pad in (1, 0):
        yield pad, _wrap_words(_join_lines(tight, " "), width - 2 * pad)


def _join_lines(lines: Sequence[Line], gap: str) -> Line:
    return [word for number, line in enumerate(lines) for word in ([Word(gap, 0), *line] if number else line)]


def _build_lines(cards: Sequence[Card], space: str, faces: Faces, *, by_suit: bool) -> list[Line]:
    """Return a line for each suit: its sign, then the ranks with ``space`` before each; else a line of all cards."""
    if not by_suit:
        return [[Word(f"{space if i else ''}{format_card(card)}", SUIT[card]) for i, card in enumerate(cards)]]
    lines = []
    for suit, suit_cards in groupby(cards, key=lambda card: SUIT[card]):
        ranks = [Word(space + card_faces.format_rank(card, faces), suit) for card in suit_cards]
        lines.append([Word(SUIT_SIGNS[suit], suit), *ranks])
    return lines


def _wrap_words(words: Sequence[Word], width: int) -> list[Line]:
    """Wrap words into rows of at most ``width`` columns; no row begins with a space."""
    rows: list[Line] = [[]]
    for word in words:
        if _measure_line(rows[-1]) + len(word.text) > width:
            rows.append([])
        if rows[-1] or word.text.strip():
            rows[-1].append(word if rows[-1] else Word(word.text.lstrip(), word.suit))
    return rows


def _truncate_rows(lines: list[Line], area: Box, card_count: int) -> list[Line]:
    """Return as many rows as fit into ``area``, ending in ``+n`` for n omitted cards."""
    rows = [*lines[: area.height]]
    while True:
        shown_count = sum(word.text.strip() not in ("", *SUIT_SIGNS) for line in rows for word in line)
        omitted = Word(f"+{card_count - shown_count}", rows[-1][-1].suit if rows[-1] else 0)
        if _measure_line([*rows[-1], omitted]) <= area.width or not rows[-1]:
            return [*rows[:-1], [*rows[-1], omitted]]
        rows[-1] = rows[-1][:-1]


def _measure_line(line: Sequence[Word]) -> int:
    return sum(len(word.text) for word in line)


def _paint_words(canvas: Canvas, x: int, y: int, line: Line) -> None:
    for word in line:
        x = canvas.write(x, y, word.text, canvas.theme.suits.face[word.suit], bold=True)


_BID_WIDTH: Final = 4
"""Width of a bid beside the plate of the player, in columns."""
_OWN_MARKS_WIDTH: Final = 16
"""Width of the player's marks beside the prompt if there is little room, in columns."""
MAX_OWN_CHIPS: Final = 4
"""Maximum number of the player's taken cards that are shown as single chips beside the prompt."""


def paint_board(canvas: Canvas, layout: Layout, middle: Layout, frame: TableFrame) -> None:
    """Paint the board during a round: everything to the left of the panel except header and footer.

    ``middle`` is the layout of the cards on the mat, which differ from those in the hand in a lesson.
    """
    mat = layout.laid_mat if frame.game_view.wide else layout.mat
    canvas.fill(mat.x, mat.y, mat.width, mat.height, canvas.theme.grounds.mat)
    canvas.add_hit_box(mat.x, mat.y, mat.width, mat.height, MAT)
    middle = _exclude_decision_box(_reserve_open_hand_row(middle, frame), frame)
    middle = _paint_middle_marks(canvas, middle, frame)
    frame.game_view.middle(canvas, middle, frame.view, frame.pointed, frame.names)
    for seat in range(len(frame.names)):
        if seat != frame.seat:
            _paint_seat(canvas, layout, frame, seat)
    paint_prompt(canvas, layout, frame, *_format_prompt(frame))
    _paint_bar(canvas, layout, frame)
    paint_hand(canvas, layout, frame)


def _reserve_open_hand_row(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with the first row of the mat reserved for an open hand of the opposite seat.

    Only tiny screens need this row, and others if marks follow in the middle. On large screens the hand is elsewhere.
    """
    opposite = [seat for seat in frame.others if find_side(frame.seat, seat, len(frame.names))[0] == "top"]
    is_needed = layout.tiny or (not layout.large and filter_marks(frame.marks, None))
    if not (is_needed and frame.shows_open_hands and opposite and has_room_for_hands(layout, len(frame.names))):
        return layout
    return _lower_mat(layout, 1)


def _lower_mat(layout: Layout, rows: int) -> Layout:
    mat, laid = [Box(box.x, box.y + rows, box.width, box.height - rows) for box in (layout.mat, layout.laid_mat)]
    return replace(layout, mat=mat, laid_mat=laid)


def _paint_middle_marks(canvas: Canvas, layout: Layout, frame: TableFrame) -> Layout:
    """Paint the marks of the middle at the top of the mat; return the layout of the rest of the mat."""
    marks = filter_marks(frame.marks, None)
    box = layout.laid_mat if frame.game_view.wide else layout.mat
    rows = count_mark_rows(marks, box.width)
    if not rows:
        return layout
    paint_middle_marks(canvas, box, marks)
    return _lower_mat(layout, rows)


def _exclude_decision_box(layout: Layout, frame: TableFrame) -> Layout:
    """Return the layout with the mat reduced to the part that a decision box does not cover, on a tiny screen.

    In games with tricks the mat stays whole until a card lies on it.
    """
    decision, trick = frame.box_on_mat, frame.game.trick(frame.view)
    if not layout.tiny or decision is None or (frame.game.has_tricks and not (trick and trick.lying)):
        return layout
    mat, box = layout.mat, compute_box_on_mat(layout, decision, frame.option)
    return replace(layout, mat=Box(mat.x, mat.y, mat.width, box.y - mat.y))


def _format_prompt(frame: TableFrame) -> tuple[str, ...]:
    if frame.reason:
        return frame.reason, ""
    if frame.spectator_reason:
        if frame.can_sit_down:
            return frame.spectator_reason, "{play} sits down"
        if not frame.can_request_substitute:
            turn = describe_seats_to_act(frame.view, frame.names) if frame.spectator_reason == WATCHING else ""
            if frame.is_rated and frame.absent_seat_to_act is not None and not turn:
                return frame.spectator_reason, "after that the seat is lost"
            return frame.spectator_reason, turn or "{leave} leaves"
        robot = "{stand_in} lets a robot play"
        waits = frame.absent_seat_to_act is not None and frame.disconnected[frame.absent_seat_to_act]
        return frame.spectator_reason, f"then {robot}" if waits else robot
    if frame.is_reading:
        return ("",)
    if frame.waiting:
        if note := frame.forbidden_bid_note:
            return (note,)
        lines = frame.game_view.prompt(frame.view, frame.pointed)
        return lines if frame.shows_round else lines[:-1] or lines
    if frame.shows_trick:
        winner = find_taker(frame.game, frame.view)
        takes = "" if winner is None else f"{join_name_and_verb(frame.names[winner], 'takes', 'take')} the trick."
        return takes, "" if frame.trick_passes else "{play} continues"
    if wait := format_wait(frame.view, frame.names):
        return wait, ""
    playback_label = f"{frame.playback.format_label()}." if frame.playback else ""
    if frame.active_robot is not None and any(frame.view.choosing):
        return playback_label, f"{frame.names[frame.active_robot]} is thinking"
    if frame.view.turn >= 0 and (frame.playback or frame.view.turn != frame.seat):
        thinks = "is thinking" if frame.active_robot is not None else "is next"
        return playback_label, f"{frame.names[frame.view.turn]} {thinks}"
    return playback_label, ""


def find_side(viewer: Seat, seat: Seat, seat_count: int) -> tuple[str, int]:
    """Return the position of a seat on the screen of ``viewer``: ``left``, ``top`` or ``right``, and an offset.

    The offset is -1, 0 or 1 for a seat above, at or below the middle of its side. ``seat_count`` is 2 to ``MAX_SEATS``.
    """
    three_left = [("left", 1), ("left", 0), ("left", -1)]
    three_right = [("right", -1), ("right", 0), ("right", 1)]
    positions = {
        2: [("top", 0)],
        3: [("left", 0), ("right", 0)],
        4: [("left", 0), ("top", 0), ("right", 0)],
        5: [("left", 1), ("left", -1), ("right", -1), ("right", 1)],
        6: [("left", 1), ("left", -1), ("top", 0), ("right", -1), ("right", 1)],
        7: [*three_left, *three_right],
        8: [*three_left, ("top", 0), *three_right],
    }
    return positions[seat_count][(seat - viewer) % seat_count - 1]


def _paint_seat(canvas: Canvas, layout: Layout, frame: TableFrame, seat: Seat) -> None:
    position, offset = find_side(frame.seat, seat, len(frame.names))
    plate = frame.get_plate(seat)
    plate = replace(plate, role=_format_state(frame, seat, layout.side_width - 2) or plate.role)
    colours = _choose_plate_colours(canvas, frame, seat, is_active=seat in list_seats_to_act(frame.view))
    cards = count_hand(frame.game, frame.view, seat)
    marks: Sequence[Mark] = filter_marks(frame.marks, seat)
    hand = frame.find_open_hand(seat) if has_room_for_hands(layout, len(frame.names)) else None
    if position == "top":
        plate = _add_marks_to_role(layout, frame.names[seat], plate, marks)
        box = _compute_top_box(layout, frame.names[seat], plate)
        canvas.card_bounds[format_plate_key(seat)] = CardBounds(box.x, box.y, box.width, 1)
        _paint_top_plate(canvas, box, frame.names[seat], plate, colours)
        taken = Box(box.right + 2, box.y, layout.board.right - box.right - 2, 1)
        _paint_taken(canvas, taken, plate.cards)
        if hand is not None:
            _paint_opposite_hand(canvas, layout, frame, hand)
        elif layout.large:
            _paint_top_backs(canvas, layout, cards)
        return
    is_left = position == "left"
    x = layout.board.x + layout.margin if is_left else layout.board.right - layout.margin - layout.side_width + 1
    y = layout.mat.centre[1] - 1 + offset * compute_side_distance(layout, len(frame.names))
    canvas.card_bounds[format_plate_key(seat)] = CardBounds(x, y, layout.side_width, 3)
    name = shorten_names(frame.names, layout.side_width - 2)[seat]
    has_row_below = layout.large or len(frame.names) <= MAX_OPEN_SEATS  # else three plates stand beside the mat
    has_strip = bool(marks) and has_row_below
    plate_rows = 4 if has_strip else 3
    if has_strip:
        marks = paint_plate_marks(canvas, Box(x, y + 3, layout.side_width, 1), marks)
    shows_backs = hand is None and layout.large and len(frame.names) <= MAX_OPEN_SEATS
    back_rows = (cards + 1) // 2 + 1 if shows_backs else 0
    taken = _compute_taken_box(layout, Box(x, y, layout.side_width, plate_rows), len(frame.names), back_rows)
    if marks and plate.cards and taken.y < y + 3:  # the chips are in the row of the role
        plate = replace(plate, fact=join_marks(marks, layout.side_width - 2, plate.fact))
    elif marks and not ((plate.role and has_strip) or frame.seats_left or seat in frame.disconnected):
        plate = replace(plate, role=join_marks(marks, layout.side_width - 2))
    _paint_side_plate(canvas, Box(x, y, layout.side_width, 3), name, plate, colours)
    below = _paint_taken(canvas, taken, plate.cards) + 1 if plate.cards else y + 4
    if hand is not None:
        up = offset <= 0
        top, end = (layout.mat.y, y) if up else (y + plate_rows, layout.mat.bottom + 1)
        room = Box(x, top, layout.side_width, end - top)
        paint_side_hand(canvas, room, hand, by_suit=frame.has_suit_gaps, at_bottom=up)
    elif shows_backs:
        has_room = layout.top_hand_rows > HALF_CARD.height and below + cards <= layout.mat.bottom + 1
        _paint_side_backs(canvas, Box(x, below, layout.side_width, 1), cards, has_room=has_room)


def _format_state(frame: TableFrame, seat: Seat, width: int) -> str:
    """Return what a plate has in place of the role: a loss, a thinking robot, a clock or absence; "" if there is none.

    ``width`` is the number of columns on a plate beside the mat.
    """
    if reason := frame.lost.get(seat):
        return format_loss(reason, width)
    if frame.active_robot == seat:
        return "thinking"
    clock = frame.format_turn_clock(seat) or frame.format_seat_clock(seat)
    return clock or ("away" if seat in frame.disconnected else "")


def _compute_taken_box(layout: Layout, plate: Box, seat_count: int, back_rows: int) -> Box:
    """Return the rectangle for the taken cards of a seat beside the mat.

    ``plate``: the three rows of the plate, and the row of marks below it if there is one. The rectangle is below it, as
    far as the next plate or the ``back_rows`` rows at the end of the mat, and has at least one row. At a table of more
    than six seats it is the last of the three rows if there is no row between the plates.
    """
    below = plate.bottom + 1
    if seat_count <= MAX_TINY_SEATS:
        top = max(below, min(plate.y + 4, layout.mat.bottom))
        return Box(plate.x, top, plate.width, max(layout.mat.bottom - top + 1 - back_rows, 1))
    step = compute_side_distance(layout, seat_count) * (1 if seat_count > MAX_OPEN_SEATS else 2)
    end = min(plate.y + step, layout.mat.bottom + 1)
    return Box(plate.x, below, plate.width, end - below) if end > below else Box(plate.x, plate.y + 2, plate.width, 1)


def _add_marks_to_role(layout: Layout, name: str, plate: SeatPlate, marks: Sequence[Mark]) -> SeatPlate:
    """Return the plate of the opposite seat with as many marks after its role as fit."""
    chips = 2 * (_measure_own_chips(plate.cards) + 2) if plate.cards else 0
    used = sum(card_faces.measure_text(part) + 2 for part in (name, plate.fact, plate.role) if part)
    room = layout.board.width - chips - used - 2
    if not marks or room < MIN_NAME_WIDTH:
        return plate
    text = join_plate_marks(marks, room)
    return replace(plate, role=f"{plate.role}  {text}" if plate.role else text)


def _paint_taken(canvas: Canvas, box: Box, cards: Sequence[Card]) -> int:
    """Paint taken cards that score as chips, or as one count per suit if the chips do not fit; return the row below."""
    step = card_faces.CHIP.width + 1
    across = (box.width + 1) // step
    if len(cards) <= across * box.height:
        y = box.y
        for i, which in enumerate(cards):
            y = box.y + i // across
            card_faces.paint_card(canvas, box.x + step * (i % across), y, card_faces.CHIP, which)
        return y + 1
    suits, x, y = [SUIT[which] for which in cards], box.x, box.y
    for suit in sorted(set(suits), reverse=True):
        end = card_faces.paint_count_chip(canvas, x, y, suit, suits.count(suit))
        x, y = (end + 1, y) if box.height == 1 else (x, y + 1)
    return y + 1 if box.height == 1 else y


def _measure_own_chips(cards: Sequence[Card]) -> int:
    """Return the width of the player's taken cards in columns: a chip for each card, or one count per suit."""
    if len(cards) <= MAX_OWN_CHIPS:
        return (card_faces.CHIP.width + 1) * len(cards)
    return sum(card_faces.CHIP.width + len(str(number)) for number in Counter(SUIT[card] for card in cards).values())


def get_seat_ink(canvas: Canvas, frame: TableFrame, seat: Seat) -> str:
    """Return the ink that the side of a seat has on plates, sheet, charts and podium."""
    return canvas.theme.plot.get_ink(get_side_index(frame.sides, seat))


class _PlateColours(NamedTuple):
    ground: str
    name: str
    fact: str
    role: str
    suits: Suits


def _choose_plate_colours(canvas: Canvas, frame: TableFrame, seat: Seat, *, is_active: bool) -> _PlateColours:
    grounds, inks, suits = canvas.theme.grounds, canvas.theme.inks, canvas.theme.suits
    if is_active:
        return _PlateColours(inks.gold, grounds.panel, grounds.panel, grounds.panel, suits.gold)
    return _PlateColours(grounds.plate, get_seat_ink(canvas, frame, seat), inks.text, inks.role, suits.panel)


def _paint_side_plate(canvas: Canvas, box: Box, name: str, plate: SeatPlate, colours: _PlateColours) -> None:
    canvas.fill(box.x, box.y, box.width, box.height, colours.ground)
    canvas.write(box.x + 1, box.y, name, colours.name, bold=True)
    for y, (text, ink) in enumerate(((plate.fact, colours.fact), (plate.role, colours.role)), box.y + 1):
        card_faces.paint_text(canvas, box.x + 1, y, text, ink, max_width=box.width - 2, suits=colours.suits)


def _compute_top_box(layout: Layout, name: str, plate: SeatPlate) -> Box:
    """Return the rectangle of the opposite seat's plate, widened for long text, with room for taken cards beside it."""
    box = layout.top_plate
    words = sum(card_faces.measure_text(part) + 2 for part in (name, plate.fact, plate.role) if part)
    width = min(max(box.width, words | 1), layout.board.width)
    end = layout.board.right - _measure_own_chips(plate.cards)
    return Box(max(min(box.centre[0] - width // 2, end - width), layout.board.x), box.y, width, 1)


def _paint_top_plate(canvas: Canvas, box: Box, name: str, plate: SeatPlate, colours: _PlateColours) -> None:
    canvas.fill(box.x, box.y, box.width, 1, colours.ground)
    rest = "".join(f"  {insert_suit_signs(part)}" for part in (plate.fact, plate.role) if part)
    x = box.centre[0] - (len(name) + len(rest)) // 2
    x = canvas.write(x, box.y, name, colours.name, bold=True)
    if plate.fact:
        x = card_faces.paint_text(canvas, x + 2, box.y, plate.fact, colours.fact, suits=colours.suits)
    if plate.role:
        card_faces.paint_text(canvas, x + 2, box.y, plate.role, colours.role, suits=colours.suits)


def _paint_opposite_hand(canvas: Canvas, layout: Layout, frame: TableFrame, hand: Sequence[Card]) -> None:
    """Paint the open hand of the opposite seat: above its plate on a large screen, else at the top of the mat.

    A hand that does not fit as a fan is painted as text.
    """
    mat, plate = layout.laid_mat if frame.game_view.wide else layout.mat, layout.top_plate
    if layout.large:
        half = min(plate.centre[0] - layout.board.x, layout.board.right - plate.centre[0]) - 1
        room = Box(plate.centre[0] - half, plate.y - 2, 2 * half + 1, 2)
        if paint_fan(canvas, room, hand):
            return
    else:
        has_one_row = frame.game.has_tricks or layout.tiny or filter_marks(frame.marks, None)
        room = Box(mat.x, plate.y + 1, mat.width, 1 if has_one_row else 2)
    paint_top_hand(canvas, room, hand, by_suit=frame.has_suit_gaps)


def _paint_top_backs(canvas: Canvas, layout: Layout, card_count: int) -> None:
    """Paint the hidden hand of the opposite seat, with edges that let the backs be counted without colours."""
    rows = layout.top_hand_rows
    step, width = (5, 9) if rows > HALF_CARD.height else (3, 6)
    x, y = layout.mat.centre[0] - (step * (card_count - 1) + width) // 2, layout.top_plate.y - rows
    for i in range(card_count):
        card_faces.paint_back(canvas, x + step * i, y, Size(width, rows))


def _paint_side_backs(canvas: Canvas, first: Box, card_count: int, *, has_room: bool) -> None:
    """Paint the hidden hand of a seat beside the mat from the row ``first`` on: two cards in a row, or one card."""
    colours = canvas.theme.cards
    for row in range(card_count if has_room else (card_count + 1) // 2):
        if has_room:
            canvas.write(first.x, first.y + row, "▁" * first.width, colours.back_pattern, ground=colours.back)
            continue
        whole = 2 * row + 1 < card_count
        ground = colours.back_stripe if whole else canvas.theme.grounds.felt
        canvas.write(first.x, first.y + row, "▀" * first.width, colours.back, ground=ground)


def paint_prompt(canvas: Canvas, layout: Layout, frame: TableFrame, prompt: str, *explanations: str) -> None:
    """Paint the viewing seat's plate, gold on its turn, then the prompt and its explanations.

    The prompt is never truncated: it continues in the row below if necessary. The role on the plate is shown only if it
    leaves room for the text. If there is room, all explanations are shown, or only the first one. Explanations may also
    use the row below if they end the sentence of the prompt, or if taken cards beside the prompt take that room.
    """
    theme, y = canvas.theme, layout.prompt_row
    prompt, *formatted = map(canvas.appearance.keys.format_keys, (prompt, *explanations))
    reasons = [". ".join(filter(None, formatted)), *formatted[:1]]
    is_active = frame.waiting or frame.is_round_over or (frame.playback is not None and frame.view.turn == frame.seat)
    colours = _choose_plate_colours(canvas, frame, frame.seat, is_active=is_active)
    plate = SeatPlate(format_number(frame.view.totals[frame.seat])) if frame.shows_totals else SeatPlate()
    if frame.view.playing:
        plate = frame.get_plate(frame.seat)
    name, own = frame.names[frame.seat], plate.cards
    fact = (name == YOU and plate.own) or plate.fact
    fact = f" {insert_suit_signs(fact)}" if fact else ""
    left, end = layout.board.x + layout.margin, layout.board.right
    needed = card_faces.measure_text(prompt) + _compute_gap(prompt) + card_faces.measure_text(reasons[0])
    needed += _measure_own_chips(own) + 1 if own else 0
    row = frame.decision if frame.waiting and frame.decision and frame.decision.is_row else None
    if row:
        needed = _BID_WIDTH * len(row.options)
    fact += _format_own_marks(frame, end - left - len(name) - len(fact) - 6 - needed)
    width = len(name) + card_faces.measure_text(fact) + 2
    role = f"  {plate.role}" if plate.role else ""
    if left + width + card_faces.measure_text(role) + 2 + needed > end:
        role = ""
    width += card_faces.measure_text(role)
    canvas.fill(left, y, width, 1, colours.ground)
    canvas.card_bounds[format_plate_key(frame.seat)] = CardBounds(left, y, width, 1)
    x = canvas.write(left + 1, y, name, colours.name, bold=True)
    if frame.shows_totals and not frame.view.playing:
        canvas.card_bounds[TotalKey(frame.seat, y)] = CardBounds(x + 1, y, len(plate.fact), 1)
    x = card_faces.paint_text(canvas, x, y, fact, colours.fact, suits=colours.suits)
    x = card_faces.paint_text(canvas, x, y, role, colours.role, suits=colours.suits) + 3
    if own:
        room = _measure_own_chips(own)
        _paint_taken(canvas, Box(end - room + 1, y, room, 1), own)
        end -= room + 1
    if row:
        _paint_bids(canvas, Box(x, y, end - x + 1, 1), row, frame)
        x, y, end = left + 1, layout.hand_row - 1, layout.board.right
    first, rest = card_faces.split_words(prompt, end - x)
    for shorter in frame.shorter_reasons:
        if card_faces.measure_text(rest) > layout.board.right - left:
            first, rest = card_faces.split_words(canvas.appearance.keys.format_keys(shorter), end - x)
    if row and rest:
        y -= 1
    after = card_faces.paint_text(canvas, x, y, first, theme.inks.text, bold=True) + _compute_gap(prompt)
    goes_on = own or prompt.endswith(":")
    fitting = [reason for reason in reasons if not rest and card_faces.measure_text(reason) <= end - after]
    if fitting:
        card_faces.paint_text(canvas, after, y, fitting[0], theme.inks.muted)
    elif rest or (goes_on and not row):
        _paint_prompt_rest(canvas, layout, x, y + 1, rest, reasons if goes_on else ())


def _paint_bids(canvas: Canvas, box: Box, row: Decision, frame: TableFrame) -> None:
    """Paint as many bids as fit, among them the one under the cursor, and an arrow at each end where more follow."""
    number, x = len(row.options), box.x
    width = _BID_WIDTH if _BID_WIDTH * number <= box.width else _BID_WIDTH - 1
    shown = number
    if width * number > box.width:
        shown, x = (box.width - 2) // width, x + 1
    first = centre_window(frame.option, shown, number)
    end = first + shown
    for i, option in enumerate(row.options[first:end]):
        area = Box(x + width * i, box.y, width, 1)
        paint_bid(canvas, area, option, first + i, is_selected=frame.in_box and first + i == frame.option)
    for has_more, at, sign, index in ((first > 0, box.x, "‹", first - 1), (end < number, x + width * shown, "›", end)):
        if has_more:
            canvas.write(at, box.y, sign, canvas.theme.inks.muted)
            canvas.add_hit_box(at, box.y, 1, 1, PointOption(index))


def _format_own_marks(frame: TableFrame, room: int) -> str:
    """Return the marks of the viewing seat after its fact: as many as fit, at least in ``_OWN_MARKS_WIDTH`` columns."""
    marks = filter_marks(frame.marks, frame.seat)
    if not marks:
        return ""
    text = "  ".join([format_plate_mark(mark) for mark in marks])
    return f"  {text if card_faces.measure_text(text) <= room else join_marks(marks, max(room, _OWN_MARKS_WIDTH))}"


def _compute_gap(prompt: str) -> int:
    """Return the columns between a prompt and its explanation: it goes on after a colon or a comma."""
    return (1 if prompt.endswith((":", ",")) else 2) if prompt else 0


def _paint_prompt_rest(canvas: Canvas, layout: Layout, x: int, y: int, words: str, reasons: Sequence[str]) -> None:
    """Paint the rest of the prompt and an explanation in row ``y``, at column ``x`` or further to the left."""
    inks, board = canvas.theme.inks, layout.board
    width = card_faces.measure_text(words) + _compute_gap(words)
    room = board.right - board.x - layout.margin - width
    reason = next((reason for reason in reasons if card_faces.measure_text(reason) <= room), "")
    x = max(board.x + layout.margin, min(x, board.right - width - card_faces.measure_text(reason)))
    canvas.fill(board.x, y, board.width, 1, canvas.theme.grounds.felt)
    card_faces.paint_text(canvas, x, y, words, inks.text, bold=True, max_width=board.right - x)
    card_faces.paint_text(canvas, x + width, y, reason, inks.muted)


def _paint_bar(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint the kinds of the legal actions above the hand: the one that Enter performs in gold, and in bold those that
    the card under the cursor permits.
    """
    grounds, inks, pointed = canvas.theme.grounds, canvas.theme.inks, frame.pointed
    x, y = layout.board.x + layout.margin, layout.hand_row - 2
    on_mat = frame.decision is not None and not frame.hand.selectable
    possible = frame.hand.list_kinds_at(pointed.at) if pointed.at is not None else []
    for kind, label in frame.game_view.bar(frame.view).items() if frame.waiting else ():
        is_active, can_use = kind == pointed.kind, on_mat or kind in possible
        ink = grounds.panel if is_active else inks.text if can_use else inks.muted
        ground = inks.gold if is_active else grounds.row
        end = canvas.write(x, y, f"[{label}]", ink, bold=is_active or can_use, ground=ground)
        canvas.add_hit_box(x, y, end - x, 1, PointKind(kind))
        x = end + 1


def paint_hand(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint the viewing seat's hand with the card under the cursor raised and forbidden cards dimmed.

    If not all cards are legible, only those around the cursor are shown, with the number of hidden cards at both ends.
    A card that must be used is always visible.
    """
    hand, size, width = frame.hand, layout.card, layout.board.width
    cursor_index = hand.cards.index(hand.at) if hand.at in hand.cards else 0
    start, end = card_faces.compute_window(len(hand.cards), width, size, cursor_index)
    feet, must = frame.game_view.card_footers(frame.view), frame.game.mandatory_card(frame.view)
    drawn, marks = frame.game_view.drawn_card(frame.view), set[str]()
    cards, whole = list(hand.cards[start:end]), end - start == len(hand.cards)
    if must is not None and must in hand.cards[end:]:
        cards[-1] = must
    fitting = frame.game_view.fitting_cards(frame.view)
    melded, by_melds = frame.game_view.list_melded_cards(frame.view), frame.hand_order == "melds"
    gaps, groups = whole and (frame.has_suit_gaps or by_melds), melded if by_melds else card_faces.NO_GROUPS
    order = frame.game.card_order(frame.view)
    if order.trumps and frame.hand_order == "usual":
        groups = number_groups(cards, order)
    _paint_hand_ends(canvas, layout, frame, start, end)
    offer, offered = frame.pointed.offer, hand.offered
    dims = frame.waiting and (frame.game_view.always_dims or hand.selectable)
    for position in card_faces.compute_fan(cards, width, size, gaps=gaps, groups=groups):
        card, chosen = position.card, bool(hand.chosen & BIT[position.card])
        new = "•" if card == drawn and size.height == 1 else ""
        look = card_faces.CardLook(
            cursor=frame.waiting and not frame.in_box and card == hand.at,
            dimmed=bool(dims and not offered & BIT[to_first_copy(card)]),
            footer="must" if card == must else "new" if card == drawn else feet.get(card, ""),
            is_mandatory=card == must,
            mark=FIT_MARK if fitting & BIT[card] else MELD_MARK if card in melded else new,
        )
        marks.add(look.mark)
        raised_rows = 1 if look.cursor or look.is_mandatory or chosen else 0
        x, y = layout.board.x + position.x, layout.hand_row - raised_rows
        card_faces.paint_card(canvas, x, y, size, card, look, shown_columns=position.shown_columns)
        canvas.card_bounds[card] = canvas.card_bounds[card]._replace(is_in_hand=True)
        shown_columns = position.shown_columns or size.width
        sign = "●" if chosen else "▲" if look.cursor else "○" if offer & BIT[card] else ""
        canvas.write(x + shown_columns // 2, y + size.height, sign, canvas.theme.inks.gold)
        canvas.add_hit_box(x, y, shown_columns, size.height + raised_rows, PointCard(to_first_copy(card)))
    legend = "  ".join([f"{mark} {text}" for mark, text in frame.game_view.keys if mark in marks])
    canvas.write_right(layout.board.right - layout.margin, layout.hand_row - 2, legend, canvas.theme.inks.muted)


def _paint_hand_ends(canvas: Canvas, layout: Layout, frame: TableFrame, start: int, end: int) -> None:
    """Paint the numbers of cards before index ``start`` and from index ``end`` on, which a click scrolls to."""
    cards, board, y = frame.hand.cards, layout.board, layout.hand_row
    width, height, ink = card_faces.COUNT_WIDTH + 1, layout.card.height, canvas.theme.inks.muted
    if start:
        canvas.write(board.x + 1, y, f"‹{start}", ink)
        canvas.add_hit_box(board.x, y, width, height, ScrollToCard(to_first_copy(cards[start - 1])))
    if end < len(cards):
        left = canvas.write_right(board.right - 1, y, f"{len(cards) - end}›", ink)
        canvas.add_hit_box(left, y, width, height, ScrollToCard(to_first_copy(cards[end])))


FACT_SEPARATOR: Final = " · "
"""Separator between the facts of a header."""


def paint_header(canvas: Canvas, layout: Layout, frame: TableFrame) -> None:
    """Paint the header: game and facts at the left; totals, the viewing side's first, and the clocks at the right.

    Only the game is painted while a lesson hides the rest.
    """
    inks = canvas.theme.inks
    canvas.fill(0, 0, canvas.width, 1, canvas.theme.grounds.panel)
    margin = layout.margin
    x = canvas.write(margin, 0, truncate(frame.game.about.title, canvas.width // 3), inks.text, bold=True)
    canvas.add_hit_box(margin, 0, x - margin, 1, KeyTarget("rules"))
    x += 2
    if not frame.shows_totals:
        return
    end = canvas.width - 1 - margin
    if frame.round_clock:
        ink = inks.gold if frame.waiting else inks.text
        end = canvas.write_right(end, 0, frame.round_clock, ink, bold=frame.waiting) - 3
    if frame.own_clock:
        end = _paint_own_clock(canvas, end, frame, frame.own_clock)
    sides = frame.sides
    totals = _list_totals(frame, sides, end - x + 1)
    facts = _fit_facts(frame, totals.names, totals.name_room)
    if not facts and len(sides) > MAX_OPEN_SEATS:  # the totals of the others are on the score sheet
        sides = sides[:1]
        totals = _list_totals(frame, sides, end - x + 1)
        facts = _fit_facts(frame, totals.names, totals.name_room)
    numbers_width = end - x + 1 - totals.name_room
    names = shorten_names_to_fit(totals.names, totals.name_room - 1 - cell_len(facts))
    names_width = sum(map(cell_len, names))
    if cell_len(facts) + names_width > totals.name_room:
        x -= 1
    left = end - names_width - numbers_width + (4 if totals.clocks[-1] else 3)
    canvas.write(x, 0, facts, inks.muted)
    for i, (side, name, total, clock) in enumerate(zip(sides, names, totals.points, totals.clocks, strict=True)):
        left = canvas.write(left, 0, name, inks.muted if i else inks.text, bold=not i)
        canvas.card_bounds[TotalKey(side[0], 0)] = CardBounds(left + 1, 0, len(total), 1)
        left = canvas.write(left + 1, 0, total, inks.text, bold=not i) + 2
        if clock:
            runs = frame.waiting and not {*side}.isdisjoint(list_seats_to_act(frame.view))
            left = canvas.write(left, 0, clock, inks.gold if runs else inks.text, bold=runs) + 3


def _paint_own_clock(canvas: Canvas, end: int, frame: TableFrame, clock: ClockLeft) -> int:
    """Paint the clock of the player, which is marked once the reserve runs; return the last free column before it."""
    inks, runs = canvas.theme.inks, frame.seat in list_seats_to_act(frame.view)
    is_late = runs and clock.decision <= 0
    reserve = f"+{format_clock(clock.reserve)}" if clock.reserve and not is_late else ""
    text = " ".join(filter(None, (frame.format_turn_clock(frame.seat), reserve)))
    return canvas.write_right(end, 0, text, inks.loss if is_late else inks.gold if runs else inks.text, bold=runs) - 3


class _HeaderTotals(NamedTuple):
    """Totals of sides in the header, in display order."""

    names: list[str]
    points: list[str]
    clocks: list[str]
    name_room: int
    """Columns that are left for the names."""


def _list_totals(frame: TableFrame, sides: Sides, width: int) -> _HeaderTotals:
    points = [format_number(frame.view.totals[side[0]]) for side in sides]
    clocks = [" ".join(filter(None, map(frame.format_seat_clock, side))) for side in sides]
    numbers = sum(len(total) + 3 for total in points) + sum(len(clock) + 3 for clock in clocks if clock)
    return _HeaderTotals([frame.format_side(side) for side in sides], points, clocks, width - numbers)


def _fit_facts(frame: TableFrame, names: list[str], width: int) -> str:
    """Return the facts that fit into ``width`` columns beside the names.

    The round is always included. Other facts are included only if the names need not be shortened; if they must be in
    any case, as many facts as leave three letters of each name.
    """
    spectators = [f"{', '.join(frame.spectators)} watching"] if frame.spectators else []
    facts = (*frame.facts, *list_terms(frame.terms, with_clock=False), *spectators)
    candidates = [FACT_SEPARATOR.join(facts[:number]) for number in range(len(facts), -1, -1)]
    whole, least = sum(map(cell_len, names)), sum(map(cell_len, shorten_names(names, MIN_NAME_WIDTH)))
    with_round = candidates[: len(facts) - len(frame.game_view.header(frame.view).before)] if frame.facts else []
    fitting = [text for text in with_round if cell_len(text) + whole < width]
    return next(iter(fitting), next(text for text in candidates if not text or cell_len(text) + least <= width + 1))
