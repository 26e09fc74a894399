"""Rikiki in the coach's words."""

from typing import Final

from cardtable.engine.cards import SUIT
from cardtable.games.rikiki.rules import RikikiView
from cardtable.robots.kit import bidding_coach


def trump(view: RikikiView) -> int | None:
    """The trump suit, if there is one."""
    return None if view.trump_card is None else SUIT[view.trump_card]


LESSON: Final = bidding_coach.lesson("rikiki", trump)
