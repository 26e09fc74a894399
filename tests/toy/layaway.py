"""Layaway: a small game with unequal hands, cards laid away face down, a stock and a published "go".

Each seat lays a card away, then plays in turn while the count is at most 31. A seat that cannot play draws a card or
says "go", after which everybody knows what it lacks. The round ends when a hand is empty, or everybody has said "go".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Annotated, Final, Self

from cardtable.engine import options as house
from cardtable.engine.annotations import PRIVATE
from cardtable.engine.cards import BIT, NAME, PACK_52, RANK, Card, Cards, all_of, iter_cards, mask_of
from cardtable.engine.drawing import DRAW, Draw
from cardtable.engine.game import Action, GameInfo, View, Zone
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import RoundGame, RoundState, with_value
from cardtable.engine.tricks import PLAYS, Play

LIMIT: Final = 31
MAX_HAND: Final = 5
VALUE: Final = tuple([min(RANK[c] + 2, 10) for c in range(52)])
"""Value of each card in the count."""


def cards_up_to(value: int) -> Cards:
    """Return the cards whose value is at most ``value``."""
    return mask_of(Card(c) for c in range(52) if VALUE[c] <= value)


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Layaway."""

    length: int = house.choice("Number of rounds", {3: "3 rounds", 1: "1 round"})

    @property
    def rounds(self) -> int:
        return self.length


class Lay(Action, frozen=True):
    """Laying a card away, face down."""

    kind = "lay"
    card: Card

    @property
    def notation(self) -> str:
        return NAME[self.card]

    def cards_used(self) -> Cards:
        return BIT[self.card]


class Go(Action, frozen=True):
    """Passing, because no card fits into the count."""

    kind = "go"


LAY: Final = cache(Lay)
GO: Final = Go()


class LayawayView(View, frozen=True):
    """Everything that one seat knows of Layaway."""

    options: Options
    sizes: tuple[int, ...]
    laid: Annotated[Cards, PRIVATE]
    """Card that this seat has laid away."""
    has_laid: tuple[bool, ...]
    pile: tuple[Card, ...]
    stock_size: int
    count: int
    lacks_up_to: tuple[int, ...]
    """Value up to which each seat has no card, as it has told by saying "go"; 0 if nothing is known."""


class LayawayState(RoundState[LayawayView]):
    """A session of Layaway with every card face up."""

    options: Options
    lowest_wins = True

    def clear(self) -> None:
        super().clear()
        self.laid: tuple[Cards, ...] = (0,) * self.seats
        self.pile: tuple[Card, ...] = ()
        self.count = 0
        self.lacks_up_to = (0,) * self.seats

    def deal(self, order: tuple[Card, ...]) -> None:
        hands, at = [], 0
        for seat in range(self.seats):  # the first seat has one card more
            size = 4 + (seat == self.first_seat)
            hands.append(mask_of(order[at : at + size]))
            at += size
        self.hands, self.pile, self.stock = hands, order[at : at + 1], order[at + 1 :]
        self.turn = self.first_seat

    def legal(self) -> Sequence[Action]:
        hand = self.hands[self.turn]
        if not self.laid[self.turn]:
            return [LAY(card) for card in iter_cards(hand)]
        plays = PLAYS.of(hand & cards_up_to(LIMIT - self.count))
        if plays:
            return plays
        return [DRAW, GO] if self.stock and hand.bit_count() < MAX_HAND else [GO]

    def act(self, action: Action) -> None:
        seat, hand = self.turn, self.hands[self.turn]
        if isinstance(action, Lay):
            hand &= ~BIT[action.card]
            self.laid = with_value(self.laid, seat, BIT[action.card])
        elif isinstance(action, Play):
            hand &= ~BIT[action.card]
            self.pile, self.count = (*self.pile, action.card), self.count + VALUE[action.card]
        elif isinstance(action, Draw):
            hand |= BIT[self.stock[0]]
            self.stock, self.lacks_up_to = self.stock[1:], with_value(self.lacks_up_to, seat, 0)
        else:
            self.lacks_up_to = with_value(self.lacks_up_to, seat, max(self.lacks_up_to[seat], LIMIT - self.count))
            if all(LIMIT - self.count <= value for value in self.lacks_up_to):
                self.count = 0
        self.hands[seat], self.turn = hand, self.next_seat(seat)
        if not hand:
            self.end_round()

    def score_round(self) -> tuple[int, ...]:
        return tuple([hand.bit_count() for hand in self.hands])

    @property
    def has_laid(self) -> tuple[bool, ...]:
        return tuple(map(bool, self.laid))

    def determinize(self, view: LayawayView, rng: Random) -> Self:
        self.copy_view_fields(view)
        lacks = [cards_up_to(value) for value in view.lacks_up_to]
        rest = list(self.guess_hands(view, view.sizes, view.laid | mask_of(view.pile), rng, excluded=lacks))
        laid = [BIT[rest.pop()] if has_laid and seat != view.seat else 0 for seat, has_laid in enumerate(view.has_laid)]
        self.laid, self.stock = with_value(laid, view.seat, view.laid), tuple(rest[: view.stock_size])
        return self

    def assert_invariants(self) -> None:
        """Assert that each card is in exactly one place, and that no seat has a card that it lacks."""
        piles = [*self.hands, *self.laid, mask_of(self.pile), mask_of(self.stock)]
        assert all_of(piles) in (0, PACK_52)
        for hand, value in zip(self.hands, self.lacks_up_to, strict=True):
            assert not hand & cards_up_to(value)


class Layaway(RoundGame[LayawayView]):
    """The game of Layaway."""

    about = GameInfo(
        key="layaway",
        title="Layaway",
        summary="lay a card away",
        length="3 rounds",
        seats=(2, 3, 4, 5, 6, 7, 8),
        usual_seats=3,
        emblem="JC 2D 5H",
        aim="Have few cards left.",
    )
    options = Options
    state = LayawayState
    actions = (Lay, Play, Draw, Go)

    def scene(self, view: LayawayView) -> tuple[Zone, ...]:
        laid = [
            Zone("laid away", seat, tuple(iter_cards(view.laid)) if seat == view.seat else (None,) * has_laid)
            for seat, has_laid in enumerate(view.has_laid)
        ]
        middle = Zone("stock", None, (None,) * view.stock_size), Zone("pile", None, view.pile)
        return (*hands_seen(view.seat, view.hand, view.sizes), *laid, *middle)

    def explain_illegal(self, view: LayawayView, chosen: Cards) -> str:
        return "Choose a card that fits into the count"


GAME: Final = Layaway()
