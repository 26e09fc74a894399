"""Hints for Rikiki: facts about bids and cards."""

from typing import Final

from cardtable.games.rikiki.policy import sight
from cardtable.robots.kit import trick_hints
from cardtable.robots.kit.bidding_policy import USUAL

LESSON: Final = trick_hints.bidding_hint_spec("rikiki", sight, lambda _seats: USUAL)
