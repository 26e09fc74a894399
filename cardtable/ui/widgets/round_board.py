"""A finished round on the board: all hands as dealt in plates around the mat, and what lies there.

Cards that were played before are pale; those of the line under the cursor are marked.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

from rich.cells import cell_len
from textual.color import Color

from cardtable.engine.cards import BIT, SUIT, Card, Cards
from cardtable.engine.contract import Seat
from cardtable.telling.names import Names
from cardtable.telling.round_words import made
from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Box, Layout
from cardtable.ui.pieces.piece import by_suit
from cardtable.ui.round_cursor import RoundCursor
from cardtable.ui.widgets import round_middle
from cardtable.ui.widgets.header import LEAST_NAME
from cardtable.ui.words import cut

PLATE_ROWS: Final = 5
"""Rows of a plate: the name, and one for each suit."""
_MOST: Final = 97
"""Columns of the board that are used at most."""
_SUITS: Final = (3, 2, 1, 0)
"""Spades, hearts, diamonds, clubs: in this order they stand below each other."""
_PLACES: Final = {
    2: ("own", "top"),
    3: ("own", "left", "right"),
    4: ("own", "left", "top", "right"),
    6: ("own", "low left", "up left", "top", "up right", "low right"),
}
"""Where seats have their plates, clockwise from the own one."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is to be seen of a finished round."""

    cursor: RoundCursor
    names: Names
    me: Seat
    """The seat whose plate lies below."""

    @property
    def seats(self) -> list[Seat]:
        """All seats, clockwise from the own one."""
        count = len(self.names)
        return [(self.me + i) % count for i in range(count)]


@cache
def _pale(ink: str, ground: str) -> str:
    return Color.parse(ink).blend(Color.parse(ground), 0.5).hex.lower()


def paint_board(canvas: Canvas, grid: Layout, shown: Shown) -> None:
    """The plates, and the mat between them."""
    wide = len(shown.names) == 2 and not shown.cursor.round.tricks
    for seat, place in zip(shown.seats, _PLACES[len(shown.names)], strict=True):
        _paint_plate(canvas, _plate(grid, len(shown.names), place, wide=wide), shown, seat)
    mat = _mat(grid, len(shown.names), wide=wide)
    canvas.fill(mat.x, mat.y, mat.width, mat.height, canvas.theme.grounds.mat)
    round_middle.paint(canvas, grid, mat, shown.cursor, shown.names, shown.seats)


