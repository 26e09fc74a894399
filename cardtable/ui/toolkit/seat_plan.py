"""Plans of a table: a mat with the name plates of its seats around it, and a small felt with the plates on it."""

from collections.abc import Hashable, Sequence
from typing import Final, NamedTuple

from rich.cells import cell_len

from cardtable.ui.toolkit.painting.canvas import NICK_WIDTH, Canvas, shorten_names
from cardtable.ui.toolkit.painting.card_faces import FULL, SMALL, Size, paint_back
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


class Plate(NamedTuple):
    """Name plate of a seat, with its ink and ground."""

    text: str
    ink: str
    ground: str
    target: Hashable | None = None
    """Mouse target of a plate that can be clicked."""


def paint_plan(
    area: BlockArea, names: Sequence[str], cursor: int | None, lines: tuple[str, str], own_seat: int = 0
) -> None:
    """Paint the mat with two lines of text, and the name plates around it.

    The plate of ``own_seat`` is in front; the plate of the seat ``cursor``, if it is not ``None``, is gold.
    """
    canvas, theme, middle = area.canvas, area.canvas.theme, area.x + _MAT_COLUMN + _MAT_WIDTH // 2
    inks, grounds = theme.inks, theme.grounds
    canvas.fill(area.x + _MAT_COLUMN, area.y + 1, _MAT_WIDTH, PLAN_ROWS - 2, grounds.mat)
    canvas.write_centred(middle, area.y + 2, lines[0], inks.soft)
    canvas.write_centred(middle, area.y + 3, lines[1], inks.muted)
    left = middle - _BACK_COUNT * _BACK_SIZE // 2
    canvas.fill(left, area.y + 5, _BACK_COUNT * _BACK_SIZE, _BACK_SIZE, theme.cards.back)
    for back in range(_BACK_COUNT):
        for row in range(_BACK_SIZE):
            canvas.write(left + back * _BACK_SIZE, area.y + 5 + row, "▏", theme.cards.back_pattern)
    labels = shorten_names(names, NICK_WIDTH)
    for position, (side, row) in enumerate(PLATE_POSITIONS[len(names)]):
        seat = (own_seat + position) % len(names)
        plate = Plate(labels[seat], *((grounds.panel, inks.gold) if seat == cursor else (inks.text, grounds.panel)))
        width = cell_len(plate.text) + 2
        x = _MAT_COLUMN + (_MAT_WIDTH - width) // 2
        if side:
            x = _MAT_COLUMN - _PLATE_GAP - width if side < 0 else _MAT_COLUMN + _MAT_WIDTH + _PLATE_GAP
        _paint_plate(canvas, area.x + x, area.y + row, width, plate)


FELTS: Final = ((50, Size(50, 9)), (30, Size(36, 5)), (0, Size(36, 4)))
"""Sizes of a felt, each after the number of rows that the terminal must have for it, largest first."""
_FELT_PLATE_WIDTH: Final = NICK_WIDTH + 2
_FAN_SIZE: Final = 5
"""Number of card backs on a felt in play."""


def paint_felt(
    area: BlockArea, x: int, felt: Size, plates: Sequence[Plate], own_seat: int, *, is_in_play: bool
) -> None:
    """Paint a small table, ``x`` columns from the left edge of ``area``, with its plates on it.

    The plate of ``own_seat`` is in front. Cards are dealt if the table ``is_in_play``; otherwise there is a pack.
    """
    canvas, left = area.canvas, area.x + x
    canvas.fill(left, area.y, felt.width, felt.height, canvas.theme.grounds.mat)
    card = FULL if felt.height > FULL.height + 2 else Size(SMALL.width, felt.height - 2)
    step, backs = card.width // 2, _FAN_SIZE if is_in_play else 1
    first = left + (felt.width - card.width - (backs - 1) * step) // 2
    for back in range(backs):
        paint_back(canvas, first + back * step, area.y + (felt.height - card.height) // 2, card)
    for position, (side, row) in enumerate(PLATE_POSITIONS[len(plates)]):
        plate = plates[(own_seat + position) % len(plates)]
        plate_x = left + (side + 1) * (felt.width - _FELT_PLATE_WIDTH) // 2
        plate_y = area.y + round(row * (felt.height - 1) / (PLAN_ROWS - 1))
        _paint_plate(canvas, plate_x, plate_y, _FELT_PLATE_WIDTH, plate)
        if plate.target is not None:
            canvas.add_hit_box(plate_x, plate_y, _FELT_PLATE_WIDTH, 1, plate.target)


def _paint_plate(canvas: Canvas, x: int, y: int, width: int, plate: Plate) -> None:
    canvas.fill(x, y, width, 1, plate.ground)
    canvas.write_centred(x + width // 2, y, plate.text, plate.ink, bold=True)
