"""Rifki in the coach's words."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.contract import Action, State
from cardtable.games.rifki.rules.contracts import Contract
from cardtable.games.rifki.rules.view import RifkiView
from cardtable.robots.kit.lesson import Aim, Lesson, Reasons
from cardtable.robots.kit.trick_reasons import Sense, held, teller


def sense(view: RifkiView) -> Sense:
    """Tricks are wanted in trump contracts."""
    contract = view.contract
    if contract is None:
        return Sense()
    return Sense(contract.trump, wanted=contract.trump is not None, costly=contract.penalties)


def aim(view: RifkiView) -> Aim | None:
    """To collect nothing more, in contracts that cost."""
    contract = view.contract
    if contract is None or contract.trump is not None:
        return None
    return Aim("{you} collect nothing more", lambda points: points >= contract.worth * view.counts[view.seat])


def reasons(view: RifkiView, actions: Sequence[Action], worlds: Sequence[State[RifkiView]]) -> list[Reasons]:
    """What cards do, or what is held for a contract."""
    if view.contract is None:
        return [held(view.hand, a.trump, a.penalties) if isinstance(a, Contract) else () for a in actions]
    return _OF_CARDS(view, actions, worlds)


_OF_CARDS: Final = teller("rifki", sense)
LESSON: Final = Lesson(reasons, aim)
