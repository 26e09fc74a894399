"""Loner: a trick game in which the jack of the same colour is a trump, and the first seat begins with a choice.

It takes the card that is turned up and lays another away, or leaves that card face down, or lets the next seat sit out.
The jack of trumps and the other jack count a point at once for the seat that takes them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from cardtable.engine import options as house
from cardtable.engine.card_order import CardOrder
from cardtable.engine.cards import BIT, JACK, OF_RANK, OF_SUIT, SUIT, Card, Cards, iter_cards, mask_of, pack_of
from cardtable.engine.game import Action, Event, GameInfo, Mark, Note, Seat, TrickStatus, Zone
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.engine.trick_game import TrickGame, TrickGameState, TrickGameView
from cardtable.engine.tricks import Order, Play, create_order, trick_status
from tests.toy.layaway import LAY, Lay

SEATS: Final = (3, 4)
OTHER_SUIT: Final = (3, 2, 1, 0)
"""By suit, the other suit of its colour."""


def find_trumps(suit: int) -> Cards:
    return OF_SUIT[suit] | OF_RANK[JACK] & OF_SUIT[OTHER_SUIT[suit]]


@cache
def order_of(suit: int) -> Order:
    jacks = [iter_cards(OF_RANK[JACK] & OF_SUIT[one])[0] for one in (suit, OTHER_SUIT[suit])]
    others = iter_cards(OF_SUIT[suit] & ~OF_RANK[JACK])[::-1]
    return create_order(CardOrder(ranks="AKQJT9", trumps=(*jacks, *others)))


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Loner."""

    limit: int = house.choice("The session ends when a seat has", {9: "9 points", 4: "4 points"})


class Begin(Action, frozen=True):
    """First choice of a round: to take the card turned up, to leave it, or to play alone."""

    word: str

    @property
    def kind(self) -> str:  # type: ignore[override]
        return self.word

    @classmethod
    def list_values(cls) -> tuple["Begin", ...]:
        return BEGINNINGS


TAKE, LEAVE, ALONE = BEGINNINGS = Begin("take"), Begin("leave"), Begin("alone")


class LonerView(TrickGameView, frozen=True):
    """Everything that one seat knows of Loner."""

    options: Options
    awarded: tuple[int, ...]
    trump: int
    turned: tuple[Card, ...]
    begun: str


class LonerState(TrickGameState[LonerView]):
    """A session of Loner with every card face up."""

    options: Options
    pack = pack_of("9TJQKA")
    hand_size = 5
    columns = ("tricks",)

    def clear(self) -> None:
        super().clear()
        self.trump, self.begun = 0, ""
        self.turned: tuple[Card, ...] = ()
        """The card that is turned up while it lies on the table."""

    def deal(self, order: tuple[Card, ...]) -> None:
        self.turned, self.trump = order[-1:], SUIT[order[-1]]
        super().deal(order)
        self.remembered = (mask_of(self.turned),) * self.seats

    def legal(self) -> Sequence[Action]:
        if not self.begun:
            return BEGINNINGS
        hand = self.hands[self.turn]
        return super().legal() if hand.bit_count() <= self.cards else [LAY(card) for card in iter_cards(hand)]

    def act(self, action: Action) -> None:
        if isinstance(action, Lay):
            self.discard(self.turn, BIT[action.card])
            return
        self.begun = action.kind
        if action == TAKE:
            self.pick_up(self.turn, mask_of(self.turned))
        elif action == ALONE:
            self.sit_out(self.next_seat(self.turn))
        if action != ALONE:
            self.turned = ()

    def follows(self, card: Card) -> Cards:
        trumps = find_trumps(self.trump)
        return trumps if BIT[card] & trumps else super().follows(card) & ~trumps

    def taker(self, trick: Sequence[Card]) -> int:
        return order_of(self.trump).winner(trick)

    def record_trick(self, taker: Seat) -> bool:
        super().record_trick(taker)
        return self.award(taker, (mask_of(self.last_trick) & find_trumps(self.trump) & OF_RANK[JACK]).bit_count())

    def score_round(self) -> tuple[int, ...]:
        return tuple(self.won)

    def is_over(self) -> bool:
        return max(self.totals) >= self.options.limit


class Loner(TrickGame[LonerView]):
    """The game of Loner."""

    about = GameInfo(
        key="loner",
        title="Loner",
        summary="begin with a choice",
        length="to 9",
        seats=SEATS,
        usual_seats=4,
        emblem="JS JC AS",
        aim="Take tricks and jacks.",
    )
    options = Options
    state = LonerState
    actions = (Begin, Lay, Play)

    def trick(self, view: LonerView) -> TrickStatus:
        return trick_status(view, order_of(view.trump).winner)

    def scene(self, view: LonerView) -> tuple[Zone, ...]:
        return (*super().scene(view), Zone("turned", None, view.turned, "Turned up"))

    def marks(self, view: LonerView) -> tuple[Mark, ...]:
        return (Mark("trump", None, suit=view.trump),)

    def narrate(self, event: Event, before: LonerView, after: LonerView) -> tuple[Note, ...]:
        if isinstance(event, Begin):
            return (CustomLogEntry(before.turn, f"says {event.word}", f"say {event.word}"),)
        if isinstance(event, Lay):
            return (CustomLogEntry(before.turn, "lays a card away", "lay a card away"),)
        return super().narrate(event, before, after)


GAME: Final = Loner()
