"""``arena`` and ``simulate``: output, and results of interrupted matches."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import Thread

import pytest

from cardtable.engine.errors import GameFailed
from cardtable.games import GAMES, KEYS
from cardtable.robots import arena
from cardtable.robots.kit.file_robots import RobotFailed
from cardtable.session import simulation
from cardtable.workers.client import WorkerError
from tests.cli.playing import PROGRAM, parse_error, write_session
from tests.waiting import TIMEOUT

FACTS = [
    *("game", "a", "b", "seat_count", "seed", "requested", "deals", "lead_per_round", "standard_error"),
    *("points_per_round", "win_rate", "exact_bid_rates", "mean_ms", "max_ms"),
]
FIGURES = ["deals", "lead_per_round", "standard_error", "points_per_round", "win_rate", "exact_bid_rates"]


def match_arguments(game, *options, deals=4, a="steady", b="novice"):
    """Return the arguments of a small match; ``options`` may give sessions instead of deals."""
    length = () if "--sessions" in options else ("--deals", deals)
    return ("arena", game, "--a", a, "--b", b, "--seed", 3, *length, *options)


def read_figures(result):
    return {name: json.loads(result.out)[name] for name in FIGURES}


def test_match_is_summarised_in_one_line(cardtable):
    result = cardtable(*match_arguments("rikiki", b="random", deals=56))
    assert (result.code, result.err, result.out.count("\n")) == (0, "", 1)
    assert result.out.startswith("rikiki steady against 3 random: 56 deals, +")
    for words in ("±", "points a round", "first in", "exact bids", "ms a decision"):
        assert words in result.out


def test_json_output(cardtable):
    result = cardtable(*match_arguments("rikiki", "--json", b="random", deals=28))
    facts = json.loads(result.out)
    assert list(facts) == FACTS
    assert [facts[name] for name in FACTS[:7]] == ["rikiki", "steady", "random", 4, 3, 28, 28]
    assert facts["points_per_round"] > 0
    assert facts["lead_per_round"] > 3 * facts["standard_error"] > 0
    assert 0.25 < facts["win_rate"] < 1
    assert 1 > facts["exact_bid_rates"][0] > facts["exact_bid_rates"][1] > 0
    assert 0 < facts["mean_ms"] <= facts["max_ms"]
    assert json.loads(cardtable(*match_arguments("gurka", "--json")).out)["exact_bid_rates"] is None


@pytest.mark.parametrize("workers", [1, 2])
def test_output_of_a_robot_is_discarded(cardtable, workers):
    Path("loud.py").write_text(
        "import os\n\nos.write(2, b'raw')\n\n"
        "class Loud:\n"
        "    def __init__(self, game):\n        print('made')\n\n"
        "    def choose(self, view, rng, stop):\n        print('asked')\n        return view.legal[0]\n"
    )
    result = cardtable(*match_arguments("gurka", "--json", "--workers", workers, a="loud.py:Loud", deals=2))
    assert (result.code, result.err, read_figures(result)["deals"]) == (0, "", 2)


def test_seed_and_house_rules_change_figures(cardtable):
    usual = read_figures(cardtable(*match_arguments("gurka", "--json")))
    assert read_figures(cardtable(*match_arguments("gurka", "--json"))) == usual
    assert read_figures(cardtable(*match_arguments("gurka", "--json"), "--seed", 4)) != usual
    six = read_figures(cardtable(*match_arguments("gurka", "--json", "--seat-count", 6)))
    assert six != usual
    assert read_figures(cardtable(*match_arguments("gurka", "--json", "--option", "seats=6"))) == six


def test_field_of_another_level(cardtable):
    result = cardtable(*match_arguments("rikiki", "--others", "random"))
    assert result.out.startswith("rikiki steady against novice among 2 random: 4 deals, ")
    facts = json.loads(cardtable(*match_arguments("rikiki", "--others", "random", "--json", deals=1)).out)
    assert list(facts) == [*FACTS[:3], "others", *FACTS[3:]]
    assert facts["others"] == "random"
    of_its_own = cardtable(*match_arguments("rikiki", "--json", "--others", "novice"))
    assert read_figures(of_its_own) == read_figures(cardtable(*match_arguments("rikiki", "--json")))


def test_whole_sessions(cardtable):
    result = cardtable(*match_arguments("rummy", "--sessions", 2))
    assert result.out.startswith("rummy steady against 1 novice: 2 sessions, ")
    facts = json.loads(cardtable(*match_arguments("rummy", "--sessions", 2, "--json")).out)
    assert list(facts) == ["sessions" if name == "deals" else name for name in FACTS]
    assert (facts["requested"], facts["sessions"]) == (2, 2)
    assert facts["win_rate"] in (0, 0.25, 0.5, 0.75, 1)


def test_each_contract_has_a_line(cardtable):
    result = cardtable(*match_arguments("rifki", "--contract", "each", "--json", deals=1))
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert [each["contract"] for each in rows] == arena.list_contracts("rifki")
    assert all(list(each) == ["game", "contract", *FACTS[1:]] for each in rows)
    assert all(each["standard_error"] is None for each in rows)
    one = cardtable(*match_arguments("king", "--contract", "miser", deals=2))
    assert one.out.startswith("king miser steady against 3 novice: 2 deals, ")


ROBOT_SOURCE = """
class First:
    def __init__(self, game):
        self.game = game

    def choose(self, view, rng, stop):
        return view.legal[0]

