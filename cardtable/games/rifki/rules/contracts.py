"""Contracts and house rules of Rifki; nothing here depends on the state of a session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from cardtable.engine import options as house
from cardtable.engine.cards import HEARTS, JACK, KING, OF_RANK, OF_SUIT, QUEEN, SUIT_WORDS, Cards, cards
from cardtable.engine.game import Contract, Declaration

SEATS: Final = 4
CARDS_EACH: Final = 13
"""Number of cards dealt to each player, which is also the largest number of tricks in a round."""
TIMES_EACH: Final = 2
"""Number of times that each negative contract can be played in a session; in a full one, all of them are."""
HEARTS_CARDS: Final = OF_SUIT[HEARTS]


class RifkiContract(Declaration, frozen=True, tag="contract"):
    """Declaration of a contract, with the scoring of its round."""

    name: str
    named: Contract
    """Contract as shown on the screen."""
    unit: str
    """Name of one scoring unit, with its article: ``a queen``."""
    number: int
    """Number of scoring units in a round."""
    worth: int
    """Points for each scoring unit; negative if the unit is a penalty."""
    penalties: Cards = 0
    """Penalty cards, each of which is a scoring unit; 0 if the units are tricks."""
    trump: int | None = None
    hearts_wait: bool = False
    """True if hearts may not be led until the house rule ``hearts_unlock`` allows it."""

    @classmethod
    def list_values(cls) -> "tuple[RifkiContract, ...]":
        return CONTRACTS

    @property
    def notation(self) -> str:
        return self.name


RIFKI: Final = RifkiContract("rifki", Contract("Rifki"), "the king of hearts", 1, -320, cards("KH"), hearts_wait=True)
KIZ: Final = RifkiContract("kiz", Contract("Kiz"), "a queen", 4, -100, OF_RANK[QUEEN])
ERKEK: Final = RifkiContract("erkek", Contract("Erkek"), "a king or jack", 8, -60, OF_RANK[KING] | OF_RANK[JACK])
KUPA: Final = RifkiContract("kupa", Contract("Kupa"), "a heart", 13, -30, HEARTS_CARDS, hearts_wait=True)
SON_IKI: Final = RifkiContract("son-iki", Contract("Son Iki"), "one of the last two tricks", 2, -180)
EL_ALMAZ: Final = RifkiContract("el-almaz", Contract("El Almaz"), "a trick", 13, -50)
NEGATIVE_CONTRACTS: Final = (RIFKI, KIZ, ERKEK, KUPA, SON_IKI, EL_ALMAZ)
TRUMP_CONTRACTS: Final = tuple(
    [
        RifkiContract(f"{word}s", Contract("Koz", suit), "a trick", 13, 50, trump=suit)
        for suit, word in enumerate(SUIT_WORDS)
    ]
)
"""Trump contracts, indexed by suit."""
CONTRACTS: Final = (*NEGATIVE_CONTRACTS, *TRUMP_CONTRACTS)


class Quota(NamedTuple):
    """Number of contracts of each kind that a player declares in a session, or has still to declare."""

    negative: int
    trump: int

    def count_left(self, declared: Sequence[RifkiContract]) -> "Quota":
        """Return the number of contracts of each kind left to a player who has declared ``declared``."""
        trumps = sum([contract.trump is not None for contract in declared])
        return Quota(self.negative - len(declared) + trumps, self.trump - trumps)


FULL_SESSION: Final = Quota(3, 2)
SHORT_SESSION: Final = Quota(2, 1)


def list_available_contracts(declared: Sequence[RifkiContract], index: int, quota: Quota) -> tuple[RifkiContract, ...]:
    """Return the contracts that the next declarer may still choose; there is always at least one.

    ``declared`` lists the contracts of all finished rounds in order. ``index`` is the position of the declarer in the
    order of declaring: the player at position p declares rounds p, p + 4, p + 8 and so on, counted from 0. ``quota`` is
    what each player declares in a session.

    A player who still has to declare a negative contract always finds one, since all players together declare at most
    as many of them as may be played.
    """
    left = quota.count_left(declared[index::SEATS])
    negatives = [c for c in NEGATIVE_CONTRACTS if declared.count(c) < TIMES_EACH] if left.negative else []
    return (*negatives, *(TRUMP_CONTRACTS if left.trump else ()))


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    must_overruff: house.OnOff = house.choice(
        "Which trump you must play in Koz when others have trumped",
        {"off": "any trump", "on": "a higher one"},
        label="Over a trump",
    )
    hearts_unlock: Literal["discard", "any"] = house.choice(
        "When hearts may be led in Rifki and Kupa",
        {"discard": "once discarded", "any": "once played"},
        label="Lead hearts",
    )
    first_declarer: Literal["lot", "2d"] = house.choice(
        "Who declares the first contract", {"lot": "at random", "2d": "holder of 2♦"}
    )
    direction: Literal["counter-clockwise", "clockwise"] = house.choice(
        "Direction of play, declaring and dealing",
        {"counter-clockwise": "counter-clockwise", "clockwise": "clockwise"},
    )
    length: Literal["full", "short"] = house.choice(
        "Length of a session; in 12 rounds each player declares 2 negative contracts and 1 Koz",
        {"full": "20 rounds", "short": "12 rounds"},
        added_later=True,
    )

    @property
    def quota(self) -> Quota:
        """Number of contracts of each kind that each player declares in a session."""
        return FULL_SESSION if self.length == "full" else SHORT_SESSION

    @property
    def rounds(self) -> int:
        return SEATS * sum(self.quota)

    @property
    def step(self) -> int:
        """Number to add to a seat, modulo 4, to get the next seat to act: 1 or -1."""
        return -1 if self.direction == "counter-clockwise" else 1
