"""What lies in the middle of a table of which only the rules were written, where there are no tricks."""

from collections.abc import Iterator, Sequence
from typing import Final

from cardtable.engine.cards import Card
from cardtable.engine.contract import AnyGame, View, Zone
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas, Lain
from cardtable.ui.draw.card_faces import CHIP, FULL, LARGE, LEAST_STEP, SMALL, Size
from cardtable.ui.draw.layout import Box, Layout, trick_card
from cardtable.ui.kit import moving
from cardtable.ui.kit.piece import Names

TAKEN: Final = "taken"
"""The zone of the cards taken that count."""
_STOCKS: Final = ("stock", "blind")
"""Zones that cards are drawn from."""
_PILES: Final = ("pile", "stack")
_GAP: Final = 2
"""Columns between places."""


def paint(canvas: Canvas, grid: Layout, game: AnyGame, view: View, names: Names) -> None:
    """A place for everything that lies on the table, the last cards of a pile on top; where room is scarce a line."""
    zones = [zone for zone in game.scene(view) if zone.name not in ("hand", "trick") and _lies(zone)]
    told = [zone.name + ("" if zone.seat is None else f", {names[zone.seat]}") for zone in zones]
    labels = [f"{label} {_hidden(zone)}" if _hidden(zone) else label for label, zone in zip(told, zones, strict=True)]
    for size in _sizes(grid, len(view.totals)):
        places = list(_places(grid, size, zones, labels))
        top = grid.mat.y if grid.tiny or not places else (grid.mat.y + grid.mat.bottom - places[-1].bottom) // 2
        if not places or top + places[-1].bottom <= grid.mat.bottom:
            for zone, label, place in zip(zones, labels, places, strict=True):
                canvas.text(place.x, top + place.y, label, canvas.theme.inks.muted)
                _paint_cards(canvas, Box(place.x, top + place.y + 1, place.width, size.height), size, zone)
            return
    for y, zone, label in zip(range(grid.mat.y + 1, grid.mat.bottom, 2), zones, labels, strict=False):
        x = canvas.text(grid.mat.x + 2, y, label, canvas.theme.inks.muted) + 2
        _paint_cards(canvas, Box(x, y, grid.mat.right - x, 1), CHIP, zone)


def _lies(zone: Zone) -> bool:
    """Whether its place is shown: that of a pile is kept while it is empty."""
    if zone.cards:
        return zone.name != TAKEN or zone.seat is None
    return zone.name in (*_STOCKS, *_PILES)


def _hidden(zone: Zone) -> int:
    return zone.cards.count(None)


def _sizes(grid: Layout, seats: int) -> Iterator[Size]:
    """Those of cards of which more than a line is seen, the largest that there may be room for first."""
    most = trick_card(grid, seats)
    yield from [size for size in (LARGE, FULL, SMALL) if size.height <= most.height]


def _places(grid: Layout, size: Size, zones: Sequence[Zone], labels: Sequence[str]) -> Iterator[Box]:
    """One beside the other, in rows where that is too wide; each with the row of its label, from row 0 on."""
    left = max(grid.mat.x + 2, grid.mat.centre[0] - 2 * size.width - _GAP)
    x, y = left, 0
    for zone, label in zip(zones, labels, strict=True):
        cards = len(zone.cards) - _hidden(zone)
        least, width = max(len(label), size.width), max(len(label), size.width + LEAST_STEP * max(cards - 1, 0))
        if x > left and x + min(width, least + 2 * LEAST_STEP) > grid.mat.right:
            x, y = left, y + size.height + 2
        width = min(width, grid.mat.right - x)
        yield Box(x, y, width, size.height + 1)
        x += width + _GAP


def _paint_cards(canvas: Canvas, box: Box, size: Size, zone: Zone) -> None:
    """As many of the last cards that lie open as there is room for, the last one whole; else a back."""
    if zone.name in _STOCKS:
        canvas.lain[moving.STOCK] = Lain(box.x, box.y, size.width, size.height)
    seen: list[Card] = [card for card in zone.cards if card is not None]
    step = size.width if size is CHIP else LEAST_STEP
    shown = seen[-max((box.width - size.width) // step + 1, 1) :]
    for i, card in enumerate(shown):
        last = i == len(shown) - 1
        card_faces.card(canvas, box.x + i * step, box.y, size, card, shown=0 if last else step % size.width)
    if shown or size is CHIP:
        return
    if zone.cards:
        card_faces.back(canvas, box.x, box.y, size)
    else:
        card_faces.empty(canvas, box.x, box.y, size, "–")
