"""The process in which robots think.

Here, where a person waits, a robot stops thinking after ``LONGEST`` seconds.  That is a safety net:
what it would decide is counted in worlds, and on an idle machine done in a small part of that time.
"""

from collections.abc import Callable, Generator
from functools import cache
from time import monotonic
from typing import Final

from cardtable.engine.game import Action, View
from cardtable.robots.hints import Advice, advise
from cardtable.robots.kit.hint_spec import ANOTHER, YOURSELF
from cardtable.robots.kit.robot import Robot, decide, generator, make
from cardtable.workers.server import WorkerRequest, serve

GIVES_WAY: Final = 5
"""By how much its priority is lower than that of the process that answers keys."""
LONGEST: Final = 2.0
"""Seconds after which a robot does the best it has found so far."""
LONGEST_ADVICE: Final = 0.7
"""The same for advice, which is given within a second."""


class ChooseRequest(WorkerRequest[str], frozen=True):
    """What a robot is to decide."""

    game: str
    level: str
    view: View
    seed: int
    """The session's."""
    decisions: int
    """How many decisions stand in the session so far."""


class HintRequest(WorkerRequest[Advice], frozen=True):
    """What a person wants advice on."""

    game: str
    view: View
    seed: int
    """The session's."""
    decisions: int
    """How many decisions stand in the session so far."""
    also: Action | None = None
    """What is to be judged in any case."""
    to_another: bool = False
    """Whether somebody else asks than who is to act."""


def answers(request: ChooseRequest | HintRequest) -> Generator[str | Advice, None, None]:
    """The text of the action that a robot chooses, or advice."""
    yield advised(request) if isinstance(request, HintRequest) else str(chosen(request))


def chosen(request: ChooseRequest) -> Action:
    """What the robot does, thought over in this process."""
    robot = _robot(request.level, request.game)
    return decide(robot, request.view, request.seed, request.decisions, _after(LONGEST))


def advised(question: HintRequest) -> Advice:
    """What the expert would do with the numbers that it would draw in this place, thought over in this process."""
    rng = generator(question.seed, question.view.seat, question.decisions)
    person = ANOTHER if question.to_another else YOURSELF
    return advise(question.game, question.view, rng, _after(LONGEST_ADVICE), question.also, person)


def _after(seconds: float) -> Callable[[], bool]:
    """Tells from now on whether the time is over."""
    end = monotonic() + seconds
    return lambda: monotonic() >= end


@cache
def _robot(level: str, game: str) -> Robot:
    return make(level, game)


def main() -> None:
    """Serve the program that started this process."""
    serve(answers, GIVES_WAY)
