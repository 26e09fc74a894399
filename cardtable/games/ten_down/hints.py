"""Hints for Ten Down: facts about bids and cards."""

from typing import Final

from cardtable.games.ten_down.policy import sight, skill
from cardtable.robots.kit import trick_hints

LESSON: Final = trick_hints.bidding_hint_spec("ten_down", sight, skill)
