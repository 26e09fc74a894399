"""The trick in the middle, the same in every trick game."""

from collections.abc import Sequence

from cardtable.engine.cards import Card
from cardtable.engine.contract import Seat
from cardtable.ui import faces
from cardtable.ui.canvas import Canvas
from cardtable.ui.layout import Layout, trick_card, trick_places

SEATS = 4


def paint(
    canvas: Canvas, grid: Layout, me: Seat, leader: Seat, trick: Sequence[Card], winning: int | None, *, mine: bool
) -> None:
    """Cards before the seats that played them, a star on the one that takes the trick.

    ``mine``: show the place of the own card while it is owed.
    """
    places, size = trick_places(grid), trick_card(grid)
    for i, which in enumerate(trick):
        x, y = places[(leader + i - me) % SEATS]
        faces.card(canvas, x, y, size, which, faces.Look(leads=i == winning))
    if mine and (me - leader) % SEATS >= len(trick):
        x, y = places[0]
        canvas.fill(x, y, size.width, size.height, canvas.theme.grounds.slot)
