"""A match in portions; what comes of it does not depend on who plays them."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from cardtable.engine.journal import Line
from cardtable.games import blamed
from cardtable.robots.arena import DealResult, Match, play
from cardtable.robots.executors import ALONE, ExecutorPool

T = TypeVar("T")

_HEARS: Final = 1.0
"""Seconds after which Ctrl+C is heard at the latest, where the system does not break off waiting."""


class WorkItem(Protocol[T]):
    """What one process does at a time, without any other; it can be sent to another machine."""

    def play(self) -> "WorkChunk[T]":
        """Do some of it."""


class WorkChunk(NamedTuple, Generic[T]):
    """What has come of a portion so far."""

    came: Sequence[T]
    rest: WorkItem[T] | None
    """What is left to do."""


def shared(portions: Iterable[WorkItem[T]], pool: ExecutorPool) -> Iterator[T]:
    """What comes of portions, in whatever order they are done.

    Raises ``CardtableError`` where a game fails, ``ChildProcessError`` where a process of this machine dies.
    """
    coming, under_way = iter(portions), set[Future[WorkChunk[T]]]()
    while True:
        under_way |= {
            pool.executor.submit(_played, each) for each in islice(coming, max(0, pool.most() - len(under_way)))
        }
        if not under_way:
            return
        ready, under_way = wait(under_way, _HEARS, FIRST_COMPLETED)
        for each in ready:
            came, rest = each.result()
            if rest is not None:
                under_way.add(pool.executor.submit(_played, rest))
            yield from came


def _played(portion: WorkItem[T]) -> WorkChunk[T]:
    """Some of it.  Raises ``GameFailed`` where a package is to blame."""
    try:
        return portion.play()
    except Exception as error:
        raise blamed(error) or error from None


SECONDS: Final = 0.5
"""After so many, what has come is told with the next deal."""


@dataclass(frozen=True, slots=True)
class _Deals:
    """The deals of some sessions of a match."""

    match: Match
    sessions: range
    told: tuple[list[Line], ...] = ()
    """The lines of the first of them in each seating, if it has begun."""

    def play(self) -> WorkChunk[DealResult]:
        """The deals that are done when the time is up."""
        came: list[DealResult] = []
        until, told = monotonic() + SECONDS, self.told
        for session in self.sessions:
            told = told or tuple([[] for _ in self.match.seatings()])
            for outcome in play(self.match, session, told):
                came.append(outcome)
                if monotonic() >= until:
                    return WorkChunk(came, self._after(outcome, told))
            told = ()
        return WorkChunk(came, None)

    def _after(self, outcome: DealResult, told: tuple[list[Line], ...]) -> "_Deals | None":
        """What is left after a deal."""
        session, begun = divmod(outcome.number + 1, self.match.rounds)
        left = range(session, self.sessions.stop)
        if not left or outcome.number + 1 == self.match.deals:
            return None
        return replace(self, sessions=left, told=told if begun else ())


def played(match: Match, pool: ExecutorPool = ALONE) -> Iterator[DealResult]:
    """The outcomes as they come, in whatever order where several play."""
    return shared(_portions(match, pool), pool)


def _portions(match: Match, pool: ExecutorPool) -> Iterator[_Deals]:
    """Large ones first, so that little is sent; small ones last, so that all end together."""
    first = 0
    while first < match.sessions:
        many = max(1, (match.sessions - first) // (2 * pool.most()))
        yield _Deals(match, range(first, first + many))
        first += many
