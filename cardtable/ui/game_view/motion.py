"""Animation of moving cards, computed from two painted frames of the table in the same way for every game.

Each frame records the positions of its cards. A moving card is drawn over the later frame, in which its destination
stays hidden until the card arrives.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from cardtable.engine.cards import Card
from cardtable.engine.game import Seat
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, CardBounds, Sprite
from cardtable.ui.toolkit.painting.layout import get_layout

DURATION: Final = 0.2
"""Duration of an animation in seconds."""
FRAME_SECONDS: Final = 1 / 30
STOCK: Final = "stock"
"""Key of the position of the stock in ``Canvas.card_bounds``."""


def format_plate_key(seat: Seat) -> str:
    """Return the key of the position of a seat's plate in ``Canvas.card_bounds``."""
    return f"plate {seat}"


class Motion(msgspec.Struct, frozen=True):
    """Movement of one card from ``start`` to ``end``, the cells of its top left corner."""

    face: Canvas
    start: tuple[int, int]
    end: tuple[int, int]
    hidden: Sprite | None = None
    """Sprite that hides the card at its destination until it arrives; ``None`` if nothing needs to be hidden."""

    def create_sprite(self, progress: float) -> Sprite:
        """Return the card at its position after a fraction ``progress`` (0 to 1) of the duration."""
        done = 1 - (1 - progress) ** 3  # cubic ease-out
        (x, y), (to_x, to_y) = self.start, self.end
        return Sprite(round(x + (to_x - x) * done), round(y + (to_y - y) * done), self.face)


def create_sprites(animations: Sequence[Motion], progress: float) -> list[Sprite]:
    """Return the sprites to draw over the later frame after a fraction ``progress`` (0 to 1) of the duration.

    The sprites that hide destinations come first, so that moving cards are drawn over them.
    """
    hiding = [animation.hidden for animation in animations if animation.hidden]
    return [*hiding, *[animation.create_sprite(progress) for animation in animations]]


def animate_moves(before: Canvas, after: Canvas, actor: Seat, taker: Seat | None) -> list[Motion]:
    """Return an animation for each card that changes its position between two frames.

    A card that disappears from the table moves to the plate of ``taker``, the seat that wins the trick in ``before``,
    or is not animated if ``taker`` is ``None``. A card that appears comes from its old position, else from the stock if
    it is in the hand, and otherwise from the plate of ``actor``, the seat to act in ``before``.
    """
    return [*_animate_gathered(before, after, taker), *_animate_placed(before, after, actor)]


def animate_deal(after: Canvas) -> list[Motion]:
    """Return the animations of the cards in the player's hand after a deal, all from the middle of the mat."""
    x, y = get_layout(after).mat.centre
    hand = [(card, bounds) for card, bounds in _list_cards(after) if bounds.is_in_hand]
    middle = [
        CardBounds(x - bounds.width // 2, y - bounds.height // 2, bounds.width, bounds.height) for _, bounds in hand
    ]
    return [_animate_to_hand(after, card, start, bounds) for start, (card, bounds) in zip(middle, hand, strict=True)]


def _list_cards(canvas: Canvas) -> list[tuple[Card, CardBounds]]:
    return [(Card(target), bounds) for target, bounds in canvas.card_bounds.items() if isinstance(target, int)]


def _animate_gathered(before: Canvas, after: Canvas, taker: Seat | None) -> Iterator[Motion]:
    goal = None if taker is None else after.card_bounds.get(format_plate_key(taker))
    for card, bounds in _list_cards(before):
        bounds_after = after.card_bounds.get(card)
        if goal and not bounds.is_in_hand and (bounds_after is None or bounds_after.height < bounds.height):
            yield Motion(_paint_face(after, card, bounds), (bounds.x, bounds.y), _center_over(goal, bounds))


def _animate_placed(before: Canvas, after: Canvas, actor: Seat) -> Iterator[Motion]:
    for card, bounds in _list_cards(after):
        old = before.card_bounds.get(card)
        start = old or before.card_bounds.get(STOCK if bounds.is_in_hand else format_plate_key(actor))
        if start is None or (old and old.is_in_hand == bounds.is_in_hand):
            continue
        if bounds.is_in_hand:
            yield _animate_to_hand(after, card, start, bounds)
        else:
            hidden = Sprite(bounds.x, bounds.y, before.crop(bounds.x, bounds.y, bounds.visible_width, bounds.height))
            yield Motion(_paint_face(after, card, bounds), _center_over(start, bounds), (bounds.x, bounds.y), hidden)


def _animate_to_hand(after: Canvas, card: Card, start: CardBounds, bounds: CardBounds) -> Motion:
    return Motion(
        _paint_face(after, card, bounds), _center_over(start, bounds), (bounds.x, bounds.y), create_blank(after, bounds)
    )


def create_blank(canvas: Canvas, bounds: CardBounds) -> Sprite:
    """Return a sprite of the background that covers the visible part of a card."""
    return Sprite(bounds.x, bounds.y, Canvas(bounds.visible_width, bounds.height, canvas.appearance, canvas.faces))


def paint_fan(
    canvas: Canvas, cards: Sequence[Card], size: card_faces.Size, look: card_faces.CardLook = card_faces.PLAIN_LOOK
) -> Canvas:
    """Paint cards as a fan on a canvas of their own, as they are shown while the mouse drags them."""
    step = size.width if size.height == 1 else card_faces.MIN_STEP
    fan = Canvas(step * (len(cards) - 1) + size.width, size.height, canvas.appearance, canvas.faces)
    for i, card in enumerate(cards):
        card_faces.paint_card(fan, step * i, 0, size, card, look)
    return fan


def _paint_face(canvas: Canvas, card: Card, bounds: CardBounds) -> Canvas:
    return paint_fan(canvas, [card], card_faces.Size(bounds.width, bounds.height))


def _center_over(target: CardBounds, card: CardBounds) -> tuple[int, int]:
    return target.x + (target.width - card.width) // 2, target.y + (target.height - card.height) // 2
