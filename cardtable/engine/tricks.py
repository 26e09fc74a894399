"""Building blocks of trick-taking games: strength of cards, following suit and the winner of a trick."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Final

import msgspec

from cardtable.engine.annotations import NOT_HELD
from cardtable.engine.card_order import CardOrder
from cardtable.engine.cards import (
    BIT,
    CARDS,
    COPY_OFFSET,
    NAME,
    OF_SUIT,
    RANK,
    RANKS,
    SUIT,
    Card,
    CardLookup,
    Cards,
    iter_cards,
)
from cardtable.engine.faces import FRENCH, Faces, Noun
from cardtable.engine.game import Action, Seat, TrickStatus, View


class Play(Action, frozen=True, tag="play"):
    """Play of a card to the trick."""

    kind = "play"
    card: Card

    def cards_used(self) -> Cards:
        return BIT[self.card]

    @property
    def notation(self) -> str:
        return NAME[self.card]

    @property
    def description(self) -> str:
        """Name of the card in notation; in sentences a play is named without the verb."""
        return NAME[self.card]


PLAY: Final = tuple(Play(c) for c in CARDS)
"""Shared ``Play`` action of each card."""
PLAYS: Final = CardLookup(lambda c: PLAY[c])
"""Lookup of the ``Play`` actions for a set of cards of a single pack, in ascending order of the cards."""


class TrickView(View, frozen=True):
    """Everything that one seat knows in a trick-taking game."""

    cards: int
    """Number of cards in each hand at the beginning of this round."""
    won: tuple[int, ...]
    """Number of tricks taken in this round that count, by seat."""
    leader: Seat
    trick: tuple[Card, ...]
    last_leader: Seat
    last_trick: tuple[Card, ...]
    played: tuple[Cards, ...]
    """Cards that each seat has played in this round, including the current trick."""
    excluded_cards: Annotated[tuple[Cards, ...], NOT_HELD]
    """By seat, the cards that it has shown not to hold, such as the suit that it could not follow."""

    @property
    def led(self) -> Cards:
        """Cards that follow the lead, by default those of its suit; 0 if no card lies in the trick."""
        return OF_SUIT[SUIT[self.trick[0]]] if self.trick else 0

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of cards in each hand; 0 if no round is in progress."""
        return tuple([self.cards - played.bit_count() if self.playing else 0 for played in self.played])

    @property
    def complete_tricks(self) -> int:
        """Number of tricks that have been played in this round, whether they count or not."""
        return min([cards.bit_count() for cards, plays in zip(self.played, self.active, strict=True) if plays])


def trick_status(view: TrickView, winner: Callable[[Sequence[Card]], int], step: int = 1) -> TrickStatus:
    """Return the status of the tricks in a view, for ``Game.trick``.

    ``winner`` returns the index of the card that takes a trick. ``step`` is the distance from one seat to the next one
    to play: 1 if play goes clockwise.
    """
    lying, last = (
        pair_with_seats(view, view.leader, view.trick, step),
        pair_with_seats(view, view.last_leader, view.last_trick, step),
    )
    winning = lying[winner(view.trick)][0] if lying else None
    return TrickStatus(1 + view.complete_tricks, view.leader, lying, last, winning, step)


def pair_with_seats(view: View, leader: Seat, trick: Sequence[Card], step: int = 1) -> tuple[tuple[Seat, Card], ...]:
    """Return the cards of a trick in order of play, each with the seat that played it.

    ``step`` is the distance from one seat to the next one to play.
    """
    return tuple(zip(list_play_order(view.active, leader, step), trick, strict=False))


def list_play_order(active: Sequence[bool], leader: Seat, step: int = 1) -> list[Seat]:
    """Return the active seats in the order in which they play to a trick, beginning with its leader.

    ``active``: by seat, True if the seat takes part. ``step``: 1 if play goes clockwise, -1 if counter-clockwise.
    """
    around = [(leader + step * i) % len(active) for i in range(len(active))]
    return [seat for seat in around if active[seat]]


