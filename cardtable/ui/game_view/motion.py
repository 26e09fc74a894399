"""Motion at the table: cards that move, totals that count up, and a podium that rises.

A motion is data, computed in the same way for every game from the painted table, which records where everything that
moves is. It shows nothing that the table does not show. The widget of the table lays all motions over the picture until
they have ended.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from cardtable.engine.cards import Card
from cardtable.engine.game import Seat
from cardtable.ui.toolkit.painting import card_faces
from cardtable.ui.toolkit.painting.canvas import Canvas, CardBounds, Sprite
from cardtable.ui.toolkit.painting.layout import get_layout
from cardtable.wording.formatting import format_number

CARD_SECONDS: Final = 0.2
DEAL_SECONDS: Final = 0.4
"""Seconds in which the cards of a deal leave the pack."""
TOTAL_SECONDS: Final = 0.6
PODIUM_SECONDS: Final = 0.8
FRAME_SECONDS: Final = 1 / 30
_COUNT_STEPS: Final = 12
STOCK: Final = "stock"
"""Key of the position of the stock in ``Canvas.card_bounds``."""


def format_plate_key(seat: Seat) -> str:
    return f"plate {seat}"


class TotalKey(NamedTuple):
    """Key in ``Canvas.card_bounds`` of the total of the side of ``seat`` on row ``y``."""

    seat: Seat
    y: int


class PodiumKey(NamedTuple):
    """Key in ``Canvas.card_bounds`` of the block of the side of ``seat`` on the podium, with the texts above it."""

    seat: Seat


class Motion(msgspec.Struct, frozen=True):
    """Pictures shown one after the other while they move from ``start`` to ``end``, cells of the top left corner."""

    pictures: Sequence[Canvas]
    start: tuple[int, int]
    end: tuple[int, int]
    cover: Sprite | None = None
    """Sprite that hides what is painted at ``end``, where the last picture then stays until all motions have ended.

    ``None`` if nothing has to be hidden; the motion is then seen only on its way.
    """
    delay: float = 0
    """Seconds until it begins."""
    seconds: float = CARD_SECONDS

    @property
    def end_time(self) -> float:
        return self.delay + self.seconds

    def create_sprite(self, time: float) -> Sprite:
        """Return the picture at its position, ``time`` seconds after the start of all motions."""
        done = 1 - (1 - min((time - self.delay) / self.seconds, 1)) ** 3  # cubic ease-out
        (x, y), (to_x, to_y) = self.start, self.end
        picture = self.pictures[round(done * (len(self.pictures) - 1))]
        return Sprite(round(x + (to_x - x) * done), round(y + (to_y - y) * done), picture)


def create_sprites(motions: Sequence[Motion], time: float) -> list[Sprite]:
    """Return the sprites to draw over the picture ``time`` seconds after the start of the motions.

    The covers come first, so that moving cards are drawn over them.
    """
    covers = [motion.cover for motion in motions if motion.cover and time < motion.end_time]
    seen = [motion for motion in motions if motion.delay <= time and (motion.cover or time < motion.end_time)]
    return [*covers, *[motion.create_sprite(time) for motion in seen]]


def animate_moves(before: Canvas, after: Canvas, actor: Seat, taker: Seat | None) -> list[Motion]:
    """Return a motion for each card that changes its position between two frames.

    A card that disappears from the table moves to the plate of ``taker``, the seat that wins the trick in ``before``,
    or does not move if ``taker`` is ``None``. A card that appears comes from its old position, else from the stock if
    it is in the hand, and otherwise from the plate of ``actor``, the seat to act in ``before``.
    """
    return [*_animate_gathered(before, after, taker), *_animate_placed(before, after, actor)]


def animate_hand(after: Canvas, step: float = 0) -> list[Motion]:
    """Return the motions of the cards of the player's hand, which leave the pack every ``step`` seconds."""
    hand, pack = [(card, bounds) for card, bounds in _list_cards(after) if bounds.is_in_hand], _find_pack(after)
    return [_animate_to_hand(after, card, pack, bounds, i * step) for i, (card, bounds) in enumerate(hand)]


def animate_deal(after: Canvas, others: Sequence[Seat]) -> list[Motion]:
    """Return the motions of a deal: the cards of the hand, one after the other, and as many for the other seats."""
    number = len(animate_hand(after))
    if not number:
        return []
    step, size = DEAL_SECONDS / number, card_faces.SMALL
    back, area = Canvas(size.width, size.height, after.appearance), CardBounds(0, 0, size.width, size.height)
    card_faces.paint_back(back, 0, 0, size)
    start = _center_over(_find_pack(after), area)
    ends = [_center_over(after.card_bounds[format_plate_key(seat)], area) for seat in others]
    backs = [Motion([back], start, end, delay=i * step) for i in range(number) for end in ends]
    return [Motion([back], start, start, seconds=DEAL_SECONDS), *backs, *animate_hand(after, step)]