class Cheats(First):
    def choose(self, view, rng, stop):
        return self.game

class Leaves(First):
    def choose(self, view, rng, stop):
        import os
        os._exit(0)

class Stays(First):
    def choose(self, view, rng, stop):
        from threading import Event, Thread
        Thread(target=Event().wait).start()
        return view.legal[0]
"""


def test_robot_from_file_with_several_workers(cardtable):
    Path("mine.py").write_text(ROBOT_SOURCE)
    result = cardtable(*match_arguments("ten_down", b="mine.py:First", deals=4))
    assert result.out.startswith("ten_down steady against 3 mine.py:First: 4 deals, +")
    one, two = (
        cardtable(*match_arguments("ten_down", "--json", "--workers", n, b="mine.py:First", deals=25)) for n in (1, 2)
    )
    assert read_figures(one) == read_figures(two)
    among = cardtable(*match_arguments("ten_down", "--others", "mine.py:First", deals=1))
    assert among.out.startswith("ten_down steady against novice among 2 mine.py:First: 1 deal, ")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Cheats", "mine.py:Cheats has chosen "),
        ("Leaves", "mine.py:Leaves has ended its process"),
        ("Cheat", "mine.py: no robot is called 'Cheat'; did you mean Cheats?"),
    ],
)
def test_failing_robot_from_file_ends_the_match(cardtable, workers, name, reason):
    Path("mine.py").write_text(ROBOT_SOURCE)
    result = cardtable(*match_arguments("ten_down", "--workers", workers, a=f"mine.py:{name}", deals=25))
    assert result.read_error(1).startswith(reason)


def test_thread_of_a_robot_ends_with_the_match(cardtable):
    Path("mine.py").write_text(ROBOT_SOURCE)
    assert cardtable(*match_arguments("gurka", b="mine.py:Stays", deals=1)).code == 0


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rikiki --a mine.py:First --b steady --seed 1 --deals 1", "there is no file mine.py"),
        ("rikiki --b steady --deals 1 --seed 1", "--a"),
        ("rikiki --a steady --b steady --deals 1", "--seed"),
        ("rikiki --a steady --b steady --seed 1", "say how many with"),
        ("rikiki --a steady --b steady --seed 1 --deals 1 --sessions 1", "say how many with"),
        ("rikiki --a clever --b steady --seed 1 --deals 1", "no level is called 'clever'; the levels are random"),
        (
            "gurka --a steady --b steady --seed 1 --deals 1 --seat-count 6 --option seats=4",
            "seats is 4, but there are 6",
        ),
        ("gurka --a steady --b steady --seed 1 --deals 1 --contract each", "Gurka has no contracts"),
        ("king --a steady --b steady --seed 1 --deals 1 --contract whist", "no contract is called 'whist'; the contr"),
        ("king --a steady --b steady --seed 1 --sessions 1 --contract miser", "not for whole sessions"),
        ("rifki --a steady --b steady --seed 1 --deals 1 --contract koz", "Koz is named by its suit: clubs, diamonds,"),
        (
            "rikiki --a steady --b field:Flat --seed 1 --deals 1",
            "a robot from a file is path.py:name, not 'field:Flat'",
        ),
        ("rikiki --a steady --b steady --seed 1 --deals x", "--deals: 'x' is not a whole number"),
        ("rikiki --a steady --b steady --seed 1 --deals 1 --workers all", "--workers: 'all' is not a whole number"),
        ("rummy --a steady --b steady --seed 1 --deals 1 --others random", "no other places"),
    ],
)
def test_rejects_wrong_arguments(cardtable, line, expected):
    assert expected in cardtable("arena", *shlex.split(line)).read_error(2)


@contextmanager
def run_long_match(*arguments):
    """Start a match in processes that share a terminal's progress bar and the output."""
    ours, theirs = os.openpty()
    pipe = subprocess.PIPE
    command = [*PROGRAM, *map(str, arguments)]
    with subprocess.Popen(command, stdout=pipe, stderr=theirs, start_new_session=True) as process:
        os.close(theirs)
        seen = b""
        while not re.search(rb"\d\d:\d\d", seen):  # how long it may take, once there is a deal
            seen += os.read(ours, 1000)
        terminal = Thread(target=_drain, args=[ours])
        terminal.start()
        try:
            yield process
            assert process.returncode is not None
        finally:
            process.kill()
            terminal.join()
            os.close(ours)


