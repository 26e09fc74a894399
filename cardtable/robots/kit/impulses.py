"""How a novice errs in games with tricks: now and then a card is played without a thought for those that stay.

A novice who is eager for the trick then plays the strongest card. One who wants none plays the weakest, and is left
with high cards when the tricks count most.
"""

from random import Random
from typing import Final

from cardtable.engine.cards import RANK, SUIT
from cardtable.engine.tricks import Order, Play, TrickView
from cardtable.robots.kit.endgame import filter_plays

IMPULSE_PROBABILITY: Final = 0.25
"""Probability that a novice plays a card on impulse."""


def choose_on_impulse(view: TrickView, order: Order, rng: Random, *, eager: bool) -> Play | None:
    """Return the strongest legal card if ``eager``, otherwise the weakest; ``None`` if the novice thinks this time."""
    plays = filter_plays(view.legal)
    if not plays or rng.random() >= IMPULSE_PROBABILITY:
        return None

    def rate_strength(play: Play) -> tuple[int, int]:
        return order.power[SUIT[(*view.trick, play.card)[0]]][play.card], RANK[play.card]

    return max(plays, key=rate_strength) if eager else min(plays, key=rate_strength)
