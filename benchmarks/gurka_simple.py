"""The simplest robot of Gurka that makes sense.

    cardtable arena gurka --a expert --b benchmarks/gurka_simple.py:Simple --deals 800 --seed 1

It leads its highest card, heads with its highest, and else plays its lowest.  What the other one takes a round is told
as its own points.
"""

from collections.abc import Callable
from random import Random

from cardtable.engine.cards import RANK
from cardtable.engine.game import Action, AnyGame, View


class Simple:
    """Plays the highest card that it may."""

    def __init__(self, game: AnyGame) -> None:
        """All that it needs are the views."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """The highest rank."""
        return max(view.legal, key=lambda play: RANK[play.cards_used().bit_length() - 1])
