"""Division of a match into work items for several processes; the result does not depend on the division."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from itertools import islice
from time import monotonic
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from cardtable.engine.journal import Line
from cardtable.games import plugin_failure_of
from cardtable.robots.arena import DealResult, Match, play
from cardtable.robots.executors import INLINE_POOL, ExecutorPool

T = TypeVar("T")

_WAIT: Final = 1.0
"""Seconds until Ctrl+C takes effect at the latest, on systems that do not interrupt waiting."""


class WorkItem(Protocol[T]):
    """Work for one process, independent of all other work; can be pickled."""

    def play(self) -> "WorkChunk[T]":
        """Do part of the work."""


class WorkChunk(NamedTuple, Generic[T]):
    """Results of a work item so far."""

    came: Sequence[T]
    rest: WorkItem[T] | None
    """Remaining work; ``None`` if the item is done."""


def run_items(portions: Iterable[WorkItem[T]], pool: ExecutorPool) -> Iterator[T]:
    """Yield the results of work items, in any order.

    Raises ``CardtableError`` if a game fails, ``ChildProcessError`` if a process of this machine dies.
    """
    items, pending = iter(portions), set[Future[WorkChunk[T]]]()
    while True:
        pending |= {
            pool.executor.submit(_play_item, each) for each in islice(items, max(0, pool.most() - len(pending)))
        }
        if not pending:
            return
        ready, pending = wait(pending, _WAIT, FIRST_COMPLETED)
        for each in ready:
            came, rest = each.result()
            if rest is not None:
                pending.add(pool.executor.submit(_play_item, rest))
            yield from came


def _play_item(portion: WorkItem[T]) -> WorkChunk[T]:
    """Do part of the work; raises ``GameFailed`` if a game's package is to blame for an exception."""
    try:
        return portion.play()
    except Exception as error:
        raise plugin_failure_of(error) or error from None


SECONDS: Final = 0.5
"""Seconds after which a work item returns the deals played so far."""


@dataclass(frozen=True, slots=True)
class _MatchItem:
    """Work item: the deals of some sessions of a match."""

    match: Match
    sessions: range
    lines: tuple[list[Line], ...] = ()
    """Journal lines of the first session in each seating, if it has begun; else empty."""

    def play(self) -> WorkChunk[DealResult]:
        """Play deals until the time limit."""
        came: list[DealResult] = []
        until, lines = monotonic() + SECONDS, self.lines
        for session in self.sessions:
            lines = lines or tuple([[] for _ in self.match.seatings()])
            for outcome in play(self.match, session, lines):
                came.append(outcome)
                if monotonic() >= until:
                    return WorkChunk(came, self._after(outcome, lines))
            lines = ()
        return WorkChunk(came, None)

    def _after(self, outcome: DealResult, lines: tuple[list[Line], ...]) -> "_MatchItem | None":
        """Return the remaining work after a deal."""
        session, begun = divmod(outcome.number + 1, self.match.rounds)
        left = range(session, self.sessions.stop)
        if not left or outcome.number + 1 == self.match.deals:
            return None
        return replace(self, sessions=left, lines=lines if begun else ())


def play_match(match: Match, pool: ExecutorPool = INLINE_POOL) -> Iterator[DealResult]:
    """Yield the results of the deals as they arrive, in any order if several processes play."""
    return run_items(_split(match, pool), pool)


def _split(match: Match, pool: ExecutorPool) -> Iterator[_MatchItem]:
    """Yield large items first, to send little, and small items last, so that all workers end together."""
    first = 0
    while first < match.sessions:
        many = max(1, (match.sessions - first) // (2 * pool.most()))
        yield _MatchItem(match, range(first, first + many))
        first += many
