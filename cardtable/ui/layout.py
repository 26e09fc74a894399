"""Where things lie on the table screen, for every size of terminal.

Three grids: *large* from 110x36 on, *full* from 80x24 on, and *tiny* down to 60x18, which has
no panel and shows cards on one line.
"""

from dataclasses import dataclass
from typing import Final

from cardtable.ui.faces import CHIP, FULL, LARGE, SMALL, Size

LEAST: Final = (60, 18)
"""Columns and rows below which there is no table."""


@dataclass(frozen=True, slots=True)
class Box:
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


@dataclass(frozen=True, slots=True)
class Layout:
    """The grid for one size."""

    width: int
    height: int
    large: bool
    tiny: bool
    card: Size
    """A card of the hand and of the trick."""
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
    """First column of side plates and of the prompt."""
    side_width: int
    """Columns of a side plate."""
    prompt_row: int
    hand_row: int
    """First row of the hand; the row above is for lifted cards."""


def layout(width: int, height: int) -> Layout:
    """The grid for a terminal of this size, at least ``LEAST``."""
    if width >= 110 and height >= 36:
        return _sized(width, height, LARGE, panel=31, pad=3, mat_top=5, sides=20, air=2)
    if width >= 80 and height >= 24:
        return _sized(width, height, FULL, panel=23, pad=1, mat_top=2, sides=12, air=1)
    return _tiny(width, height)


def _sized(width: int, height: int, card: Size, *, panel: int, pad: int, mat_top: int, sides: int, air: int) -> Layout:
    large = card is LARGE
    columns = width - panel
    hand_row = height - 1 - card.height
    prompt_row = hand_row - 2 - air
    mat = Box(sides, mat_top, columns - 2 * sides, prompt_row - mat_top)
    plate_width = 33 if large else 27
    return Layout(
        width,
        height,
        large,
        tiny=False,
        card=card,
        board=Box(0, 1, columns, height - 2),
        panel=Box(columns, 1, panel, height - 2),
        panel_text=Box(columns + pad, 2, panel - 2 * pad + (pad == 3), height - 4),
        mat=mat,
        wide_mat=Box(2, mat_top, columns - 4 + large, mat.height),
        laid_mat=Box(6, mat_top, columns - 12, mat.height) if large else Box(2, mat_top, columns - 4, mat.height),
        top_plate=Box(mat.centre[0] - plate_width // 2, mat_top - 1, plate_width, 1),
        margin=pad,
        side_width=14 if large else 10,
        prompt_row=prompt_row,
        hand_row=hand_row,
    )


def _tiny(width: int, height: int) -> Layout:
    hand_row = height - 2
    prompt_row = height - 5
    mat = Box(12, 2, width - 24, prompt_row - 2)
    return Layout(
        width,
        height,
        large=False,
        tiny=True,
        card=CHIP,
        board=Box(0, 1, width, height - 2),
        panel=Box(width, 1, 0, 0),
        panel_text=Box(width, 1, 0, 0),
        mat=mat,
        wide_mat=Box(1, 2, width - 2, mat.height),
        laid_mat=Box(1, 2, width - 2, mat.height),
        top_plate=Box(mat.centre[0] - 13, 1, 27, 1),
        margin=1,
        side_width=10,
        prompt_row=prompt_row,
        hand_row=hand_row,
    )


def trick_card(grid: Layout, seats: int = 4) -> Size:
    """The size of cards in the middle."""
    if seats > 4:
        return FULL if grid.large else SMALL
    return SMALL if grid.tiny else grid.card


def trick_places(grid: Layout, seats: int = 4) -> tuple[tuple[int, int], ...]:
    """Top left cells of the cards of a trick, clockwise from the own one."""
    if seats > 4:
        return _six_places(grid)
    x, y = grid.mat.centre
    if grid.large:
        own, left, top, right = (x - 4, y + 3), (x - 17, y - 3), (x - 4, y - 9), (x + 9, y - 3)
    elif grid.tiny:
        own, left, top, right = (x - 2, y + 2), (x - 10, y - 1), (x - 2, y - 4), (x + 6, y - 1)
    else:
        own, left, top, right = (x - 3, y + 1), (x - 13, y - 2), (x - 3, y - 5), (x + 7, y - 2)
    return {2: (own, top), 3: (own, left, right), 4: (own, left, top, right)}[seats]


def _six_places(grid: Layout) -> tuple[tuple[int, int], ...]:
    """The same for six seats, the side cards in the rows of their plates."""
    size = trick_card(grid, 6)
    across, side, end = (14, 4, 7) if grid.large else (10, 3, 4)
    x, y = grid.mat.centre[0] - size.width // 2, grid.mat.centre[1] - size.height // 2
    left, right = x - across, x + across
    return (x, y + end), (left, y + side), (left, y - side), (x, y - end), (right, y - side), (right, y + side)
