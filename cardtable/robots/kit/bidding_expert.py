"""Games of exact bids for the searcher: what is worth a look, what is beyond doubt, how likely bids of others are."""

from collections.abc import Sequence
from math import exp
from typing import Final

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.cards import SUIT, Card
from cardtable.engine.contract import Action
from cardtable.engine.tricks import PLAY, Play, order
from cardtable.robots.kit.bidding_policy import Sight, at_least, missing, nearest

AROUND: Final = 2.0
"""Bids that are looked at: those no further from what the hand should take."""


def sensible(legal: Sequence[Action], expected: float, sure: int) -> list[Action]:
    """Return the bids that are worth a look, one at least not lower than the ``sure`` tricks of the hand, if any is."""
    bids: list[Action] = [bid for bid in legal if isinstance(bid, Bid) and abs(bid.tricks - expected) <= AROUND]
    possible = nearest(at_least(legal, sure), expected)
    return bids if possible in bids else [*bids, possible]


def dominated(view: BidView, sight: Sight, candidates: Sequence[Card]) -> Sequence[Action]:
    """Return the actions that another one beats beyond doubt.

    Bids lower than the sure tricks are among them.  If all the remaining tricks are needed, a card that surely takes
    this one beats all others, the strongest such card on lead, else the weakest; without one, a card that is led beats
    the lower ones of its suit.  ``candidates`` has the lowest of cards that do the same.
    """
    if None in view.bids:
        possible = at_least(view.legal, sight.sure_tricks(view))
        return [bid for bid in view.legal if bid not in possible]
    if missing(view) != sight.hand.bit_count():
        return ()
    same = {
        play: max([card for card in candidates if card <= play.card]) for play in view.legal if isinstance(play, Play)
    }
    power, choose = order(sight.trump).power, min if view.trick else max
    takers = [play.card for play in same if sight.surely_takes(view, play.card)]
    if takers:
        taker = choose(takers, key=lambda card: power[SUIT[card]][card])
        return [play for play in same if same[play] != same[PLAY[taker]]]
    highest = {SUIT[card]: card for card in sorted(candidates)}
    return [] if view.trick else [play for play in same if same[play] != highest[SUIT[play.card]]]


def likeliness(bid: float, expected: float, odd: float) -> float:
    """How likely somebody bids so on a hand that should take ``expected`` tricks; 1 where no bid is nearer.

    ``odd`` is how far off a bid is odd, beyond rounding.
    """
    off = max(0.0, abs(bid - expected) - 0.5) / odd
    return exp(-off * off / 2)
