"""Program killed at random moments: everything seen on the screen is in the journal."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random

from tests.budgets import get_trials
from tests.pty.playing import (
    create_session,
    is_accounted_for,
    read_lines,
    read_table_screen,
    remove_last_line,
    wait_for_turn,
)
from tests.pty.terminal import FRAME_START, Terminal, wait_until_ended

TABLES = [(game, seed) for game in ("rikiki", "bridge") for seed in (1, 2, 3, 4)]
"""Tables played at the same time, since most of the time is waiting."""
MAX_SECONDS = 0.3


def play_and_kill(home: Path, session: str, path: Path, rng: Random) -> list[str]:
    """Resume a session until something was played, then press keys until a random moment and kill the program.

    Return the last rows of the screen. They are those of a whole frame, since the program has noticed before the kill
    that the terminal has frames.
    """
    size = path.stat().st_size
    with Terminal(home, "resume", session) as terminal:
        terminal.wait("? help")
        terminal.wait(
            lambda: not path.exists() or (path.stat().st_size > size and FRAME_START in terminal.output), press="enter"
        )
        end = time.monotonic() + rng.uniform(0, MAX_SECONDS)
        while time.monotonic() < end:
            terminal.send(rng.choice(("enter", "enter", "enter", "right", "u")))
            terminal.read(rng.uniform(0, 0.02))
        robots = terminal.list_children()
        terminal.kill()
        wait_until_ended(robots)
        return terminal.rows


def kill_repeatedly(home: Path, session_ids: Iterator[str], kills: int, seed: str) -> None:
    """Kill the program a number of times, in one session after the other."""
    rng, path = Random(seed), home
    while kills:
        if not path.is_file():
            session = next(session_ids)
            path = home / "sessions" / f"{session}.jsonl"
        before = read_lines(path)
        rows = play_and_kill(home, session, path, rng)
        written = path if path.exists() else home / "archive" / path.name
        if '"end":' in read_lines(written)[-1]:  # keys went on to something else
            assert read_lines(written)[: len(before)] == before
            path = home
            continue
        kills -= 1
        assert is_accounted_for(path.read_bytes(), rows), "\n".join(rows)
        assert read_lines(path)[: len(before)] == before


def test_kill_loses_nothing_that_was_seen(home):
    def iter_sessions(game: str, seed: int) -> Iterator[str]:
        return (create_session(game, each) for each in count(seed, len(TABLES)))

    each = -(-get_trials("kills") // len(TABLES))
    with ThreadPoolExecutor(len(TABLES)) as threads:
        tables = [threads.submit(kill_repeatedly, home, iter_sessions(*table), each, f"{table}") for table in TABLES]
    for table in tables:
        table.result()


def test_missing_last_line_is_noticed(home):
    session = create_session()
    path = home / "sessions" / f"{session}.jsonl"
    with Terminal(home, "resume", session) as terminal:
        terminal.wait(lambda: "Ada" in read_table_screen(terminal.rows)[1], press="enter")
        wait_for_turn(terminal)
        data = path.read_bytes()
        assert is_accounted_for(data, terminal.rows)
        assert not is_accounted_for(remove_last_line(data), terminal.rows)
