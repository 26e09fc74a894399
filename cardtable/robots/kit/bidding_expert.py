"""Games of exact bids for the searcher: the bids that are worth a look, and how likely those of others are."""

from collections.abc import Sequence
from math import exp
from typing import Final

from cardtable.engine.bidding import Bid
from cardtable.engine.contract import Action
from cardtable.robots.kit.bidding_policy import nearest

AROUND: Final = 2.0
"""Bids that are looked at: those no further from what the hand should take."""


def sensible(legal: Sequence[Action], expected: float) -> list[Action]:
    """The bids that are worth a look."""
    bids = [bid for bid in legal if isinstance(bid, Bid)]
    return [bid for bid in bids if abs(bid.tricks - expected) <= AROUND] or [nearest(legal, expected)]


def likeliness(bid: float, expected: float, odd: float) -> float:
    """How likely somebody bids so on a hand that should take ``expected`` tricks; 1 where no bid is nearer.

    ``odd`` is how far off a bid is odd, beyond rounding.
    """
    off = max(0.0, abs(bid - expected) - 0.5) / odd
    return exp(-off * off / 2)
