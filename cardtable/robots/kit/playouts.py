"""What robots go by in a game that has no part for them: playouts to the end of the round."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from cardtable.engine.contract import CHANCE, Action, AnyGame, State, View
from cardtable.robots.kit.search import AnyGuide, Guide

WORLDS: Final = {"novice": 3, "steady": 12, "expert": 60}
"""How many worlds each level looks at."""


def at_random(view: View, rng: Random) -> Action:
    """Any legal action."""
    return rng.choice(view.legal)


def guide(game: AnyGame, level: str, policy: Callable[[View, Random], Action] = at_random) -> AnyGuide:
    """The worlds of a level, in which everybody plays on by ``policy``."""

    def rollout(state: State[View], luck: float) -> Sequence[float]:
        rng = Random(luck)
        while state.playing:
            state.apply(state.lot(rng) if state.turn == CHANCE else policy(state.view(state.turn), rng))
        assert state.score is not None
        return [-points if game.lowest_wins else points for points in state.score.points]

    return Guide(game.imagine, rollout, WORLDS[level])
