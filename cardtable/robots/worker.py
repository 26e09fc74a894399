"""The process in which robots think: ``python -m cardtable.robots.worker``.

It reads requests from its standard input and writes answers to its standard output, both
with their length before them, and ends at the end of its input: when its parent closes the
pipe, or dies.

Here, where a person waits, a robot stops thinking after ``LONGEST`` seconds.  That is a safety net:
what it would decide is counted in worlds, and on an idle machine done in a small part of that time.
"""

import pickle
import signal
import struct
import sys
from collections.abc import Callable
from functools import cache
from time import monotonic
from typing import BinaryIO, Final, NamedTuple

from cardtable.engine.contract import View
from cardtable.robots.robot import Robot, decide, make

_HEAD: Final = struct.Struct(">I")
HEAD_BYTES: Final = _HEAD.size
"""Bytes before each request and answer, which hold its length."""
LONGEST: Final = 2.0
"""Seconds after which a robot does the best it has found so far."""
_CHOICE, _TROUBLE = b"+", b"-"


class Request(NamedTuple):
    """What a robot is to decide."""

    game: str
    level: str
    view: View
    seed: int
    """The session's."""
    decisions: int
    """How many decisions stand in the session so far."""


class NoAnswer(RuntimeError):
    """The worker could not choose."""


def pack(request: Request) -> bytes:
    """A request as the worker reads it."""
    return _framed(pickle.dumps(tuple(request)))


def length(head: bytes) -> int:
    """The length of an answer from the ``HEAD_BYTES`` before it."""
    size: int = _HEAD.unpack(head)[0]
    return size


def answer(body: bytes) -> str:
    """The text of the action that was chosen.  Raises ``NoAnswer``."""
    text = body[1:].decode()
    if body[:1] != _CHOICE:
        raise NoAnswer(text)
    return text


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answer requests until there are no more."""
    while len(head := requests.read(HEAD_BYTES)) == HEAD_BYTES:
        body = requests.read(length(head))
        if len(body) < length(head):
            return
        answers.write(_framed(_reply(body)))
        answers.flush()


def _reply(body: bytes) -> bytes:
    """The answer to a request; to one that cannot be read or decided it says why."""
    try:
        game, level, view, seed, decisions = pickle.loads(body)  # noqa: S301 - from the program that started this one
        choice = decide(_robot(level, game), view, seed, decisions, _late())
    except Exception as error:
        return _TROUBLE + f"{type(error).__name__}: {error}".encode(errors="replace")
    return _CHOICE + str(choice).encode()


def _late() -> Callable[[], bool]:
    """Tells from now on whether the time for a decision is over."""
    end = monotonic() + LONGEST
    return lambda: monotonic() >= end


@cache
def _robot(level: str, game: str) -> Robot:
    return make(level, game)


def _framed(body: bytes) -> bytes:
    return _HEAD.pack(len(body)) + body


def main() -> None:
    """Serve the program that started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in the terminal is meant for the parent
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        sys.stdout = None  # nobody reads; nothing is left to flush at the end


if __name__ == "__main__":
    main()
