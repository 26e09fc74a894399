"""Ten Down in the coach's words."""

from typing import Final

from cardtable.games.ten_down.rules import TenDownView
from cardtable.robots.kit import bidding_coach


def trump(view: TenDownView) -> int | None:
    """The trump suit."""
    return view.trump


LESSON: Final = bidding_coach.lesson("ten_down", trump)
