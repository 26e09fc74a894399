"""What a robot is, and how to get one.

A robot sees the view of its seat and nothing else.  The same view and the same generator
give the same choice; which numbers it draws never depends on cards that it cannot see.
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
    """A player that is a program."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """One of ``view.legal``; once ``stop`` says so, the best one found so far."""


def make(level: str, game: str) -> Robot:
    """The robot of a level for the game of a key.  Raises ``ValueError`` for unknown ones."""
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
    """What the expert of the game of a key searches by."""
    if expert := part(game, "expert"):
        guide: AnyGuide = expert.GUIDE
        return guide
    policy = part(game, "policy")
    return rollouts.guide(GAMES[game], "expert", rollouts.by(policy.steady) if policy else rollouts.at_random)


def generator(seed: int, seat: Seat, decisions: int) -> Random:
    """What a robot draws from: made of the session's seed, its seat and the decisions so far."""
    return Random(f"robot {seed} {seat} {decisions}")


def never() -> bool:
    """No end to thinking but the robot's own."""
    return False


def decide(robot: Robot, view: View, seed: int, decisions: int, stop: Callable[[], bool] = never) -> Action:
    """What the robot does in a session; a forced move takes no time."""
    if len(view.legal) == 1:
        return view.legal[0]
    return robot.choose(view, generator(seed, view.seat, decisions), stop)
