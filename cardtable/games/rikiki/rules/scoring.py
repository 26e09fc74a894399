"""How long a session of Rikiki is, its house rules, and what bids and rows of them bring."""

from dataclasses import dataclass
from functools import cache
from typing import Final, NamedTuple

from cardtable.engine import options as house
from cardtable.engine.contract import Bonus

UNBOUND_CARDS: Final = 4
"""With ``hook`` = over-four the last bidder is free up to this number of cards."""
ROW: Final = 10
FULL: Final = (*range(1, 13), *[13] * 4, *range(12, 0, -1))
"""Cards each, round by round."""
SHORT: Final = (*range(1, 7), *[13] * 4, *range(6, 0, -1))


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Rikiki."""

    hook: str = house.choice(
        "When the bids may not add up to the number of cards",
        {"over-four": "with more than 4 cards each", "always": "in every round", "never": "never, every bid is free"},
    )
    length: str = house.choice(
        "Rounds of a session", {"full": "28 rounds", "short": "16 rounds, with trump at most 6 cards each"}
    )
    bonuses: str = house.choice("Bonuses for rows, no trump and few falls", {"on": "counted", "off": "not counted"})
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()

    def binds(self, cards: int) -> bool:
        """Whether the last bidder may not make the bids sum to ``cards``."""
        return self.hook == "always" or (self.hook == "over-four" and cards > UNBOUND_CARDS)

    def cards(self) -> tuple[int, ...]:
        """Cards each, round by round."""
        return FULL if self.length == "full" else SHORT

    @property
    def rounds(self) -> int:
        """Rounds of a session."""
        return len(self.cards())

    def successes_for_few_falls(self) -> int:
        """The success from which fewer than 9 (short: 5) falls cannot be lost."""
        return 20 if self.length == "full" else 12


def scored(bid: int, won: int) -> int:
    """Points for the tricks taken on a bid, the bonuses aside."""
    return 10 + 2 * won if bid == won else -2 * abs(bid - won)


class Record(NamedTuple):
    """What a seat has done in the finished rounds, as far as bonuses ask."""

    row: int = 0
    """Successes in a row, or falls in a row as a negative number."""
    successes: int = 0
    falls: int = 0
    no_trump: int = 0
    """Successes in no-trump rounds."""

    @cache  # noqa: B019 - a record is four small numbers
    def after(self, success: bool, no_trump: bool, few_falls: int) -> tuple["Record", tuple[Bonus, ...]]:
        """The record after a round, and the bonuses fulfilled in it."""
        row, successes, falls, fours = self
        earned: tuple[Bonus, ...] = ()
        if success:
            row, successes, fours = row + 1 if row > 0 else 1, successes + 1, fours + no_trump
            if row == ROW:
                row, earned = 0, (Bonus("ten in a row", 20),)
            if no_trump and fours == 4:
                earned += (Bonus("no-trump four", 10),)
            if successes == few_falls:
                earned += (Bonus("few falls", 20),)
        else:
            row, falls = row - 1 if row < 0 else -1, falls + 1
            if row == -ROW:
                row, earned = 0, (Bonus("ten falls in a row", 20),)
        return Record(row, successes, falls, fours), earned
