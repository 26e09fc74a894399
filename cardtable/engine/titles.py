"""What was played in a round, as data; ``str`` of it is its text in score sheets, in the notation of the journal."""

from typing import Final, TypeAlias

import msgspec

from cardtable.engine.cards import RANK_TOLD, RANKS, SUIT_WORDS, SUITS

LAST_CARD: Final = "last"
"""The heading of figures that are cards of the last trick, by what they count: 2 to 14, an ace; 0 if not known."""


class CardsTitle(msgspec.Struct, frozen=True, tag=True):
    """So many cards each, and a trump suit: where rounds differ by that."""

    cards: int
    trump: int | None = None
    """``None`` where there is none, or nobody said which."""
    no_trump: bool = False

    def __str__(self) -> str:
        return f"{self.cards}{'' if self.trump is None else SUITS[self.trump]}"


class Contract(msgspec.Struct, frozen=True, tag=True):
    """What a seat has named or declared that a round is about."""

    name: str
    trump: int | None = None
    """The suit that belongs to its name."""
    short: str = ""
    """What it is called where room is scarce, if that is something else."""

    def __str__(self) -> str:
        return self.name if self.trump is None else f"{self.name} {SUITS[self.trump]}"

    @property
    def words(self) -> str:
        """With the suit in words: ``Trump hearts``."""
        return self.name if self.trump is None else f"{self.name} {SUIT_WORDS[self.trump]}s"


def contract(text: str) -> Contract:
    """The contract that ``str`` tells so."""
    name, _, suit = text.rpartition(" ")
    return Contract(name, SUITS.index(suit)) if len(suit) == 1 and suit in SUITS else Contract(text)


class EndingTitle(msgspec.Struct, frozen=True, tag=True):
    """How a round ended, where nothing else tells one from another; nothing where that does not, either."""

    how: str
    times: int = 1
    """How many times its points counted."""

    def __str__(self) -> str:
        return self.how if self.times == 1 else f"{self.how} ×{self.times}"


class HighTitle(msgspec.Struct, frozen=True, tag=True):
    """The highest card of the last trick, with its suit where that is known."""

    rank: int
    suit: int | None = None

    def __str__(self) -> str:
        return f"{RANK_TOLD[self.rank]} high" if self.suit is None else RANKS[self.rank] + SUITS[self.suit]


Title: TypeAlias = CardsTitle | Contract | EndingTitle | HighTitle
