"""Rikiki in the coach's words."""

from typing import Final

from cardtable.games.rikiki.expert import expected
from cardtable.robots.kit import bidding_coach

LESSON: Final = bidding_coach.lesson("rikiki", expected)
