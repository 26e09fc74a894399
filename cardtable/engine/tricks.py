"""Trick-taking, to compose: an order of cards, who must follow, which card wins."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from cardtable.engine.cards import BIT, COPY, NAME, OF_SUIT, RANK, SUIT, Card, Cards, each
from cardtable.engine.contract import Action

TRUMP_POWER: Final = 100


@dataclass(frozen=True, slots=True)
class Play(Action):
    """A card put on the trick."""

    card: Card

    def uses(self) -> Cards:
        """The card itself."""
        return BIT[self.card]

    def __str__(self) -> str:
        return f"play {NAME[self.card]}"


PLAY: Final = tuple(Play(Card(c)) for c in range(2 * COPY))
"""The one ``Play`` of each card."""
_PLAYS: Final[dict[Cards, tuple[Play, ...]]] = {}


def plays(mask: Cards) -> tuple[Play, ...]:
    """The plays of a set of cards, lowest first; remembered suit by suit, as search asks often."""
    found: tuple[Play, ...] = ()
    for suit in OF_SUIT:
        part = mask & suit
        if part:
            some = _PLAYS.get(part)
            if some is None:
                some = _PLAYS[part] = tuple([PLAY[c] for c in each(part)])
            found = found + some if found else some
    return found


@dataclass(frozen=True, slots=True)
class Order:
    """How cards beat one another under one trump, or none."""

    power: tuple[int, ...]
    """Strength of each card; of the suit led or trump, the strongest wins."""
    trump: int | None

    def winner(self, trick: Sequence[Card]) -> int:
        """Index of the card that takes a trick given in order of play; of equals the first."""
        power = self.power
        led = SUIT[trick[0]]
        best, top = 0, power[trick[0]]
        for i in range(1, len(trick)):
            c = trick[i]
            if power[c] > top and (SUIT[c] == led or power[c] >= TRUMP_POWER):
                best, top = i, power[c]
        return best


@cache
def order(trump: int | None = None) -> Order:
    """Ace high; the cards of ``trump``, if any, beat all others."""
    return Order(tuple(RANK[c] + TRUMP_POWER * (SUIT[c] == trump) for c in range(2 * COPY)), trump)


def follow(hand: Cards, led: Card) -> Cards:
    """The cards that may be played on a lead: of its suit if there are any, else all."""
    return hand & OF_SUIT[SUIT[led]] or hand
