"""Hints for Ten Down: facts about bids and cards."""

from typing import Final

from cardtable.games.ten_down.policy import get_weights, make_features, steady
from cardtable.robots.kit import trick_hints

HINT_SPEC: Final = trick_hints.make_bidding_hint_spec(steady, make_features, get_weights)
