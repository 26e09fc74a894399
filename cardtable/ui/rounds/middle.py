"""What lies on the mat of a round told again: the trick, or stack and piles."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import Card, names
from cardtable.engine.contract import Zone
from cardtable.ui.draw import card_faces
from cardtable.ui.draw.canvas import Canvas
from cardtable.ui.draw.card_faces import CHIP, FULL, SMALL, Size
from cardtable.ui.draw.fitting import cut
from cardtable.ui.draw.layout import Box, Layout
from cardtable.ui.draw.names import cut_alike
from cardtable.ui.kit.pieces import piece
from cardtable.ui.rounds.shown import Lying, Shown
from cardtable.wording.cards import STAR

_FAN: Final = 3
"""Cards of a stack that are seen."""
_LONGEST: Final = 4
"""Cards of a combination that are named, all of them."""


def paint(canvas: Canvas, grid: Layout, mat: Box, shown: Shown) -> None:
    """What lies on the mat."""
    lying = shown.lying()
    if shown.round.tricks:
        _trick(canvas, grid, mat, lying, shown)
        return
    zones = shown.round.game.scene(lying.view)
    if any(zone.name == "stack" for zone in zones):
        in_force = piece(shown.round.game.about.key).in_force(lying.view)
        _stack(canvas, grid, mat, in_force, zones)
    else:
        _piles(canvas, mat, zones, shown)


def _trick(canvas: Canvas, grid: Layout, mat: Box, lying: Lying, shown: Shown) -> None:
    """The cards before who played them; a star on the one that takes the trick."""
    order = shown.seats
    size, places = _places(grid, mat, len(order))
    for i, (seat, card) in enumerate(lying.cards):
        x, y = places[order.index(seat)]
        at, leads = i == lying.marked, seat == lying.leads
        if size is CHIP:
            _chip(canvas, x, y, card, at=at, leads=leads)
        else:
            card_faces.card(canvas, x, y, size, card, card_faces.CardLook(cursor=at, leads=leads))
    if not lying.cards:
        _facts(canvas, mat, shown)


def _facts(canvas: Canvas, mat: Box, shown: Shown) -> None:
    """The card that was turned up, while nothing lies."""
    zones = shown.round.game.scene(shown.round.dealt[0])
    for card in [card for zone in zones if zone.name == "trump" for card in zone.cards if card is not None]:
        x, y = mat.centre
        canvas.centre(x, y - 2, "trump", canvas.theme.inks.soft)
        card_faces.card(canvas, x - CHIP.width // 2, y, CHIP, card)


def _chip(canvas: Canvas, x: int, y: int, card: Card, *, at: bool, leads: bool) -> None:
    card_faces.card(canvas, x, y, CHIP, card, card_faces.CardLook(cursor=at))
    if leads:
        canvas.text(x + CHIP.width, y, STAR, canvas.theme.inks.gold, bold=True)


def _places(grid: Layout, mat: Box, seats: int) -> tuple[Size, list[tuple[int, int]]]:
    """The size of cards, and their top left cells, clockwise from the own one."""
    size = FULL if grid.large else SMALL if seats < 4 else CHIP
    if seats > 4 and grid.large and mat.width < 4 * FULL.width:
        size = SMALL
    x, y = mat.x + (mat.width - size.width) // 2, mat.y + (mat.height - size.height) // 2
    top, bottom = mat.y + (mat.height > 9), mat.bottom + 1 - size.height - (mat.height > 9)
    in_ = 3 if grid.large else 1 if size is CHIP else 0
    left, right = mat.x + in_, mat.right + 1 - in_ - size.width - (size is CHIP)
    if seats > 4:
        away = 4 if grid.large else 2
        up, low = y - away, y + away - (size is CHIP)
        return size, [(x, bottom), (left, low), (left, up), (x, top), (right, up), (right, low)]
    own, top_place = (x, bottom), (x, top)
    sides = (left, y), (right, y)
    return size, {2: [own, top_place], 3: [own, *sides], 4: [own, sides[0], top_place, sides[1]]}[seats]


def _stack(canvas: Canvas, grid: Layout, mat: Box, in_force: Sequence[str], zones: Sequence[Zone]) -> None:
    """The last cards of the stack, what holds, and how many cards are in the blind."""
    inks, x = canvas.theme.inks, mat.centre[0]
    piles = {zone.name: zone.cards for zone in zones if zone.seat is None}
    shown = [card for card in piles["stack"][-_FAN:] if card is not None]
    size = FULL if grid.large else CHIP
    step = 4 if grid.large else CHIP.width
    left = x - (step * (len(shown) - 1) + size.width) // 2
    y = mat.centre[1] - size.height // 2
    for i, card in enumerate(shown):
        last = i == len(shown) - 1
        card_faces.card(canvas, left + step * i, y, size, card, shown=0 if last or size is CHIP else step)
    if "blind" in piles:
        canvas.centre(x, y - 2, f"blind {len(piles['blind'])}", inks.soft)
    for row, text in enumerate(in_force, y + size.height + 1):
        canvas.centre(x, row, cut(text, mat.width), inks.text, bold=True)


def _piles(canvas: Canvas, mat: Box, zones: Sequence[Zone], shown: Shown) -> None:
    """The piles in a line, and below the combinations of each seat in a column."""
    inks = canvas.theme.inks
    piles = {zone.name: zone.cards for zone in zones if zone.seat is None}
    x = mat.x + 2
    if "stock" in piles:
        x = canvas.text(x, mat.y, f"face down {len(piles['stock'])}", inks.soft) + 3
    pile = [card for card in piles.get("pile", ()) if card is not None]
    if "pile" in piles:
        x = canvas.text(x, mat.y, "face up", inks.soft) + 1
    room = (mat.right - 2 - x) // CHIP.width
    if len(pile) > room:
        x = canvas.text(x, mat.y, f"‹{len(pile) - room + 1}", inks.soft) + 1
        pile = pile[-(room - 1) :]
    for i, card in enumerate(pile):
        card_faces.card(canvas, x + CHIP.width * i, mat.y, CHIP, card)
    width = (mat.width - 4) // len(shown.seats)
    names = cut_alike(shown.names, width - 1)
    for column, seat in enumerate(shown.seats):
        own = [(number, zone) for number, zone in enumerate(_melds(zones), 1) if zone.seat == seat]
        _column(canvas, Box(mat.x + 2 + column * width, mat.y + 1, width - 1, mat.height - 1), names[seat], own)


def _melds(zones: Sequence[Zone]) -> list[Zone]:
    return [zone for zone in zones if zone.name == "meld"]


def _column(canvas: Canvas, box: Box, name: str, melds: Sequence[tuple[int, Zone]]) -> None:
    """The combinations of a seat, one a line; where that does not fit as many in a line as there is room for."""
    inks = canvas.theme.inks
    canvas.text(box.x, box.y, name, inks.text, bold=True)
    told = [f"{number} {combination(zone)}" for number, zone in melds]
    rows = box.height - 1
    if len(told) > rows:
        told = _packed(told, box.width)
    if len(told) > rows:
        told = [*told[: rows - 1], "and more"]
    for y, line in enumerate(told, box.y + 1):
        card_faces.words(canvas, box.x, y, line, inks.soft, most=box.width)


def _packed(parts: Sequence[str], width: int) -> list[str]:
    """Texts in as few lines as they fit into."""
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]}  {part}".strip()
        if card_faces.shown_width(joined) <= width:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def combination(zone: Zone) -> str:
    """The cards of a combination in notation; of a long one the first and the last."""
    cards = [card for card in zone.cards if card is not None]
    return names(cards) if len(cards) <= _LONGEST else f"{names(cards[:1])} to {names(cards[-1:])}"


def piles_in_a_line(shown: Shown) -> str:
    """What lies in the middle, in notation, where there is no mat; nothing in games of tricks."""
    if shown.round.tricks:
        return ""
    zones = shown.round.game.scene(shown.lying().view)
    told = [combination(zone) for zone in _melds(zones)]
    for zone in zones:
        if zone.name in ("stack", "pile"):
            told.insert(0, f"{zone.name} {names([card for card in zone.cards if card is not None][-_FAN:]) or 'empty'}")
        elif zone.name in ("blind", "stock"):
            told.insert(0, f"{zone.name} {len(zone.cards)}")
    return " · ".join(told)
