"""Small plan of a table with the name of the player at each seat."""

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from cardtable.ui.toolkit.painting.text_fit import WHOLE_NAME, shorten_names
from cardtable.ui.toolkit.scroll_list import Place

PLAN_ROWS: Final = 10
"""Height of the plan in rows."""
_MAT: Final = 12
_WIDTH: Final = 26
"""First column (``_MAT_COLUMN``) and width of the mat, which has all rows of the plan but the first and the last."""
_APART: Final = 2
"""Number of columns between the mat and a plate beside it."""
_BACKS: Final = 5
_BACK: Final = 2
"""Number of card backs on the mat (``_BACK_COUNT``), and the visible columns and rows of each."""
PLATES: Final = {
    2: ((0, 9), (0, 0)),
    3: ((0, 9), (-1, 4), (1, 4)),
    4: ((0, 9), (-1, 4), (0, 0), (1, 4)),
    6: ((0, 9), (-1, 6), (-1, 2), (0, 0), (1, 2), (1, 6)),
}
"""Side (-1 left, 0 middle, 1 right) and row of each plate, clockwise from the seat in front, by number of seats."""


def paint_plan(area: Place, names: Sequence[str], cursor: int | None, said: tuple[str, str], own: int = 0) -> None:
    """Paint the mat with two lines of text, and the name plates around it.

    The plate of ``own_seat`` is in front; the plate of the seat ``cursor``, if it is not ``None``, is gold.
    """
    canvas, theme, middle = area.canvas, area.canvas.theme, area.x + _MAT + _WIDTH // 2
    canvas.fill(area.x + _MAT, area.y + 1, _WIDTH, PLAN_ROWS - 2, theme.grounds.mat)
    canvas.centre(middle, area.y + 2, said[0], theme.inks.soft)
    canvas.centre(middle, area.y + 3, said[1], theme.inks.muted)
    left = middle - _BACKS * _BACK // 2
    canvas.fill(left, area.y + 5, _BACKS * _BACK, _BACK, theme.cards.back)
    for back in range(_BACKS):
        for row in range(_BACK):
            canvas.text(left + back * _BACK, area.y + 5 + row, "▏", theme.cards.back_pattern)
    labels = shorten_names(names, WHOLE_NAME)
    for place, (side, row) in enumerate(PLATES[len(names)]):
        seat = (own + place) % len(names)
        _paint_plate(area, side, row, labels[seat], at=seat == cursor)


def _paint_plate(area: Place, side: int, row: int, name: str, *, at: bool) -> None:
    canvas, theme = area.canvas, area.canvas.theme
    width = cell_len(name) + 2
    x = (_MAT - _APART - width, _MAT + (_WIDTH - width) // 2, _MAT + _WIDTH + _APART)[side + 1]
    canvas.fill(area.x + x, area.y + row, width, 1, theme.inks.gold if at else theme.grounds.panel)
    ink = theme.grounds.panel if at else theme.inks.text
    canvas.text(area.x + x + 1, area.y + row, name, ink, bold=True)
