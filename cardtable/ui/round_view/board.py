"""Board of a finished round, with the hands on plates around the mat and the cards in the middle.

Cards that have been played are pale; the cards of the current line or step are marked.
"""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import msgspec
from rich.cells import cell_len
from textual.color import Color

from cardtable.engine.card_order import sort_by_suit
from cardtable.engine.cards import BIT, SUIT, Card, iter_cards, names
from cardtable.engine.game import Seat, Zone
from cardtable.engine.text_format import format_count
from cardtable.ui.game_view.marks import count_mark_rows, paint_middle_marks
from cardtable.ui.game_view.registry import get_game_view
from cardtable.ui.round_view.playhead import PlateContents, RoundSnapshot, TableCards
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import MIN_NAME_WIDTH, NICK_WIDTH, Canvas, shorten_names, truncate, wrap
from cardtable.ui.toolkit.painting.card_faces import CHIP, FULL, SMALL, Size
from cardtable.ui.toolkit.painting.layout import Box, Layout
from cardtable.wording.formatting import SUIT_SIGNS, WINNER_MARK
from cardtable.wording.players import (
    filter_marks,
    format_mark,
    format_zone_label,
    format_zone_summary,
    get_side_index,
    list_marks,
    sort_own_side_first,
)

_MAX_STACK_CARDS: Final = 3
"""Maximum number of cards of a stack that are shown."""
_MIN_COLUMN_WIDTH: Final = 16
"""Width of the column of a seat on the mat, below which the seats have rows instead."""
_KNOWN_ZONES: Final = ("hand", "trick", "trump", "taken", "stack", "blind", "stock", "pile", "meld")
"""Names of the zones that have a place of their own on the board."""
_MAX_MELD_CARDS: Final = 4
"""Maximum number of cards of a meld that are listed one by one."""


def paint_mat(canvas: Canvas, layout: Layout, mat: Box, snapshot: RoundSnapshot) -> None:
    """Paint the contents of the mat: marks, then, depending on the game, the trick, the stack, or piles and melds."""
    table_cards = snapshot.get_table_cards()
    marks = filter_marks(list_marks(snapshot.round.game, table_cards.view), None)
    if rows := count_mark_rows(marks, mat.width):
        paint_middle_marks(canvas, mat, marks)
        mat = Box(mat.x, mat.y + rows, mat.width, mat.height - rows)
    zones = snapshot.round.game.scene(table_cards.view)
    if snapshot.round.has_tricks:
        _paint_trick(canvas, layout, _paint_other_zones(canvas, mat, zones), table_cards, snapshot)
    elif any(zone.name == "stack" for zone in zones):
        in_force = get_game_view(snapshot.round.game.about.key).rules_in_force(table_cards.view)
        _paint_stack(canvas, layout, mat, in_force, zones)
    else:
        _paint_piles(canvas, mat, zones, snapshot)


def _paint_trick(canvas: Canvas, layout: Layout, mat: Box, table_cards: TableCards, snapshot: RoundSnapshot) -> None:
    """Paint the cards of the trick before their seats, with a star on the card that wins."""
    order = snapshot.seats
    size, positions = _compute_trick_positions(layout, mat, len(order))
    for i, (seat, card) in enumerate(table_cards.cards):
        x, y = positions[order.index(seat)]
        is_marked, is_winning = i == table_cards.marked_index, seat == table_cards.winning_seat
        look = card_faces.CardLook(cursor=is_marked, is_winning=is_winning and size is not CHIP)
        card_faces.paint_card(canvas, x, y, size, card, look)
        if is_winning and size is CHIP:  # beside it, which keeps the edge of a ten
            canvas.write(x + CHIP.width, y, WINNER_MARK, canvas.theme.inks.gold, bold=True)
    if not table_cards.cards:
        _paint_trump(canvas, mat, snapshot)


