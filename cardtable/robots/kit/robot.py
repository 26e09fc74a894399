"""Interface of robots, and the function that makes one by level.

A robot sees only the view of its own seat. The same view and the same generator give the same choice, and the numbers
drawn never depend on hidden cards.
"""

from collections.abc import Callable
from random import Random
from typing import Protocol

from cardtable.engine.game import Action, Seat, View
from cardtable.engine.text_format import unknown
from cardtable.games import GAMES, no_game, part
from cardtable.robots.kit import rollouts
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.search import AnyGuide, MonteCarloSearch


class Robot(Protocol):
    """Computer player."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return one of ``view.legal``; once ``stop()`` returns True, return the best action found so far."""


def make(level: str, game: str) -> Robot:
    """Return the robot of a level for the game with key ``game``.

    Raises ``ValueError`` if the level or the game is unknown.
    """
    if game not in GAMES:
        raise ValueError(no_game(game))
    if level == "random":
        return rollouts.RandomRobot()
    if level not in LEVELS:
        raise ValueError(unknown("level", level, LEVELS))
    if level == "expert":
        return MonteCarloSearch(guide_of(game))
    policy = part(game, "policy")
    if policy is None:
        searcher = MonteCarloSearch(rollouts.guide(GAMES[game], level))
        return rollouts.BlunderingRobot(searcher) if level == "novice" else searcher
    return rollouts.PolicyRobot(policy.novice if level == "novice" else policy.steady)


def guide_of(game: str) -> AnyGuide:
    """Return the search spec of the expert of the game with key ``game``."""
    if expert := part(game, "expert"):
        guide: AnyGuide = expert.GUIDE
        return guide
    policy = part(game, "policy")
    return rollouts.guide(GAMES[game], "expert", rollouts.by(policy.steady) if policy else rollouts.at_random)


def generator(seed: int, seat: Seat, decisions: int) -> Random:
    """Return a robot's random generator, seeded with the session's seed, the seat and the decisions so far."""
    return Random(f"robot {seed} {seat} {decisions}")


def never() -> bool:
    """Return False: a ``stop`` that sets no limit."""
    return False


def decide(robot: Robot, view: View, seed: int, decisions: int, stop: Callable[[], bool] = never) -> Action:
    """Return the robot's action in a session; a forced action is returned at once."""
    if len(view.legal) == 1:
        return view.legal[0]
    return robot.choose(view, generator(seed, view.seat, decisions), stop)
