"""Bids on the number of tricks: everybody says once, openly, how many it will take."""

from collections.abc import Collection
from typing import Final

from cardtable.engine.game import Action, BiddingState
from cardtable.engine.tricks import TrickView


class Bid(Action, frozen=True, tag="bid"):
    """The number of tricks a seat says it will take."""

    kind = "bid"
    tricks: int

    @property
    def notation(self) -> str:
        """The number."""
        return str(self.tricks)

    @property
    def amount(self) -> int:
        """The number."""
        return self.tricks


class BidView(TrickView, frozen=True):
    """What one seat may know of a game in which the tricks to be taken are bid."""

    trump: int | None
    """The trump suit; ``None`` where there is none, or none yet."""
    bids: tuple[int | None, ...]
    """By seat; ``None`` where one is still owed."""


def told(view: BidView) -> BiddingState:
    """What is bid in its round."""
    return BiddingState(view.cards, view.trump, view.bids, view.won)


BIDS: Final = tuple(Bid(n) for n in range(14))
_UP_TO: Final = tuple(BIDS[: n + 1] for n in range(14))


def open_bids(cards: int, bids: Collection[int], *, hooked: bool) -> tuple[Bid, ...]:
    """What may be bid on ``cards`` tricks after ``bids``; who is hooked may not make them add up."""
    free = _UP_TO[cards]
    left = cards - sum(bids) if hooked else -1
    return free if left < 0 else free[:left] + free[left + 1 :]


def forbidden(cards: int, bids: Collection[int]) -> str:
    """Why the one bid that makes ``bids`` add up to ``cards`` is not open to who is hooked."""
    return f"{cards - sum(bids)} is forbidden: the sum would be {cards}"
