"""The tricks of Gurka: house rules, lowest cards, who takes a trick, and what the cards of the last one count."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Self

from cardtable.engine import options as house
from cardtable.engine.cards import ACE, RANK, Card, Cards
from cardtable.engine.notes import Manner

NOTHING: Final = -1
"""The highest rank of a trick in which nothing lies."""
_EACH_SUIT: Final = 1 | 1 << 13 | 1 << 26 | 1 << 39


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Gurka."""

    seats: int = house.choice("Seats at the table", {4: "four", 6: "six"})
    ace_rule: str = house.choice(
        "When an ace makes everybody after it play a lowest card",
        {
            "any": "whenever one lies in the trick",
            "led-only": "only when it was the card led",
            "off": "never, an ace is just the highest card",
        },
    )
    must_head: str = house.choice(
        "Whether you must head if you can", {"off": "no, you may play a lowest card instead", "on": "yes"}
    )
    limit: int = house.choice(
        "The session ends when a total is over this", {30: "30 points", 21: "21 points", 50: "50 points"}
    )
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()

    def for_seats(self, seats: int) -> Self:
        return self if seats == self.seats else replace(self, seats=seats)

    def ended(self, totals: Sequence[int]) -> bool:
        """Whether the session is over with these totals."""
        return max(totals) > self.limit

    def bound(self, trick: Sequence[Card]) -> bool:
        """Whether an ace in this trick binds the next seat to its lowest card."""
        return any(RANK[c] == ACE and self.ace_binds(lying) for lying, c in enumerate(trick))

    def ace_binds(self, lying: int) -> bool:
        """Whether an ace that is played when so many cards lie binds the seats after it."""
        return self.ace_rule == "any" or (self.ace_rule == "led-only" and not lying)


def lowest(hand: Cards) -> Cards:
    """The cards of a hand that is not empty below which it has none."""
    ranks = (hand | hand >> 13 | hand >> 26 | hand >> 39) & 0x1FFF
    return hand & (ranks & -ranks) * _EACH_SUIT


def winner(trick: Sequence[Card]) -> int:
    """Index of the card that takes a trick given in order of play: the last of the highest."""
    best = 0
    for i, c in enumerate(trick):
        if RANK[c] >= RANK[trick[best]]:
            best = i
    return best


def manner(card: Card, before: Sequence[Card], options: Options) -> Manner:
    """What a card does to the cards that lie in its trick already: ``leads``, ``heads`` it, or is the ``lowest``."""
    if not before:
        return "leads"
    if options.bound(before) or RANK[card] < RANK[before[winner(before)]]:
        return "lowest"
    return "heads"


def worth(card: Card) -> int:
    """Points for a card: 2 to 10 face value, jack 11, queen 12, king 13, ace 14."""
    return RANK[card] + 2


def scored(last: Sequence[int]) -> tuple[int, ...]:
    """Points for what the cards of the last trick are worth, by seat."""
    most = max(last)
    return tuple([value if value == most else 0 for value in last])