def count_totals(after: Canvas, before: Sequence[int], totals: Sequence[int]) -> list[Motion]:
    """Return the motions of the totals on the screen that have changed from ``before`` to ``totals``, by seat."""
    return [
        Motion(_paint_numbers(after, at, before[key.seat], totals[key.seat]), at[:2], at[:2], seconds=TOTAL_SECONDS)
        for key, at in after.card_bounds.items()
        if isinstance(key, TotalKey) and before[key.seat] != totals[key.seat]
    ]


def raise_podium(after: Canvas) -> list[Motion]:
    """Return the motions of the blocks of the podium, which all grow by a row at a time, the highest one longest."""
    blocks = [bounds for key, bounds in after.card_bounds.items() if isinstance(key, PodiumKey)]
    rows = max([block.height for block in blocks], default=0)
    mat = Canvas(max([block.width for block in blocks], default=0), rows, after.appearance)
    mat.fill(0, 0, mat.width, mat.height, after.theme.grounds.mat)
    return [
        Motion(
            [mat.crop(0, 0, block.width, max(block.height - row, 0)) for row in range(rows + 1)],
            block[:2],
            block[:2],
            seconds=PODIUM_SECONDS,
        )
        for block in blocks
    ]


def lift_card(canvas: Canvas, card: Card) -> Sprite | None:
    """Return a sprite of a card of the hand a row higher; ``None`` if it is raised already, or not in the hand."""
    bounds = canvas.card_bounds.get(card)
    if bounds is None or not bounds.is_in_hand or bounds.y < get_layout(canvas).hand_row:
        return None
    lifted = Canvas(bounds.visible_width, bounds.height + 1, canvas.appearance)
    lifted.blit(canvas.crop(bounds.x, bounds.y, bounds.visible_width, bounds.height), 0, 0)
    return Sprite(bounds.x, bounds.y - 1, lifted)


def _list_cards(canvas: Canvas) -> list[tuple[Card, CardBounds]]:
    return [(Card(target), bounds) for target, bounds in canvas.card_bounds.items() if isinstance(target, int)]


def _animate_gathered(before: Canvas, after: Canvas, taker: Seat | None) -> Iterator[Motion]:
    goal = None if taker is None else after.card_bounds.get(format_plate_key(taker))
    for card, bounds in _list_cards(before):
        bounds_after = after.card_bounds.get(card)
        if goal and not bounds.is_in_hand and (bounds_after is None or bounds_after.height < bounds.height):
            yield Motion([_paint_face(after, card, bounds)], bounds[:2], _center_over(goal, bounds))


def _animate_placed(before: Canvas, after: Canvas, actor: Seat) -> Iterator[Motion]:
    for card, bounds in _list_cards(after):
        old = before.card_bounds.get(card)
        start = old or before.card_bounds.get(STOCK if bounds.is_in_hand else format_plate_key(actor))
        if start is None or (old and old.is_in_hand == bounds.is_in_hand):
            continue
        if bounds.is_in_hand:
            yield _animate_to_hand(after, card, start, bounds)
        else:
            cover = Sprite(bounds.x, bounds.y, before.crop(bounds.x, bounds.y, bounds.visible_width, bounds.height))
            yield Motion([_paint_face(after, card, bounds)], _center_over(start, bounds), bounds[:2], cover)


def _animate_to_hand(after: Canvas, card: Card, start: CardBounds, bounds: CardBounds, delay: float = 0) -> Motion:
    cover = create_blank(after, bounds)
    return Motion([_paint_face(after, card, bounds)], _center_over(start, bounds), bounds[:2], cover, delay)


def _find_pack(canvas: Canvas) -> CardBounds:
    """Return the position from which cards are dealt: the stock, or else the middle of the mat."""
    x, y = get_layout(canvas).mat.centre
    return canvas.card_bounds.get(STOCK, CardBounds(x, y, 0, 0))


def _paint_numbers(canvas: Canvas, bounds: CardBounds, first: int, last: int) -> list[Canvas]:
    """Return the pictures of a number on its way from ``first`` to ``last``, which ``canvas`` shows in ``bounds``."""
    y, right = bounds.y, bounds.x + bounds.width - 1
    steps = [first + round((last - first) * step / _COUNT_STEPS) for step in range(_COUNT_STEPS + 1)]
    pictures = []
    for text in dict.fromkeys(map(format_number, steps)):
        if len(text) > bounds.width:
            continue
        picture = Canvas(bounds.width, 1, canvas.appearance)
        picture.fill(0, 0, bounds.width, 1, canvas.grounds[y][right])
        picture.write_right(bounds.width - 1, 0, text, canvas.inks[y][right], bold=canvas.bold[y][right])
        pictures.append(picture)
    return pictures


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
