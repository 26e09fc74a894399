"""King in the coach's words."""

from typing import Final

from cardtable.games.king import MISER, KingView
from cardtable.robots.coaching.lesson import Aim, Lesson
from cardtable.robots.coaching.tricks import Sense, teller


def sense(view: KingView) -> Sense:
    """Tricks are wanted in contracts that gain; in Miser low cards take them."""
    contract = view.contract
    if contract is None:
        return Sense()
    gains = contract.total > 0
    return Sense(contract.trump, wanted=gains, costly=0 if gains else contract.scoring, high=contract is not MISER)


def aim(view: KingView) -> Aim | None:
    """To collect nothing more, in contracts that cost; what is answered to an offer is settled."""
    contract = view.contract
    if contract is None or contract.total > 0 or view.unclaimed:
        return None
    return Aim("you collect nothing more", lambda points: points >= view.points[view.seat])


LESSON: Final = Lesson(teller("king", sense), aim)
