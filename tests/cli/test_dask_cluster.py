"""``--cluster``: results equal those of this machine; errors of a cluster."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from cardtable import __version__, robots
from cardtable.robots import dask_cluster as dask
from tests.cli.playing import one_line
from tests.cli.test_arena import begun, figures, match

ROBOTS = """
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


class Cluster:
    """Dask scheduler and workers, each in a process of its own; the scheduler cannot import cardtable."""

    def __init__(self, folder, workers, **settings):
        self.scratch = folder / "scratch"
        usual = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(self.scratch)}
        self._with, self._without = usual, {**usual, "PYTHONPATH": str(folder)}
        folder.mkdir(exist_ok=True)
        (folder / "cardtable.py").write_text("")
        self.processes = []
        environment = {**self._without, **settings}
        self.address = self._begun("scheduler", r"Scheduler at:\s+(\S+)", "--port", "0", env=environment)
        for _ in range(workers):
            self.add()

    def add(self, cardtable=True):
        """Start one more worker and return its address."""
        env = self._with if cardtable else self._without
        name = ("--no-nanny", "--nthreads", "1")
        return self._begun("worker", r"Start worker at:\s+(\S+)[^$]+Registered to", self.address, *name, env=env)

    def _begun(self, what, told, *arguments, env):
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments]
        process = subprocess.Popen([*command, "--host", "127.0.0.1", "--no-dashboard"], stderr=subprocess.PIPE, env=env)
        self.processes.append(process)
        said = ""
        while not (found := re.search(told, said)):
            said += process.stderr.readline().decode()
            assert process.poll() is None, said
        Thread(target=self._heard, args=[process.stderr]).start()
        return found[1]

    @staticmethod
    def _heard(stream):
        """Read on, so that the pipe does not fill up."""
        with stream:
            stream.read()

    def __enter__(self):
        return self

    def __exit__(self, *_raised):
        for process in self.processes:
            process.kill()
            process.wait()

    def dead(self):
        """Return the number of processes that were killed."""
        return [process.poll() for process in self.processes].count(-signal.SIGKILL)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("without"), 2) as cluster:
        yield cluster


@pytest.fixture
def robots_file(tmp_path):
    """Write a file of robots that the workers do not have."""
    (tmp_path / "beside.py").write_text("def choice(view):\n    return view.legal[-1]\n")
    path = tmp_path / "mine.py"
    path.write_text(ROBOTS.replace("DIED", str(tmp_path / "died")))
    return path


@pytest.mark.promise(
    "Commands", "A cluster gives the same figures and bytes as this machine, even if one of its workers dies."
)
@pytest.mark.parametrize("game", ["ten_down", "gurka"])
def test_the_figures_of_a_match_are_those_of_this_machine(cardtable, cluster, game):
    found = [
        figures(cardtable(*match(game, "--json", *where, deals=25)))
        for where in ((), ("--workers", 2), ("--cluster", cluster.address))
    ]
    assert found[0] == found[1] == found[2]
    assert found[0]["deals"] == 25


@pytest.mark.promise(
    "Commands", "A cluster gives the same figures and bytes as this machine, even if one of its workers dies."
)
def test_simulated_sessions_are_the_same_bytes_in_the_same_order(cardtable, cluster):
    found = [
        cardtable("simulate", "rummy", "--sessions", 12, "--seed", 1, "--seats", "random,random", "--out", name, *where)
        for name, where in (("a", ()), ("b", ("--workers", 3)), ("c", ("--cluster", cluster.address)))
    ]
    assert found[0].out == found[1].out == found[2].out
    assert Path("a").read_bytes() == Path("b").read_bytes() == Path("c").read_bytes()


def test_a_robot_from_a_file_plays_there_as_it_does_here(cardtable, cluster, robots_file):
    for choice in (-1, 0):  # workers that know an older one play the new one
        (robots_file.parent / "beside.py").write_text(f"def choice(view):\n    return view.legal[{choice}]\n")
        here, there = [
            figures(
                cardtable(
                    "arena",
                    "gurka",
                    "--a",
                    "steady",
                    "--b",
                    "mine.py:Last",
                    "--deals",
                    9,
                    "--seed",
                    1,
                    "--json",
                    *where,
                )
            )
            for where in (("--workers", 2), ("--cluster", cluster.address))
        ]
        assert here == there
    assert len([*cluster.scratch.glob("*/worker-*/cardtable-robots-*/mine.py")]) > 1  # gone with the worker


@pytest.mark.promise(
    "Commands", "A cluster gives the same figures and bytes as this machine, even if one of its workers dies."
)
def test_the_piece_of_a_worker_that_is_killed_is_done_elsewhere(cardtable, cluster, robots_file):
    cluster.add()
    usual, killed = [
        cardtable(*match("ten_down", "--json", "--cluster", cluster.address, b=f"{robots_file}:{name}", deals=25))
        for name in ("Last", "Once")
    ]
    assert (killed.code, killed.err) == (0, "")
    assert figures(killed) == figures(usual)
    assert cluster.dead() == 1


