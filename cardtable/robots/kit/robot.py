"""Interface of robots, and the function that makes one by level.

A robot sees only the view of its own seat. The same view and the same generator give the same choice, and the numbers
drawn never depend on hidden cards.
"""

from collections.abc import Callable
from random import Random
from typing import Protocol

from cardtable.engine.game import Action, Seat, View
from cardtable.engine.text_format import unknown_name_message
from cardtable.games import GAMES, import_submodule, unknown_game_message
from cardtable.robots.kit import rollouts
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.search import AnySearchSpec, MonteCarloSearch


class Robot(Protocol):
    """Computer player."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return one of ``view.legal``; once ``stop()`` returns True, return the best action found so far."""


def make(level: str, game: str) -> Robot:
    """Return the robot of a level for the game with key ``game``.

    Raises ``ValueError`` if the level or the game is unknown.
    """
    if game not in GAMES:
        raise ValueError(unknown_game_message(game))
    if level == "random":
        return rollouts.RandomRobot()
    if level not in LEVELS:
        raise ValueError(unknown_name_message("level", level, LEVELS))
    if level == "expert":
        return MonteCarloSearch(search_spec_of(game))
    policy = import_submodule(game, "policy")
    if policy is None:
        searcher = MonteCarloSearch(rollouts.generic_search_spec(GAMES[game], level))
        return rollouts.BlunderingRobot(searcher) if level == "novice" else searcher
    return rollouts.PolicyRobot(policy.novice if level == "novice" else policy.steady)


def search_spec_of(game: str) -> AnySearchSpec:
    """Return the search spec of the expert of the game with key ``game``."""
    if expert := import_submodule(game, "expert"):
        guide: AnySearchSpec = expert.GUIDE
        return guide
    policy = import_submodule(game, "policy")
    return rollouts.generic_search_spec(
        GAMES[game], "expert", rollouts.policy_on_state(policy.steady) if policy else rollouts.at_random
    )


def generator(seed: int, seat: Seat, decisions: int) -> Random:
    """Return a robot's random generator, seeded with the session's seed, the seat and the decisions so far."""
    return Random(f"robot {seed} {seat} {decisions}")


def no_time_limit() -> bool:
    """Return False: a ``stop`` that sets no limit."""
    return False


def decide(robot: Robot, view: View, seed: int, decisions: int, stop: Callable[[], bool] = no_time_limit) -> Action:
    """Return the robot's action in a session; a forced action is returned at once."""
    if len(view.legal) == 1:
        return view.legal[0]
    return robot.choose(view, generator(seed, view.seat, decisions), stop)
