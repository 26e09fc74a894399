"""Layout of the table screen for every size of terminal and of cards.

The layout is *large* from 110x36 cells, has a side panel from 80x24, and is *tiny*, without a panel, down to 60x18. A
tiny layout that is tall, as on a phone held upright, has larger cards, and facts and messages below the mat. The
size of the cards is an independent choice, limited by the available space; smaller cards in the hand leave more rows
for the mat. Beyond 120x40 the board grows with the cards, and the hidden hands of the others with the rows above them.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

import msgspec

from cardtable.store.settings import CardSize
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.card_faces import CHIP, FULL, HUGE, LARGE, SMALL, Size

MIN_SCREEN_SIZE: Final = (60, 18)
"""Minimum columns and rows of all screens."""


def is_too_small(width: int, height: int) -> bool:
    return width < MIN_SCREEN_SIZE[0] or height < MIN_SCREEN_SIZE[1]


WHEEL_ROWS: Final = 2
"""Number of rows by which one notch of the mouse wheel scrolls."""
TEXT_WHEEL_ROWS: Final = 3
"""The same for long texts and the archive."""
MARGIN: Final = 2
"""Number of free columns at both sides of a page."""
SIZES: Final[Mapping[CardSize, tuple[Size, tuple[int, int]]]] = {
    "11x9": (HUGE, (140, 46)),
    "9x7": (LARGE, (110, 36)),
    "7x5": (FULL, (60, 24)),
    "5x3": (SMALL, (60, 20)),
    "line": (CHIP, MIN_SCREEN_SIZE),
}
"""Size of a card in cells and minimum terminal size, by value of the setting ``card_size``, largest first."""
_TALL_ROWS: Final = 36
"""Minimum height of a tall layout, in rows."""
_TALL_LARGE_ROWS: Final = 44
"""The same with large cards."""
_TALL_BOARD_ROWS: Final = 30
"""Rows of a tall layout that facts and messages leave to everything else."""
_MAX_FACTS_ROWS: Final = 20
_MAX_CARDS_ACROSS: Final = 13
"""Number of cards side by side, at least large ones, on the widest board. A wider one would separate related parts."""
_MIN_ROWS_SIX_LARGE: Final = 27
_MIN_ROWS_SIX_HUGE: Final = 34
"""Minimum height of the mat, in rows, for large cards, or the largest ones, of six seats."""
_MIN_ROWS_SMALL: Final = 9
"""Minimum height of the mat, in rows, for small cards of four seats."""
_MAX_MAT_ROWS: Final = 35
"""Maximum height of the mat in rows; the trick would look lost on a higher one."""


class Box(msgspec.Struct, frozen=True):
    """Rectangle of cells; ``right`` and ``bottom`` belong to it."""

    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2

    @property
    def right(self) -> int:
        return self.x + self.width - 1

    @property
    def bottom(self) -> int:
        return self.y + self.height - 1


class Layout(msgspec.Struct, frozen=True):
    """Layout of the table screen for one terminal size."""

    width: int
    height: int
    large: bool
    tiny: bool
    card: Size
    """Size of a card in the hand."""
    board: Box
    """Area at the left, without header, panel and footer."""
    panel: Box
    """Side panel at the right; its width is 0 in a tiny layout."""
    panel_text: Box
    """Area of the text in the panel."""
    mat: Box
    wide_mat: Box
    """Mat in the phases that use the whole board."""
    laid_mat: Box
    """Mat of games in which cards are laid out in rows."""
    facts: Box
    """Area below the mat for facts of the round and messages in a tall layout; its height is 0 in other layouts."""
    top_plate: Box
    top_hand_rows: int
    """Height of the hidden hand above the opposite plate of a large layout, in rows."""
    margin: int
    """Number of free columns at both ends of header and footer, and at the left of side plates and prompt."""
    side_width: int
    """Width of a plate beside the mat, in columns."""
    prompt_row: int
    hand_row: int
    """First row of the hand; raised cards use the row above, too."""


def get_layout(canvas: Canvas) -> Layout:
    has_panel, has_bar = canvas.has_panel, canvas.has_bar
    return compute_layout(canvas.width, canvas.height, canvas.appearance.cards, has_panel=has_panel, has_bar=has_bar)


def list_fitting_sizes(width: int, height: int) -> tuple[CardSize, ...]:
    """Return the card sizes that fit a terminal of this size, largest first; never empty."""
    room = [name for name, (_, (columns, rows)) in SIZES.items() if width >= columns and height >= rows]
    if _is_tall(width, height) and height >= _TALL_LARGE_ROWS:
        room.insert(0, "9x7")
    return tuple(room) or ("line",)


@cache
def compute_layout(
    width: int, height: int, card_size: CardSize = "auto", *, has_panel: bool = True, has_bar: bool = False
) -> Layout:
    """Return the layout for a terminal of this size, which must be at least ``MIN_SCREEN_SIZE``.

    "auto", or a ``card_size`` that does not fit, is replaced by the largest one that fits. Without a panel the board is
    in the middle of the screen. ``has_bar`` is True if there is a bar in the second row above the hand.
    """
    fit = list_fitting_sizes(width, height)
    card = SIZES[card_size if card_size in fit else fit[0]][0]
    large = width >= 110 and height >= 36
    panel_width = min(31 + max(width - 120, 0) // 10, 38) if large else 23 if width >= 80 and height >= 24 else 0
    facts_rows = min(height - _TALL_BOARD_ROWS, _MAX_FACTS_ROWS) if has_panel and _is_tall(width, height) else 0
    top, gap_rows = _compute_large_margins(height, card) if large else (2, 2 if has_bar else 1)
    plate_width = 33 if large else 27
    tiny, panel_width = not panel_width, panel_width if has_panel else 0
    columns = width - panel_width
    padding, bleed = (3, 1) if large else (1, 0)  # the mat and the panel's texts reach into the right margin
    board_width = min(columns, _compute_hand_width(max(card.width, LARGE.width)))
    side_width = 14 + max(board_width - _compute_hand_width(LARGE.width), 0) // 4 if large else 10
    side_columns = side_width + 2 * padding
    board = Box((columns - board_width) // 2, 1, board_width, height - 2)
    hand_row = height - 1 - card.height
    rows = min(hand_row - 2 - gap_rows - top - facts_rows, _MAX_MAT_ROWS)
    mat = Box(board.x + side_columns, top, board.width - 2 * side_columns, rows)
    edge = 1 if tiny else 2
    wide_mat = Box(board.x + edge, top, board.width - 2 * edge + bleed, rows)
    panel, panel_text = Box(columns, 1, 0, 0), Box(width, 1, 0, 0)
    if panel_width:
        panel = Box(columns, 1, panel_width, height - 2)
        panel_text = Box(columns + padding, 2, panel_width - 2 * padding + bleed, height - 4)
    return Layout(
        width,
        height,
        large,
        tiny,
        card=card,
        board=board,
        panel=panel,
        panel_text=panel_text,
        mat=mat,
        wide_mat=wide_mat,
        laid_mat=Box(board.x + 6, top, board.width - 12, rows) if large else wide_mat,
        facts=Box(wide_mat.x, mat.bottom + 1, wide_mat.width, facts_rows),
        top_plate=Box(mat.centre[0] - plate_width // 2, top - 1, plate_width, 1),
        top_hand_rows=top - 3,
        margin=padding,
        side_width=side_width,
        prompt_row=top + rows + facts_rows,
        hand_row=hand_row,
    )


def _compute_hand_width(card_width: int) -> int:
    """Return the width of ``_MAX_CARDS_ACROSS`` cards side by side, with a column around each."""
    return _MAX_CARDS_ACROSS * (card_width + 1) + 1


def _is_tall(width: int, height: int) -> bool:
    return width < 80 and height >= _TALL_ROWS


def _compute_large_margins(height: int, card_size: Size) -> tuple[int, int]:
    """Return the first row of the mat in a large layout, and the number of free rows below the mat.

    Rows beyond 40 make the hands of the other players taller; the remaining ones surround the mat.
    """
    more = max(height - 40, 0)
    gap_rows = 2 + min(more // 10, 2)
    top = 5 + min(more // 4, 3)
    spare = max(height - card_size.height - 3 - gap_rows - top - _MAX_MAT_ROWS, 0)
    return top + spare // 2, gap_rows + spare - spare // 2


def choose_trick_card_size(layout: Layout, seats: int = 4) -> Size:
    """Return the size of the cards on the mat.

    The size is the same as in the hand, unless the mat is too low or the table has more than four seats, whose cards
    are smaller than the largest ones.
    """
    if seats > 6:
        return SMALL
    if seats > 4:
        if layout.card not in (HUGE, LARGE):
            return SMALL
        if layout.card is HUGE and layout.mat.height >= _MIN_ROWS_SIX_HUGE:
            return HUGE
        return LARGE if layout.large and layout.mat.height >= _MIN_ROWS_SIX_LARGE else FULL
    if layout.mat.height < _MIN_ROWS_SMALL:
        return CHIP
    return SMALL if layout.card is CHIP else layout.card


def compute_trick_positions(layout: Layout, seats: int = 4) -> tuple[tuple[int, int], ...]:
    """Return the top left cells of the cards of a trick, clockwise from the viewing seat's card."""
    if seats > 4:
        return _compute_many_positions(layout, seats)
    size = choose_trick_card_size(layout)
    free = min(layout.mat.height - 2 * size.height - (4 if layout.large else 2), size.height + 2)
    beside = min(max(2 * free - 6, 3), (layout.mat.width - 3 * size.width) // 2)
    x, y = layout.mat.centre[0] - size.width // 2, layout.mat.centre[1]
    side = y - size.height // 2
    own, top = (x, y + free // 2 + 1), (x, y - free // 2 - size.height)
    left, right = (x - size.width - beside, side), (x + size.width + beside, side)
    return {2: (own, top), 3: (own, left, right), 4: (own, left, top, right)}[seats]


def compute_side_distance(layout: Layout, seats: int) -> int:
    """Return the number of rows from the middle of a side to a card or plate above or below it."""
    if seats > 4 and choose_trick_card_size(layout, seats) is HUGE:
        return HUGE.height // 2 + 1
    return 4 if layout.large else 3


def _compute_many_positions(layout: Layout, seats: int) -> tuple[tuple[int, int], ...]:
    """Return the top left cells for five to eight seats; cards at the sides are in the rows of their plates."""
    size = choose_trick_card_size(layout, seats)
    if size in (HUGE, LARGE):
        across, end = min(layout.mat.width // 4, 2 * size.width + 4), size.height + 2
    else:
        across, most = (14, 7) if size is FULL else (10, 4)
        end = min((layout.mat.height - size.height) // 2 - 1, most)
    side = compute_side_distance(layout, seats)
    x, y = layout.mat.centre[0] - size.width // 2, layout.mat.centre[1] - size.height // 2
    left, right = x - across, x + across
    rows = (side, 0, -side) if seats > 6 else (side, -side)
    top = ((x, y - end),) if seats % 2 == 0 else ()
    return ((x, y + end), *[(left, y + row) for row in rows], *top, *[(right, y + row) for row in reversed(rows)])
