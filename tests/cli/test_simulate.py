"""``simulate``: sessions of robots, reproducible from the arguments."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from cardtable.engine.errors import GameFailed
from cardtable.games import GAMES, KEYS
from cardtable.session import simulation
from tests.cli.playing import PROGRAM, parse_error, write_session

ROBOTS = ("--seats", "random,random,random,random")
ENDLESS_SIMULATION = ["simulate", "rikiki", "--sessions", "100000", "--seed", "1", *ROBOTS]


def simulation_arguments(*options):
    """Return the arguments of a small, fast simulation."""
    return ("simulate", "rikiki", "--sessions", 2, "--seed", 5, *ROBOTS, *options)


def test_same_arguments_give_same_bytes(cardtable):
    assert cardtable(*simulation_arguments("--output", "a")).code == 0
    assert cardtable(*simulation_arguments("--output", "b")).code == 0
    piped = cardtable(*simulation_arguments("--output", "-"))
    assert Path("a").read_bytes() == Path("b").read_bytes() == piped.out.encode()
    assert not piped.err


def test_sessions_are_complete_and_undated(cardtable):
    result = cardtable(*simulation_arguments("--output", "a", "--option", "length=short", "--option", "round_clock=10"))
    heads = [json.loads(line) for line in Path("a").read_text().splitlines() if line.startswith('{"cardtable"')]
    assert [head["id"] for head in heads] == ["20000101-000000-rikiki-0001", "20000101-000000-rikiki-0002"]
    assert {head["created"] for head in heads} == {"2000-01-01T00:00:00Z"}
    assert heads[0]["seed"] != heads[1]["seed"]
    assert heads[0]["options"] == {
        "hook": "over-four", "length": "short", "bonuses": "on", "round_clock": 10, "open_hands": "off"
    }  # fmt: skip
    assert [seat["robot"] for seat in heads[0]["seats"]] == ["random"] * 4
    lines = [json.loads(line) for line in Path("a").read_text().splitlines() if not line.startswith('{"cardtable"')]
    assert {line["at"] for line in lines} == {0}
    assert result.out.startswith("rikiki sessions=2 rounds=32 mean=")
    verified = cardtable("verify", "a")
    assert verified.code == 0
    assert [line.split()[3] for line in verified.out.splitlines()] == ["rounds=16"] * 2


def test_run_stopped_by_an_error_prints_partial_result(cardtable, monkeypatch):
    simulate = simulation.simulate

    def simulate_and_fail(plan, pool):
        yield from islice(simulate(plan, pool), 1)
        raise GameFailed("Gurka (gurka-game 1.0) has failed: no answer within 10 s")

    monkeypatch.setattr(simulation, "simulate", simulate_and_fail)
    result = cardtable("simulate", "gurka", "--sessions", 3, "--seed", 1)
    assert (result.code, result.out.split()[:2]) == (1, ["gurka", "sessions=1"])
    reason = "Gurka (gurka-game 1.0) has failed: no answer within 10 s"
    assert parse_error(result.err) == f"stopped after 1 of 3 sessions: {reason}"


@pytest.mark.parametrize("finished", [0, 1])
@pytest.mark.parametrize("error", [GameFailed("it has failed"), KeyboardInterrupt(), ChildProcessError("it has ended")])
def test_stopped_run_leaves_whole_sessions_or_nothing(cardtable, monkeypatch, finished, error):
    simulate = simulation.simulate

    def simulate_and_stop(plan, pool):
        yield from islice(simulate(plan, pool), finished)
        raise error

    monkeypatch.setattr(simulation, "simulate", simulate_and_stop)
    assert cardtable(*simulation_arguments("--output", "a")).code
    assert [path.name for path in Path().glob("a*")] == ["a"] * finished
    if finished:
        assert cardtable("verify", "a").code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows limits no file sizes")
@pytest.mark.parametrize(("blocks", "whole_sessions"), [(1, 0), (150, 1)])
def test_session_that_cannot_be_written_leaves_nothing_of_it(blocks, whole_sessions):
    command = [*PROGRAM, *map(str, simulation_arguments("--output", "a"))]
    script = f"ulimit -f {blocks}; trap '' XFSZ; exec \"$@\""
    ended = subprocess.run(["/bin/sh", "-c", script, "sh", *command], capture_output=True, check=False)
    assert (ended.returncode, parse_error(ended.stderr.decode())) == (1, "File too large")
    written = [line for path in Path().glob("a*") for line in path.read_text().splitlines()]
    assert [json.loads(line)["id"][-4:] for line in written if "id" in json.loads(line)] == ["0001"] * whole_sessions
    assert all("end" in json.loads(line) for line in written[-1:])


@pytest.mark.parametrize("finished", [0, 1])
def test_killed_run_leaves_whole_sessions_or_nothing(finished):
    program = f"""
