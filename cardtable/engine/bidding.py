"""Bidding on the number of tricks, in which each seat makes one open bid."""

from collections.abc import Collection
from typing import Annotated, Final

import msgspec

from cardtable.engine.cards import SuitNumber
from cardtable.engine.game import Action, BiddingState
from cardtable.engine.tricks import TrickView


class Bid(Action, frozen=True, tag="bid"):
    """Bid on the number of tricks that the seat will take."""

    kind = "bid"
    tricks: Annotated[int, msgspec.Meta(ge=0, le=13)]

    @property
    def notation(self) -> str:
        return str(self.tricks)

    @property
    def amount(self) -> int:
        return self.tricks


class BidView(TrickView, frozen=True):
    """Everything that one seat knows in a game in which seats bid the number of tricks."""

    trump: SuitNumber | None
    """Trump suit; ``None`` in a round without trumps, or before the suit is known."""
    bids: tuple[int | None, ...]
    """Bids by seat; ``None`` if the seat has not bid yet."""


def create_bidding_state(view: BidView) -> BiddingState:
    """Return the bids of the round in a view, for ``Game.bids``."""
    return BiddingState(view.cards, view.trump, view.bids, view.won)


BIDS: Final = tuple(Bid(n) for n in range(14))
"""All bids, by the number of tricks."""
_BIDS_UP_TO: Final = tuple(BIDS[: n + 1] for n in range(14))


def list_open_bids(cards: int, bids: Collection[int], *, hooked: bool) -> tuple[Bid, ...]:
    """Return the legal bids in a round with ``cards`` tricks, after the other ``bids``.

    A hooked bidder may not make the sum of all bids equal to ``cards``.
    """
    upper_limited = _BIDS_UP_TO[cards]
    forbidden = cards - sum(bids) if hooked else -1
    return upper_limited if forbidden < 0 else upper_limited[:forbidden] + upper_limited[forbidden + 1 :]


def format_forbidden_bid(cards: int, bids: Collection[int]) -> str:
    """Explain to a hooked bidder which bid is not legal: it would make the sum of all bids equal to ``cards``."""
    return f"Not {cards - sum(bids)}: the bids can't total {cards}"
