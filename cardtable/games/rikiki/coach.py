"""Rikiki in the coach's words."""

from typing import Final

from cardtable.games.rikiki.policy import sight
from cardtable.robots.kit import bidding_coach
from cardtable.robots.kit.bidding_policy import USUAL

LESSON: Final = bidding_coach.lesson("rikiki", sight, lambda _seats: USUAL)
