"""Options and actions of King, and the parts of the rules that need no state."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Final, Literal, NamedTuple

import msgspec

from cardtable.engine import options as house
from cardtable.engine.annotations import OneOf
from cardtable.engine.game import Action, Contract, Declaration, Seat
from cardtable.games.king.rules.contracts import CONTRACTS, TRICK_POINTS, Kind, KingContract

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
        """Number of contracts of each kind that each dealer plays in a session."""
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
    return tuple([naming for naming in namings if naming.contract is not contract])


@cache
def compute_trick_shares(dealer: Seat, taker: Seat) -> tuple[int, ...]:
    """Return the points, by seat, of one trick of a positive contract that ``taker`` has taken."""
    if taker == dealer:
        return tuple([TRICK_POINTS if seat == dealer else 0 for seat in range(SEATS)])
    return tuple([0 if seat == dealer else TRICK_POINTS // (SEATS - 1) for seat in range(SEATS)])
