"""Division of a match into work items for several processes; the results do not depend on the division."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from time import monotonic
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from cardtable.engine.journal import Line
from cardtable.games import find_plugin_failure
from cardtable.robots.arena import DealResult, Match, play_deals
from cardtable.robots.executors import INLINE_POOL, ExecutorPool

T = TypeVar("T")

_WAIT_SECONDS: Final = 1.0
"""Timeout of a wait for results, in seconds.

On systems that do not interrupt a wait, Ctrl+C takes effect after at most this time.
"""


class WorkItem(Protocol[T]):
    """Piece of work for one process, which can be pickled and does not depend on other pieces."""

    def play(self) -> "WorkChunk[T]":
        """Do a part of the work, and return its results with the work that remains."""


class WorkChunk(NamedTuple, Generic[T]):
    """Results of a part of a work item."""

    results: Sequence[T]
    remaining_item: WorkItem[T] | None
    """Remaining work; ``None`` if the item is finished."""


def run_items(work_items: Iterable[WorkItem[T]], pool: ExecutorPool) -> Iterator[T]:
    """Run the work items in ``pool``, and yield their results as they arrive, in any order.

    Raises ``CardtableError`` if a game fails, and ``ChildProcessError`` if a child process dies.
    """
    items, pending = iter(work_items), set[Future[WorkChunk[T]]]()
    while True:
        pending |= {
            pool.executor.submit(_play_item, each) for each in islice(items, max(0, pool.capacity() - len(pending)))
        }
        if not pending:
            return
        ready, pending = wait(pending, _WAIT_SECONDS, FIRST_COMPLETED)
        for each in sorted(ready, key=lambda future: future.exception() is not None):  # results before an error
            came, rest = each.result()
            if rest is not None:
                pending.add(pool.executor.submit(_play_item, rest))
            yield from came


def _play_item(item: WorkItem[T]) -> WorkChunk[T]:
    """Do a part of the work of an item.

    Raises ``GameFailed`` if the code of a plug-in caused an exception; it has the text of the exception, since only
    robots play.
    """
    try:
        return item.play()
    except Exception as error:
        raise find_plugin_failure(error, with_text=True) or error from None


CHUNK_SECONDS: Final = 0.5
"""Seconds after which a work item returns the results it has so far."""


class _MatchItem(msgspec.Struct, frozen=True):
    """Work item that plays the deals of some sessions of a match."""

    match: Match
    sessions: range
    lines: tuple[list[Line], ...] = ()
    """Journal lines of the first session in each seating; empty if the session has not begun."""

    def play(self) -> WorkChunk[DealResult]:
        """Play deals for about ``CHUNK_SECONDS`` seconds."""
        came: list[DealResult] = []
        until, lines = monotonic() + CHUNK_SECONDS, self.lines
        for session in self.sessions:
            lines = lines or tuple([[] for _ in self.match.list_seatings()])
            for outcome in play_deals(self.match, session, lines):
                came.append(outcome)
                if monotonic() >= until:
                    return WorkChunk(came, self._make_remaining_item(outcome, lines))
            lines = ()
        return WorkChunk(came, None)

    def _make_remaining_item(self, outcome: DealResult, lines: tuple[list[Line], ...]) -> "_MatchItem | None":
        """Return the work that remains after the deal of ``outcome``.

        ``None`` if it was the last deal of the item or the match.
        """
        session, begun = divmod(outcome.number + 1, self.match.rounds)
        left = range(session, self.sessions.stop)
        if not left or outcome.number + 1 == self.match.deals:
            return None
        return replace(self, sessions=left, lines=lines if begun else ())


def play_match(match: Match, pool: ExecutorPool = INLINE_POOL) -> Iterator[DealResult]:
    """Play a match, and yield the results of the deals as they arrive; with several workers in any order."""
    return run_items(_split_match(match, pool), pool)


def _split_match(match: Match, pool: ExecutorPool) -> Iterator[_MatchItem]:
    """Yield work items for all sessions.

    Large ones first, to send few of them, and small ones last, so that all workers finish at about the same time.
    """
    first = 0
    while first < match.sessions:
        many = max(1, (match.sessions - first) // (2 * pool.capacity()))
        yield _MatchItem(match, range(first, first + many))
        first += many