@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_match_is_stopped_there_as_here_and_the_workers_are_free_again(cardtable, cluster, end, code):
    with begun(*match("ten_down", "--cluster", cluster.address, "--json", deals=1_000_000)) as process:
        process.send_signal(end)
        out, _ = process.communicate(timeout=20)
    assert process.returncode == code
    assert end == signal.SIGTERM or json.loads(out)["deals"] > 0
    assert cardtable(*match("gurka", "--cluster", cluster.address)).code == 0


@pytest.mark.parametrize(
    ("changed", "version", "lacking"),
    [
        ("_VERSION", "cardtable 99.0", "cardtable 99.0"),
        ("get_plugin_package", lambda game: "gurka 1.0", "gurka 1.0"),
    ],
)
def test_a_worker_that_lacks_a_version_or_a_game_is_told(cardtable, cluster, monkeypatch, changed, version, lacking):
    monkeypatch.setattr(dask, changed, version)
    result = cardtable(*match("gurka", "--cluster", cluster.address))
    assert result.code == 1
    how = rf"the worker at tcp://127.0.0.1:\d+ does not have {lacking}, with which this is to be played"
    assert re.fullmatch(how, one_line(result.err))


def test_a_robot_that_fails_there_is_told_as_here(cardtable, cluster, robots_file):
    here, there = [
        cardtable(*match("gurka", *where, b=f"{robots_file}:Fails")) for where in ((), ("--cluster", cluster.address))
    ]
    assert (there.code, there.err) == (here.code, here.err)
    assert "LookupError: no idea" in one_line(there.err)


def test_a_cluster_that_cannot_do_it_is_told_in_a_line(cardtable, tmp_path, robots_file, monkeypatch):
    monkeypatch.setattr(dask, "TIMEOUT", 0.5)
    with Cluster(tmp_path / "without", 0, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as cluster:

        def told(robot="steady"):
            robots_file.write_text(robots_file.read_text().replace("PID", str(cluster.processes[0].pid)))
            tried = cardtable(*match("gurka", "--cluster", cluster.address, b=robot))
            assert tried.code == 1
            return one_line(tried.err)

        here = cluster.address
        assert told() == f"the scheduler at {here} has no workers; dask worker {here} starts one"
        worker = cluster.add(cardtable=False)
        assert told().startswith(f"the worker at {worker} does not have cardtable {__version__}")
        cluster.processes[-1].kill()
        cluster.add()
        assert told(f"{robots_file}:Once") == f"a piece of the work has ended several workers of {here}"
        cluster.add()
        assert told(f"{robots_file}:Ends") == f"the scheduler at {here} has gone"
        assert told() == f"no scheduler answers at {here}"


@pytest.mark.parametrize("address", ["nowhere:x", "bar://127.0.0.1:1"])
def test_what_is_no_address_is_told(cardtable, address):
    result = cardtable(*match("gurka", "--cluster", address))
    assert (result.code, one_line(result.err)) == (1, f"no scheduler answers at {address}")


@pytest.mark.parametrize("reply", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_who_listens_there_may_be_no_scheduler(cardtable, monkeypatch, reply):
    monkeypatch.setattr(dask, "TIMEOUT", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = "{}:{}".format(*server.getsockname())

        def listen():
            with suppress(OSError):
                while True:
                    connections.append(server.accept()[0])
                    connections[-1].sendall(reply)

        connections = []
        Thread(target=listen, daemon=True).start()
        result = cardtable(*match("gurka", "--cluster", address))
        assert (result.code, one_line(result.err)) == (1, f"no scheduler answers at {address}")
    for each in connections:
        each.close()


def test_a_cluster_whose_certificates_nobody_has_named_is_told(cardtable):
    result = cardtable(*match("gurka", "--cluster", "tls://127.0.0.1:9"))
    why = "Dask's configuration does not name the certificates that tls://127.0.0.1:9 needs"
    assert (result.code, one_line(result.err)) == (1, why)


def test_without_the_library_it_is_named(cardtable, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, dask.__name__)
    monkeypatch.delattr(robots, "dask_cluster")
    result = cardtable("simulate", "gurka", "--sessions", 1, "--seed", 1, "--cluster", "localhost")
    assert (result.code, one_line(result.err)) == (1, "a cluster needs Dask: pip install 'cardtable[cluster]'")


def test_processes_and_a_cluster_do_not_go_together(cardtable):
    result = cardtable(*match("gurka", "--cluster", "localhost", "--workers", 2))
    assert result.code == 2
    assert "--workers and --cluster do not go together" in one_line(result.err)
