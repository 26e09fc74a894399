"""Contracts, house rules and actions of King, and the parts of the rules that need no state."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from cardtable.engine import options as house
from cardtable.engine.annotations import OneOf
from cardtable.engine.cards import BIT, HEARTS, JACK, OF_RANK, OF_SUIT, PACK_36, QUEEN, SUIT_WORDS, Cards, card
from cardtable.engine.game import Action, Contract, Declaration, Seat
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
    """One of the fourteen contracts. Those in a view from a file or a club are equal to these, and not identical."""

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
        return self.order.trump

    @property
    def scoring_cards(self) -> Cards:
        """Cards that score when they are taken."""
        together = 0
        for cards, _ in self.cards:
            together |= cards
        return together

    @property
    def total_points(self) -> int:
        """Sum of the points of all players in a round that is played out, before the weight."""
        return TRICKS * self.tricks + 2 * self.last + sum([worth * cards.bit_count() for cards, worth in self.cards])

    @property
    def unit_points(self) -> int:
        """Points of one scoring unit; in a jar, of all units together."""
        if self.kind is Kind.JAR:
            return self.total_points
        return self.tricks or self.last or self.cards[0][1]

    def compute_points(self, trick: Cards, complete: int) -> int:
        """Return the points of a trick for the player who takes it; not valid for positive contracts.

        ``trick`` is the set of its cards, and ``complete`` the number of tricks before it.
        """
        points = self.tricks + self.last if complete >= TRICKS - 2 else self.tricks
        for cards, worth in self.cards:
            points += worth * (trick & cards).bit_count()
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


SEATS: Final = 4
STAKE: Final = 36
"""Number of points that a negative contract takes from all players together."""
OFFER_TRICKS: Final = 2
"""Number of complete tricks from which a player can no longer make an offer, but only claim all points left."""


class Quota(NamedTuple):
    """Number of contracts of each kind that a dealer plays in a session, or has still to play."""

    negative: int
    jar: int
    positive: int

    def count_left(self, declared: Sequence[KingContract]) -> "Quota":
        """Return the number of contracts of each kind left to a dealer who has played ``declared``."""
        played = [contract.kind for contract in declared]
        return Quota(*[number - played.count(kind) for number, kind in zip(self, Kind, strict=True)])

    def get_number(self, kind: Kind) -> int:
        return self[_KIND_INDICES[kind]]


_KIND_INDICES: Final = {kind: index for index, kind in enumerate(Kind)}
FULL_SESSION: Final = Quota(6, 2, 2)
SHORT_SESSION: Final = Quota(3, 1, 1)


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    """House rules of King."""

    king_drop: Literal["under-ace", "void-only"] = house.choice(
        "When its holder must play the king of hearts, in No King and Neg Jar: void in the suit led, or under the ace",
        {"under-ace": "also under the ace", "void-only": "only when void"},
        label="King goes",
    )
    offers: house.OnOff = house.choice(
        "Offers and claims, in negative contracts",
        {"on": "allowed", "off": "not allowed"},
        label="Offers, claims",
    )
    length: Literal["full", "short"] = house.choice(
        "Length of a session; in 20 rounds each dealer names 3 negative, 1 jar and 1 positive contract",
        {"full": "40 rounds", "short": "20 rounds"},
        added_later=True,
    )

    @property
    def quota(self) -> Quota:
        return FULL_SESSION if self.length == "full" else SHORT_SESSION

    @property
    def deals_each(self) -> int:
        return sum(self.quota)

    @property
    def rounds(self) -> int:
        return SEATS * self.deals_each


class Naming(Declaration, frozen=True, tag="naming"):
    """Name the contract, or change it before the first lead, as the dealer."""

    contract: Annotated[KingContract, OneOf(CONTRACTS)]

    @property
    def notation(self) -> str:
        return self.contract.text

    @property
    def named(self) -> Contract:
        return self.contract.named


class Offer(Action, frozen=True, tag="offer"):
    """Offer to collect ``points`` of the points left, provided that the other players collect the rest."""

    kind = "offer"
    rare_in_random_play = True
    points: Annotated[int, msgspec.Meta(ge=1, le=STAKE)]

    @property
    def notation(self) -> str:
        return str(self.points)

    @property
    def amount(self) -> int:
        return self.points


class Take(Action, frozen=True, tag="take"):
    """Answer an offer by collecting ``points`` of those still unclaimed."""

    kind = "take"
    points: Annotated[int, msgspec.Meta(ge=0, le=STAKE)]

    @property
    def notation(self) -> str:
        return str(self.points)

    @property
    def amount(self) -> int:
        return self.points


class Claim(Action, frozen=True, tag="claim"):
    """Collect all points left, which ends the round."""

    kind = "claim"
    rare_in_random_play = True


NAMINGS: Final = tuple(Naming(contract) for contract in CONTRACTS)
OFFERS: Final = tuple(Offer(points) for points in range(1, STAKE + 1))
TAKES: Final = tuple(Take(points) for points in range(STAKE + 1))
OFFERS_UP_TO: Final = tuple(OFFERS[:most] for most in range(STAKE + 1))
TAKES_UP_TO: Final = tuple(TAKES[: most + 1] for most in range(STAKE + 1))
CLAIM: Final = Claim()


class Bargain(NamedTuple):
    """Offer, with the answers given so far."""

    seat: Seat
    """Seat that made the offer."""
    claims: tuple[int, ...]
    """Points claimed by the offerer and then, clockwise, by each seat that has answered."""


def list_kinds_by_number(quota: Quota) -> tuple[Kind, ...]:
    """Return the kinds of which a dealer plays only some contracts, so that their number is what is left of them.

    Of the other kinds each contract is played once.
    """
    available = [contract.kind for contract in CONTRACTS]
    return tuple([kind for kind in Kind if kind is Kind.POSITIVE or quota.get_number(kind) < available.count(kind)])


@cache
def list_remaining_namings(declared: tuple[KingContract, ...], quota: Quota) -> tuple[Naming, ...]:
    """Return the contracts that a dealer can still name after having played ``declared``.

    There is always one before the last deal, as each kind has at least as many contracts as its number in ``quota``.
    """
    left = quota.count_left(declared)

    def is_open(contract: KingContract) -> bool:
        again = contract.kind is Kind.POSITIVE or contract not in declared
        return again and left.get_number(contract.kind) > 0

    return tuple([naming for naming in NAMINGS if is_open(naming.contract)])


def list_other_namings(namings: Sequence[Naming], contract: KingContract) -> tuple[Naming, ...]:
    return tuple([naming for naming in namings if naming.contract != contract])


@cache
def compute_trick_shares(dealer: Seat, taker: Seat) -> tuple[int, ...]:
    """Return the points, by seat, of one trick of a positive contract that ``taker`` has taken."""
    if taker == dealer:
        return tuple([TRICK_POINTS if seat == dealer else 0 for seat in range(SEATS)])
    return tuple([0 if seat == dealer else TRICK_POINTS // (SEATS - 1) for seat in range(SEATS)])
