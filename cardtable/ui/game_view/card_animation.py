"""Cards that move: which ones between two pictures, from where to where, and where they are meanwhile.

The pictures themselves say where each card lies, so that this is the same for every game.  A
moving card lies over the later picture, in which its place is hidden until it is there.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from cardtable.engine.cards import Card
from cardtable.engine.game import Seat
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, CardBounds, Sprite
from cardtable.ui.toolkit.painting.layout import grid_of

SECONDS: Final = 0.2
"""How long a card moves."""
FRAME_SECONDS: Final = 1 / 30
STOCK: Final = "stock"
"""Where the pile lies that cards are drawn from."""


def plate_of(seat: Seat) -> str:
    """What the place of a seat's plate is called."""
    return f"plate {seat}"


class CardAnimation(msgspec.Struct, frozen=True):
    """A card on its way."""

    face: Canvas
    start: tuple[int, int]
    end: tuple[int, int]
    hidden: Sprite | None = None
    """What is seen at its end until it is there."""

    def at(self, share: float) -> Sprite:
        """The card when a share of the time is over, of 0 to 1."""
        done = eased(share)
        (x, y), (to_x, to_y) = self.start, self.end
        return Sprite(round(x + (to_x - x) * done), round(y + (to_y - y) * done), self.face)


def eased(share: float) -> float:
    """The share of its way that a card has behind it: it starts fast and comes to rest gently."""
    return 1 - (1 - share) ** 3


def frame(flights: Sequence[CardAnimation], share: float) -> list[Sprite]:
    """All that lies over the picture when a share of the time is over."""
    return [*[flight.hidden for flight in flights if flight.hidden], *[flight.at(share) for flight in flights]]


def flights(before: Canvas, after: Canvas, actor: Seat, taker: Seat | None) -> list[CardAnimation]:
    """The cards that come to lie elsewhere: played, drawn, taken from a pile, gathered by who took the trick.

    ``actor`` is who was to act in the picture before, ``taker`` who takes the trick that lies in it.
    """
    return [*_gathered(before, after, taker), *_laid(before, after, actor)]


def dealt(after: Canvas) -> list[CardAnimation]:
    """The own cards of a new round, from the middle of the table."""
    x, y = grid_of(after).mat.centre
    hand = [(card, lain) for card, lain in _cards(after) if lain.hand]
    middle = [CardBounds(x - lain.width // 2, y - lain.height // 2, lain.width, lain.height) for _, lain in hand]
    return [_to_hand(after, card, start, lain) for start, (card, lain) in zip(middle, hand, strict=True)]


def _cards(canvas: Canvas) -> list[tuple[Card, CardBounds]]:
    return [(Card(what), lain) for what, lain in canvas.lain.items() if isinstance(what, int)]


def _gathered(before: Canvas, after: Canvas, taker: Seat | None) -> Iterator[CardAnimation]:
    goal = None if taker is None else after.lain.get(plate_of(taker))
    for card, lain in _cards(before):
        now = after.lain.get(card)
        if goal and not lain.hand and (now is None or now.height < lain.height):
            yield CardAnimation(_face(after, card, lain), (lain.x, lain.y), _over(goal, lain))


def _laid(before: Canvas, after: Canvas, actor: Seat) -> Iterator[CardAnimation]:
    for card, lain in _cards(after):
        old = before.lain.get(card)
        start = old or before.lain.get(STOCK if lain.hand else plate_of(actor))
        if start is None or (old and old.hand == lain.hand):
            continue
        if lain.hand:
            yield _to_hand(after, card, start, lain)
        else:
            hidden = Sprite(lain.x, lain.y, before.crop(lain.x, lain.y, lain.seen, lain.height))
            yield CardAnimation(_face(after, card, lain), _over(start, lain), (lain.x, lain.y), hidden)


def _to_hand(after: Canvas, card: Card, start: CardBounds, lain: CardBounds) -> CardAnimation:
    return CardAnimation(_face(after, card, lain), _over(start, lain), (lain.x, lain.y), gap(after, lain))


def gap(canvas: Canvas, lain: CardBounds) -> Sprite:
    """Bare ground where a card lies."""
    return Sprite(lain.x, lain.y, Canvas(lain.seen, lain.height, canvas.look))


def fan(
    canvas: Canvas, cards: Sequence[Card], size: card_faces.Size, look: card_faces.CardLook = card_faces.PLAIN
) -> Canvas:
    """Cards as somebody holds them who moves them."""
    step = size.width if size.height == 1 else card_faces.LEAST_STEP
    held = Canvas(step * (len(cards) - 1) + size.width, size.height, canvas.look)
    for i, card in enumerate(cards):
        card_faces.card(held, step * i, 0, size, card, look)
    return held


def _face(canvas: Canvas, card: Card, lain: CardBounds) -> Canvas:
    return fan(canvas, [card], card_faces.Size(lain.width, lain.height))


def _over(place: CardBounds, card: CardBounds) -> tuple[int, int]:
    """Where a card lies whose middle is that of another place."""
    return place.x + (place.width - card.width) // 2, place.y + (place.height - card.height) // 2
