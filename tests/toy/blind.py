"""Blind: each seat lays one or two cards away, all at once; then the cards are shown, and the highest sum wins.

The choice of the seats 0 and 1 comes first in the second round, in which the others only watch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Annotated, Final

from cardtable.engine import options as house
from cardtable.engine.annotations import PRIVATE
from cardtable.engine.cards import RANK, Card, Cards, iter_cards, mask_of
from cardtable.engine.chance import Deal
from cardtable.engine.game import Action, CardsAction, Event, GameInfo, Note, View, Zone
from cardtable.engine.log_entries import CustomLogEntry, Dealt
from cardtable.engine.presentation import hands_seen
from cardtable.engine.round_state import RoundGame, deal_hands, points_entries
from cardtable.engine.secret_choices import ChoosingState

EACH: Final = 5


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Blind."""

    length: int = house.choice("Number of rounds", {3: "3 rounds", 1: "1 round"})
    round_clock: str | int = house.round_clock()

    @property
    def rounds(self) -> int:
        return self.length


class Lay(CardsAction, frozen=True):
    """Laying one or two cards away."""

    kind = "lay"


@cache
def lay_of(cards: Cards) -> Lay:
    """Return the only ``Lay`` of these cards."""
    return Lay(cards)


class BlindView(View, frozen=True):
    """Everything that one seat knows of Blind."""

    options: Options
    choosing: tuple[bool, ...]
    chosen: tuple[bool, ...]
    sizes: tuple[int, ...]
    choice: Annotated[Lay | None, PRIVATE]
    shown: tuple[Cards, ...]
    """Cards that the seats have laid away in this round, once all have chosen."""


class BlindState(ChoosingState[BlindView]):
    """A session of Blind with every card face up."""

    options: Options

    def clear(self) -> None:
        super().clear()
        self.shown: tuple[Cards, ...] = (0,) * self.seats

    def deal(self, order: tuple[Card, ...]) -> None:
        self.hands = deal_hands(order, self.seats, EACH)
        self.let_choose((0, 1) if self.round == 2 else None)

    def legal(self) -> Sequence[Action]:
        hand = iter_cards(self.hands[self.turn])
        return [lay_of(mask_of(some)) for number in (1, 2) for some in combinations(hand, number)]

    def act(self, action: Action) -> None:
        raise TypeError(action)

    def act_at_once(self, choices: tuple[Action | None, ...]) -> None:
        laid = [choice.cards_used() if choice else 0 for choice in choices]
        self.shown = tuple([earlier | cards for earlier, cards in zip(self.shown, laid, strict=True)])
        self.hands = [hand & ~cards for hand, cards in zip(self.hands, laid, strict=True)]
        if self.round == 2 and choices[1] and self.hands[1].bit_count() > EACH - 3:
            self.let_choose()
        else:
            self.end_round()

    def score_round(self) -> tuple[int, ...]:
        sums = [sum(RANK[card] for card in iter_cards(cards)) for cards in self.shown]
        return tuple([int(value == max(sums)) for value in sums])


class Blind(RoundGame[BlindView]):
    """The game of Blind."""

    about = GameInfo(
        key="blind",
        title="Blind",
        summary="lay cards away at once",
        length="3 rounds",
        seats=(2, 3, 4),
        usual_seats=3,
        emblem="AC 2D 5H",
        aim="Lay more away than the others.",
    )
    options = Options
    state = BlindState
    actions = (Lay,)

    def scene(self, view: BlindView) -> tuple[Zone, ...]:
        laid = view.choice.cards if view.choice else 0
        hands = hands_seen(view.seat, view.hand & ~laid, view.sizes)
        own = [Zone("laid", view.seat, tuple(iter_cards(laid)), "Laid away")] if laid else []
        return (*hands, *own, *[Zone("shown", seat, tuple(iter_cards(cards))) for seat, cards in enumerate(view.shown)])

    def explain_illegal(self, view: BlindView, _chosen: Cards) -> str:
        return "Lay one or two cards away"

    def narrate(self, event: Event, before: BlindView, after: BlindView) -> tuple[Note, ...]:
        if isinstance(event, Deal):
            return (Dealt(None, after.round, EACH),)
        is_own = isinstance(event, Lay) and before.turn == before.seat
        own = tuple(iter_cards(event.cards & before.hand)) if is_own else ()
        phrase = "{}" if own else "cards"
        notes: list[Note] = [CustomLogEntry(before.turn, f"lays {phrase} away", f"lay {phrase} away", own)]
        for seat, cards in enumerate(after.shown):
            if laid := cards & ~before.shown[seat]:
                notes.append(CustomLogEntry(seat, "shows {}", "show {}", tuple(iter_cards(laid))))
        return (*notes, *points_entries(before, after))


GAME: Final = Blind()
