"""Ten Down in the coach's words."""

from typing import Final

from cardtable.games.ten_down.rules import TenDownView
from cardtable.robots.coaching import exact


def trump(view: TenDownView) -> int | None:
    """The trump suit."""
    return view.trump


LESSON: Final = exact.lesson("ten_down", trump)
