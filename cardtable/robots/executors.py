"""Executors for the robots' background work: this process, other processes of this machine, or a Dask cluster.

All three are a ``concurrent.futures.Executor``, and the results are the same.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Final, NamedTuple, ParamSpec, TypeVar

from cardtable.robots.kit.file_robots import bundles_of

P = ParamSpec("P")
T = TypeVar("T")


class ExecutorPool(NamedTuple):
    """Executor with its capacity."""

    executor: Executor
    most: Callable[[], int]
    """Function that returns the number of work items to submit at a time: one for each worker, and one waiting."""


class _InlineExecutor(Executor):
    """Executor that runs each call at once, in this process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        done = Future[T]()
        done.set_result(fn(*args, **kwargs))
        return done


INLINE_POOL: Final = ExecutorPool(_InlineExecutor(), lambda: 1)


@contextmanager
def open_pool(game: str, workers: int, cluster: str | None, robots: Iterable[str] = ()) -> Iterator[ExecutorPool]:
    """Yield a pool of ``workers`` processes, or of the cluster at an address, for work of ``robots`` on a game.

    Unfinished work is cancelled at the end. Raises ``CardtableError`` if the cluster cannot be reached or is lost.
    """
    if cluster is not None:
        from cardtable.robots import dask_cluster as dask  # noqa: PLC0415 - lazy: optional

        with dask.connected(cluster, game, bundles_of(robots)) as (executor, threads):
            yield ExecutorPool(executor, lambda: 2 * max(threads(), 1))  # one work item waits for each worker
    elif workers == 1:
        yield INLINE_POOL
    else:
        from cardtable.robots.process_executor import Processes  # noqa: PLC0415 - lazy: startup

        with Processes(workers) as executor:
            yield ExecutorPool(executor, lambda: 2 * workers)
