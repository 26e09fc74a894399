"""The fourteen contracts of King, with their points and special rules."""

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
from cardtable.engine.game import Contract
from cardtable.engine.text_format import format_weighted
from cardtable.engine.tricks import Order, order

TRICKS: Final = 9
"""Number of tricks in a round, and of cards in each hand."""
TRICK_POINTS: Final = 12
"""Points of a trick in a positive contract; the dealer scores all of them, or the three other players share them."""
KING_OF_HEARTS: Final = card("KH")
ACE_OF_HEARTS: Final = card("AH")
KING_BIT: Final = BIT[KING_OF_HEARTS]
ALL_HEARTS: Final = OF_SUIT[HEARTS]

_ACE_HIGH_ORDER: Final = order()


class Kind(Enum):
    """Kind of a contract, which determines its weight and who scores."""

    NEGATIVE = "negative"
    JAR = "jar"
    POSITIVE = "positive"

    @property
    def weight(self) -> int:
        """Factor by which the points of a round count in the totals."""
        return 1 if self is Kind.JAR else 4


class KingContract(msgspec.Struct, frozen=True, eq=False):
    """One of the fourteen contracts; instances with the same text are equal."""

    text: str
    named: Contract
    """The contract as front ends show it."""
    kind: Kind
    order: Order = _ACE_HIGH_ORDER
    tricks: int = 0
    """Points of each trick."""
    last: int = 0
    """Additional points of each of the last two tricks."""
    cards: tuple[tuple[Cards, int], ...] = ()
    """Sets of scoring cards, each with the points of one card of the set."""
    no_heart_leads: bool = False
    """True if a player who holds another suit may not lead a heart (rule H)."""
    king_must_fall: bool = False
    """True if the king of hearts must be played at the first opportunity (rule K), and a dealer who holds it may not
    lead the only card of a suit to the first trick (rule S).
    """

    @property
    def weight(self) -> int:
        return self.kind.weight

    def format_points(self, points: str) -> str:
        """Return ``points`` with the weight of the contract, such as ``-36 ×4``; a weight of 1 is left out."""
        return format_weighted(points, self.weight)

    @property
    def trump(self) -> int | None:
        """Trump suit; ``None`` in a contract without trumps."""
        return self.order.trump

    @property
    def scoring_cards(self) -> Cards:
        """Cards that score when they are taken."""
        together = 0
        for some, _ in self.cards:
            together |= some
        return together

    @property
    def total_points(self) -> int:
        """Sum of the points of all players in a round that is played out, before the weight."""
        return TRICKS * self.tricks + 2 * self.last + sum([worth * some.bit_count() for some, worth in self.cards])

    def compute_points(self, trick: Cards, complete: int) -> int:
        """Return the points of a trick for the player who takes it; not valid for positive contracts.

        ``trick`` is the set of its cards, and ``complete`` the number of tricks before it.
        """
        points = self.tricks + self.last if complete >= TRICKS - 2 else self.tricks
        for some, worth in self.cards:
            points += worth * (trick & some).bit_count()
        return points

    def find_leads(self, hand: Cards, *, first: bool) -> Cards:
        """Return the cards of ``hand`` that may be led; ``first``: True for the dealer's lead to the first trick."""
        others = hand & ~ALL_HEARTS
        if not self.no_heart_leads or not others:
            return hand
        if first and self.king_must_fall and hand & KING_BIT:
            paired = sum([same for suit in OF_SUIT if (same := others & suit).bit_count() > 1])
            return paired or others
        return others

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KingContract) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _find_contract, (self.text,)

    def __repr__(self) -> str:
        return self.text


_PENALTIES: Final = (
    (PACK_36 & ALL_HEARTS, 4),
    (OF_RANK[QUEEN], 9),
    (OF_RANK[JACK], 9),
    (KING_BIT, 36),
)


def _make_penalty(index: int) -> tuple[tuple[Cards, int], ...]:
    cards, points = _PENALTIES[index]
    return ((cards, -points),)


def _make_jar(text: str, name: str, sign: int) -> KingContract:
    cards = tuple([(cards, sign * points) for cards, points in _PENALTIES])
    return KingContract(
        text, Contract(name), Kind.JAR, order(), 4 * sign, 18 * sign, cards, True, king_must_fall=sign < 0
    )


def _name_negative(unit: str) -> tuple[str, Contract, Kind]:
    """Return the text, name and kind of the negative contract with this scoring unit."""
    return f"no-{unit.lower().replace(' ', '-')}", Contract(f"No {unit}", short=unit), Kind.NEGATIVE


NO_TRICKS: Final = KingContract(*_name_negative("Tricks"), tricks=-4)
NO_HEARTS: Final = KingContract(*_name_negative("Hearts"), cards=_make_penalty(0), no_heart_leads=True)
NO_QUEENS: Final = KingContract(*_name_negative("Queens"), cards=_make_penalty(1))
NO_JACKS: Final = KingContract(*_name_negative("Jacks"), cards=_make_penalty(2))
NO_LAST_TWO: Final = KingContract(*_name_negative("Last Two"), last=-18)
NO_KING: Final = KingContract(*_name_negative("King"), cards=_make_penalty(3), no_heart_leads=True, king_must_fall=True)
NEG_JAR: Final = _make_jar("neg-jar", "Neg Jar", -1)
POZ_JAR: Final = _make_jar("poz-jar", "Poz Jar", 1)
TRUMPS: Final = tuple(
    KingContract(f"{SUIT_WORDS[suit]}s", Contract("Trump", suit), Kind.POSITIVE, order(suit), TRICK_POINTS)
    for suit in range(4)
)
NO_TRUMP: Final = KingContract("no-trump", Contract("No Trump"), Kind.POSITIVE, tricks=TRICK_POINTS)
MISER: Final = KingContract("miser", Contract("Miser"), Kind.POSITIVE, order(low=True), TRICK_POINTS)

CONTRACTS: Final = (
    NO_TRICKS, NO_HEARTS, NO_QUEENS, NO_JACKS, NO_LAST_TWO, NO_KING, NEG_JAR, POZ_JAR, *TRUMPS, NO_TRUMP, MISER,
)  # fmt: skip
_BY_TEXT: Final = {contract.text: contract for contract in CONTRACTS}


def _find_contract(text: str) -> KingContract:
    return _BY_TEXT[text]
