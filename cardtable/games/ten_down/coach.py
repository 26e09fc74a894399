"""Ten Down in the coach's words."""

from typing import Final

from cardtable.games.ten_down.policy import sight, skill
from cardtable.robots.kit import bidding_coach

LESSON: Final = bidding_coach.lesson("ten_down", sight, skill)
