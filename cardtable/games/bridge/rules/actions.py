"""Options and actions of Bridge, and the parts of the rules that need no state."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import add
from typing import Final

import msgspec

from cardtable.engine import options as house
from cardtable.engine.cards import (
    ACE,
    EIGHT,
    JACK,
    KING,
    OF_RANK,
    OF_SUIT,
    PACK_36,
    QUEEN,
    RANK,
    SEVEN,
    SUIT,
    SUIT_WORDS,
    SUITS,
    TEN,
    Card,
    Cards,
)
from cardtable.engine.game import Action, Seat

DEALT: Final = 5
"""Cards in each hand at the deal."""
FOUR: Final = 4
"""Length of the run at which bridge may be called."""
LIMIT: Final = 125
"""A total of exactly this becomes 0; a higher one ends the session."""
OUT: Final = "out"
CALLED: Final = "bridge"
NO_CARDS: Final = "no cards"
"""Endings of a round: a hand is empty, bridge was called, or no card is left to draw."""
JACK_POINTS: Final = 20
"""Points of a jack, in a hand or as the last card of a round."""

_ACES: Final = OF_RANK[ACE]
_JACKS: Final = OF_RANK[JACK]
_TENS: Final = OF_RANK[TEN] | OF_RANK[QUEEN] | OF_RANK[KING]


def worth(hand: Cards) -> int:
    """Return the points of the cards left in a hand, before the multiplier."""
    return 15 * (hand & _ACES).bit_count() + JACK_POINTS * (hand & _JACKS).bit_count() + 10 * (hand & _TENS).bit_count()


def jack_points(seats: int, finisher: Seat, number: int, *, plus: bool) -> tuple[int, ...]:
    """Return the points by seat for ``number`` jacks that ended a round, before the multiplier."""
    points = JACK_POINTS * number
    return tuple(
        [(0 if seat == finisher else points) if plus else (-points if seat == finisher else 0) for seat in range(seats)]
    )


def add_points(totals: Sequence[int], points: Sequence[int]) -> tuple[int, ...]:
    """Return the totals after a round with these points; exactly 125 becomes 0."""
    return tuple([0 if total == LIMIT else total for total in map(add, totals, points)])


def next_starter(totals: Sequence[int], last: Seat) -> Seat:
    """Return the seat that starts the next round: the highest total, of equals the first clockwise after ``last``."""
    clockwise = [(last + i) % len(totals) for i in range(1, len(totals) + 1)]
    return max(clockwise, key=lambda seat: totals[seat])


def _fits_on(card: Card) -> Cards:
    """Return the cards that fit on a card; on a jack without a named suit only jacks."""
    same = _JACKS if RANK[card] == JACK else OF_SUIT[SUIT[card]] | OF_RANK[RANK[card]]
    return PACK_36 & (same | _JACKS)


_FITS: Final = tuple(_fits_on(Card(c)) for c in range(52))
_FITS_NAMED: Final = tuple(PACK_36 & (suit | _JACKS) for suit in OF_SUIT)


def fitting(top: Card | None, named: int | None) -> Cards:
    """Return the cards that may begin a turn, or cover a 6, on the top card with the named suit."""
    if named is not None:
        return _FITS_NAMED[named]
    return PACK_36 if top is None else _FITS[top]


def last_move(played: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the cards of one rank that were played last in a turn; only 6s can precede them."""
    return tuple([c for c in played if RANK[c] == RANK[played[-1]]])


class Effect(msgspec.Struct, frozen=True):
    """Effect of the cards played last in a turn on the other seats."""

    due: tuple[Seat, ...]
    """Seats that receive the cards to be drawn, one entry per card."""
    passed: tuple[Seat, ...]
    """Seats that are passed over, in order; repeated on further rounds of the table."""
    heir: Seat
    """Seat whose turn is next."""


@cache
def effect(seats: int, mover: Seat, rank: int, number: int, share: bool) -> Effect:
    """Return the effect of ``number`` cards of ``rank``, played last in a turn of ``mover``."""
    after = (mover + 1) % seats
    if rank == SEVEN:
        return Effect((after,) * number, (), after)
    if rank == EIGHT and not (share and number > 1 and seats > 2):
        return Effect((after,) * 2 * number, (after,), (after + 1) % seats)
    if rank in (EIGHT, ACE):
        others = [(mover + i) % seats for i in range(1, seats)]
        passed = tuple([others[i % len(others)] for i in range(number)])
        due = tuple([seat for seat in passed for _ in range(2)]) if rank == EIGHT else ()
        return Effect(due, passed, (passed[-1] + 1) % seats)
    return Effect((), (), after)


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    drawn_card: str = house.choice(
        "A drawn card that fits",
        {"may": "may be played or kept", "must": "must be played"},
    )
    opening: str = house.choice(
        "The first card of a round",
        {"choose": "the starter chooses it", "random": "drawn by lot from the starter's hand"},
    )
    eights: str = house.choice(
        "Who draws for two or more 8s (three or four players)",
        {"choose": "the player of the 8s chooses", "next": "the next player", "share": "the players that follow"},
    )
    jacks: str = house.choice(
        "What each jack counts that ends a round",
        {
            "choose": "the finisher says minus or plus",
            "minus": "20 off for the finisher",
            "plus": "20 more for everybody else",
            "off": "nothing",
        },
    )
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()


class Draw(Action, frozen=True, tag="draw"):
    """Action of drawing a card from the blind."""

    kind = "draw"


class Done(Action, frozen=True, tag="done"):
    """Action of ending the turn."""

    kind = "done"
    label = "lay down"
    quoted = True


class Suit(Action, frozen=True, tag="suit"):
    """Action of ending the turn on a jack by naming the suit that must follow."""

    kind = "suit"
    suit: int

    @property
    def notation(self) -> str:
        return SUITS[self.suit]

    @property
    def description(self) -> str:
        return f"{SUIT_WORDS[self.suit]}s".capitalize()


class Eights(Action, frozen=True, tag="eights"):
    """Choice of the seats that draw for two or more 8s: the next one, or one after the other."""

    kind = "eights"
    share: bool

    @property
    def notation(self) -> str:
        return "share" if self.share else "next"

    @property
    def description(self) -> str:
        return "Share the 8s" if self.share else "All 8s to the next"


class Bridge(Action, frozen=True, tag="bridge"):
    """Action of ending the round after the fourth card of a run."""

    kind = "bridge"


class Jacks(Action, frozen=True, tag="jacks"):
    """Choice of the points for the jacks that ended the round: minus for the finisher, or plus for the others."""

    kind = "jacks"
    plus: bool

    @property
    def notation(self) -> str:
        return "plus" if self.plus else "minus"

    @property
    def description(self) -> str:
        return "More for the others" if self.plus else "Less for {them}"


DRAW: Final = Draw()
DONE: Final = Done()
BRIDGE: Final = Bridge()
NAME_SUIT: Final = tuple(Suit(suit) for suit in range(4))
SAY_EIGHTS: Final = (Eights(share=False), Eights(share=True))
SAY_JACKS: Final = (Jacks(plus=False), Jacks(plus=True))
