"""Trick-taking, to compose: an order of cards, who must follow, which card wins."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import msgspec

from cardtable.engine.cards import BIT, CARDS, COPY, NAME, RANK, SUIT, SUIT_WORDS, Card, CardLookup, Cards, iter_cards
from cardtable.engine.game import Action, Seat, TrickStatus, View


class Play(Action, frozen=True, tag="play"):
    """A card put on the trick."""

    kind = "play"
    card: Card

    def cards_used(self) -> Cards:
        """The card itself."""
        return BIT[self.card]

    @property
    def notation(self) -> str:
        """The card."""
        return NAME[self.card]

    @property
    def description(self) -> str:
        """The card alone."""
        return NAME[self.card]


PLAY: Final = tuple(Play(c) for c in CARDS)
"""The one ``Play`` of each card."""
PLAYS: Final = CardLookup(lambda c: PLAY[c])
"""The plays of a set of cards of a single pack, lowest first: by subscript those of cards of one suit."""


class TrickView(View, frozen=True):
    """What one seat may know of a game that is played in tricks."""

    cards: int
    """Cards each in this round."""
    won: tuple[int, ...]
    """Tricks taken in this round, by seat."""
    leader: Seat
    trick: tuple[Card, ...]
    last_leader: Seat
    last_trick: tuple[Card, ...]
    played: tuple[Cards, ...]
    """Cards each seat has played in this round, those of the trick included."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Cards in each hand."""
        return tuple([self.cards - played.bit_count() if self.playing else 0 for played in self.played])


def told(view: TrickView, winner: Callable[[Sequence[Card]], int], step: int = 1) -> TrickStatus:
    """How its tricks stand.

    ``winner``: the index of the card that takes a trick; ``step``: from a seat to the one that plays after it.
    """
    lying, last = by_whom(view, view.leader, view.trick, step), by_whom(view, view.last_leader, view.last_trick, step)
    winning = lying[winner(view.trick)][0] if lying else None
    return TrickStatus(1 + sum(view.won), view.leader, lying, last, winning)


def by_whom(view: View, leader: Seat, trick: Sequence[Card], step: int = 1) -> tuple[tuple[Seat, Card], ...]:
    """The cards of a trick, each with the seat that played it."""
    return tuple([((leader + step * i) % len(view.totals), c) for i, c in enumerate(trick)])


class Order(msgspec.Struct, frozen=True):
    """How cards beat one another under one trump, or none."""

    power: tuple[tuple[int, ...], ...]
    """By the suit led: the strength of each card, 0 for those that cannot win."""
    trump: int | None

    def winner(self, trick: Sequence[Card]) -> int:
        """Index of the card that takes a trick given in order of play; of equals the first."""
        best = trick[0]
        power = self.power[SUIT[best]]
        top = power[best]
        for c in trick:
            if power[c] > top:
                best, top = c, power[c]
        return trick.index(best)


@cache
def order(trump: int | None = None, *, low: bool = False) -> Order:
    """Ace high, or ``low``: then the lowest rank is the strongest.  The cards of ``trump``, if any, beat all others."""
    return Order(tuple([_powers(led, trump, low) for led in range(4)]), trump)


def _powers(led: int, trump: int | None, low: bool) -> tuple[int, ...]:
    above = {led: 1} if trump is None else {led: 1, trump: 14}
    ranks = [12 - rank for rank in RANK] if low else RANK
    return tuple([ranks[c] + above[SUIT[c]] if SUIT[c] in above else 0 for c in CARDS])


@cache
def beating(trump: int | None = None) -> tuple[Cards, ...]:
    """By the card that wins a trick so far: the cards that would take it, ace high."""
    found = []
    for best in CARDS[:COPY]:
        power = order(trump).power[SUIT[best]]
        found.append(sum([BIT[c] for c in CARDS[:COPY] if power[c] > power[best]]))
    return tuple(found)


def touching(cards: Cards, between: Cards) -> list[Card]:
    """The lowest of each run of ``cards`` that no card of ``between`` parts: the others of a run do the same."""
    found, last = [], -1
    for c in iter_cards(cards):
        if last < 0 or SUIT[last] != SUIT[c] or between & (BIT[c] - BIT[last]):
            found.append(c)
        last = c
    return found


def follow(hand: Cards, led: Cards) -> tuple[Play, ...]:
    """The plays of a hand that must follow ``led``, the cards of a suit, if it can; 0 on a lead."""
    same = hand & led
    return PLAYS[same] if same else PLAYS.of(hand)


def must_follow(led: Card) -> str:
    """Why another suit may not be played to a trick that began with ``led``."""
    return f"You must follow {SUIT_WORDS[SUIT[led]]}s"
