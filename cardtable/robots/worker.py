"""Worker process in which robots choose actions and hints are computed.

A robot is stopped after ``MAX_CHOICE_SECONDS`` seconds, as a player is waiting. This is only a safety net: search
budgets are counted in worlds, and on an idle machine a decision takes a small part of this time.
"""

from collections.abc import Callable, Generator
from functools import cache
from time import monotonic
from typing import Final

from cardtable.engine.game import Action, View
from cardtable.games import KEYS
from cardtable.robots.hints import Advice, advise
from cardtable.robots.kit.hint_spec import ANOTHER, YOURSELF
from cardtable.robots.kit.robot import Robot, decide, make_generator, make_robot
from cardtable.workers.server import WorkerRequest, serve
from cardtable.workers.time_limit import TimeLimit

NICENESS: Final = 5
"""Increment of the nice value of the process, which gives the user interface priority over it."""
MAX_CHOICE_SECONDS: Final = 2.0
"""Seconds after which a robot has to return the best action found so far."""
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


def answer_request(request: ChooseRequest | HintRequest) -> Generator[str | Advice, None, None]:
    """Yield the single answer to a request: the text of the chosen action, or the hint.

    Raises ``TimeLimitExceeded`` if a game of another package gives none.
    """
    yield _compute_answer(request) if request.game in KEYS else TimeLimit().call(_compute_answer, request)


def _compute_answer(request: ChooseRequest | HintRequest) -> str | Advice:
    return compute_hint(request) if isinstance(request, HintRequest) else str(choose(request))


def choose(request: ChooseRequest) -> Action:
    """Return the action of the robot, computed in this process."""
    robot = _get_robot(request.level, request.game)
    return decide(robot, request.view, request.seed, request.decisions, _make_deadline(MAX_CHOICE_SECONDS))


def compute_hint(request: HintRequest) -> Advice:
    """Return the hint, computed in this process with the random generator that a robot would use for this decision."""
    rng = make_generator(request.seed, request.view.seat, request.decisions)
    person = ANOTHER if request.for_other_player else YOURSELF
    return advise(request.game, request.view, rng, _make_deadline(MAX_HINT_SECONDS), request.extra_action, person)


def _make_deadline(seconds: float) -> Callable[[], bool]:
    """Return a function that returns True once ``seconds`` have passed from now."""
    end = monotonic() + seconds
    return lambda: monotonic() >= end


@cache
def _get_robot(level: str, game: str) -> Robot:
    return make_robot(level, game)


def main() -> None:
    serve(answer_request, NICENESS)
