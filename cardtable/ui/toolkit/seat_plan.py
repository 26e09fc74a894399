"""Plans of a table: a mat with the name plates of its seats around it."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, shorten_names
from cardtable.ui.toolkit.scroll_list import BlockArea

PLAN_ROWS: Final = 10
"""Height of the plan in rows."""
_MAT_COLUMN: Final = 12
_MAT_WIDTH: Final = 26
"""First column (``_MAT_COLUMN``) and width of the mat, which has all rows of the plan but the first and the last."""
_PLATE_GAP: Final = 2
"""Number of columns between the mat and a plate beside it."""
_BACK_COUNT: Final = 5
_BACK_SIZE: Final = 2
"""Number of card backs on the mat (``_BACK_COUNT``), and the visible columns and rows of each."""
PLATE_POSITIONS: Final = {
    2: ((0, 9), (0, 0)),
    3: ((0, 9), (-1, 4), (1, 4)),
    4: ((0, 9), (-1, 4), (0, 0), (1, 4)),
    5: ((0, 9), (-1, 6), (-1, 2), (1, 2), (1, 6)),
    6: ((0, 9), (-1, 6), (-1, 2), (0, 0), (1, 2), (1, 6)),
    7: ((0, 9), (-1, 7), (-1, 4), (-1, 1), (1, 1), (1, 4), (1, 7)),
    8: ((0, 9), (-1, 7), (-1, 4), (-1, 1), (0, 0), (1, 1), (1, 4), (1, 7)),
}
"""Side (-1 left, 0 middle, 1 right) and row of each plate, clockwise from the seat in front, by number of seats."""


def paint_plan(
    area: BlockArea, names: Sequence[str], cursor: int | None, lines: tuple[str, str], own_seat: int = 0
) -> None:
    """Paint the mat with two lines of text, and the name plates around it.

    The plate of ``own_seat`` is in front; the plate of the seat ``cursor``, if it is not ``None``, is gold.
    """
    canvas, theme, middle = area.canvas, area.canvas.theme, area.x + _MAT_COLUMN + _MAT_WIDTH // 2
    canvas.fill(area.x + _MAT_COLUMN, area.y + 1, _MAT_WIDTH, PLAN_ROWS - 2, theme.grounds.mat)
    canvas.write_centred(middle, area.y + 2, lines[0], theme.inks.soft)
    canvas.write_centred(middle, area.y + 3, lines[1], theme.inks.muted)
    left = middle - _BACK_COUNT * _BACK_SIZE // 2
    canvas.fill(left, area.y + 5, _BACK_COUNT * _BACK_SIZE, _BACK_SIZE, theme.cards.back)
    for back in range(_BACK_COUNT):
        for row in range(_BACK_SIZE):
            canvas.write(left + back * _BACK_SIZE, area.y + 5 + row, "▏", theme.cards.back_pattern)
    labels = shorten_names(names, NICK_WIDTH)
    for position, (side, row) in enumerate(PLATE_POSITIONS[len(names)]):
        seat = (own_seat + position) % len(names)
        _paint_plate(area, side, row, labels[seat], has_cursor=seat == cursor)


def _paint_plate(area: BlockArea, side: int, row: int, name: str, *, has_cursor: bool) -> None:
    canvas, theme = area.canvas, area.canvas.theme
    width = cell_len(name) + 2
    x = _MAT_COLUMN + (_MAT_WIDTH - width) // 2
    if side:
        x = _MAT_COLUMN - _PLATE_GAP - width if side < 0 else _MAT_COLUMN + _MAT_WIDTH + _PLATE_GAP
    canvas.fill(area.x + x, area.y + row, width, 1, theme.inks.gold if has_cursor else theme.grounds.panel)
    ink = theme.grounds.panel if has_cursor else theme.inks.text
    canvas.write(area.x + x + 1, area.y + row, name, ink, bold=True)
