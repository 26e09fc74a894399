"""How long a session of Ten Down is, its house rules, what a bid brings, and what the totals come to in the end."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cardtable.engine import options as house
from cardtable.engine import tricks
from cardtable.engine.cards import Card

TRAINING: Final = "training"
CARDS: Final[dict[str | int, int]] = {TRAINING: 10, 5: 5, 50: 7, 500: 8, 1000: 10}
"""Cards each in the first round, by room."""
BONUS: Final = 10
"""Points for taking what was bid."""


@dataclass(frozen=True, slots=True)
class Options(house.Options):
    """House rules of Ten Down."""

    room: str | int = house.choice(
        "The room: how many cards at first, and the stake in credits",
        {room: f"{cards} cards at first, {room} credits" for room, cards in CARDS.items()}
        | {TRAINING: f"{CARDS[TRAINING]} cards at first, no stake"},
    )
    identical: str = house.choice(
        "Which of two identical cards is the higher", {"first": "the one played first", "last": "the one played last"}
    )
    hook: str = house.choice(
        "When the bids may not add up to the number of cards",
        {"off": "never, every bid is free", "on": "in every round"},
    )
    round_clock: str | int = house.round_clock()
    open_hands: str = house.open_hands()

    @property
    def rounds(self) -> int:
        """Rounds of a session, as many as there are cards each in the first."""
        return CARDS[self.room]

    @property
    def stake(self) -> int:
        """Credits that each seat stakes."""
        return self.room if isinstance(self.room, int) else 0

    def winner(self, trick: Sequence[Card], trump: int | None) -> int:
        """Index of the card that takes a trick given in order of play."""
        at = tricks.order(trump).winner(trick)
        return at if self.identical == "first" else len(trick) - 1 - trick[::-1].index(trick[at])


def scored(bid: int, made: int) -> int:
    """Points for the tricks made on a bid."""
    return made + BONUS if bid == made else made


def placed(totals: Sequence[int], taken: Sequence[int]) -> tuple[int, ...]:
    """The places of the totals; of equals who took more tricks in the session is ahead, then the lower seat."""
    places = sorted(range(len(totals)), key=lambda seat: (-totals[seat], -taken[seat], seat))
    return tuple([places.index(seat) + 1 for seat in range(len(totals))])


def multiplied(totals: Sequence[int], ranks: Sequence[int]) -> tuple[int, ...]:
    """The final totals: those of the last place once, of the place above twice, and so on."""
    return tuple([total * (len(totals) + 1 - rank) for total, rank in zip(totals, ranks, strict=True)])
