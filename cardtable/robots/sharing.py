"""Work of robots in portions, shared out among whoever works."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from cardtable.games import blamed
from cardtable.robots.pools import Pool

T = TypeVar("T")

_HEARS: Final = 1.0
"""Seconds after which Ctrl+C is heard at the latest, where the system does not break off waiting."""


class Portion(Protocol[T]):
    """What one process does at a time, without any other; it can be sent to another machine."""

    def play(self) -> "Stretch[T]":
        """Do some of it."""


class Stretch(NamedTuple, Generic[T]):
    """What has come of a portion so far."""

    came: Sequence[T]
    rest: Portion[T] | None
    """What is left to do."""


def shared(portions: Iterable[Portion[T]], pool: Pool) -> Iterator[T]:
    """What comes of portions, in whatever order they are done.

    Raises ``CardtableError`` where a game fails, ``ChildProcessError`` where a process of this machine dies.
    """
    coming, under_way = iter(portions), set[Future[Stretch[T]]]()
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


def _played(portion: Portion[T]) -> Stretch[T]:
    """Some of it.  Raises ``GameFailed`` where a package is to blame."""
    try:
        return portion.play()
    except Exception as error:
        raise blamed(error) or error from None