class Order(msgspec.Struct, frozen=True):
    """Strength of the cards in a trick with a given trump suit, or without trumps."""

    power: tuple[tuple[int, ...], ...]
    """Strength of each card for each suit led, as ``power[led][card]``; 0 for cards that cannot win."""
    trump: int | None
    """Trump suit of ``order``; ``None`` without trumps, and for the trumps of ``create_order``."""

    def winner(self, trick: Sequence[Card]) -> int:
        """Return the index of the card that takes a trick. The first of two equally strong cards wins.

        ``trick``: cards in order of play; must not be empty.
        """
        best = trick[0]
        power = self.power[SUIT[best]]
        top = power[best]
        for c in trick:
            if power[c] > top:
                best, top = c, power[c]
        return trick.index(best)


@cache
def order(trump: int | None = None, *, low: bool = False) -> Order:
    """Return the strength of all cards; trumps, if there are any, beat all other cards.

    Within a suit the ace is highest; if ``low`` is True, the two is the strongest card instead.
    """
    return Order(tuple([_compute_powers(led, trump, low) for led in range(4)]), trump)


def _compute_powers(led: int, trump: int | None, low: bool) -> tuple[int, ...]:
    above = {led: 1} if trump is None else {led: 1, trump: 14}
    ranks = [12 - rank for rank in RANK] if low else RANK
    return tuple([ranks[c] + above[SUIT[c]] if SUIT[c] in above else 0 for c in CARDS])


@cache
def create_order(card_order: CardOrder) -> Order:
    """Return the strength of all cards by the order of a hand, such as the jack and the nine above the ace of trumps.

    The trumps, which may be of several suits, beat all other cards; of these the highest rank of the suit led wins.
    """
    trumps = {trump % COPY_OFFSET: 13 + position for position, trump in enumerate(reversed(card_order.trumps), 1)}
    strength = {
        RANKS.index(rank): 13 - position for position, rank in enumerate(dict.fromkeys(card_order.ranks + RANKS[::-1]))
    }
    power = [
        tuple([trumps.get(c % COPY_OFFSET, strength[RANK[c]] if SUIT[c] == led else 0) for c in CARDS])
        for led in range(4)
    ]
    return Order(tuple(power), None)


@cache
def compute_beating_cards(trump: int | None = None) -> tuple[Cards, ...]:
    """Return, for each card that is winning a trick, the set of cards that would beat it, with the ace high."""
    result = []
    for best in CARDS[:COPY_OFFSET]:
        power = order(trump).power[SUIT[best]]
        result.append(sum([BIT[c] for c in CARDS[:COPY_OFFSET] if power[c] > power[best]]))
    return tuple(result)


def list_lowest_of_runs(cards: Cards, separators: Cards) -> list[Card]:
    """Return the lowest card of each run of equivalent cards in a set.

    Cards of one suit belong to one run if no card of ``separators`` ranks between them.
    """
    result, last = [], -1
    for c in iter_cards(cards):
        if last < 0 or SUIT[last] != SUIT[c] or separators & (BIT[c] - BIT[last]):
            result.append(c)
        last = c
    return result


def follow(hand: Cards, led: Cards) -> tuple[Play, ...]:
    """Return the plays of a hand in a game in which suit must be followed if possible.

    ``led``: all cards of the suit led; 0 if the hand leads.
    """
    same = hand & led
    return PLAYS[same] if same else PLAYS.of(hand)


def name_led(led: Cards, faces: Faces) -> Noun:
    """Return the name of the cards that follow a lead: that of their suit, or trumps if they are of several suits."""
    suits = [name for suit, name in enumerate(faces.suits) if led & OF_SUIT[suit]]
    return suits[0] if len(suits) == 1 else Noun("trump", "trumps")


def format_must_follow(led: Cards, faces: Faces = FRENCH) -> str:
    """Explain to the player that they must play one of the cards that follow the lead, which ``faces`` name."""
    return f"You must follow suit: play {name_led(led, faces).with_article}"
