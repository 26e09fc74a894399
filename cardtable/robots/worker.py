"""Worker process in which robots choose actions and hints are computed.

A robot has to choose within ``CHOICE_SECONDS`` of processor time, as a player is waiting. This is only a safety net:
search budgets are counted in worlds, and a decision takes a small part of this time.
"""

from collections.abc import Generator, Sequence
from functools import cache
from time import monotonic
from typing import Final

from cardtable.engine.game import Action, View
from cardtable.engine.presentation import SEAT_NAMES
from cardtable.games import KEYS
from cardtable.robots.hints import Advice, advise
from cardtable.robots.kit.hint_spec import ANOTHER, YOURSELF
from cardtable.robots.kit.robot import (
    Robot,
    add_deadline,
    decide,
    load_search_spec,
    make_generator,
    make_robot,
    no_time_limit,
)
from cardtable.robots.kit.search import measure_worlds
from cardtable.workers.server import WorkerRequest, serve
from cardtable.workers.time_limit import TimeLimit

NICENESS: Final = 5
"""Increment of the nice value of the process, which gives the user interface priority over it."""
MAX_HINT_SECONDS: Final = 0.7
"""Seconds after which the search for a hint is stopped; hints have to appear within one second."""


class ChooseRequest(WorkerRequest[str], frozen=True):
    """Request for the action of a robot, which is answered by the text of the action."""

    game: str
    level: str
    view: View
    seed: int
    """Seed of the session."""
    decisions: int
    """Number of decisions in the session so far, by all seats."""

    worlds: int | None = None
    """Number of worlds in which the robot may search at most; ``None`` if it is not limited."""


class MeasureRequest(WorkerRequest[int], frozen=True):
    """Request for the number of worlds in which robots of a session may search, measured at a first decision."""

    game: str
    view: View
    seed: int
    """Seed of the session."""


class HintRequest(WorkerRequest[Advice], frozen=True):
    """Request for a hint to the seat of ``view``, which is to act."""

    game: str
    view: View
    seed: int
    """Seed of the session."""
    decisions: int
    """Number of decisions in the session so far, by all seats."""
    extra_action: Action | None = None
    """Action that the hint has to cover in any case; ``None`` if there is none."""
    for_other_player: bool = False
    """True if the reader of the hint is not the player to act."""
    worlds: int | None = None
    """Number of worlds in which the expert may search at most; ``None`` if it is not limited."""
    names: Sequence[str] = SEAT_NAMES
    """Names of the players by seat, for choices that name one."""


def answer_request(
    request: ChooseRequest | MeasureRequest | HintRequest,
) -> Generator[str | int | Advice, None, None]:
    """Yield the single answer to a request: the text of the chosen action, the number of worlds, or the hint.

    Raises ``TimeLimitExceeded`` if a game of another package gives none.
    """
    yield _compute_answer(request) if request.game in KEYS else TimeLimit().call(_compute_answer, request)


def _compute_answer(request: ChooseRequest | MeasureRequest | HintRequest) -> str | int | Advice:
    match request:
        case ChooseRequest():
            return str(choose(request))
        case MeasureRequest(game=game, view=view, seed=seed):
            return measure_worlds(load_search_spec(game), view, make_generator(seed, view.seat, 0))
        case HintRequest():
            return compute_hint(request)


def choose(request: ChooseRequest) -> Action:
    """Return the action of the robot, computed in this process."""
    robot = _get_robot(request.level, request.game, request.worlds)
    return decide(robot, request.view, request.seed, request.decisions, add_deadline(no_time_limit))


def compute_hint(request: HintRequest) -> Advice:
    """Return the hint, computed in this process with the random generator that a robot would use for this decision."""
    rng = make_generator(request.seed, request.view.seat, request.decisions)
    person = (ANOTHER if request.for_other_player else YOURSELF)._replace(names=request.names)
    end = monotonic() + MAX_HINT_SECONDS
    return advise(
        request.game, request.view, rng, lambda: monotonic() >= end, request.extra_action, person, request.worlds
    )


@cache
def _get_robot(level: str, game: str, worlds: int | None) -> Robot:
    return make_robot(level, game, worlds)


def main() -> None:
    serve(answer_request, NICENESS)
