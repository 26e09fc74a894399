"""Executors for matches of robots, which run in this process, in other processes of this machine, or on a Dask cluster.

All three have the interface of ``concurrent.futures.Executor``, and give the same results. ``run_items`` runs work
items, which do a part of their work at a time, in one of them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from typing import Final, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from cardtable.games import find_plugin_failure
from cardtable.robots.kit.file_robots import read_bundles

P = ParamSpec("P")
T = TypeVar("T")
_WAIT_SECONDS: Final = 1.0
"""Timeout of a wait for results, in seconds.

On systems that do not interrupt a wait, Ctrl+C takes effect after at most this time.
"""


class ExecutorPool(NamedTuple):
    """Executor with its current capacity."""

    executor: Executor
    capacity: Callable[[], int]
    """Return the number of work items to submit at a time.

    With several workers there are two for each, so that no worker has to wait for the next item.
    """


class _InlineExecutor(Executor):
    """Executor that runs each call immediately, in this process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        done = Future[T]()
        done.set_result(fn(*args, **kwargs))
        return done


INLINE_POOL: Final = ExecutorPool(_InlineExecutor(), lambda: 1)


@contextmanager
def open_pool(game: str, workers: int, cluster: str | None, robots: Iterable[str] = ()) -> Iterator[ExecutorPool]:
    """Yield a pool for work on a game with ``robots``, and cancel unfinished work at the end.

    The pool is the cluster at the address ``cluster`` if there is one, this process if ``workers`` is 1, and
    ``workers`` child processes otherwise. Raises ``CardtableError`` if the cluster cannot be reached or is lost.
    """
    if cluster is not None:
        from cardtable.robots import dask_cluster as dask  # noqa: PLC0415 - lazy: optional

        with dask.open_cluster(cluster, game, read_bundles(robots)) as (executor, threads):
            yield ExecutorPool(executor, lambda: 2 * max(threads(), 1))  # one work item waits for each worker
    elif workers == 1:
        yield INLINE_POOL
    else:
        from cardtable.robots.process_executor import ProcessExecutor  # noqa: PLC0415 - lazy: startup

        with ProcessExecutor(workers) as executor:
            yield ExecutorPool(executor, lambda: 2 * workers)


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
            pool.executor.submit(_play_item, item) for item in islice(items, max(0, pool.capacity() - len(pending)))
        }
        if not pending:
            return
        ready, pending = wait(pending, _WAIT_SECONDS, FIRST_COMPLETED)
        for future in sorted(ready, key=lambda future: future.exception() is not None):  # results before an error
            chunk = future.result()
            if chunk.remaining_item is not None:
                pending.add(pool.executor.submit(_play_item, chunk.remaining_item))
            yield from chunk.results


def _play_item(item: WorkItem[T]) -> WorkChunk[T]:
    """Do a part of the work of an item.

    Raises ``GameFailed`` if the code of a plug-in caused an exception; it has the text of the exception, since only
    robots play.
    """
    try:
        return item.play()
    except Exception as error:
        raise find_plugin_failure(error, with_text=True) or error from None
