"""Times of the operations of a game of which searches consist, for authors of games."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from time import thread_time
from typing import Final, TypeVar

import msgspec

from cardtable.engine.game import OVER, AnyGame, State, View
from cardtable.engine.referee import Referee
from cardtable.games import GAMES, KEYS, limit_time
from cardtable.robots.kit.robot import RandomRobot, load_search_spec, no_time_limit
from cardtable.robots.kit.search import measure_worlds

T = TypeVar("T")
_SECONDS: Final = 0.02
"""Processor time for which an operation is repeated."""
_ROUNDS: Final = 8
"""Number of rounds of which the longest is measured; the first rounds of some games are short."""
_SEED: Final = 1


class GameTimes(msgspec.Struct, frozen=True):
    """Mean processor times in a round of random play, in microseconds, on this machine; negative if too small.

    All but ``rollout`` are those of the methods of ``State`` and ``Game`` with these names.
    """

    copy: float
    legal: float
    apply: float
    view: float
    imagine: float
    rollout: float
    """Time of a rollout of the expert, with its copy, from the first decision to the end of the round, or to a value
    function."""
    worlds: int
    """Number of worlds in which the expert searches at most; it is measured for a game of another package."""


def measure_times(key: str) -> GameTimes:
    """Measure the times of a game with its usual number of seats and its default options."""
    return limit_time(key, _measure_times)(key)


def _measure_times(key: str) -> GameTimes:
    game, rng = GAMES[key], Random(_SEED)
    positions = max(_play_rounds(game), key=len)
    views = [state.view(state.turn) for state in positions]
    spec, worlds = load_search_spec(key), [game.imagine(views[0], rng) for _ in range(10)]
    candidate, rollout = spec.candidates(views[0])[0], spec.rollouts(views[0])

    def play_out(world: State[View]) -> None:
        clone = world.copy()
        clone.apply(candidate)
        rollout(clone, rng.random())

    copy = _time(lambda state: state.copy(), positions)
    moves = [(state, state.legal()[0]) for state in positions]
    return GameTimes(
        copy=copy,
        legal=_time(lambda state: state.legal(), positions),
        apply=_time(lambda move: move[0].copy().apply(move[1]), moves) - copy,
        view=_time(lambda state: state.view(state.turn), positions),
        imagine=_time(lambda view: game.imagine(view, rng), views),
        rollout=_time(play_out, worlds),
        worlds=spec.worlds if key in KEYS else measure_worlds(spec, views[0], rng),
    )


def _play_rounds(game: AnyGame) -> Iterator[list[State[View]]]:
    """Yield the positions before each decision of each of the first rounds of a session, in random play."""
    options = game.options()
    referee = Referee(game, game.seats_for(options), options, _SEED)
    robot, rng = RandomRobot(), Random(_SEED)
    while referee.turn != OVER and referee.round < _ROUNDS:
        positions = []
        referee.advance()
        while referee.turn >= 0:
            positions.append(referee.state.copy())
            referee.play(referee.turn, robot.choose(referee.view(referee.turn), rng, no_time_limit))
        yield positions


def _time(operation: Callable[[T], object], subjects: Sequence[T]) -> float:
    """Return the mean time of an operation in microseconds."""
    start, calls, seconds = thread_time(), 0, 0.0
    while not calls or seconds < _SECONDS:
        for subject in subjects:
            operation(subject)
        calls, seconds = calls + len(subjects), thread_time() - start
    return 1e6 * seconds / calls
