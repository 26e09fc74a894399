"""Experts with other budgets, to measure what more worlds are worth.

    cardtable arena king --a benchmarks/budgets.py:Double --b expert --deals 200 --seed 1

With ``make fast`` this takes a half to a quarter of the time, and the results are the same.
"""

from msgspec.structs import replace

from cardtable.engine.game import AnyGame
from cardtable.robots.kit.robot import Robot, load_search_spec
from cardtable.robots.kit.search import MonteCarloSearch


def make_expert(game: AnyGame, factor: float) -> Robot:
    """Return the expert of a game with ``factor`` times its worlds and rollouts."""
    spec = load_search_spec(game.about.key)
    budget = spec.budget
    return MonteCarloSearch(
        replace(
            spec,
            worlds=round(factor * spec.worlds),
            budget=budget and (lambda view, rng: round(factor * budget(view, rng))),
        )
    )


def Double(game: AnyGame) -> Robot:  # noqa: N802 - named like other robots in files
    """Return the expert with twice its budget."""
    return make_expert(game, 2)


def Quadruple(game: AnyGame) -> Robot:  # noqa: N802
    """Return the expert with four times its budget."""
    return make_expert(game, 4)


def OneAndAHalf(game: AnyGame) -> Robot:  # noqa: N802
    """Return the expert with one and a half times its budget."""
    return make_expert(game, 1.5)
