"""Interface of robots, and the functions that make one for a level and ask it for an action.

A robot gets only the view of its own seat. Equal views and equal random generators give the same choice, and the
numbers drawn never depend on hidden cards.
"""

from collections.abc import Callable
from inspect import signature, unwrap
from pathlib import Path
from random import Random
from types import FunctionType
from typing import Protocol, TypeAlias

from cardtable.engine.errors import GameFault
from cardtable.engine.game import Action, Seat, View
from cardtable.engine.text_format import format_unknown_name
from cardtable.engine.tricks import TrickView
from cardtable.games import GAMES, KEYS, format_unknown_game, guard_part, import_submodule, limit_time
from cardtable.robots.kit import rollouts
from cardtable.robots.kit.endgame import AnyEnding, avoid_worse_play
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.robots.kit.search_spec import AnySearchSpec, SearchSpec

Policy: TypeAlias = Callable[[View, Random], Action]
"""Function that chooses an action by rules: ``novice`` or ``steady`` in the module ``policy`` of a game."""


class Robot(Protocol):
    """Computer player."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return one of ``view.legal``. Once ``stop()`` returns True, return the best action found so far."""


def make_robot(level: str, game: str) -> Robot:
    """Return a robot of ``level`` for the game with key ``game``.

    A game without a policy gets robots that search with random rollouts. A robot of a game of another package has the
    time limit of a move, and raises ``GameFailed`` if it exceeds it or chooses an illegal action, or here if its policy
    does not take a view and a random generator. Raises ``ValueError`` if the level or the game is unknown.
    """
    if game not in GAMES:
        raise ValueError(format_unknown_game(game))
    robot = _make_unlimited_robot(level, game)
    return robot if game in KEYS else _LimitedRobot(robot, level, game)


class _LimitedRobot:
    """Robot of a game of another package."""

    def __init__(self, robot: Robot, level: str, game: str) -> None:
        self._robot, self._level = robot, level
        self._choose = limit_time(game, self._choose_legal)

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        return self._choose(view, rng, stop)

    def _choose_legal(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        action = self._robot.choose(view, rng, stop)
        if action not in view.legal:
            raise GameFault(f"its {self._level} robot chooses an action that is not legal")
        return action


def _make_unlimited_robot(level: str, game: str) -> Robot:
    if level == "random":
        return rollouts.RandomRobot()
    if level not in LEVELS:
        raise ValueError(format_unknown_name("level", level, LEVELS))
    if level == "expert":
        return _add_endgame(game, MonteCarloSearch(load_search_spec(game)))
    policy = import_submodule(game, "policy")
    if policy is None:
        searcher = MonteCarloSearch(rollouts.make_generic_search_spec(GAMES[game], level))
        return rollouts.BlunderingRobot(searcher) if level == "novice" else searcher
    if level == "novice":
        return rollouts.PolicyRobot(_check_policy(game, policy.novice))
    return _add_endgame(game, rollouts.PolicyRobot(_check_policy(game, policy.steady)))


def _add_endgame(game: str, robot: Robot) -> Robot:
    """Return the robot with the check of its choices near the end of a round, if the game takes part in it."""
    policy = import_submodule(game, "policy") if game in KEYS else None
    ending = vars(policy).get("ENDING") if policy else None
    return _EndgameRobot(robot, ending, -1 if GAMES[game].lowest_wins else 1) if ending else robot


class _EndgameRobot:
    """Robot that plays as another one, but near the end of a round replaces a play that is certainly worse."""

    def __init__(self, robot: Robot, ending: AnyEnding, sign: int) -> None:
        self._robot, self._ending, self._sign = robot, ending, sign

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        action = self._robot.choose(view, rng, stop)
        assert isinstance(view, TrickView)
        return avoid_worse_play(self._ending, view, action, self._sign)


def load_search_spec(game: str) -> AnySearchSpec:
    """Return the search specification of the expert for the game with key ``game``.

    If the game has no expert, the specification is generic, with the steady policy in the rollouts if the game has one,
    and random play otherwise.
    """
    if expert := import_submodule(game, "expert"):
        spec: AnySearchSpec = guard_part(game, "SEARCH_SPEC", expert.SEARCH_SPEC, SearchSpec)
        return spec
    policy = import_submodule(game, "policy")
    return rollouts.make_generic_search_spec(
        GAMES[game],
        "expert",
        rollouts.adapt_policy(limit_time(game, _check_policy(game, policy.steady)))
        if policy
        else rollouts.choose_at_random,
    )


def _check_policy(game: str, policy: Policy) -> Policy:
    """Return a policy. Raises ``GameFailed`` if it is one of another package that does not take these arguments."""
    limit_time(game, _assert_signature)(policy)
    return policy


def _assert_signature(policy: object) -> None:
    """Raise ``GameFault`` with file and line if a policy cannot be called with a view and a random generator."""
    if not callable(policy):
        raise GameFault("a policy is not a function of a view and a random generator")
    parameters, function = signature(policy), unwrap(policy)
    try:
        parameters.bind(None, None)
    except TypeError:
        code = function.__code__ if isinstance(function, FunctionType) else None
        place = f" in {Path(code.co_filename).name}, line {code.co_firstlineno}," if code else ""
        raise GameFault(
            f"{code.co_name if code else 'a policy'}({', '.join(parameters.parameters)}){place} has to take a view "
            "and a random generator"
        ) from None


def make_generator(seed: int, seat: Seat, decisions: int) -> Random:
    """Return the random generator of a robot for one decision.

    It is seeded with the seed of the session, the seat, and the number of decisions that the session has had so far.
    """
    return Random(f"robot {seed} {seat} {decisions}")


def no_time_limit() -> bool:
    """Return False (a ``stop`` function that never stops a robot)."""
    return False


def decide(robot: Robot, view: View, seed: int, decisions: int, stop: Callable[[], bool] = no_time_limit) -> Action:
    """Return the action of a robot in a session; a single legal action is returned without asking the robot.

    ``seed`` and ``decisions`` are the arguments of ``make_generator``.
    """
    if len(view.legal) == 1:
        return view.legal[0]
    return robot.choose(view, make_generator(seed, view.seat, decisions), stop)
