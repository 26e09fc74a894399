"""What the cards of a suit bring in King by the estimates of ``policy.py``, remembered.

A key is made of the own cards of the suit and the unseen ones, own ones included, and, where it matters, of the card to
beat, the number of players to come and the number of unseen trumps.
"""

from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from cardtable.engine.cards import HEARTS, SIX, Cards
from cardtable.games.king.policy import AGAINST, MISSING, RUFFED, Suit, Weights
from cardtable.games.king.rules.actions import SEATS
from cardtable.games.king.rules.contracts import NEG_JAR, Contract, Kind
from cardtable.robots.kit.memory import Memory

Part: TypeAlias = int
"""Cards of one suit: nine bits, the weakest lowest."""
ALL: Final[Part] = 0x1FF
OUT: Final = 9
"""How far left the unseen cards of a suit stand in a key, own ones included."""
TOP: Final = 18
"""How far left the card to beat stands, as the number of cards that are not above it."""
TO_COME: Final = 22
"""How far left the number of players to come stands, of those that matter."""
TRUMPS: Final = 24
"""How far left the number of unseen trumps stands."""
NOTHING: Final = -1e9

Lead: TypeAlias = tuple[float, float, Part]
"""A card: how likely it takes its trick, what it brings otherwise, its bit."""

Discard: TypeAlias = tuple[float, Part]
"""A card: what it brings to throw it on another suit, its bit."""


class Follow(NamedTuple):
    """What can be done with the cards of a suit to a trick in it."""

    held: float
    """How likely nobody to come beats the trick as it lies."""
    under: float
    """What the best card that does not head the trick brings, ..."""
    low: Part
    """... and its bit; 0 if there is none."""
    heads: tuple[Lead, ...]
    """The cards that head the trick."""


@dataclass(frozen=True)
class Estimate:
    """What cards of one suit bring to one side in a contract."""

    suited: Suit
    wanted: Part
    """The cards that count as scoring."""
    gains: tuple[float, ...]
    """Points of each card to who takes it, as far as they count."""
    dodged: bool
    """Whether nobody beats a trick who need not."""
    ruffed: bool
    """Whether another suit is trump."""
    against: int
    """How many of those who play after a lead are opponents."""

    def stands(self, number: int, unseen: Part, trumps: int, to_come: int) -> float:
        """How likely nobody of those to come beats a trick headed by a card with ``number`` cards not above it."""
        above, below = (unseen >> number).bit_count(), (unseen & (1 << number) - 1).bit_count()
        beaten = 1 - MISSING[above]
        if self.dodged:
            beaten *= MISSING[below]
        if self.ruffed:
            beaten += RUFFED * MISSING[above + below] * (1 - MISSING[trumps])
        return max(1 - beaten, 0.0) ** to_come

    def cards(self, own: Part, unseen: Part) -> list[tuple[int, float, Part]]:
        """Each own card: how many cards are not above it, what is lost with it (``suit_worth``), its bit."""
        suited, wanted = self.suited, self.wanted
        number, left = max(unseen.bit_count(), 1), own
        found: list[tuple[int, float, Part]] = []
        while left:
            bit = left & -left
            left ^= bit
            strength = (unseen & bit - 1).bit_count() / number
            lost = suited.strength * strength
            if bit & wanted:
                lost += suited.scoring
            if unseen & wanted & bit - 1:
                lost += suited.above
            if not found:
                after = (unseen & (left & -left) - 1).bit_count() / number if left else 0.0
                lost += suited.lowest * (strength - after)
            found.append((bit.bit_length(), -lost, bit))
        return found

    def lead(self, key: int) -> tuple[Lead, ...]:
        """The cards that may be led."""
        own, unseen = _told(key)
        trumps = key >> TRUMPS
        return tuple(
            [
                (
                    stands := self.stands(number, unseen, trumps, self.against),
                    kept + stands * self.gains[number - 1],
                    bit,
                )
                for number, kept, bit in self.cards(own, unseen)
            ]
        )

    def discard(self, key: int) -> Discard:
        """What the best card brings that is thrown on another suit, and its bit."""
        return max([(kept, bit) for _, kept, bit in self.cards(*_told(key))], key=itemgetter(0))

    def follow(self, key: int) -> Follow:
        """What can be done with the cards of the suit led, or with trumps."""
        own, unseen = _told(key)
        top, to_come, trumps = key >> TOP & 15, key >> TO_COME & 3, key >> TRUMPS
        under, low, heads = NOTHING, 0, []
        for number, kept, bit in self.cards(own, unseen):
            if number > top:
                stands = self.stands(number, unseen, trumps, to_come)
                heads.append((stands, kept + stands * self.gains[number - 1], bit))
            elif kept > under:
                under, low = kept, bit
        return Follow(self.stands(top, unseen, trumps, to_come), under, low, tuple(heads))


def _told(key: int) -> tuple[Part, Part]:
    """The own and the unseen cards of a key."""
    own = key & ALL
    return own, key >> OUT & ALL ^ own


class Suits(NamedTuple):
    """What one side thinks of the cards of each suit."""

    weights: Weights
    leads: tuple[Memory[tuple[Lead, ...]], ...]
    discards: tuple[Memory[Discard], ...]
    follows: tuple[Memory[Follow], ...]


@cache
def _memories(estimate: Estimate) -> tuple[Memory[tuple[Lead, ...]], Memory[Discard], Memory[Follow]]:
    return Memory(estimate.lead), Memory(estimate.discard), Memory(estimate.follow)


@cache
def suits_of(contract: Contract, weights: Weights) -> Suits:
    """What the side with these weights thinks of each suit."""
    special = contract.trump if contract.trump is not None else HEARTS if contract.spares_hearts else None
    dodged = contract.kind is Kind.NEGATIVE or contract is NEG_JAR
    against = 1 if weights is AGAINST else SEATS - 1
    found = []
    for suit in range(4):
        gains = tuple([weights.lying * worth for worth in worths(contract)[suit].values()])
        suited = weights.special if suit == special else weights.plain
        wanted = part(weights.wanted, suit)
        found.append(_memories(Estimate(suited, wanted, gains, dodged, contract.trump not in (None, suit), against)))
    return Suits(weights, *zip(*found, strict=True))


def part(cards: Cards, suit: int) -> Part:
    """The cards of ``cards`` in ``suit``."""
    return cards >> 13 * suit + SIX & ALL


@cache
def worths(contract: Contract) -> tuple[dict[Part, int], ...]:
    """By suit and bit: the points of a card by itself."""

    def worth(card: Cards) -> int:
        return sum([points for some, points in contract.cards if card & some])

    return tuple([{1 << i: worth(1 << 13 * suit + SIX + i) for i in range(9)} for suit in range(4)])
