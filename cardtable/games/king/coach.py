"""King in the coach's words."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.contract import Action, State
from cardtable.games.king.rules.actions import CLAIM, Naming, Offer
from cardtable.games.king.rules.contracts import MISER
from cardtable.games.king.rules.view import KingView
from cardtable.robots.kit.lesson import Aim, Lesson, Reasons
from cardtable.robots.kit.trick_reasons import Sense, held, teller


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
    return Aim("{you} collect nothing more", lambda points: points >= view.points[view.seat])


def reasons(view: KingView, actions: Sequence[Action], worlds: Sequence[State[KingView]]) -> list[Reasons]:
    """What cards do, what is held for a contract, and what an offer leaves to the others."""
    told = _OF_CARDS(view, actions, worlds)
    return [_said(view, action) or words for action, words in zip(actions, told, strict=True)]


def _said(view: KingView, action: Action) -> Reasons:
    if isinstance(action, Naming):
        return held(view.hand, action.contract.trump, action.contract.scoring)
    if action == CLAIM:
        return (f"{{you}} collect all {view.left} points left",)
    if isinstance(action, Offer):
        return (f"leaves {view.left - action.points} to the others",)
    return ()


_OF_CARDS: Final = teller("king", sense)
LESSON: Final = Lesson(reasons, aim)
