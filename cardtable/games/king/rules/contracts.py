"""The fourteen contracts of King: points and special rules."""

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
"""Tricks of a round, and cards in each hand."""
TRICK: Final = 12
"""Points of a trick in a positive contract: for the dealer, or divided among the three others."""
KING_OF_HEARTS: Final = card("KH")
ACE_OF_HEARTS: Final = card("AH")
KING: Final = BIT[KING_OF_HEARTS]
ALL_HEARTS: Final = OF_SUIT[HEARTS]

_ACE_HIGH: Final = order()


class Kind(Enum):
    """Kind of a contract, which determines its scoring."""

    NEGATIVE = "negative"
    JAR = "jar"
    POSITIVE = "positive"

    @property
    def weight(self) -> int:
        """Factor by which the points of such contracts count in the totals."""
        return 1 if self is Kind.JAR else 4


class Contract(msgspec.Struct, frozen=True, eq=False):
    """One of the fourteen contracts; each exists once."""

    text: str
    named: Named
    """Contract as shown by front ends."""
    kind: Kind
    order: Order = _ACE_HIGH
    tricks: int = 0
    """Points of each trick."""
    last: int = 0
    """Additional points of each of the last two tricks."""
    cards: tuple[tuple[Cards, int], ...] = ()
    """Sets of scoring cards, each with the points of one of its cards."""
    no_heart_leads: bool = False
    """True if a player who holds another suit may not lead a heart (rule H)."""
    king_must_fall: bool = False
    """True if KH must be played at the first chance (rule K), and a dealer who holds it may not lead a singleton first
    (S).
    """

    @property
    def weight(self) -> int:
        """Factor by which the points count in the totals."""
        return self.kind.weight

    def format_points(self, points: str) -> str:
        """Return points with the weight of the contract: ``-36 ×4``; the weight is omitted if it is 1."""
        return weighted(points, self.weight)

    @property
    def trump(self) -> int | None:
        """Trump suit, if any."""
        return self.order.trump

    @property
    def scoring(self) -> Cards:
        """Cards that score."""
        together = 0
        for some, _ in self.cards:
            together |= some
        return together

    @property
    def total(self) -> int:
        """Sum of the points of all players."""
        return TRICKS * self.tricks + 2 * self.last + sum([worth * some.bit_count() for some, worth in self.cards])

    def gain(self, trick: Cards, complete: int) -> int:
        """Return the points of a trick that is taken after ``complete`` others; not for positive contracts."""
        points = self.tricks + self.last if complete >= TRICKS - 2 else self.tricks
        for some, worth in self.cards:
            points += worth * (trick & some).bit_count()
        return points

    def leads(self, hand: Cards, *, first: bool) -> Cards:
        """Return the cards of ``hand`` that may be led; ``first``: by the dealer to the first trick."""
        others = hand & ~ALL_HEARTS
        if not self.no_heart_leads or not others:
            return hand
        if first and self.king_must_fall and hand & KING:
            paired = sum([same for suit in OF_SUIT if (same := others & suit).bit_count() > 1])
            return paired or others
        return others

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Contract) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _contract_of_text, (self.text,)

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
    return Contract(text, Named(name), Kind.JAR, order(), 4 * sign, 18 * sign, cards, True, king_must_fall=sign < 0)


def _no(what: str) -> tuple[str, Named, Kind]:
    """Return text, name and kind of a negative contract."""
    return f"no-{what.lower().replace(' ', '-')}", Named(f"No {what}", short=what), Kind.NEGATIVE


NO_TRICKS: Final = Contract(*_no("Tricks"), tricks=-4)
NO_HEARTS: Final = Contract(*_no("Hearts"), cards=_penalty(0), no_heart_leads=True)
NO_QUEENS: Final = Contract(*_no("Queens"), cards=_penalty(1))
NO_JACKS: Final = Contract(*_no("Jacks"), cards=_penalty(2))
NO_LAST_TWO: Final = Contract(*_no("Last Two"), last=-18)
NO_KING: Final = Contract(*_no("King"), cards=_penalty(3), no_heart_leads=True, king_must_fall=True)
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


def _contract_of_text(text: str) -> Contract:
    return _BY_TEXT[text]
