"""Program killed at random moments: everything seen on the screen is in the journal."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random

import pytest

from tests.budgets import tried
from tests.pty.playing import accounts_for, begin, lines, reach_a_question, shown, without_last_line
from tests.pty.terminal import PATIENCE, Terminal, gone

TABLES = [(game, seed) for game in ("rikiki", "bridge") for seed in (1, 2, 3, 4)]
"""Tables played at the same time, since most of the time is waiting."""
MOST_SECONDS = 0.3


def play_and_die(home: Path, session: str, path: Path, rng: Random) -> list[str]:
    """Resume a session until something was played, then press keys until a random moment and kill the program.

    Return the last rows of the screen.
    """
    size = path.stat().st_size
    with Terminal(home, "resume", session) as terminal:
        terminal.wait("? help")
        terminal.wait(lambda: not path.exists() or path.stat().st_size > size, press="enter")
        end = time.monotonic() + rng.uniform(0, MOST_SECONDS)
        while time.monotonic() < end:
            terminal.send(rng.choice(("enter", "enter", "enter", "right", "u")))
            terminal.read(rng.uniform(0, 0.02))
        robots = terminal.children()
        terminal.kill()
        last = time.monotonic() + PATIENCE
        while not all(gone(process) for process in robots):
            assert time.monotonic() < last, "the robots' process outlives the program"
            time.sleep(0.01)
        return terminal.rows


def killed(home: Path, begun: Iterator[str], number: int, seed: str) -> None:
    """Kill the program a number of times, in one session after the other."""
    rng, path = Random(seed), home
    while number:
        if not path.is_file():
            session = next(begun)
            path = home / "sessions" / f"{session}.jsonl"
        before = lines(path)
        rows = play_and_die(home, session, path, rng)
        if not path.exists():  # the session has ended, and keys went on to something else
            assert lines(home / "archive" / path.name)[: len(before)] == before
            continue
        number -= 1
        assert accounts_for(path.read_bytes(), rows), "\n".join(rows)
        assert lines(path)[: len(before)] == before


@pytest.mark.promise("Starting, leaving and saving", "A kill at any moment loses nothing that was shown on the screen.")
def test_a_kill_at_any_moment_loses_nothing_that_was_seen(home):
    def sessions(game: str, seed: int) -> Iterator[str]:
        return (begin(game, each) for each in count(seed, len(TABLES)))

    each = -(-tried("kills") // len(TABLES))
    with ThreadPoolExecutor(len(TABLES)) as threads:
        tables = [threads.submit(killed, home, sessions(*table), each, f"{table}") for table in TABLES]
    for table in tables:
        table.result()


def test_one_line_less_than_was_seen_is_noticed(home):
    session = begin()
    path = home / "sessions" / f"{session}.jsonl"
    with Terminal(home, "resume", session) as terminal:
        terminal.wait(lambda: "Ada" in shown(terminal.rows)[1], press="enter")
        reach_a_question(terminal)
        data = path.read_bytes()
        assert accounts_for(data, terminal.rows)
        assert not accounts_for(without_last_line(data), terminal.rows)