def _drain(terminal):
    """Read a terminal until it is closed; otherwise the match blocks when the buffer is full."""
    with suppress(OSError):  # nobody can write any more
        while os.read(terminal, 1000):
            pass


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("end", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_match_prints_finished_deals(workers, end, code):
    with run_long_match(*match_arguments("ten_down", "--workers", workers, "--json", deals=1_000_000)) as process:
        os.killpg(process.pid, end)
        out, _ = process.communicate(timeout=TIMEOUT)
    assert process.returncode == code
    assert json.loads(out)["deals"] > 0


def test_killed_match_leaves_no_process():
    with run_long_match(*match_arguments("ten_down", "--workers", 2, deals=1_000_000)) as process:
        process.kill()
        process.communicate(timeout=TIMEOUT)  # the end of the output, which the others hold as well


@pytest.mark.parametrize(("done", "error"), [
    *[(done, KeyboardInterrupt()) for done in (0, 1, 3)],
    *[(3, error("Ten (ten-game 1.0) has failed")) for error in (GameFailed, RobotFailed, WorkerError)],
])  # fmt: skip
def test_stopped_match_counts_whole_deals(cardtable, monkeypatch, done, error):
    def play_and_stop(chosen, _pool):
        yield from islice(arena.play_deals(chosen, 0), done)
        raise error

    with monkeypatch.context() as stopped:
        stopped.setattr("cardtable.cli.robots.play_match", play_and_stop)
        result = cardtable(*match_arguments("ten_down", "--json", deals=5))
    code, reason = (130, "") if isinstance(error, KeyboardInterrupt) else (1, ": Ten (ten-game 1.0) has failed")
    assert (result.code, parse_error(result.err)) == (code, f"stopped after {done} of 5 deals{reason}")
    if done:
        assert read_figures(result) == read_figures(cardtable(*match_arguments("ten_down", "--json", deals=done)))
    else:
        assert read_figures(result) == {**dict.fromkeys(FIGURES), "deals": 0}


def test_interrupted_series_prints_finished_matches(cardtable, monkeypatch):
    def play_and_interrupt(chosen, _pool):
        yield from arena.play_deals(chosen, 0)
        if chosen.contract == "no-hearts":
            raise KeyboardInterrupt

    monkeypatch.setattr("cardtable.cli.robots.play_match", play_and_interrupt)
    result = cardtable(*match_arguments("king", "--contract", "each", "--json", deals=1))
    assert result.code == 130
    assert [json.loads(line)["contract"] for line in result.out.splitlines()] == ["no-tricks", "no-hearts"]


# --- ``simulate``


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
    assert [line.split()[3] for line in cardtable("verify", "a").lines] == ["rounds=16"] * 2


def test_run_stopped_by_an_error_prints_partial_result(cardtable, monkeypatch):
    simulate, reason = simulation.simulate, "Gurka (gurka-game 1.0) has failed: no answer within 10 s"

    def simulate_and_fail(plan, pool):
        yield from islice(simulate(plan, pool), 1)
        raise GameFailed(reason)

    monkeypatch.setattr(simulation, "simulate", simulate_and_fail)
    result = cardtable("simulate", "gurka", "--sessions", 3, "--seed", 1)
    assert (result.code, result.out.split()[:2]) == (1, ["gurka", "sessions=1"])
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
        assert error.endswith("it already exists; choose another name")
        assert path.read_bytes() == before
    assert cardtable(*simulation_arguments("--output", os.devnull)).code == 0
