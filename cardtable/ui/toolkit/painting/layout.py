"""Where things lie on the table screen, for every size of terminal and of cards.

Three grids: *large* from 110x36 on, one with a panel from 80x24 on, and *tiny* down to 60x18,
which has no panel.  How large cards are is a choice of its own, as far as there is room; smaller
cards in hand leave more of it to the mat.  Beyond 120x40 the board stays together in the middle.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from cardtable.store.settings import CardSize
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.card_faces import CHIP, FULL, LARGE, SMALL, Size

LEAST: Final = (60, 18)
"""Columns and rows below which there is no table."""
MARGIN: Final = 2
"""Free columns at both sides of a page."""
SIZES: Final[Mapping[CardSize, tuple[Size, tuple[int, int]]]] = {
    "9x7": (LARGE, (110, 36)),
    "7x5": (FULL, (60, 24)),
    "5x3": (SMALL, (60, 20)),
    "line": (CHIP, LEAST),
}
"""Sizes of cards, the largest first: what they are called, and the least terminal that has room for them."""
_MOST_BOARD: Final = 131
"""Columns of the board that thirteen large cards side by side need; more would part what belongs together."""
_SIX_LARGE: Final = 27
"""Rows of the mat from which large cards of six seats have room on it."""
_LEAST_OF_SMALL: Final = 9
"""Rows of the mat from which small cards of four seats have room on it."""
_MOST_MAT: Final = 35
"""Rows of the mat beyond which the trick would be lost on it."""


class Box(msgspec.Struct, frozen=True):
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        """The middle cell."""
        return self.x + self.width // 2, self.y + self.height // 2

    @property
    def right(self) -> int:
        """The last column."""
        return self.x + self.width - 1

    @property
    def bottom(self) -> int:
        """The last row."""
        return self.y + self.height - 1


class Layout(msgspec.Struct, frozen=True):
    """The grid for one size."""

    width: int
    height: int
    large: bool
    tiny: bool
    card: Size
    """A card of the hand."""
    board: Box
    """Left: everything but header, panel and footer."""
    panel: Box
    """Right; of no width where there is no room."""
    panel_text: Box
    """Where words of the panel may stand."""
    mat: Box
    wide_mat: Box
    """The mat of moments that need the whole board."""
    laid_mat: Box
    """The mat of games in which cards are laid out in rows."""
    top_plate: Box
    margin: int
    """Columns that header and footer leave free at both ends, and the board before side plates and prompt."""
    side_width: int
    """Columns of a side plate."""
    prompt_row: int
    hand_row: int
    """First row of the hand; the row above is for lifted cards."""


def grid_of(canvas: Canvas) -> Layout:
    """The grid of a canvas, with cards as its look has them."""
    return layout(canvas.width, canvas.height, canvas.look.cards)


def fitting(width: int, height: int) -> tuple[CardSize, ...]:
    """The sizes of cards that a terminal of this size has room for, the largest first; always the least one."""
    room = [name for name, (_, (columns, rows)) in SIZES.items() if width >= columns and height >= rows]
    return tuple(room) or ("line",)


@cache
def layout(width: int, height: int, cards: CardSize = "auto") -> Layout:
    """The grid for a terminal of this size, at least ``LEAST``.

    Cards that there is no room for are as large as can be; so are all with ``"auto"``.
    """
    fit = fitting(width, height)
    card = SIZES[cards if cards in fit else fit[0]][0]
    if width >= 110 and height >= 36:
        return _large(width, height, card)
    panel = 23 if width >= 80 and height >= 24 else 0
    return _sized(width, height, card, panel=panel, pad=1, sides=12, plate=27)


def _large(width: int, height: int, card: Size) -> Layout:
    """With more rows than 40 the others' backs are higher, and what is left is air around the mat."""
    panel = min(31 + max(width - 120, 0) // 10, 38)
    more = max(height - 40, 0)
    air = 2 + min(more // 10, 2)
    top = 5 + min(more // 4, 3)
    spare = max(height - card.height - 3 - air - top - _MOST_MAT, 0)
    return _sized(
        width, height, card, panel=panel, pad=3, sides=20, plate=33, top=top + spare // 2, air=air + spare - spare // 2
    )


def _sized(
    width: int, height: int, card: Size, *, panel: int, pad: int, sides: int, plate: int, top: int = 2, air: int = 1
) -> Layout:
    large, tiny, columns = pad == 3, not panel, width - panel
    board_width = min(columns, _MOST_BOARD)
    board = Box((columns - board_width) // 2, 1, board_width, height - 2)
    hand_row = height - 1 - card.height
    prompt_row = hand_row - 2 - air
    rows = min(prompt_row - top, _MOST_MAT)
    mat = Box(board.x + sides, top, board.width - 2 * sides, rows)
    edge = 1 if tiny else 2
    wide_mat = Box(board.x + edge, top, board.width - 2 * edge + large, rows)
    return Layout(
        width,
        height,
        large,
        tiny,
        card=card,
        board=board,
        panel=Box(columns, 1, panel, height - 2 if panel else 0),
        panel_text=Box(columns + pad, 2, panel - 2 * pad + large, height - 4) if panel else Box(width, 1, 0, 0),
        mat=mat,
        wide_mat=wide_mat,
        laid_mat=Box(board.x + 6, top, board.width - 12, rows) if large else wide_mat,
        top_plate=Box(mat.centre[0] - plate // 2, top - 1, plate, 1),
        margin=pad,
        side_width=14 if large else 10,
        prompt_row=top + rows,
        hand_row=hand_row,
    )


def trick_card(grid: Layout, seats: int = 4) -> Size:
    """The size of cards in the middle: that of the hand, but they can be read from there, and six have room."""
    if seats > 4:
        if grid.card is LARGE and grid.mat.height >= _SIX_LARGE:
            return LARGE
        return FULL if grid.card is LARGE else SMALL
    if grid.mat.height < _LEAST_OF_SMALL:
        return CHIP
    return SMALL if grid.card is CHIP else grid.card


def trick_places(grid: Layout, seats: int = 4) -> tuple[tuple[int, int], ...]:
    """Top left cells of the cards of a trick, clockwise from the own one."""
    if seats > 4:
        return _six_places(grid)
    size = trick_card(grid)
    free = min(grid.mat.height - 2 * size.height - (4 if grid.large else 2), size.height + 2)
    beside = min(max(2 * free - 6, 3), (grid.mat.width - 3 * size.width) // 2)
    x, y = grid.mat.centre[0] - size.width // 2, grid.mat.centre[1]
    side = y - size.height // 2
    own, top = (x, y + free // 2 + 1), (x, y - free // 2 - size.height)
    left, right = (x - size.width - beside, side), (x + size.width + beside, side)
    return {2: (own, top), 3: (own, left, right), 4: (own, left, top, right)}[seats]


def _six_places(grid: Layout) -> tuple[tuple[int, int], ...]:
    """The same for six seats, the side cards in the rows of their plates."""
    size = trick_card(grid, 6)
    if size is LARGE:
        across, end = min(grid.mat.width // 4, 22), 9
    else:
        across, most = (14, 7) if size is FULL else (10, 4)
        end = min((grid.mat.height - size.height) // 2 - 1, most)
    side = 4 if grid.large else 3
    x, y = grid.mat.centre[0] - size.width // 2, grid.mat.centre[1] - size.height // 2
    left, right = x - across, x + across
    return (x, y + end), (left, y + side), (left, y - side), (x, y - end), (right, y - side), (right, y + side)
