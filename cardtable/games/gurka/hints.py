"""Gurka in the coach's words."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import NAME, RANK, TEN, Card
from cardtable.engine.game import State
from cardtable.engine.tricks import Play
from cardtable.games.gurka.rules import GurkaView
from cardtable.robots.kit.hint_spec import Fact, Facts, Goal, HintSpec
from cardtable.robots.kit.search import Candidate

_LOW: Final = 5
"""The highest rank of a card that is worth keeping for the last trick."""


def facts(_view: GurkaView, candidates: Sequence[Candidate], _worlds: Sequence[State[GurkaView]]) -> list[Facts]:
    """Return what is left of the hand: suits mean nothing, and the last card alone counts."""
    return [_of_card(one.action.card) if isinstance(one.action, Play) else () for one in candidates]


def _of_card(card: Card) -> Facts:
    """Return whether a low card is spent, or a high one gone."""
    rank, name = RANK[card], NAME[card]
    high, low = max(rank - TEN + 1, 0), max(_LOW + 1 - rank, 0)
    leaves = f"leaves {{them}} with {name}" if high else ""
    keeps = f"keeps {name} for the end" if low else ""
    return (
        Fact("low", -low, bad="spends a low card", good_of_other=keeps),
        Fact("high", high, "gets rid of a high card", bad_of_other=leaves),
    )


def aim(_view: GurkaView) -> Goal:
    """To have no points of the last trick."""
    return Goal("{you} escape the last trick", lambda points: points >= 0)


LESSON: Final = HintSpec(facts, aim)
