"""``--cluster``: results equal those of this machine; errors of a cluster."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from cardtable import __version__, robots
from cardtable.installation import format_install_command
from cardtable.robots import dask_cluster as dask
from tests.cli.playing import parse_error
from tests.cli.test_arena import match_arguments, read_figures, run_long_match
from tests.waiting import TIMEOUT

ROBOT_SOURCE = """
import os, signal
from contextlib import suppress
from pathlib import Path
from beside import choice

class Last:
    def __init__(self, game):
        pass

    def choose(self, view, rng, stop):
        return choice(view)

class Once(Last):
    died = Path("DIED")

    def choose(self, view, rng, stop):
        if len(view.legal) == 3:
            with suppress(FileExistsError):
                self.died.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        return choice(view)

class Ends(Last):
    def choose(self, view, rng, stop):
        os.kill(PID, signal.SIGKILL)

class Fails(Last):
    def choose(self, view, rng, stop):
        raise LookupError("no idea")
"""


class DaskCluster:
    """Dask scheduler and workers, each in a process of its own; the scheduler cannot import cardtable."""

    def __init__(self, folder, workers, **settings):
        self.scratch = folder / "scratch"
        usual = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(self.scratch)}
        self._environment, self._environment_without_cardtable = usual, {**usual, "PYTHONPATH": str(folder)}
        folder.mkdir(exist_ok=True)
        (folder / "cardtable.py").write_text("")
        self.processes = []
        environment = {**self._environment_without_cardtable, **settings}
        self.address = self._start_process("scheduler", r"Scheduler at:\s+(\S+)", "--port", "0", env=environment)
        for _ in range(workers):
            self.add()

    def add(self, cardtable=True):
        """Start one more worker and return its address."""
        env = self._environment if cardtable else self._environment_without_cardtable
        name = ("--no-nanny", "--nthreads", "1")
        return self._start_process(
            "worker", r"Start worker at:\s+(\S+)[^$]+Registered to", self.address, *name, env=env
        )

    def _start_process(self, description, pattern, *arguments, env):
        command = [sys.executable, "-m", f"distributed.cli.dask_{description}", *arguments]
        process = subprocess.Popen([*command, "--host", "127.0.0.1", "--no-dashboard"], stderr=subprocess.PIPE, env=env)
        self.processes.append(process)
        log = ""
        while not (match := re.search(pattern, log)):
            log += process.stderr.readline().decode()
            assert process.poll() is None, log
        Thread(target=self._drain, args=[process.stderr]).start()
        return match[1]

    @staticmethod
    def _drain(stream):
        """Read on, so that the pipe does not fill up."""
        with stream:
            stream.read()

    def __enter__(self):
        return self

    def __exit__(self, *_raised):
        for process in self.processes:
            process.kill()
            process.wait()

    def count_killed(self):
        """Return the number of processes that were killed."""
        return [process.poll() for process in self.processes].count(-signal.SIGKILL)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with DaskCluster(tmp_path_factory.mktemp("without"), 2) as cluster:
        yield cluster


@pytest.fixture(autouse=True)
def wait_longer(monkeypatch):
    """Let schedulers and workers on a busy machine take longer to answer."""
    monkeypatch.setattr(dask, "TIMEOUT", TIMEOUT)
    monkeypatch.setattr(dask, "WORKERS_TIMEOUT", TIMEOUT)


@pytest.fixture
def robots_file(tmp_path):
    """Write a file of robots that the workers do not have."""
    (tmp_path / "beside.py").write_text("def choice(view):\n    return view.legal[-1]\n")
    path = tmp_path / "mine.py"
    path.write_text(ROBOT_SOURCE.replace("DIED", str(tmp_path / "died")))
    return path


def test_figures_equal_those_of_this_machine(cardtable, cluster):
    figures = [
        read_figures(cardtable(*match_arguments("ten_down", "--json", *arguments, deals=25)))
        for arguments in ((), ("--workers", 2), ("--cluster", cluster.address))
    ]
    assert figures[0] == figures[1] == figures[2]
    assert figures[0]["deals"] == 25


def test_simulated_sessions_are_byte_identical(cardtable, cluster):
    results = [
        cardtable(
            "simulate", "rummy", "--sessions", 12, "--seed", 1, "--seats", "random,random", "--output", name, *arguments
        )
        for name, arguments in (("a", ()), ("b", ("--workers", 3)), ("c", ("--cluster", cluster.address)))
    ]
    assert results[0].out == results[1].out == results[2].out
    assert Path("a").read_bytes() == Path("b").read_bytes() == Path("c").read_bytes()


def test_robot_file_is_sent_to_workers(cardtable, cluster, robots_file):
    for choice in (-1, 0):  # workers that know an older one play the new one
        (robots_file.parent / "beside.py").write_text(f"def choice(view):\n    return view.legal[{choice}]\n")
        local_figures, cluster_figures = [
            read_figures(cardtable(*match_arguments("gurka", "--json", *arguments, b="mine.py:Last", deals=9)))
            for arguments in (("--workers", 2), ("--cluster", cluster.address))
        ]
        assert local_figures == cluster_figures
    assert len([*cluster.scratch.glob("*/worker-*/cardtable-robots-*/mine.py")]) > 1  # gone with the worker


def test_work_of_a_killed_worker_is_repeated(cardtable, cluster, robots_file):
    cluster.add()
    usual, killed = [
        cardtable(
            *match_arguments("ten_down", "--json", "--cluster", cluster.address, b=f"{robots_file}:{name}", deals=25)
        )
        for name in ("Last", "Once")
    ]
    assert (killed.code, killed.err) == (0, "")
    assert read_figures(killed) == read_figures(usual)
    assert cluster.count_killed() == 1


@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_match_frees_the_workers(cardtable, cluster, end, code):
    with run_long_match(
        *match_arguments("ten_down", "--cluster", cluster.address, "--json", deals=1_000_000)
    ) as process:
        process.send_signal(end)
        out, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == code
    assert json.loads(out)["deals"] > 0
    assert cardtable(*match_arguments("gurka", "--cluster", cluster.address)).code == 0


@pytest.mark.parametrize(
    ("changed", "version", "lacking"),
    [("_VERSION", "cardtable 99.0", "cardtable 99.0"), ("get_plugin_package", lambda game: "gurka 1.0", "gurka 1.0")],
)
def test_worker_lacks_version_or_game(cardtable, cluster, monkeypatch, changed, version, lacking):
    monkeypatch.setattr(dask, changed, version)
    error = cardtable(*match_arguments("gurka", "--cluster", cluster.address)).read_error(1)
    how = rf"the worker at tcp://127.0.0.1:\d+ does not have {lacking}, with which this is to be played"
    assert re.fullmatch(how, error)


def test_failing_robot_is_reported_as_locally(cardtable, cluster, robots_file):
    local_result, cluster_result = [
        cardtable(*match_arguments("gurka", *arguments, b=f"{robots_file}:Fails"))
        for arguments in ((), ("--cluster", cluster.address))
    ]
    assert (cluster_result.code, cluster_result.err) == (local_result.code, local_result.err)
    assert "LookupError: no idea" in parse_error(cluster_result.err)


def test_cluster_failures_are_reported_in_one_line(cardtable, tmp_path, robots_file, monkeypatch):
    with DaskCluster(tmp_path / "without", 0, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as cluster:

        def read_error(robot="steady"):
            robots_file.write_text(robots_file.read_text().replace("PID", str(cluster.processes[0].pid)))
            return cardtable(*match_arguments("gurka", "--cluster", cluster.address, b=robot)).read_error(1)

        address = cluster.address
        with monkeypatch.context() as patch:
            patch.setattr(dask, "WORKERS_TIMEOUT", 0.5)
            assert read_error() == f"the scheduler at {address} has no workers; dask worker {address} starts one"
        worker = cluster.add(cardtable=False)
        assert read_error().startswith(f"the worker at {worker} does not have cardtable {__version__}")
        cluster.processes[-1].kill()
        cluster.add()
        assert read_error(f"{robots_file}:Once") == f"a piece of the work has crashed several workers of {address}"
        cluster.add()
        assert read_error(f"{robots_file}:Ends") == f"the scheduler at {address} has gone"
        monkeypatch.setattr(dask, "TIMEOUT", 0.5)
        assert read_error() == f"no scheduler answers at {address}"


@pytest.mark.parametrize("address", ["nowhere:x", "bar://127.0.0.1:1"])
def test_invalid_address(cardtable, address):
    error = cardtable(*match_arguments("gurka", "--cluster", address)).read_error(1)
    assert error == f"no scheduler answers at {address}"


def test_tls_without_certificates(cardtable):
    error = cardtable(*match_arguments("gurka", "--cluster", "tls://127.0.0.1:9")).read_error(1)
    assert error == "Dask's configuration does not name the certificates that tls://127.0.0.1:9 needs"


def test_without_dask(cardtable, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, dask.__name__)
    monkeypatch.delattr(robots, "dask_cluster")
    error = cardtable("simulate", "gurka", "--sessions", 1, "--seed", 1, "--cluster", "localhost").read_error(1)
    assert error == f"a cluster needs Dask: {format_install_command('cluster')}"


def test_rejects_workers_with_cluster(cardtable):
    error = cardtable(*match_arguments("gurka", "--cluster", "localhost", "--workers", 2)).read_error(2)
    assert "--workers and --cluster cannot be combined" in error
