"""What can be said about options, actions and points of King without a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from cardtable.engine import options as house
from cardtable.engine.game import Action, Declaration, Seat
from cardtable.engine.game import Contract as Named
from cardtable.games.king.rules.contracts import CONTRACTS, TRICK, Contract, Kind

SEATS: Final = 4
ROUNDS: Final = 40
POSITIVES: Final = 2
"""Positive contracts that each dealer plays."""
STAKE: Final = 36
"""What a negative contract takes from all players together."""
FREE_TRICKS: Final = 2
"""Before so many tricks are complete any part may be offered; from then on all that is left is claimed."""


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
        """Rounds of a session."""
        return ROUNDS


class Naming(Declaration, frozen=True, tag="naming"):
    """The dealer says what is played."""

    contract: Contract

    @property
    def notation(self) -> str:
        return self.contract.text

    @property
    def named(self) -> Named:
        """The same, as front ends know it."""
        return self.contract.named


class Offer(Action, frozen=True, tag="offer"):
    """To collect so many points, if the others share the rest."""

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
    """How much of what is left to share one takes when another has offered."""

    kind = "take"
    points: int

    @property
    def notation(self) -> str:
        return str(self.points)

    @property
    def amount(self) -> int:
        return self.points


class Claim(Action, frozen=True, tag="claim"):
    """To collect all that is left, which ends the round."""

    kind = "claim"
    rare_in_random_play = True


NAMINGS: Final = tuple(Naming(contract) for contract in CONTRACTS)
OFFERS: Final = tuple(Offer(points) for points in range(1, STAKE + 1))
TAKES: Final = tuple(Take(points) for points in range(STAKE + 1))
OFFERS_UP_TO: Final = tuple(OFFERS[:most] for most in range(STAKE + 1))
TAKES_UP_TO: Final = tuple(TAKES[: most + 1] for most in range(STAKE + 1))
CLAIM: Final = Claim()


class Bargain(NamedTuple):
    """An offer, and what was answered to it."""

    seat: Seat
    """Who offered."""
    claims: tuple[int, ...]
    """What it and then the others, clockwise, said they would collect."""


@cache
def left(declared: tuple[Contract, ...]) -> tuple[Naming, ...]:
    """What a dealer may still name who has had these contracts."""
    positives = sum([contract.kind is Kind.POSITIVE for contract in declared])

    def open_to(contract: Contract) -> bool:
        return positives < POSITIVES if contract.kind is Kind.POSITIVE else contract not in declared

    return tuple([naming for naming in NAMINGS if open_to(naming.contract)])


def besides(namings: Sequence[Naming], contract: Contract) -> tuple[Naming, ...]:
    """What may be named instead of the contract that stands."""
    return tuple([naming for naming in namings if naming.contract is not contract])


@cache
def shares(dealer: Seat, taker: Seat) -> tuple[int, ...]:
    """Points by seat for a trick of a positive contract."""
    if taker == dealer:
        return tuple([TRICK * (seat == dealer) for seat in range(SEATS)])
    return tuple([TRICK // (SEATS - 1) * (seat != dealer) for seat in range(SEATS)])
