"""Games of exact bids in the coach's words."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from cardtable.engine.bidding import Bid, BidView
from cardtable.engine.contract import Action, State
from cardtable.engine.tricks import Play
from cardtable.engine.words import counted
from cardtable.robots.kit.bidding_policy import Sight, Skill
from cardtable.robots.kit.lesson import Aim, Fact, Facts, Lesson
from cardtable.robots.kit.search import Candidate
from cardtable.robots.kit.trick_reasons import Sense, teller

B = TypeVar("B", bound=BidView)

_OFTEN: Final = 0.02
"""The least difference of how often two bids are made that is worth saying."""


def lesson(game: str, sight: Callable[[B], Sight], skill: Callable[[int], Skill]) -> Lesson[State[B], B]:
    """Return that of a game; ``sight`` tells what the seat to act sees, ``skill`` what counts with so many seats."""

    def sense(view: B) -> Sense:
        return Sense(view.trump, wanted=None in view.bids or _missing(view) > 0)

    of_cards = teller(game, sense)

    def facts(view: B, candidates: Sequence[Candidate], worlds: Sequence[State[B]]) -> list[Facts]:
        if not isinstance(view.legal[0], Bid):
            return of_cards(view, candidates, worlds)
        seen, taught, seats = sight(view), skill(len(view.totals)), len(view.totals)
        made = [bid for bid in view.bids if bid is not None]
        tricks = max(seen.tricks(taught) - taught.taken(view.cards, made, seats), 0.0)
        sure = seen.sure_tricks(view)
        return [_of_bid(view, one, tricks, sure) if isinstance(one.action, Bid) else () for one in candidates]

    return Lesson(facts, _aim, _options)


def _of_bid(view: BidView, one: Candidate, tricks: float, sure: int) -> Facts:
    """Return the facts of a bid: how near it is to what the hand should take, and what it brings if it is made."""
    assert isinstance(one.action, Bid)
    bid = one.action.tricks
    share = one.share(lambda points: _comes_out(points[view.seat])) if one.points else 0.0
    below = f"is below {{your}} {counted(sure, 'sure trick')}"
    return (
        Fact("sure", -max(sure - bid, 0), bad=below),
        Fact("near", -abs(bid - tricks), f"fits {{your}} hand ({tricks:.1f} tricks)", _off(bid, tricks), margin=0.05),
        Fact("high", bid, "brings more if made", "brings less if made"),
        Fact("often", share, "is made more often", "is made less often", margin=_OFTEN),
    )


def _off(bid: int, tricks: float) -> str:
    return f"is {'above' if bid > tricks else 'below'} {{your}} hand ({tricks:.1f} tricks)"


def _options(view: BidView, best: Action) -> list[Action]:
    """Return the bids beside the best one, or all cards."""
    if isinstance(best, Bid):
        return [bid for bid in view.legal if isinstance(bid, Bid) and abs(bid.tricks - best.tricks) == 1]
    return [play for play in view.legal if isinstance(play, Play)]


def _missing(view: BidView) -> int:
    """The tricks that the seat to act still needs; below 0 those it has too many."""
    return (view.bids[view.seat] or 0) - view.won[view.seat]


def _aim(view: BidView) -> Aim | None:
    """Ten points at least are for a bid that comes out; else only for all ten tricks of a round of Ten Down."""
    if isinstance(view.legal[0], Bid):
        return Aim("{you} make it", _comes_out)
    lost = "" if 0 <= _missing(view) <= view.sizes[view.seat] else "{your} bid is lost"
    return Aim("{you} make {your} bid", _comes_out, lost)


def _comes_out(points: float) -> bool:
    return points >= 10
