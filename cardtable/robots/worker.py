"""Worker process in which robots choose and hints are computed.

A robot stops after ``LONGEST`` seconds, since a player is waiting. The limit is only a safety net: budgets are counted
in worlds, and an idle machine needs a small part of this time.
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
"""Nice value added to the process, so that the process that answers keys goes first."""
LONGEST: Final = 2.0
"""Seconds after which a robot returns the best action found so far."""
LONGEST_ADVICE: Final = 0.7
"""Seconds after which a search for a hint stops; hints are promised within one second."""


class ChooseRequest(WorkerRequest[str], frozen=True):
    """Request for a robot's choice; the answer is the text of the action."""

    game: str
    level: str
    view: View
    seed: int
    """Seed of the session."""
    decisions: int
    """Number of decisions in the session so far."""


class HintRequest(WorkerRequest[Advice], frozen=True):
    """Request for a hint."""

    game: str
    view: View
    seed: int
    """Seed of the session."""
    decisions: int
    """Number of decisions in the session so far."""
    also: Action | None = None
    """Action that the hint covers in any case."""
    to_another: bool = False
    """True if the player who asks is not the player to act."""


def answer(request: ChooseRequest | HintRequest) -> Generator[str | Advice, None, None]:
    """Yield the answer: the text of the chosen action, or a hint."""
    yield advise_on(request) if isinstance(request, HintRequest) else str(choose(request))


def choose(request: ChooseRequest) -> Action:
    """Return the robot's choice, computed in this process."""
    robot = _robot(request.level, request.game)
    return decide(robot, request.view, request.seed, request.decisions, _after(LONGEST))


def advise_on(question: HintRequest) -> Advice:
    """Return the hint, computed in this process with the generator that a robot would have at this point."""
    rng = generator(question.seed, question.view.seat, question.decisions)
    person = ANOTHER if question.to_another else YOURSELF
    return advise(question.game, question.view, rng, _after(LONGEST_ADVICE), question.also, person)


def _after(seconds: float) -> Callable[[], bool]:
    """Return a function that is True once ``seconds`` have passed."""
    end = monotonic() + seconds
    return lambda: monotonic() >= end


@cache
def _robot(level: str, game: str) -> Robot:
    return make(level, game)


def main() -> None:
    serve(answer, GIVES_WAY)
