"""Gurka in the coach's words."""

from collections.abc import Mapping, Sequence
from typing import Final

from cardtable.engine.cards import NAME, RANK, Card
from cardtable.engine.cards import lowest as first
from cardtable.engine.contract import Action, State
from cardtable.engine.tricks import Play
from cardtable.games.gurka.rules import GurkaView
from cardtable.games.gurka.rules.tricks import lowest
from cardtable.robots.kit.lesson import Aim, Lesson, Merit, Reasons
from cardtable.robots.kit.trick_reasons import takes, took

_LOW: Final = 5
"""The highest rank of a card that is worth keeping."""


def reasons(view: GurkaView, actions: Sequence[Action], worlds: Sequence[State[GurkaView]]) -> list[Reasons]:
    """What cards do: suits mean nothing."""
    plays = [action for action in actions if isinstance(action, Play)]
    taken = takes("gurka", plays, worlds)
    return [_of_card(view, play.card, taken) for play in plays]


def _of_card(view: GurkaView, card: Card, taken: Mapping[Card, float]) -> Reasons:
    least = first(lowest(view.hand))
    if RANK[card] == RANK[least]:
        return took(taken[card]), "is {your} lowest card"
    return (took(taken[card]), Merit(f"keeps {NAME[least]}")) if RANK[least] <= _LOW else (took(taken[card]),)


def aim(_view: GurkaView) -> Aim:
    """To have no points of the last trick."""
    return Aim("{you} escape the last trick", lambda points: points >= 0)


LESSON: Final = Lesson(reasons, aim)
