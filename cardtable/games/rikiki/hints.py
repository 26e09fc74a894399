"""Hints for Rikiki: facts about bids and cards."""

from typing import Final

from cardtable.games.rikiki.policy import make_features, steady
from cardtable.robots.kit import trick_hints
from cardtable.robots.kit.bidding_policy import DEFAULT_WEIGHTS

HINT_SPEC: Final = trick_hints.make_bidding_hint_spec(steady, make_features, lambda _seats: DEFAULT_WEIGHTS)
