"""Who does the work of robots for which nobody waits at a table: this process, others of this machine, or a cluster.

All three are a ``concurrent.futures.Executor``; what comes of the work is the same.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Final, NamedTuple, ParamSpec, TypeVar

from cardtable.robots.kit.file_robots import sent

P = ParamSpec("P")
T = TypeVar("T")


class ExecutorPool(NamedTuple):
    """Who works."""

    executor: Executor
    most: Callable[[], int]
    """How many pieces of work it is given at a time: one for each worker, and the next one."""


class _Here(Executor):
    """This process, at once."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        done = Future[T]()
        done.set_result(fn(*args, **kwargs))
        return done


ALONE: Final = ExecutorPool(_Here(), lambda: 1)


@contextmanager
def opened(game: str, workers: int, cluster: str | None, robots: Iterable[str] = ()) -> Iterator[ExecutorPool]:
    """So many processes, or the cluster of the scheduler at an address, for work of these robots on the game of a key.

    What is under way at the end is given up.  Raises ``CardtableError`` where there is no such cluster; where it is
    lost on the way, too.
    """
    if cluster is not None:
        from cardtable.robots import dask_cluster as dask  # noqa: PLC0415 - takes a library, and a second

        with dask.connected(cluster, game, sent(robots)) as (executor, threads):
            yield ExecutorPool(executor, lambda: 2 * max(threads(), 1))  # what is there waits for the next worker
    elif workers == 1:
        yield ALONE
    else:
        from cardtable.robots.process_executor import Processes  # noqa: PLC0415 - who works alone does without

        with Processes(workers) as executor:
            yield ExecutorPool(executor, lambda: 2 * workers)
