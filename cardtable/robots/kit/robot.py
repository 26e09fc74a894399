"""Interface of robots, the functions that make one for a level and ask it for an action, and the generic robots.

A robot gets only the view of its own seat. Equal views and equal random generators give the same choice, and the
numbers drawn never depend on hidden cards.

Generic robots serve games without a policy or an expert. They search with rollouts to the end of the round, whose cost
is counted in events and listed actions, not in seconds, so that the choice is the same on every machine.
"""

from collections.abc import Callable, Sequence
from inspect import signature, unwrap
from pathlib import Path
from random import Random
from statistics import stdev
from time import thread_time
from types import FunctionType
from typing import Final, Protocol, TypeAlias

import msgspec

from cardtable.engine.errors import GameFault
from cardtable.engine.game import CHANCE, Action, AnyGame, Seat, State, V, View
from cardtable.engine.text_format import format_unknown_name
from cardtable.engine.tricks import TrickView
from cardtable.games import GAMES, KEYS, format_unknown_game, guard_part, import_rules, import_submodule, limit_time
from cardtable.robots.kit.endgame import AnyEnding, avoid_worse_play
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.search import MonteCarloSearch
from cardtable.robots.kit.search_spec import (
    AnySearchSpec,
    SearchSpec,
    TreeSearchConfig,
    limit_worlds,
    make_rollout_chooser,
    make_sampler,
    make_side_lead,
    no_tree,
)

Policy: TypeAlias = Callable[[View, Random], Action]
"""Function that chooses an action by rules: ``novice`` or ``steady`` in the module ``policy`` of a game."""
_Chooser: TypeAlias = Callable[[State[View], Random], Action]
"""Function that chooses the action of the seat to act in a rollout."""


class Robot(Protocol):
    """Computer player."""

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return one of ``view.legal``. Once ``stop()`` returns True, return the best action found so far."""


def make_robot(level: str, game: str, worlds: int | None = None) -> Robot:
    """Return a robot of ``level`` for the game with key ``game``, which searches in at most ``worlds`` worlds.

    A game without a policy gets robots that search with random rollouts. A robot of a game of another package has the
    time limit of a move, and raises ``GameFailed`` if it exceeds it or chooses an illegal action, or here if its policy
    does not take a view and a random generator. Raises ``ValueError`` if the level or the game is unknown.
    """
    if game not in GAMES:
        raise ValueError(format_unknown_game(game))
    robot = _make_unlimited_robot(level, game, worlds)
    return robot if game in KEYS else _LimitedRobot(robot, level, game)


class _LimitedRobot:
    """Robot of a game of another package."""

    def __init__(self, robot: Robot, level: str, game: str) -> None:
        self._robot, self._level = robot, level
        self._choose = limit_time(game, self._choose_legal)

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        return self._choose(view, rng, add_deadline(stop))

    def _choose_legal(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        action = self._robot.choose(view, rng, stop)
        if action not in view.legal:
            raise GameFault(f"its {self._level} robot chooses an action that is not legal")
        return action


def _make_unlimited_robot(level: str, game: str, worlds: int | None) -> Robot:
    if level == "random":
        return RandomRobot()
    if level not in LEVELS:
        raise ValueError(format_unknown_name("level", level, LEVELS))
    if level == "expert":
        return _add_endgame(game, MonteCarloSearch(load_search_spec(game, worlds)))
    policy = import_submodule(game, "policy")
    if policy is None:
        spec = _make_generic_search_spec(game, level)
        searcher = MonteCarloSearch(spec if worlds is None else limit_worlds(spec, worlds))
        return _BlunderingRobot(searcher) if level == "novice" else searcher
    if level == "novice":
        return PolicyRobot(_check_policy(game, policy.novice))
    return _add_endgame(game, PolicyRobot(_check_policy(game, policy.steady)))


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


def load_search_spec(game: str, worlds: int | None = None) -> AnySearchSpec:
    """Return the search specification of the expert for the game with key ``game``, for at most ``worlds`` worlds.

    If the game has no expert, the specification is generic, with the steady policy in the rollouts if the game has one,
    and random play otherwise.
    """
    spec = _load_whole_search_spec(game)
    return spec if worlds is None else limit_worlds(spec, worlds)


def _load_whole_search_spec(game: str) -> AnySearchSpec:
    if expert := import_submodule(game, "expert"):
        spec: AnySearchSpec = guard_part(game, "SEARCH_SPEC", expert.SEARCH_SPEC, SearchSpec)
        return spec
    return _make_generic_search_spec(game, "expert")


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
        location = f" in {Path(code.co_filename).name}, line {code.co_firstlineno}," if code else ""
        raise GameFault(
            f"{code.co_name if code else 'a policy'}({', '.join(parameters.parameters)}){location} has to take a view "
            "and a random generator"
        ) from None


def make_generator(seed: int, seat: Seat, decisions: int) -> Random:
    """Return the random generator of a robot for one decision.

    It is seeded with the seed of the session, the seat, and the number of decisions that the session has had so far.
    """
    return Random(f"robot {seed} {seat} {decisions}")


def no_time_limit() -> bool:
    """Return False, as the ``stop`` of a robot that may take as long as it needs."""
    return False


CHOICE_SECONDS: Final = 2.0
"""Processor time after which a robot has to return the best action found so far."""


def add_deadline(stop: Callable[[], bool]) -> Callable[[], bool]:
    """Return a function that returns True once ``stop()`` does, or this thread has worked for ``CHOICE_SECONDS``."""
    end = thread_time() + CHOICE_SECONDS
    return lambda: thread_time() >= end or stop()


def decide(robot: Robot, view: View, seed: int, decisions: int, stop: Callable[[], bool] = no_time_limit) -> Action:
    """Return the action of a robot in a session; a single legal action is returned without asking the robot.

    ``seed`` and ``decisions`` are the arguments of ``make_generator``.
    """
    if len(view.legal) == 1:
        return view.legal[0]
    return robot.choose(view, make_generator(seed, view.seat, decisions), stop)


_RARE_ACTION_WEIGHT: Final = 0.02
"""Relative weight, in random play, of an action that ends a round early; other kinds of action have weight 1."""


class RandomRobot:
    """Robot that draws the kind of action first, and then an action of this kind.

    In this way a large number of playable cards does not crowd out other kinds of action.
    """

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Return a random legal action."""
        kinds: dict[str, list[Action]] = {}
        for action in view.legal:
            kinds.setdefault(action.kind, []).append(action)
        (kind,) = rng.choices(
            list(kinds), [_RARE_ACTION_WEIGHT if alike[0].rare_in_random_play else 1.0 for alike in kinds.values()]
        )
        return rng.choice(kinds[kind])


