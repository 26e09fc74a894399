"""Options and actions of King, and the parts of the rules that need no state."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from cardtable.engine import options as house
from cardtable.engine.game import Action, Declaration, Seat
from cardtable.engine.game import Contract as Named
from cardtable.games.king.rules.contracts import CONTRACTS, TRICK_POINTS, Contract, Kind

SEATS: Final = 4
ROUNDS: Final = 40
POSITIVES: Final = 2
"""Number of positive contracts that each dealer plays."""
STAKE: Final = 36
"""Number of points that a negative contract takes from all players together."""
OFFER_TRICKS: Final = 2
"""Number of complete tricks from which a player can no longer make an offer, but only claim all points left."""


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of King."""

    king_drop: str = house.choice(
        "When the king of hearts must be played in No King and Neg Jar",
        {
            "under-ace": "where its holder cannot follow suit, and under the ace of hearts",
            "void-only": "only where its holder cannot follow suit",
        },
    )
    offers: str = house.choice(
        "Whether players may offer or claim to collect what is left",
        {"on": "yes, in negative contracts", "off": "no, every round is played out"},
    )
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()

    @property
    def rounds(self) -> int:
        return ROUNDS


class Naming(Declaration, frozen=True, tag="naming"):
    """Name the contract, or change it before the first lead, as the dealer."""

    contract: Contract

    @property
    def notation(self) -> str:
        return self.contract.text

    @property
    def named(self) -> Named:
        return self.contract.named


class Offer(Action, frozen=True, tag="offer"):
    """Offer to collect ``points`` of the points left, provided that the other players collect the rest."""

    kind = "offer"
    rare_in_random_play = True
    points: int

    @property
    def notation(self) -> str:
        return str(self.points)

    @property
    def amount(self) -> int:
        return self.points


class Take(Action, frozen=True, tag="take"):
    """Answer an offer by collecting ``points`` of those still unclaimed."""

    kind = "take"
    points: int

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


@cache
def list_remaining_namings(declared: tuple[Contract, ...]) -> tuple[Naming, ...]:
    """Return the contracts that a dealer can still name after having played ``declared``."""
    positives = sum([contract.kind is Kind.POSITIVE for contract in declared])

    def is_open(contract: Contract) -> bool:
        return positives < POSITIVES if contract.kind is Kind.POSITIVE else contract not in declared

    return tuple([naming for naming in NAMINGS if is_open(naming.contract)])


def list_other_namings(namings: Sequence[Naming], contract: Contract) -> tuple[Naming, ...]:
    """Return those of ``namings`` that name a contract other than ``contract``."""
    return tuple([naming for naming in namings if naming.contract is not contract])


@cache
def compute_trick_shares(dealer: Seat, taker: Seat) -> tuple[int, ...]:
    """Return the points, by seat, of one trick of a positive contract that ``taker`` has taken."""
    if taker == dealer:
        return tuple([TRICK_POINTS if seat == dealer else 0 for seat in range(SEATS)])
    return tuple([0 if seat == dealer else TRICK_POINTS // (SEATS - 1) for seat in range(SEATS)])
