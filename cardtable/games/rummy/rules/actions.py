"""House rules and actions of Rummy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal

import msgspec

from cardtable.engine import options as house
from cardtable.engine.cards import BIT, CARDS, COPY_OFFSET, NAME, Card, Cards, names
from cardtable.engine.game import Action
from cardtable.engine.text_format import format_count
from cardtable.games.rummy.rules.melds import COMBINATIONS, MASK, ORDERED_CARDS, MeldedCards

CARDS_EACH: Final = 13
"""Number of cards dealt to each player."""
MAX_ROUNDS: Final = 50
"""Number of rounds after which a session ends, whatever the totals."""
MAX_SINGLE_TAKES: Final = 20
"""Number of consecutive turns begun with ``take 1`` after which the next turn may not begin with ``take 1``."""
MAX_MELDS: Final = COPY_OFFSET // 3
"""Largest number of melds on the table."""


@dataclass(frozen=True, slots=True)
class Options(house.CommonOptions):
    limit: int = house.choice(
        "The session ends when a total reaches",
        {100: "100 points", 200: "200 points", 500: "500 points"},
        label="Ends at",
    )
    clock: Literal["off"] | int = house.choice(
        "Each player's time for the whole session; a player who runs out loses",
        {"off": "none"},
        label="Time per player",
        minutes=True,
    )
    taken_cards: Literal["free", "must-keep"] = house.choice(
        "Cards in the turn in which you take them from the pile (a single one must be kept)",
        {"free": "may be discarded", "must-keep": "must be kept"},
    )

    def is_session_over(self, finished: int, totals: Sequence[int]) -> bool:
        """Return True if the session ends with these totals after ``finished`` rounds.

        A session ends when a total reaches the limit and the totals differ, and at the latest after ``MAX_ROUNDS``
        rounds.
        """
        return finished == MAX_ROUNDS or (max(totals) >= self.limit and len(set(totals)) > 1)


class Stock(Action, frozen=True, tag="stock"):
    """Draw of the top card of the face-down pile."""

    kind = "stock"
    label = "draw"

    @property
    def description(self) -> str:
        return "The stock"


class Take(Action, frozen=True, tag="take"):
    """Draw of the top ``number`` cards of the face-up pile."""

    kind = "take"
    number: Annotated[int, msgspec.Meta(ge=1, le=COPY_OFFSET)]

    @property
    def notation(self) -> str:
        return str(self.number)

    @property
    def argument_text(self) -> str:
        return format_count(self.number, "card")

    @property
    def amount(self) -> int:
        return self.number


class Meld(Action, frozen=True, tag="meld"):
    """Meld of a new combination from the hand."""

    kind = "meld"
    combination: MeldedCards

    def cards_used(self) -> Cards:
        return MASK[self.combination]

    @property
    def notation(self) -> str:
        return names(ORDERED_CARDS[self.combination])


class Add(Action, frozen=True, tag="add"):
    """Lay-off of a card on a meld of either player."""

    kind = "add"
    label = "lay off"
    card: Card
    number: Annotated[int, msgspec.Meta(ge=1, le=MAX_MELDS)]
    """Number of the meld, counted from 1 in the order in which they were melded."""

    def cards_used(self) -> Cards:
        return BIT[self.card]

    @property
    def notation(self) -> str:
        return f"{NAME[self.card]} {self.number}"

    @property
    def argument_text(self) -> str:
        return f"{NAME[self.card]} on meld {self.number}"


class Drop(Action, frozen=True, tag="drop"):
    """Discard of a card to the face-up pile, which ends the turn."""

    kind = "drop"
    label = "discard"
    card: Card

    def cards_used(self) -> Cards:
        return BIT[self.card]

    @property
    def notation(self) -> str:
        return NAME[self.card]


STOCK: Final = Stock()
TAKE: Final = tuple(map(Take, range(COPY_OFFSET + 1)))
MELD: Final = tuple(map(Meld, COMBINATIONS))
ADD: Final = tuple(tuple([Add(c, number) for c in CARDS[:COPY_OFFSET]]) for number in range(MAX_MELDS + 1))
"""Lay-offs, indexed by the number of the meld and by card; index 0 is not used."""
DROP: Final = tuple(map(Drop, CARDS[:COPY_OFFSET]))