def _table(grid: Layout) -> Box:
    """The part of the board that plates and mat lie on: in a wide window they stay together."""
    board = grid.board
    width = min(board.width, _MOST)
    return Box(board.x + (board.width - width) // 2, board.y, width, board.height)


def _levels(grid: Layout, seats: int) -> dict[str, int]:
    """The first rows of plates, by place; in a high window they lie in the middle."""
    least = 36 if grid.large else 24
    down = (grid.height - least) // 2
    if seats > 4:
        top, up, low, own = [y + down for y in ((1, 8, 19, 30) if grid.large else (1, 6, 12, 17))]
        return {"top": top, "up left": up, "up right": up, "low left": low, "low right": low, "own": own}
    top, side, own = [y + down for y in ((2, 15, 28) if grid.large else (2, 9, 16))]
    return {"top": top, "left": side, "right": side, "own": own}


def _plate(grid: Layout, seats: int, place: str, *, wide: bool) -> Box:
    """Where a plate lies."""
    table, (width, margin) = _table(grid), (24, 3) if grid.large else (22, 0)
    y = _levels(grid, seats)[place]
    if wide:
        return Box(table.x + 2, y, table.width - 4, PLATE_ROWS)
    if "left" in place:
        return Box(table.x + margin, y, width, PLATE_ROWS)
    if "right" in place:
        return Box(table.right + 1 - margin - width, y, width, PLATE_ROWS)
    return Box(table.centre[0] - width // 2, y, width, PLATE_ROWS)


def _mat(grid: Layout, seats: int, *, wide: bool) -> Box:
    """The mat between the plates."""
    levels, table, air = _levels(grid, seats), _table(grid), 1 + grid.large
    top, bottom = levels["top"] + PLATE_ROWS, levels["own"]
    if wide:
        return Box(table.x + 2, top + 1, table.width - 4, bottom - top - 2)
    side = _plate(grid, 4, "left", wide=False)
    x = side.x + side.width + 2 * grid.large
    if seats > 4:
        return Box(x, top + 1, table.width - 2 * (x - table.x), bottom - top - air)
    return Box(x, top + air, table.width - 2 * (x - table.x), bottom - top - 2 * air + 1 - grid.large)


def _paint_plate(canvas: Canvas, box: Box, shown: Shown, seat: Seat) -> None:
    """Name, what the seat made, its hand by suits, and below what it took that counts."""
    theme, cursor = canvas.theme, shown.cursor
    acts = cursor.seat == seat
    canvas.fill(box.x, box.y, box.width, 1, theme.inks.gold if acts else theme.grounds.panel)
    paint_name(canvas, box.x + 1, box.y, box.width - 2, shown, seat)
    canvas.fill(box.x, box.y + 1, box.width, box.height - 1, theme.cards.face)
    at = cursor.round.at(cursor.at)
    held, hand = cursor.round.held(seat, at), cursor.round.hand(seat, at)
    used = cursor.round.used(seat, cursor.at)
    for row, suit in enumerate(_SUITS, box.y + 1):
        canvas.text(box.x, row, "▏", theme.cards.edge)
        canvas.text(box.right, row, "▕", theme.cards.edge)
        canvas.text(box.x + 1, row, faces.GLYPHS[suit], theme.suits.face[suit], bold=True)
        ranks = [card for card in by_suit(held) if SUIT[card] == suit]
        _paint_ranks(canvas, box.x + 3, row, box.width - 4, ranks, hand, used)
    _paint_taken(canvas, Box(box.x + 1, box.bottom + 1, box.width - 1, 1), cursor.round.taken(seat, cursor.at))


def _paint_taken(canvas: Canvas, box: Box, taken: Cards) -> None:
    """The cards that a seat took and that count, by suits, closer together where there is no room."""
    if not taken:
        return
    theme, cards = canvas.theme, by_suit(taken)
    suits = [[card for card in cards if SUIT[card] == suit] for suit in _SUITS]
    x = canvas.text(box.x, box.y, "took", theme.inks.muted) + 1
    close = sum(len(faces.rank(card)) + 1 for card in cards) + len([suit for suit in suits if suit]) > box.right - x
    for suit in filter(None, suits):
        ink = theme.suits.panel[SUIT[suit[0]]]
        told = faces.glyph(suit[0]) + ("" if close else " ").join(map(faces.rank, suit))
        x = canvas.text(x, box.y, cut(told, max(box.right + 1 - x, 0)), ink, bold=True) + 1


def paint_name(canvas: Canvas, x: int, y: int, width: int, shown: Shown, seat: Seat) -> None:
    """The name of a seat, and at the right what it made; gold where it acts."""
    inks, finished = canvas.theme.inks, shown.cursor.round
    acts = shown.cursor.seat == seat
    did, points = made(finished, seat)
    lost = finished.score.points[seat] < 0 and not finished.game.lowest_wins
    panel = canvas.theme.grounds.panel
    ink = panel if acts else inks.loss if lost else inks.text
    left = canvas.right(x + width - 1, y, points, ink, bold=True) - 1
    if cell_len(did) + LEAST_NAME + 2 <= left - x:
        left = canvas.right(left - 1, y, did, panel if acts else inks.muted) - 1
    canvas.text(x, y, cut(shown.names[seat], left - x), panel if acts else inks.text, bold=True)


def _paint_ranks(canvas: Canvas, x: int, y: int, width: int, cards: list[Card], hand: Cards, used: Cards) -> None:
    """The ranks of a suit, closer together where there is no room; pale those that are gone, marked those used."""
    theme = canvas.theme
    gap = sum(cell_len(faces.rank(card)) + 1 for card in cards) - 1 <= width
    end = x + width
    for card in cards:
        rank, ink = faces.rank(card), theme.suits.face[SUIT[card]]
        if x + len(rank) > end:
            canvas.text(end - 1, y, "…", theme.suits.face[SUIT[card]])
            return
        marked, here = bool(BIT[card] & used), bool(BIT[card] & hand)
        ground = theme.cards.cursor if marked else None
        canvas.text(x, y, rank, ink if here else _pale(ink, theme.cards.face), bold=here, ground=ground)
        x += len(rank) + gap


def paint_lines(canvas: Canvas, y: int, shown: Shown) -> int:
    """The seats in lines, where there is no room for plates: name and points, and below the hand; the next row."""
    theme, cursor = canvas.theme, shown.cursor
    at = cursor.round.at(cursor.at)
    for seat in shown.seats:
        acts = cursor.seat == seat
        canvas.fill(0, y, canvas.width, 1, theme.inks.gold if acts else theme.grounds.panel)
        paint_name(canvas, 1, y, canvas.width - 2, shown, seat)
        held, hand = cursor.round.held(seat, at), cursor.round.hand(seat, at)
        paint_hand(canvas, Box(0, y + 1, canvas.width, 1), held, hand, cursor.round.used(seat, cursor.at))
        y += 2
    return y


def paint_hand(canvas: Canvas, box: Box, held: Cards, hand: Cards, used: Cards) -> None:
    """A hand in one line, a suit after the other."""
    theme, x, cards = canvas.theme, box.x + 1, by_suit(held)
    canvas.fill(box.x, box.y, box.width, 1, theme.cards.face)
    wide = sum(len(faces.rank(card)) + 1 for card in cards) + 3 * len({SUIT[card] for card in cards}) <= box.width
    for suit in _SUITS:
        ranks = [card for card in cards if SUIT[card] == suit]
        if not ranks or x > box.right - 2:
            continue
        x = canvas.text(x, box.y, faces.GLYPHS[suit], theme.suits.face[suit], bold=True) + wide
        width = min(sum(len(faces.rank(card)) + wide for card in ranks), box.right - x)
        _paint_ranks(canvas, x, box.y, width, ranks, hand, used)
        x += width + 1
