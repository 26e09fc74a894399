"""The process in which robots think: ``python -m cardtable.robots.worker``.

It reads requests from its standard input and writes answers to its standard output, both
with their length before them, and ends at the end of its input: when its parent closes the
pipe, or dies.

Here, where a person waits, a robot stops thinking after ``LONGEST`` seconds.  That is a safety net:
what it would decide is counted in worlds, and on an idle machine done in a small part of that time.
"""

import pickle
import sys
from collections.abc import Callable
from functools import cache
from time import monotonic
from typing import BinaryIO, Final, NamedTuple

from cardtable.engine.contract import Action, View
from cardtable.robots.coach import Advice, advise
from cardtable.robots.kit.lesson import ANOTHER, YOURSELF
from cardtable.robots.kit.robot import Robot, decide, generator, make
from cardtable.robots.pipes import HEAD_BYTES, framed, give_way, length

GIVES_WAY: Final = 5
"""By how much its priority is lower than that of the process that answers keys."""
LONGEST: Final = 2.0
"""Seconds after which a robot does the best it has found so far."""
LONGEST_ADVICE: Final = 0.7
"""The same for advice, which is given within a second."""
_ANSWER, _TROUBLE = b"+", b"-"


class Request(NamedTuple):
    """What a robot is to decide."""

    game: str
    level: str
    view: View
    seed: int
    """The session's."""
    decisions: int
    """How many decisions stand in the session so far."""


class Question(NamedTuple):
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


class NoAnswer(RuntimeError):
    """The worker could not choose."""


def pack(request: Request | Question) -> bytes:
    """A request as the worker reads it."""
    return framed(pickle.dumps((isinstance(request, Question), tuple(request))))


def answer(body: bytes) -> str:
    """The text of the action that was chosen.  Raises ``NoAnswer``."""
    return _content(body).decode()


def advice(body: bytes) -> Advice:
    """The answer to a question.  Raises ``NoAnswer``."""
    given: Advice = pickle.loads(_content(body))  # noqa: S301 - from the program that this one started
    return given


def _content(body: bytes) -> bytes:
    if body[:1] != _ANSWER:
        raise NoAnswer(body[1:].decode())
    return body[1:]


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while len(head := requests.read(HEAD_BYTES)) == HEAD_BYTES:
        body = requests.read(length(head))
        if len(body) < length(head):
            return
        answers.write(framed(_reply(body)))
        answers.flush()


def _reply(body: bytes) -> bytes:
    """The answer to a request; to one that cannot be read or decided it says why."""
    try:
        wants_advice, asked = pickle.loads(body)  # noqa: S301 - from the program that started this one
        if wants_advice:
            return _ANSWER + pickle.dumps(advised(Question(*asked)))
        return _ANSWER + str(chosen(Request(*asked))).encode()
    except Exception as error:
        return _TROUBLE + f"{type(error).__name__}: {error}".encode(errors="replace")


def chosen(request: Request) -> Action:
    """What the robot does, thought over in this process."""
    robot = _robot(request.level, request.game)
    return decide(robot, request.view, request.seed, request.decisions, _after(LONGEST))


def advised(question: Question) -> Advice:
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
    give_way(GIVES_WAY)
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        sys.stdout = None  # nobody reads; nothing is left to flush at the end


if __name__ == "__main__":
    main()