def _paint_trump(canvas: Canvas, mat: Box, snapshot: RoundSnapshot) -> None:
    """Paint the card that was turned up for trump, if any, while no trick is on the mat."""
    zones = snapshot.round.game.scene(snapshot.round.dealt[0])
    for card in [card for zone in zones if zone.name == "trump" for card in zone.cards if card is not None]:
        x, y = mat.centre
        canvas.write_centred(x, y - 2, "trump", canvas.theme.inks.soft)
        card_faces.paint_card(canvas, x - CHIP.width // 2, y, CHIP, card)


def _compute_trick_positions(layout: Layout, mat: Box, seats: int) -> tuple[Size, list[tuple[int, int]]]:
    """Return the size of the cards of a trick and their top left cells, clockwise from the bottom seat."""
    has_room = seats < 4 and mat.height > 2 * SMALL.height + 1  # for a card below those at the sides
    size = FULL if layout.large else SMALL if has_room else CHIP
    if layout.large and (seats > 6 or (seats > 4 and mat.width < 4 * FULL.width)):
        size = SMALL
    x, y = mat.x + (mat.width - size.width) // 2, mat.y + (mat.height - size.height) // 2
    edge_rows = 1 if mat.height > 9 else 0
    mark_width = 1 if size is CHIP else 0
    top, bottom = mat.y + edge_rows, mat.bottom + 1 - size.height - edge_rows
    edge_columns = 3 if layout.large else mark_width
    left, right = mat.x + edge_columns, mat.right + 1 - edge_columns - size.width - mark_width
    if seats > 4:
        away = 4 if layout.large else 2
        up, low = y - away, y + away - (1 if size is CHIP else 0)
        rows = (low, y, up) if seats > 6 else (low, up)
        opposite = [(x, top)] if seats % 2 == 0 else []
        return size, [(x, bottom), *[(left, row) for row in rows], *opposite, *[(right, row) for row in reversed(rows)]]
    own, across = (x, bottom), (x, top)
    sides = (left, y), (right, y)
    return size, {2: [own, across], 3: [own, *sides], 4: [own, sides[0], across, sides[1]]}[seats]


def _paint_stack(canvas: Canvas, layout: Layout, mat: Box, in_force: Sequence[str], zones: Sequence[Zone]) -> None:
    """Paint the last cards of the stack, the rules in force, and the number of cards to draw."""
    inks, x = canvas.theme.inks, mat.centre[0]
    piles = {zone.name: zone for zone in zones if zone.seat is None}
    cards = [card for card in piles["stack"].cards[-_MAX_STACK_CARDS:] if card is not None]
    size = FULL if layout.large else CHIP
    step = 4 if layout.large else CHIP.width
    left = x - (step * (len(cards) - 1) + size.width) // 2
    y = mat.centre[1] - size.height // 2
    for i, card in enumerate(cards):
        last = i == len(cards) - 1
        card_faces.paint_card(canvas, left + step * i, y, size, card, shown_columns=0 if last or size is CHIP else step)
    if blind := piles.get("blind"):
        canvas.write_centred(x, y - 2, f"{format_zone_label(blind)} {len(blind.cards)}", inks.soft)
    for row, text in enumerate(in_force, y + size.height + 1):
        canvas.write_centred(x, row, truncate(text, mat.width), inks.text, bold=True)


def _paint_piles(canvas: Canvas, mat: Box, zones: Sequence[Zone], snapshot: RoundSnapshot) -> None:
    """Paint the stock and the pile in a line, and below them the melds of each seat in a column."""
    inks = canvas.theme.inks
    piles = {zone.name: zone.cards for zone in zones if zone.seat is None}
    x = mat.x + 2
    if "stock" in piles:
        x = canvas.write(x, mat.y, f"face down {len(piles['stock'])}", inks.soft) + 3
    pile = [card for card in piles.get("pile", ()) if card is not None]
    if "pile" in piles:
        x = canvas.write(x, mat.y, "face up", inks.soft) + 1
    room = (mat.right - 2 - x) // CHIP.width
    if len(pile) > room:
        x = canvas.write(x, mat.y, f"‹{len(pile) - room + 1}", inks.soft) + 1
        pile = pile[-(room - 1) :]
    for i, card in enumerate(pile):
        card_faces.paint_card(canvas, x + CHIP.width * i, mat.y, CHIP, card)
    mat = _paint_other_zones(canvas, Box(mat.x, mat.y + 1, mat.width, mat.height - 1), zones)
    width = (mat.width - 4) // len(snapshot.seats)
    names = shorten_names(snapshot.names, width - 1)
    lines_by_seat = {seat: _format_seat_zones(zones, seat) for seat in snapshot.seats}
    if width < _MIN_COLUMN_WIDTH:
        names = shorten_names(snapshot.names, NICK_WIDTH)
        rows = [f"{names[seat]}: {'  '.join(lines)}" for seat, lines in lines_by_seat.items() if lines]
        for y, text in zip(range(mat.y, mat.bottom + 1), rows, strict=False):
            card_faces.paint_text(canvas, mat.x + 1, y, text, inks.soft, max_width=mat.width - 2)
        return
    for column, (seat, lines) in enumerate(lines_by_seat.items()):
        _paint_melds(canvas, Box(mat.x + 2 + column * width, mat.y, width - 1, mat.height), names[seat], lines)


def _paint_other_zones(canvas: Canvas, mat: Box, zones: Sequence[Zone]) -> Box:
    """Paint the zones of the middle that only this game has in the first rows of the mat; return the rest of it."""
    text = " · ".join(_format_other_zones(zones, None))
    rows = wrap(text, mat.width - 4, card_faces.measure_text)[: mat.height // 2] if text else []
    for y, row in enumerate(rows, mat.y):
        card_faces.paint_text(canvas, mat.x + 2, y, row, canvas.theme.inks.soft)
    return Box(mat.x, mat.y + len(rows), mat.width, mat.height - len(rows))


def _format_seat_zones(zones: Sequence[Zone], seat: Seat) -> list[str]:
    """Format the numbered melds of a seat, and the zones of the seat that only this game has."""
    numbered = enumerate(_filter_melds(zones), 1)
    melds = [f"{number} {format_meld(zone)}" for number, zone in numbered if zone.seat == seat]
    return [*melds, *_format_other_zones(zones, seat)]


def _filter_melds(zones: Sequence[Zone]) -> list[Zone]:
    return [zone for zone in zones if zone.name == "meld"]


def _format_other_zones(zones: Sequence[Zone], seat: Seat | None) -> list[str]:
    """Format the zones that only this game has, of a seat or of the middle: the label, then a summary or the cards."""
    own = [zone for zone in zones if zone.seat == seat and zone.name not in _KNOWN_ZONES]
    texts = [(format_zone_label(zone), format_zone_summary(zone) or format_meld(zone)) for zone in own]
    return [f"{label} {text}" for label, text in texts if text]


def _paint_melds(canvas: Canvas, box: Box, name: str, lines: list[str]) -> None:
    """Paint the melds and other zones of a seat, one per line; if they do not fit, several per line."""
    inks = canvas.theme.inks
    canvas.write(box.x, box.y, name, inks.text, bold=True)
    rows = box.height - 1
    if len(lines) > rows:
        lines = _pack_lines(lines, box.width)
    if len(lines) > rows:
        lines = [*lines[: rows - 1], "and more"]
    for y, line in enumerate(lines, box.y + 1):
        card_faces.paint_text(canvas, box.x, y, line, inks.soft, max_width=box.width)


def _pack_lines(parts: Sequence[str], width: int) -> list[str]:
    """Join texts, separated by two spaces, into as few lines of ``width`` columns as possible, keeping their order."""
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]}  {part}".strip()
        if card_faces.measure_text(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def format_meld(zone: Zone) -> str:
    """Format the cards of a meld in notation; of a long meld only the first and the last card."""
    cards = [card for card in zone.cards if card is not None]
    return names(cards) if len(cards) <= _MAX_MELD_CARDS else f"{names(cards[:1])} to {names(cards[-1:])}"


def format_piles(snapshot: RoundSnapshot) -> str:
    """Format the middle of the table as one line in notation, for terminals without a mat.

    It begins with the marks of the middle. In trick-taking games only the zones that the game alone has follow.
    """
    game, view = snapshot.round.game, snapshot.get_table_cards().view
    marks = [format_mark(mark) for mark in filter_marks(list_marks(game, view), None)]
    zones = game.scene(view)
    if snapshot.round.has_tricks:
        return " · ".join([*marks, *_format_other_zones(zones, None)])
    texts = [format_meld(zone) for zone in _filter_melds(zones)]
    for seat in (None, *snapshot.seats):
        texts += _format_other_zones(zones, seat)
    for zone in zones:
        if zone.name in ("stack", "pile"):
            cards = [card for card in zone.cards if card is not None][-_MAX_STACK_CARDS:]
            texts.insert(0, f"{format_zone_label(zone)} {names(cards) or 'empty'}")
        elif zone.name in ("blind", "stock"):
            texts.insert(0, f"{format_zone_label(zone)} {len(zone.cards)}")
    return " · ".join([*marks, *texts])


PLATE_ROWS: Final = 5
"""Height of a plate in rows: the name, and a row for each suit."""
_UNSEEN_WIDTH: Final = 11
"""Width of the face-down cards beside face-up ones, in columns."""
_MAX_WIDTH: Final = 97
"""Maximum width of the board, in columns."""
_SUITS: Final = (3, 2, 1, 0)
"""Suits from the top to the bottom of a plate: spades, hearts, diamonds, clubs."""
_PLATE_POSITIONS: Final = {
    2: ("own", "top"),
    3: ("own", "left", "right"),
    4: ("own", "left", "top", "right"),
    5: ("own", "low left", "up left", "up right", "low right"),
    6: ("own", "low left", "up left", "top", "up right", "low right"),
    7: ("own", "low left", "left", "up left", "up right", "right", "low right"),
    8: ("own", "low left", "left", "up left", "top", "up right", "right", "low right"),
}
"""Positions of the plates by number of seats, clockwise from the bottom seat."""


@cache
def _fade_ink(ink: str, ground: str) -> str:
    return Color.parse(ink).blend(Color.parse(ground), 0.5).hex.lower()


def paint_board(canvas: Canvas, layout: Layout, snapshot: RoundSnapshot, below: int = 0) -> None:
    """Paint the plates and the mat between them; the last ``below`` rows of the board stay free."""
    seats = len(snapshot.names)
    boxes = _BoardBoxes(layout, seats, wide=seats == 2 and not snapshot.round.has_tricks, below=below)
    plates = [snapshot.create_plate(seat) for seat in snapshot.seats]
    heads = _compute_heads(snapshot, plates, boxes.compute_plate("own").width - 2)
    for seat, plate, name in zip(snapshot.seats, plates, _PLATE_POSITIONS[seats], strict=True):
        _paint_plate(canvas, boxes.compute_plate(name), snapshot, seat, plate, heads)
    mat = boxes.mat
    canvas.fill(mat.x, mat.y, mat.width, mat.height, canvas.theme.grounds.mat)
    paint_mat(canvas, layout, mat, snapshot)


class _BoardBoxes(msgspec.Struct, frozen=True):
    """Layout of the plates and the mat."""

    grid: Layout
    seats: int
    wide: bool
    """True if plates are as wide as the board, for two-player games in which hands grow."""
    below: int
    """Number of rows at the foot of the board that stay free."""

    @property
    def _area(self) -> Box:
        """Part of the board that is used, centred.

        Its width is limited so that the plates stay close together in a wide terminal.
        """
        board = self.grid.board
        width = min(board.width, _MAX_WIDTH)
        return Box(board.x + (board.width - width) // 2, board.y, width, board.height)

    @property
    def _plate_rows(self) -> dict[str, int]:
        """First row of the plate at each position; the board is centred in a high terminal."""
        large = self.grid.large
        down = (self.grid.height - (36 if large else 24)) // 2
        is_closer = self.below > 0 and not large
        if self.seats > 6:
            levels = (1, 4, 12, 20, 30) if large else (1, 1, 6, 11, 16) if is_closer else (1, 1, 7, 13, 17)
            top, up, side, low, own = [y + down for y in levels]
            sides = {"up left": up, "up right": up, "left": side, "right": side, "low left": low, "low right": low}
            return {"top": top, **sides, "own": own}
        if self.seats > 4:
            rows = (1, 8, 19, 30) if large else (1, 6, 11, 16) if is_closer else (1, 6, 12, 17)
            top, up, low, own = [y + down for y in rows]
            return {"top": top, "up left": up, "up right": up, "low left": low, "low right": low, "own": own}
        first_rows = (2, 15, 28) if large else (1, 8, 15) if is_closer else (2, 9, 16)
        top, side, own = [y + down for y in first_rows]
        return {"top": top, "left": side, "right": side, "own": own}

    def compute_plate(self, position: str) -> Box:
        """Return the box of the plate at a position, which is named as in ``_PLATE_POSITIONS``."""
        table, (width, margin) = self._area, (24, 3) if self.grid.large else (22, 0)
        y = self._plate_rows[position]
        if self.wide:
            return Box(table.x + 2, y, table.width - 4, PLATE_ROWS)
        if "left" in position:
            return Box(table.x + margin, y, width, PLATE_ROWS)
        if "right" in position:
            return Box(table.right + 1 - margin - width, y, width, PLATE_ROWS)
        if self.seats > 6:  # these plates are beside those at the sides
            width = min(width, table.width - 2 * (width + margin) - (1 if self.grid.large else 0))
        return Box(table.centre[0] - width // 2, y, width, PLATE_ROWS)

    @property
    def mat(self) -> Box:
        """Box of the mat, between the plates."""
        levels, table, large = self._plate_rows, self._area, self.grid.large
        top, bottom = levels["top"] + PLATE_ROWS, levels["own"]
        if self.wide:
            return Box(table.x + 2, top + 1, table.width - 4, bottom - top - 2)
        width, margin, gap, air = (24, 3, 2, 2) if large else (22, 0, 0, 1)
        x = table.x + margin + width + gap
        if self.seats > 4:
            return Box(x, top + 1, table.width - 2 * (x - table.x), bottom - top - air)
        return Box(x, top + air, table.width - 2 * (x - table.x), bottom - top - (4 if large else 1))


class _PlateHeads(NamedTuple):
    """Contents of the first rows of the plates."""

    names: list[str]
    fact_count: int
    """Number of facts that are shown, the same for all seats."""


def _compute_heads(snapshot: RoundSnapshot, plates: list[PlateContents], width: int) -> _PlateHeads:
    """Return heads with as many facts as fit beside whole names.

    If even without facts some name does not fit, return as many facts as leave each name its minimum width.
    """
    most, longest = max(len(plate.facts) for plate in plates), max(map(cell_len, snapshot.names))
    tries = [(facts, min(_compute_name_room(plate, facts, width) for plate in plates)) for facts in range(most, -1, -1)]
    least = (min(longest, NICK_WIDTH), MIN_NAME_WIDTH + 1)
    facts, room = next(((facts, room) for width in least for facts, room in tries if room >= width), tries[-1])
    return _PlateHeads(shorten_names(snapshot.names, room), facts)


def _compute_name_room(plate: PlateContents, fact_count: int, width: int) -> int:
    """Return the width in columns that is left for the name beside the points and the first ``fact_count`` facts."""
    texts = [text for text in (" ".join(plate.facts[:fact_count]), plate.points) if text]
    return width - sum(map(cell_len, texts)) - len(texts)


def _paint_plate(
    canvas: Canvas, box: Box, snapshot: RoundSnapshot, seat: Seat, plate: PlateContents, heads: _PlateHeads
) -> None:
    """Paint a plate (name, facts, the hand by suit), and below it the scoring cards that the seat has taken."""
    theme, acts = canvas.theme, snapshot.acting_seat == seat
    canvas.fill(box.x, box.y, box.width, 1, theme.inks.gold if acts else theme.grounds.panel)
    _paint_name(canvas, Box(box.x + 1, box.y, box.width - 2, 1), snapshot, seat, plate, heads)
    canvas.fill(box.x, box.y + 1, box.width, box.height - 1, theme.cards.face)
    cards = sort_by_suit(iter_cards(plate.known_cards), plate.card_order)
    width = box.width - (_UNSEEN_WIDTH if plate.unseen else 0)
    for row, suit in enumerate(_SUITS, box.y + 1):
        canvas.write(box.x, row, "▏", theme.cards.edge)
        canvas.write(box.right, row, "▕", theme.cards.edge)
        canvas.write(box.x + 1, row, SUIT_SIGNS[suit], theme.suits.face[suit], bold=True)
        ranks = [card for card in cards if SUIT[card] == suit]
        _paint_ranks(canvas, box.x + 3, row, width - 4, ranks, plate)
    if plate.unseen:
        text = format_count(plate.unseen, "card")
        x, size = (box.x + width, _UNSEEN_WIDTH) if plate.known_cards else (box.x, box.width)
        card_faces.paint_back(canvas, x, box.y + 1, Size(size, box.height - 1), word=text)
    _paint_taken(canvas, Box(box.x + 1, box.bottom + 1, box.width - 1, 1), plate)


def _paint_taken(canvas: Canvas, box: Box, plate: PlateContents) -> None:
    """Paint the scoring cards that a seat has taken, by suit; the cards are set close together if space is scarce."""
    if not plate.taken:
        return
    theme, cards = canvas.theme, sort_by_suit(iter_cards(plate.taken), plate.card_order)
    suits = [*filter(None, ([card for card in cards if SUIT[card] == suit] for suit in _SUITS))]
    x = canvas.write(box.x, box.y, "took", theme.inks.muted) + 1
    needed = sum(len(card_faces.format_rank(card)) + 1 for card in cards) + len(suits)
    separator = "" if needed > box.right - x else " "
    for suit in suits:
        ink = theme.suits.panel[SUIT[suit[0]]]
        ranks = [card_faces.format_rank(card, canvas.faces) for card in suit]
        text = card_faces.get_suit_sign(suit[0]) + separator.join(ranks)
        x = canvas.write(x, box.y, truncate(text, max(box.right + 1 - x, 0)), ink, bold=True) + 1


def _paint_name(
    canvas: Canvas, box: Box, snapshot: RoundSnapshot, seat: Seat, plate: PlateContents, heads: _PlateHeads
) -> None:
    """Paint the name of a seat, and its facts and points at the right; on gold if the seat acts."""
    inks, acts, panel = canvas.theme.inks, snapshot.acting_seat == seat, canvas.theme.grounds.panel
    points_ink = panel if acts else inks.loss if plate.lost else inks.text
    canvas.write_right(box.right, box.y, plate.points, points_ink, bold=True)
    x = box.x + _compute_name_room(plate, heads.fact_count, box.width) + 1
    canvas.write(x, box.y, " ".join(plate.facts[: heads.fact_count]), panel if acts else inks.muted)
    sides = sort_own_side_first(snapshot.round.game.sides_of(snapshot.round.dealt[0]), snapshot.bottom_seat)
    name_ink = panel if acts else canvas.theme.plot.get_ink(get_side_index(sides, seat))
    canvas.write(box.x, box.y, heads.names[seat], name_ink, bold=True)


def _paint_ranks(canvas: Canvas, x: int, y: int, width: int, cards: list[Card], plate: PlateContents) -> None:
    """Paint the ranks of the cards of one suit; played cards are pale, the marked ones have a background.

    The ranks are set close together if space is scarce, and cut off with an ellipsis if they still do not fit.
    """
    theme = canvas.theme
    gap = 1 if sum(cell_len(card_faces.format_rank(card)) + 1 for card in cards) - 1 <= width else 0
    end = x + width
    for card in cards:
        rank, ink = card_faces.format_rank(card, canvas.faces), theme.suits.face[SUIT[card]]
        if x + len(rank) > end:
            canvas.write(end - 1, y, "…", theme.suits.face[SUIT[card]])
            return
        marked, in_hand = bool(BIT[card] & plate.marked), bool(BIT[card] & plate.hand)
        ground = theme.cards.cursor if marked else None
        canvas.write(x, y, rank, ink if in_hand else _fade_ink(ink, theme.cards.face), bold=in_hand, ground=ground)
        x += len(rank) + gap


def paint_seat_lines(canvas: Canvas, y: int, snapshot: RoundSnapshot) -> int:
    """Paint two lines for each seat, name with points and hand, for small terminals; return the next free row."""
    theme = canvas.theme
    plates = {seat: snapshot.create_plate(seat) for seat in snapshot.seats}
    heads = _compute_heads(snapshot, list(plates.values()), canvas.width - 2)
    for seat, plate in plates.items():
        acts = snapshot.acting_seat == seat
        canvas.fill(0, y, canvas.width, 1, theme.inks.gold if acts else theme.grounds.panel)
        _paint_name(canvas, Box(1, y, canvas.width - 2, 1), snapshot, seat, plate, heads)
        unseen = _UNSEEN_WIDTH if plate.known_cards else canvas.width
        paint_hand(canvas, Box(0, y + 1, canvas.width - (unseen if plate.unseen else 0), 1), plate)
        if plate.unseen:
            canvas.fill(canvas.width - unseen, y + 1, unseen, 1, theme.cards.back)
            text = format_count(plate.unseen, "card")
            canvas.write(canvas.width - unseen + 1, y + 1, text, theme.inks.text, bold=True)
        y += 2
    return y


def paint_hand(canvas: Canvas, box: Box, plate: PlateContents) -> None:
    """Paint a hand in one line, suit after suit; what does not fit is left out."""
    theme, x, cards = canvas.theme, box.x + 1, sort_by_suit(iter_cards(plate.known_cards), plate.card_order)
    canvas.fill(box.x, box.y, box.width, 1, theme.cards.face)
    least_width = sum(len(card_faces.format_rank(card)) + 1 for card in cards)
    gap = 1 if least_width + 3 * len({SUIT[card] for card in cards}) <= box.width else 0
    for suit in _SUITS:
        ranks = [card for card in cards if SUIT[card] == suit]
        if not ranks or x > box.right - 2:
            continue
        x = canvas.write(x, box.y, SUIT_SIGNS[suit], theme.suits.face[suit], bold=True) + gap
        width = min(sum(len(card_faces.format_rank(card)) + gap for card in ranks), box.right - x)
        _paint_ranks(canvas, x, box.y, width, ranks, plate)
        x += width + 1
