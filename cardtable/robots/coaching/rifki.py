"""Rifki in the coach's words."""

from typing import Final

from cardtable.games.rifki import RifkiView
from cardtable.robots.coaching.lesson import Aim, Lesson
from cardtable.robots.coaching.tricks import Sense, teller


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
    return Aim("you collect nothing more", lambda points: points >= contract.worth * view.counts[view.seat])


LESSON: Final = Lesson(teller("rifki", sense), aim)
