"""Executors for matches of robots, which run in this process, in other processes of this machine, or on a Dask cluster.

All three have the interface of ``concurrent.futures.Executor``, and give the same results.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Final, NamedTuple, ParamSpec, TypeVar

from cardtable.robots.kit.file_robots import read_bundles

P = ParamSpec("P")
T = TypeVar("T")


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
