"""Games of exact bids in the coach's words."""

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.contract import State
from cardtable.robots.kit.lesson import Aim, Lesson
from cardtable.robots.kit.trick_reasons import Sense, teller


def lesson(game: str) -> Lesson[State[BidView], BidView]:
    """That of a game."""

    def sense(view: BidView) -> Sense:
        return Sense(view.trump, wanted=None in view.bids or _missing(view) > 0)

    return Lesson(teller(game, sense), _aim)


def _missing(view: BidView) -> int:
    """The tricks that the seat to act still needs; below 0 those it has too many."""
    return (view.bids[view.seat] or 0) - view.won[view.seat]


def _aim(view: BidView) -> Aim:
    """Ten points at least are for a bid that comes out; else only for all ten tricks of a round of Ten Down."""
    if isinstance(view.legal[0], Bid):
        return Aim("{you} make it", _comes_out)
    lost = "" if 0 <= _missing(view) <= view.sizes[view.seat] else "{your} bid is lost"
    return Aim("{you} make {your} bid", _comes_out, lost)


def _comes_out(points: float) -> bool:
    return points >= 10
