"""Scopetta: cards of the hand capture cards of the table, which the actions name; a card that captures none is laid.

Each captured card is a point, and four players are two sides. Two packs of rules meet here: choices of cards of the
hand and of the table together, and a choice between two actions with the same card, laying it face up or face down.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Final, Self

from cardtable.engine import options as house
from cardtable.engine.cards import (
    BIT,
    NAME,
    PACK_52,
    RANK,
    Card,
    Cards,
    all_of,
    iter_cards,
    list_subsets_with_sum,
    mask_of,
    names,
)
from cardtable.engine.chance import Deal
from cardtable.engine.game import Action, Event, GameInfo, Note, View, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import RoundGame, RoundState, deal_portion, points_entries, with_value
from tests.toy.layaway import LAY, Lay

EACH: Final = 3
TABLE: Final = 4
MOST_TAKEN: Final = 2
VALUE: Final = tuple([rank + 2 for rank in RANK])
"""Value of each card in captures."""


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Scopetta."""

    length: int = house.choice("Number of rounds", {2: "2 rounds", 1: "1 round"})

    @property
    def rounds(self) -> int:
        return self.length


class Capture(Action, frozen=True):
    """Taking cards of the table with a card of the hand."""

    kind = "capture"
    card: Card
    taken: Cards

    @property
    def notation(self) -> str:
        return f"{NAME[self.card]} with {names(iter_cards(self.taken))}"

    def cards_used(self) -> Cards:
        return BIT[self.card] | self.taken


class Bury(Lay, frozen=True):
    """Laying a card of the hand face down under the stock."""

    kind = "bury"


CAPTURE, BURY = cache(Capture), cache(Bury)


class ScopettaView(View, frozen=True):
    """Everything that one seat knows of Scopetta."""

    options: Options
    sizes: tuple[int, ...]
    table: tuple[Card, ...]
    stock_size: int
    captured: tuple[Cards, ...]
    number_buried: int


class ScopettaState(RoundState[ScopettaView]):
    """A session of Scopetta with every card face up."""

    options: Options
    partners = ((0, 2), (1, 3))

    def clear(self) -> None:
        super().clear()
        self.captured: tuple[Cards, ...] = (0,) * self.seats
        self.table: tuple[Card, ...] = ()
        self.buried: Cards = 0

    def deal(self, order: tuple[Card, ...]) -> None:
        self.hands, rest = deal_portion(order, self.seats, EACH)
        self.table, self.stock, self.turn = rest[:TABLE], rest[TABLE:], self.first_seat

    def legal(self) -> Sequence[Action]:
        hand = iter_cards(self.hands[self.turn])
        captures = [
            CAPTURE(card, taken)
            for card in hand
            for taken in list_subsets_with_sum(mask_of(self.table), VALUE.__getitem__, VALUE[card])
            if taken.bit_count() <= MOST_TAKEN
        ]
        return [*captures, *map(LAY, hand), *map(BURY, hand)]

    def act(self, action: Action) -> None:
        seat = self.turn
        card = action.card
        if isinstance(action, Capture):
            self.captured = with_value(self.captured, seat, self.captured[seat] | action.cards_used())
            self.table = tuple([c for c in self.table if not BIT[c] & action.taken])
        elif isinstance(action, Bury):
            self.buried |= BIT[card]
        else:
            self.table = (*self.table, card)
        self.hands[seat] &= ~BIT[card]
        self.turn = self.next_seat(seat)
        if not any(self.hands):
            self.end_round()

    def score_round(self) -> tuple[int, ...]:
        sides = {seat: side for side in GAME.sides(self.seats, self.options) for seat in side}
        return tuple([sum(self.captured[each].bit_count() for each in sides[seat]) for seat in range(self.seats)])

    @property
    def number_buried(self) -> int:
        return self.buried.bit_count()

    def determinize(self, view: ScopettaView, rng: Random) -> Self:
        self.copy_view_fields(view)
        rest = self.guess_hands(view, view.sizes, mask_of(view.table) | all_of(view.captured), rng)
        self.buried, self.stock = mask_of(rest[: view.number_buried]), rest[view.number_buried :][: view.stock_size]
        return self

    def assert_invariants(self) -> None:
        """Assert that each card is in exactly one place."""
        piles = [*self.hands, *self.captured, mask_of(self.table), mask_of(self.stock), self.buried]
        assert all_of(piles) in (0, PACK_52)


class Scopetta(RoundGame[ScopettaView]):
    """The game of Scopetta."""

    about = GameInfo(
        key="scopetta",
        title="Scopetta",
        summary="capture cards",
        length="2 rounds",
        seats=(2, 3, 4, 5, 6, 7, 8),
        usual_seats=2,
        emblem="7D 4C 3H",
        aim="Capture cards of the table.",
    )
    options = Options
    state = ScopettaState
    actions = (Capture, Lay, Bury)

    def scene(self, view: ScopettaView) -> tuple[Zone, ...]:
        taken = [Zone("taken", seat, tuple(iter_cards(cards))) for seat, cards in enumerate(view.captured)]
        middle = Zone("stock", None, (None,) * view.stock_size), Zone("table", None, view.table)
        return (*hands_seen(view.seat, view.hand, view.sizes), *taken, *middle)

    def explain_illegal(self, view: ScopettaView, chosen: Cards) -> str:
        return "A card takes one card, or two, of its own value"

    def narrate(self, event: Event, before: ScopettaView, after: ScopettaView) -> tuple[Note, ...]:
        notes: tuple[Note, ...] = ()
        if isinstance(event, Deal):
            notes = (Dealt(None, after.round, EACH),)
        elif isinstance(event, Capture):
            cards = (event.card, *iter_cards(event.taken))
            notes = (CustomLogEntry(before.turn, "captures with {}", "capture with {}", cards),)
        elif isinstance(event, Bury):
            own = tuple(iter_cards(BIT[event.card] & before.hand))
            phrase = "{}" if own else "a card"
            notes = (CustomLogEntry(before.turn, f"buries {phrase}", f"bury {phrase}", own),)
        elif isinstance(event, Lay):
            notes = (CustomLogEntry(before.turn, "lays {}", "lay {}", (event.card,)),)
        return (*notes, *points_entries(before, after, self.sides_of(after)))


GAME: Final = Scopetta()
