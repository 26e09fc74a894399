"""Flat Monte Carlo: every action gets equally many random rollouts, each in a world of its own; the best mean is
chosen.
"""

from collections.abc import Callable
from functools import partial
from random import Random

from ismcts import filter_actions, play_out

from cardtable.engine.game import Action, AnyGame, View


class Flat:
    """A robot that shares a number of rollouts equally among the legal actions."""

    def __init__(self, game: AnyGame, playouts: int = 300) -> None:
        self.game, self.playouts = game, playouts

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return the action with the best mean."""
        totals = dict.fromkeys(filter_actions(view.legal), 0.0)
        for _ in range(max(1, self.playouts // len(totals))):
            for action in totals:
                world = self.game.imagine(view, rng)
                world.apply(action)
                totals[action] += play_out(world, self.game.lowest_wins, rng)[view.seat]
            if stop():
                break
        return max(totals, key=totals.__getitem__)


flat_100 = partial(Flat, playouts=100)
flat_1000 = partial(Flat, playouts=1000)
