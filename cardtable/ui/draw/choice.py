"""A value between two arrows, which keys and mouse change."""

from collections.abc import Hashable
from typing import Final

from rich.cells import cell_len

from cardtable.ui.draw.column import Place

ARROWS: Final = 4
"""Columns that the arrows need beside the value."""


def paint_choice(
    where: Place, x: int, width: int, value: str, targets: tuple[Hashable, Hashable], ground: str | None = None
) -> None:
    """The value ``x`` columns in; the mouse finds one target in its left half, the other in its right one.

    ``ground`` is another than usual, for one that keys change though Enter does not go there.
    """
    canvas, theme, left, y = where.canvas, where.canvas.theme, where.x + x, where.y
    ink = theme.grounds.panel if where.at else theme.inks.text
    canvas.fill(left, y, width, 1, theme.inks.gold if where.at else ground or theme.grounds.track)
    canvas.centre(left + width // 2, y, value, ink, bold=where.at)
    inset = int(cell_len(value) + ARROWS < width - 1)
    canvas.text(left + inset, y, "‹", ink)
    canvas.text(left + width - 1 - inset, y, "›", ink)
    half = width // 2
    canvas.spot(left, y, half, 1, targets[0])
    canvas.spot(left + half, y, width - half, 1, targets[1])
