"""The fourteen contracts of King: what they score, and what they forbid."""

from enum import Enum
from typing import Final

import msgspec

from cardtable.engine.cards import (
    BIT,
    HEARTS,
    JACK,
    OF_RANK,
    OF_SUIT,
    PACK_36,
    QUEEN,
    SUIT_WORDS,
    Cards,
    card,
)
from cardtable.engine.game import Contract as Named
from cardtable.engine.text_format import weighted
from cardtable.engine.tricks import Order, order

TRICKS: Final = 9
"""Tricks of a round, and cards each."""
TRICK: Final = 12
"""A trick of a positive contract: for the dealer, or shared by the three others."""
KING_OF_HEARTS: Final = card("KH")
ACE_OF_HEARTS: Final = card("AH")
KING: Final = BIT[KING_OF_HEARTS]
ALL_HEARTS: Final = OF_SUIT[HEARTS]

_ACE_HIGH: Final = order()


class Kind(Enum):
    """How a contract is scored."""

    NEGATIVE = "negative"
    JAR = "jar"
    POSITIVE = "positive"

    @property
    def weight(self) -> int:
        """How many times the points of such contracts count in the totals."""
        return 1 if self is Kind.JAR else 4


class Contract(msgspec.Struct, frozen=True, eq=False):
    """One of the fourteen; each exists once."""

    text: str
    named: Named
    """What it is called."""
    kind: Kind
    order: Order = _ACE_HIGH
    tricks: int = 0
    """Points of each trick."""
    last: int = 0
    """Points of each of the last two tricks, besides."""
    cards: tuple[tuple[Cards, int], ...] = ()
    """Sets of cards, with the points of each card in them."""
    spares_hearts: bool = False
    """Whether who holds another suit may not lead a heart."""
    hunts_king: bool = False
    """Whether KH must be played at the first chance, and forbids the dealer to lead first from a single card."""

    @property
    def weight(self) -> int:
        """How many times its points count in the totals."""
        return self.kind.weight

    def told(self, points: str) -> str:
        """Some points of it, with how many times they count in the totals unless that is once: ``-36 ×4``."""
        return weighted(points, self.weight)

    @property
    def trump(self) -> int | None:
        """The trump suit, if it has one."""
        return self.order.trump

    @property
    def scoring(self) -> Cards:
        """The cards that score."""
        together = 0
        for some, _ in self.cards:
            together |= some
        return together

    @property
    def total(self) -> int:
        """Points of all players together."""
        return TRICKS * self.tricks + 2 * self.last + sum([worth * some.bit_count() for some, worth in self.cards])

    def gain(self, trick: Cards, complete: int) -> int:
        """Points, in a contract that is not positive, of a trick taken after ``complete`` others."""
        points = self.tricks + self.last if complete >= TRICKS - 2 else self.tricks
        for some, worth in self.cards:
            points += worth * (trick & some).bit_count()
        return points

    def leads(self, hand: Cards, *, first: bool) -> Cards:
        """The cards of ``hand`` that may be led; ``first``: by the dealer, to the first trick."""
        others = hand & ~ALL_HEARTS
        if not self.spares_hearts or not others:
            return hand
        if first and self.hunts_king and hand & KING:
            paired = sum([same for suit in OF_SUIT if (same := others & suit).bit_count() > 1])
            return paired or others
        return others

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contract) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _found, (self.text,)

    def __repr__(self) -> str:
        return self.text


_PENALTIES: Final = (
    (PACK_36 & ALL_HEARTS, 4),
    (OF_RANK[QUEEN], 9),
    (OF_RANK[JACK], 9),
    (KING, 36),
)


def _penalty(place: int) -> tuple[tuple[Cards, int], ...]:
    cards, points = _PENALTIES[place]
    return ((cards, -points),)


def _jar(text: str, name: str, sign: int) -> Contract:
    cards = tuple([(cards, sign * points) for cards, points in _PENALTIES])
    return Contract(text, Named(name), Kind.JAR, order(), 4 * sign, 18 * sign, cards, True, hunts_king=sign < 0)


def _no(what: str) -> tuple[str, Named, Kind]:
    """What such a contract is called, and its kind."""
    return f"no-{what.lower().replace(' ', '-')}", Named(f"No {what}", short=what), Kind.NEGATIVE


NO_TRICKS: Final = Contract(*_no("Tricks"), tricks=-4)
NO_HEARTS: Final = Contract(*_no("Hearts"), cards=_penalty(0), spares_hearts=True)
NO_QUEENS: Final = Contract(*_no("Queens"), cards=_penalty(1))
NO_JACKS: Final = Contract(*_no("Jacks"), cards=_penalty(2))
NO_LAST_TWO: Final = Contract(*_no("Last Two"), last=-18)
NO_KING: Final = Contract(*_no("King"), cards=_penalty(3), spares_hearts=True, hunts_king=True)
NEG_JAR: Final = _jar("neg-jar", "Neg Jar", -1)
POZ_JAR: Final = _jar("poz-jar", "Poz Jar", 1)
TRUMPS: Final = tuple(
    Contract(f"{SUIT_WORDS[suit]}s", Named("Trump", suit), Kind.POSITIVE, order(suit), TRICK) for suit in range(4)
)
NO_TRUMP: Final = Contract("no-trump", Named("No Trump"), Kind.POSITIVE, tricks=TRICK)
MISER: Final = Contract("miser", Named("Miser"), Kind.POSITIVE, order(low=True), TRICK)

CONTRACTS: Final = (
    NO_TRICKS, NO_HEARTS, NO_QUEENS, NO_JACKS, NO_LAST_TWO, NO_KING, NEG_JAR, POZ_JAR, *TRUMPS, NO_TRUMP, MISER,
)  # fmt: skip
_BY_TEXT: Final = {contract.text: contract for contract in CONTRACTS}


def _found(text: str) -> Contract:
    return _BY_TEXT[text]
