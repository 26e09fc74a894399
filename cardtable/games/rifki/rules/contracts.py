"""Contracts and options of Rifki, independent of the state of a session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.engine import options as house
from cardtable.engine.cards import HEARTS, JACK, KING, OF_RANK, OF_SUIT, QUEEN, SUIT_WORDS, Cards, cards
from cardtable.engine.game import Contract as Named
from cardtable.engine.game import Declaration

SEATS: Final = 4
CARDS: Final = 13
"""Cards each, and tricks of a round that is played to its end."""
NEGATIVES: Final = 3
"""Negative contracts that each player declares in a session."""
TRUMPS: Final = 2
"""Trump contracts that each player declares in a session."""
TIMES: Final = 2
"""Number of times that each negative contract is played in a session."""
ROUNDS: Final = SEATS * (NEGATIVES + TRUMPS)
HEARTS_CARDS: Final = OF_SUIT[HEARTS]


class Contract(Declaration, frozen=True, tag="contract"):
    """Declaration of the contract of a round."""

    name: str
    named: Named
    """Name on the screen."""
    unit: str
    """Scoring unit, in words and in the singular."""
    number: int
    """Number of units in a round."""
    worth: int
    """Points of each unit."""
    penalties: Cards = 0
    """Penalty cards; none if tricks are counted."""
    trump: int | None = None
    hearts_wait: bool = False
    """True if hearts may not be led at first."""

    @property
    def notation(self) -> str:
        return self.name


RIFKI: Final = Contract("rifki", Named("Rifki"), "the king of hearts", 1, -320, cards("KH"), hearts_wait=True)
KIZ: Final = Contract("kiz", Named("Kiz"), "a queen", 4, -100, OF_RANK[QUEEN])
ERKEK: Final = Contract("erkek", Named("Erkek"), "a king or jack", 8, -60, OF_RANK[KING] | OF_RANK[JACK])
KUPA: Final = Contract("kupa", Named("Kupa"), "a heart", 13, -30, HEARTS_CARDS, hearts_wait=True)
SON_IKI: Final = Contract("son-iki", Named("Son Iki"), "one of the last two tricks", 2, -180)
EL_ALMAZ: Final = Contract("el-almaz", Named("El Almaz"), "a trick", 13, -50)
NEGATIVE: Final = (RIFKI, KIZ, ERKEK, KUPA, SON_IKI, EL_ALMAZ)
KOZ: Final = tuple(
    [Contract(f"{word}s", Named("Koz", suit), "a trick", 13, 50, trump=suit) for suit, word in enumerate(SUIT_WORDS)]
)
"""Trump contracts by suit."""
CONTRACTS: Final = (*NEGATIVE, *KOZ)


def choices(declared: Sequence[Contract], place: int) -> tuple[Contract, ...]:
    """Return the contracts left to the player who declares the rounds ``place``, ``place`` + 4 ...

    ``declared``: contracts of the finished rounds, in order. At least one contract is always left: a player who still
    has to declare a negative contract finds one, since all players together declare exactly as many as may be played.
    """
    own = declared[place::SEATS]
    trumps = sum([contract.trump is not None for contract in own])
    negatives = [] if len(own) - trumps == NEGATIVES else [c for c in NEGATIVE if declared.count(c) < TIMES]
    return (*negatives, *(KOZ if trumps < TRUMPS else ()))


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Rifki."""

    must_overruff: str = house.choice(
        "Trumping in Koz",
        {"off": "any trump will do", "on": "you must beat the trumps in the trick if you can"},
    )
    hearts_unlock: str = house.choice(
        "Hearts may be led in Rifki and Kupa",
        {"discard": "after a heart was discarded", "any": "after any heart was played"},
    )
    first_declarer: str = house.choice(
        "Who declares the first contract", {"lot": "drawn by lot", "2d": "the player with the two of diamonds"}
    )
    direction: str = house.choice(
        "Which way play, declaring and dealing go", {"counter-clockwise": "to the right", "clockwise": "to the left"}
    )
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()

    @property
    def rounds(self) -> int:
        return ROUNDS

    @property
    def step(self) -> int:
        """Difference from a seat to the next one, 1 or -1."""
        return -1 if self.direction == "counter-clockwise" else 1