import os
from itertools import islice
from cardtable.cli import main
from cardtable.session import simulation

def simulate(plan, pool, simulate=simulation.simulate):
    yield from islice(simulate(plan, pool), {finished})
    os._exit(9)

simulation.simulate = simulate
main.run({[*map(str, simulation_arguments("--output", "a"))]})
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 9
    assert [path.name for path in Path().glob("a")] == ["a"] * finished
    if finished:
        assert subprocess.run([*PROGRAM, "verify", "a"], check=False).returncode == 0


def test_longer_run_begins_with_shorter_run(cardtable):
    cardtable(*simulation_arguments("--output", "a"))
    cardtable(*simulation_arguments("--output", "b"), "--sessions", 3)
    assert Path("b").read_bytes().startswith(Path("a").read_bytes())


@pytest.mark.parametrize("game", KEYS)
def test_default_seats_are_steady_robots(cardtable, game):
    cardtable("simulate", game, "--sessions", 1, "--seed", 1, "--output", "a")
    head = json.loads(Path("a").read_text().split("\n", 1)[0])
    assert [seat["robot"] for seat in head["seats"]] == ["steady"] * GAMES[game].about.usual_seats
    assert cardtable("verify", "a").code == 0


@pytest.mark.parametrize(
    ("arguments", "seats"),
    [
        (("--seats", ",".join(["random"] * 6)), 6),
        (("--seats", ",".join(["random"] * 6), "--option", "seats=6"), 6),
        (("--option", "seats=6"), 6),
        (("--option", "seats=4"), 4),
    ],
)
def test_seats_option_follows_number_of_seats(cardtable, arguments, seats):
    cardtable("simulate", "gurka", "--sessions", 1, "--seed", 1, "--output", "a", *arguments)
    head = json.loads(Path("a").read_text().split("\n", 1)[0])
    assert head["options"]["seats"] == len(head["seats"]) == seats
    assert len({seat["name"] for seat in head["seats"]}) == seats
    assert cardtable("verify", "a").code == 0


def test_unwritable_output(cardtable):
    assert "nowhere" in cardtable(*simulation_arguments("--output", "nowhere/a")).read_error(1)


def test_interrupted_run_saves_finished_sessions():
    command = [*PROGRAM, *ENDLESS_SIMULATION, "--output", "many"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        while not Path("many").exists() or Path("many").stat().st_size < 200_000:
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert process.returncode == 130
    assert "stopped after" in parse_error(err.decode())
    verified = subprocess.run([*PROGRAM, "verify", "many"], capture_output=True, check=True)
    whole = [line for line in verified.stdout.decode().splitlines() if " rounds=28 " in line and "torn" not in line]
    assert f"stopped after {len(whole)} of 100000" in err.decode()


def test_closed_pipe_ends_quietly():
    command = [*PROGRAM, *ENDLESS_SIMULATION, "--output", "-"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_journals_replace_no_file(cardtable, home, tmp_path):
    path = write_session(home / "sessions" / "20261120-083728-rikiki-7f3a.jsonl")
    (tmp_path / "link.jsonl").symlink_to(path)
    before = path.read_bytes()
    for name in (path, tmp_path / "link.jsonl"):
        error = cardtable(*simulation_arguments("--output", name)).read_error(1)
        assert error.endswith("it exists already; choose another name")
        assert path.read_bytes() == before
    assert cardtable(*simulation_arguments("--output", os.devnull)).code == 0
