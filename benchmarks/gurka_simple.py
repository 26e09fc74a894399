"""The simplest sensible robot of Gurka.

    cardtable arena gurka --a expert --b benchmarks/gurka_simple.py:Simple --deals 800 --seed 1

It leads its highest card, heads the trick with its highest card if it can, and otherwise plays its lowest.  ``arena``
prints the points that the expert takes a round as "own points".
"""

from collections.abc import Callable
from random import Random

from cardtable.engine.cards import RANK
from cardtable.engine.game import Action, AnyGame, View


class Simple:
    """A robot that plays the highest legal card."""

    def __init__(self, game: AnyGame) -> None: ...

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Return the play of the highest rank."""
        return max(view.legal, key=lambda play: RANK[play.cards_used().bit_length() - 1])