class PolicyRobot(msgspec.Struct, frozen=True):
    """Robot that follows a policy, a function from a view and a random generator to an action."""

    policy: Policy

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:  # noqa: ARG002 - never long
        """Return the action of the policy."""
        return self.policy(view, rng)


_BLUNDER_PROBABILITY: Final = 0.2
"""Probability that a generic novice plays at random."""


class _BlunderingRobot(msgspec.Struct, frozen=True):
    """Robot that searches, but sometimes plays at random."""

    searcher: MonteCarloSearch

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        return (RandomRobot() if rng.random() < _BLUNDER_PROBABILITY else self.searcher).choose(view, rng, stop)


_WORLDS: Final = {"novice": 4, "steady": 16, "expert": 128}
"""Maximum number of worlds per decision, by level."""
_EVENT_COST: Final = 8
"""Cost of applying an event; each legal action that was listed before it adds 1."""
_COST_PER_WORLD: Final = 5_000
"""Cost of the rollouts of a decision, for each world of the level: about 2.5 ms in trick-taking games."""
_SPREAD_ROLLOUTS: Final = 8
"""Number of rollouts whose spread is the exploration constant of the trees."""
_MAX_EVENTS: Final = 2_000
"""Number of events after which a rollout is cut off; all seats then score 0."""


def _choose_at_random(state: State[View], rng: Random) -> Action:
    """Return a random legal action; an action that ends the round early is chosen with a low probability."""
    legal = state.legal()
    action = legal[int(rng.random() * len(legal))]
    return rng.choice(legal) if action.rare_in_random_play and rng.random() > _RARE_ACTION_WEIGHT else action


def _make_generic_search_spec(key: str, level: str) -> AnySearchSpec:
    """Return the search specification of a level for a game without an expert.

    In rollouts all seats choose by the steady policy of the game if it has one, and otherwise at random. Without a
    policy the expert grows trees, so that the choices after a candidate are not random. One rollout is played in
    advance to determine how many the budget allows. In it all that the game returns is checked; the others use the
    rules directly, as checks take several times as long as rules.
    """
    game: AnyGame = import_rules(key).GAME
    policy = import_submodule(key, "policy")
    choose = make_policy_chooser(_check_policy(key, policy.steady)) if policy else _choose_at_random

    def run_rollout(state: State[View], luck: float) -> Sequence[float]:
        rng = Random(luck)
        for _ in range(_MAX_EVENTS):
            if not state.playing:
                assert state.score is not None
                return [(-points if game.lowest_wins else points) for points in state.score.points]
            state.apply(state.draw_chance(rng) if state.turn == CHANCE else choose(state, rng))
        return [0.0] * len(state.totals)

    def compute_budget(view: View, rng: Random) -> int:
        world, cost = GAMES[key].imagine(view, rng), 0
        for _ in range(_MAX_EVENTS):
            if not world.playing:
                break
            cost += _EVENT_COST + (len(world.legal()) if world.turn != CHANCE else 0)
            world.apply(world.draw_chance(rng) if world.turn == CHANCE else choose(world, rng))
        return _COST_PER_WORLD * _WORLDS[level] // max(cost, 1)

    def configure_tree(view: View) -> TreeSearchConfig:
        rng = Random(0)
        leads = [value(view, run_rollout(game.imagine(view, rng), rng.random())) for _ in range(_SPREAD_ROLLOUTS)]
        return TreeSearchConfig(world_factor=1, exploration=stdev(leads))

    value = make_side_lead(game)
    return SearchSpec(
        make_sampler(limit_time(key, game.imagine)),
        make_rollout_chooser(limit_time(key, run_rollout)),
        _WORLDS[level],
        value=value,
        budget=limit_time(key, compute_budget),
        tree_config=limit_time(key, configure_tree) if level == "expert" and not policy else no_tree,
    )


def make_policy_chooser(policy: Callable[[V, Random], Action]) -> Callable[[State[V], Random], Action]:
    """Return the function that chooses by a policy for the seat to act in a state."""
    return lambda state, rng: policy(state.view(state.turn), rng)
