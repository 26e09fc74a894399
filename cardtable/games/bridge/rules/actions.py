"""Options and actions of Bridge, and the parts of the rules that need no state."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from operator import add
from typing import Final, Literal

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
    SuitNumber,
)
from cardtable.engine.game import Action, Seat

CARDS_EACH: Final = 5
"""Number of cards in each hand after the deal."""
BRIDGE_RUN: Final = 4
"""Number of consecutive cards of one rank after which a player may call bridge."""
TOTAL_LIMIT: Final = 125
"""A total of exactly this becomes 0; a higher total ends the session."""
ENDED_OUT: Final = "out"
ENDED_BY_BRIDGE: Final = "bridge"
ENDED_WITHOUT_CARDS: Final = "no cards"
"""Endings of a round: a player has gone out, a player has called bridge, or no card is left to draw."""
JACK_POINTS: Final = 20
"""Points of a jack, both in a hand and as the last card of a round."""

_ACES: Final = OF_RANK[ACE]
_JACKS: Final = OF_RANK[JACK]
_TENS: Final = OF_RANK[TEN] | OF_RANK[QUEEN] | OF_RANK[KING]


def sum_points(hand: Cards) -> int:
    """Return the points of the cards left in a hand, before the multiplier."""
    return 15 * (hand & _ACES).bit_count() + JACK_POINTS * (hand & _JACKS).bit_count() + 10 * (hand & _TENS).bit_count()


def compute_jack_points(seats: int, finisher: Seat, number: int, *, plus: bool) -> tuple[int, ...]:
    """Return the points, by seat, of ``number`` jacks that ended a round, before the multiplier.

    If ``plus`` is True, every seat but ``finisher`` scores them; otherwise they are taken off the points of
    ``finisher``.
    """
    points = JACK_POINTS * number
    return tuple(
        [(0 if seat == finisher else points) if plus else (-points if seat == finisher else 0) for seat in range(seats)]
    )


def add_points(totals: Sequence[int], points: Sequence[int]) -> tuple[int, ...]:
    """Return the totals after a round with these points; a total of exactly 125 becomes 0."""
    return tuple([0 if total == TOTAL_LIMIT else total for total in map(add, totals, points)])


def find_next_starter(totals: Sequence[int], last: Seat) -> Seat:
    """Return the seat with the highest total, which starts the next round.

    Of several such seats, it is the first one clockwise after ``last``.
    """
    clockwise = [(last + i) % len(totals) for i in range(1, len(totals) + 1)]
    return max(clockwise, key=lambda seat: totals[seat])


def _compute_fits(card: Card) -> Cards:
    """Return the cards that fit on a card; on a jack without a named suit only jacks fit."""
    same = _JACKS if RANK[card] == JACK else OF_SUIT[SUIT[card]] | OF_RANK[RANK[card]]
    return PACK_36 & (same | _JACKS)


_FITS: Final = tuple(_compute_fits(Card(c)) for c in range(52))
_FITS_NAMED: Final = tuple(PACK_36 & (suit | _JACKS) for suit in OF_SUIT)


def find_fitting_cards(top: Card | None, named: int | None) -> Cards:
    """Return the cards that fit on the top card, at the beginning of a turn or to cover a 6.

    ``top`` is ``None`` if the stack is empty, and then every card fits. ``named``: suit that was named for the jack on
    top.
    """
    if named is not None:
        return _FITS_NAMED[named]
    return PACK_36 if top is None else _FITS[top]


def find_last_move(played: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return the cards of the last rank that was played in a turn; only 6s can precede them.

    ``played`` are the cards of the turn in order, at least one.
    """
    return tuple([c for c in played if RANK[c] == RANK[played[-1]]])


class Effect(msgspec.Struct, frozen=True):
    """Effect on the other seats of the cards that end a turn."""

    due: tuple[Seat, ...]
    """Seats that draw, in order, once for each card."""
    passed: tuple[Seat, ...]
    """Seats that are skipped, in order. A seat occurs again if the cards go round the table more than once."""
    next_seat: Seat
    """Seat whose turn is next."""


@cache
def compute_effect(seats: int, mover: Seat, rank: int, number: int, share: bool) -> Effect:
    """Return the effect of ``number`` cards of ``rank`` that end a turn of ``mover``.

    ``share``: True if two or more 8s are shared among the following players instead of all counting for the next one.
    """
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
class Options(house.CommonOptions):
    drawn_card: Literal["may", "must"] = house.choice(
        "A drawn card that can be played", {"may": "may be kept", "must": "must be played"}
    )
    opening: Literal["choose", "random"] = house.choice(
        "The first card of a round, from the starter's hand",
        {"choose": "starter chooses", "random": "at random"},
        label="First card",
    )
    eights: Literal["choose", "next", "share"] = house.choice(
        "Who draws for two or more 8s (three or four players)",
        {"choose": "their player chooses", "next": "the next player", "share": "shared in turn"},
    )
    jacks: Literal["choose", "minus", "plus", "off"] = house.choice(
        "What each jack that ends a round counts: 20 off for the finisher, or 20 more for all others",
        {"choose": "finisher chooses", "minus": "20 off", "plus": "20 more", "off": "nothing"},
    )


class Done(Action, frozen=True, tag="done"):
    """End the turn."""

    kind = "done"
    label = "end turn"


class Suit(Action, frozen=True, tag="suit"):
    """End the turn on a jack by naming the suit that must follow."""

    kind = "suit"
    suit: SuitNumber

    @property
    def notation(self) -> str:
        return SUITS[self.suit]

    @property
    def description(self) -> str:
        return f"{SUIT_WORDS[self.suit]}s".capitalize()


class Eights(Action, frozen=True, tag="eights"):
    """Decide who draws for two or more 8s: the next player, or one player after the other."""

    kind = "eights"
    share: bool

    def completes(self, before: Action) -> bool:
        return before == BRIDGE

    @property
    def notation(self) -> str:
        return "share" if self.share else "next"

    @property
    def description(self) -> str:
        return "Share the 8s" if self.share else "All 8s to next"


class Give(Action, frozen=True, tag="give"):
    """Take an additional card from the blind, in practice with open hands."""

    kind = "give"


class Bridge(Action, frozen=True, tag="bridge"):
    """Call bridge, which ends the round after the fourth card of a run."""

    kind = "bridge"


class Jacks(Action, frozen=True, tag="jacks"):
    """Decide what the jacks that ended the round count: less for the finisher, or more for the other players."""

    kind = "jacks"
    plus: bool

    def completes(self, before: Action) -> bool:
        return before == BRIDGE

    @property
    def notation(self) -> str:
        return "plus" if self.plus else "minus"

    @property
    def description(self) -> str:
        return "More for the others" if self.plus else "Less for {them}"


class BridgeWith(Action, frozen=True, tag="bridge with"):
    """Call bridge, and decide at once what the 8s or jacks do; the session has one action after the other."""

    kind = "bridge"
    then: Eights | Jacks

    @property
    def notation(self) -> str:
        return str(self.then)

    @property
    def steps(self) -> tuple[Action, ...]:
        return (BRIDGE, self.then)


DONE: Final = Done()
GIVE: Final = Give()
BRIDGE: Final = Bridge()
SUIT_ACTIONS: Final = tuple(Suit(suit) for suit in range(4))
EIGHTS_ACTIONS: Final = (Eights(share=False), Eights(share=True))
JACKS_ACTIONS: Final = (Jacks(plus=False), Jacks(plus=True))
