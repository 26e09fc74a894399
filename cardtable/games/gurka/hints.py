"""Hints for Gurka: facts about high and low cards."""

from collections.abc import Sequence
from typing import Final

from cardtable.engine.cards import NAME, RANK, TEN, Card
from cardtable.engine.game import State
from cardtable.engine.tricks import Play
from cardtable.games.gurka.rules import GurkaView
from cardtable.robots.kit.hint_spec import Fact, Facts, Goal, HintSpec
from cardtable.robots.kit.search_spec import Candidate

_HIGHEST_LOW_RANK: Final = 5
"""Highest rank of a card that is worth keeping for the last trick."""


def list_facts(_view: GurkaView, candidates: Sequence[Candidate], _worlds: Sequence[State[GurkaView]]) -> list[Facts]:
    """Return the facts on each candidate. Only its rank matters, since a low card is useful for the last trick."""
    return [_list_card_facts(one.action.card) for one in candidates if isinstance(one.action, Play)]


def _list_card_facts(card: Card) -> Facts:
    """Return the facts on spending a low card, or on getting rid of a high one."""
    rank, name = RANK[card], NAME[card]
    high, low = max(rank - TEN + 1, 0), max(_HIGHEST_LOW_RANK + 1 - rank, 0)
    leaves = f"leaves {{them}} with {name}" if high else ""
    keeps = "keeps a lower card for the end" if low else ""
    return (
        Fact("low", -low, bad="spends a low card", good_of_other=keeps),
        Fact("high", high, "gets rid of a high card", bad_of_other=leaves),
    )


def find_goal(_view: GurkaView) -> Goal:
    return Goal("escape the last trick", lambda _seat, points: points >= 0)


HINT_SPEC: Final = HintSpec(list_facts, find_goal)
