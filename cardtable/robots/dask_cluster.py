"""Executor on a Dask cluster, which consists of a scheduler at an address and workers on any machines."""

import asyncio
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future
from contextlib import contextmanager
from functools import partial
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from logging import CRITICAL, NOTSET, disable
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple, ParamSpec, TypeVar

from cardtable import __version__
from cardtable.engine.errors import CardtableError
from cardtable.games import get_plugin_package, list_keys
from cardtable.installation import format_install_command
from cardtable.robots.kit.file_robots import FileBundle, unpack_bundles

try:
    from distributed import Client, KilledWorker, Security, get_worker
    from distributed.comm.addressing import parse_address, parse_host_port, unparse_address, unparse_host_port
    from distributed.comm.core import CommClosedError, connect
    from distributed.comm.registry import get_backend
except ImportError:
    raise CardtableError(f"a cluster needs Dask: {format_install_command('cluster')}") from None

P = ParamSpec("P")
T = TypeVar("T")

_VERSION: Final = f"cardtable {__version__}"
_PORT: Final = 8786
"""TCP port of a scheduler if its address has none."""
TIMEOUT: Final = 5.0
"""Seconds to wait for an answer of the scheduler."""
WORKERS_TIMEOUT: Final = 5.0
"""Seconds to wait for its first worker."""
_CACHE_SECONDS: Final = 2.0
"""Seconds for which the number of worker threads is cached."""


@contextmanager
def open_cluster(
    address: str, game: str, bundles: tuple[FileBundle, ...]
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """Connect to a cluster; yield an executor and a function that returns the current number of worker threads.

    ``bundles``: robot files to send to the workers. Raises ``CardtableError`` if the scheduler does not answer, has no
    worker or goes away, or if a worker lacks a version of a package that could change the results. Logging is disabled
    until the connection is closed.
    """
    disable(CRITICAL)  # errors of the library become one line of ``CardtableError``
    try:
        with _open_client(address) as client:
            try:
                yield _ClusterExecutor(client, game, bundles), _ThreadCounter(client)
            except ImportError:
                specs = client.run(find_spec, __name__, on_error="return")
                for worker, spec in specs.items():
                    if not isinstance(spec, ModuleSpec):
                        raise _make_missing_error(worker, _VERSION) from None
                raise
    except (CancelledError, CommClosedError):
        raise CardtableError(f"the scheduler at {address} has gone") from None
    except KilledWorker:
        raise CardtableError(f"a piece of the work has crashed several workers of {address}") from None
    finally:
        disable(NOTSET)


def _open_client(address: str) -> Client:
    try:
        scheme, location = parse_address(address)
        get_backend(scheme)  # a missing backend would be reported too late
        full_address = unparse_address(scheme, unparse_host_port(*parse_host_port(location, _PORT)))
        asyncio.run(_check_scheduler(full_address))
        client = Client(full_address, timeout=TIMEOUT, set_as_default=False)
    except Exception as error:  # any service may listen at the address
        if isinstance(error, TypeError) and address.startswith("tls:"):
            raise CardtableError(f"Dask's configuration does not name the certificates that {address} needs") from None
        raise CardtableError(f"no scheduler answers at {address}") from None
    try:
        client.wait_for_workers(1, WORKERS_TIMEOUT)
    except TimeoutError:
        client.close()
        raise CardtableError(f"the scheduler at {address} has no workers; dask worker {address} starts one") from None
    return client


async def _check_scheduler(address: str) -> None:
    """Connect to the address once, and raise an exception if no Dask scheduler answers.

    ``Client`` would wait forever for a service of another kind.
    """
    async with asyncio.timeout(TIMEOUT):
        comm = await connect(address, timeout=TIMEOUT, **Security().get_connection_args("client"))
    comm.abort()


class _ClusterExecutor(Executor):
    """Executor on the workers of a cluster; each worker checks its versions before it runs a call."""

    def __init__(self, client: Client, game: str, files: tuple[FileBundle, ...]) -> None:
        self._executor, self._game, self._files = client.get_executor(pure=False), game, files

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        # ``pickle.loads`` exists on every worker; a function of this package would crash workers without it
        work = _WorkUnit(
            _list_versions(self._game), self._game, self._files, pickle.dumps(partial(fn, *args, **kwargs))
        )
        done: Future[T] = self._executor.submit(pickle.loads, pickle.dumps(work))
        return done


class _WorkUnit(NamedTuple):
    """Function call for a worker, which is executed by unpickling it; ``pickle.loads`` then returns the result."""

    required: tuple[str, ...]
    game: str
    bundles: tuple[FileBundle, ...]
    pickled_call: bytes

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _run_on_worker, tuple(self)


def _run_on_worker(
    required: tuple[str, ...], game: str, bundles: tuple[FileBundle, ...], pickled_call: bytes
) -> object:
    """Run the pickled function on a worker, with the robot files of ``bundles`` unpacked there.

    Raises ``CardtableError`` if the worker lacks one of the ``required`` versions.
    """
    installed, worker = _list_versions(game), get_worker()
    for version in required:
        if version not in installed:
            raise _make_missing_error(worker.address, version)
    unpack_bundles(
        bundles, Path(worker.local_directory)
    )  # removed with the worker, or by the next worker if it was killed
    return pickle.loads(pickled_call)()  # noqa: S301 - sent by a trusted client of the cluster


def _make_missing_error(worker: str, requirement: str) -> CardtableError:
    return CardtableError(f"the worker at {worker} does not have {requirement}, with which this is to be played")


def _list_versions(game: str) -> tuple[str, ...]:
    """Return the versions that can change the results of a game.

    Of Python, of this program and of the game's plug-in.
    """
    brought = get_plugin_package(game) if game in list_keys() else None
    return "Python {}.{}".format(*sys.version_info), _VERSION, *filter(None, [brought])


class _ThreadCounter:
    """Function that returns the number of worker threads of a cluster, cached for ``_CACHE_SECONDS`` seconds."""

    def __init__(self, client: Client) -> None:
        self._client, self._number, self._expires = client, 0, 0.0

    def __call__(self) -> int:
        if monotonic() >= self._expires:
            self._number, self._expires = sum(self._client.nthreads().values()), monotonic() + _CACHE_SECONDS
        return self._number
