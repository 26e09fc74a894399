"""Time from a key to the changed screen: while the table is idle, while robots think, and while a review runs as well.

    python benchmarks/latency.py [PRESSES]

On an 80x24 pseudo-terminal, from the key to the end of the frame in which the screen has changed.  Three experts are
made to think for seconds on end, in the robots' usual process.  The review runs with the priority that it has in the
program.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.records.review import Review, compute_next_piece
from cardtable.robots import worker
from cardtable.robots.kit import robot
from cardtable.store import sessions, summaries
from cardtable.ui import app
from cardtable.workers import client
from cardtable.workers.server import BACKGROUND_NICENESS
from tests.pty.terminal import FRAME_END, Terminal

MAX_MEDIAN_MS, MAX_LATE_MS = 5, 12
"""Maxima of the median and of the 99th percentile, in milliseconds."""
THOUGHT_SECONDS = 3.0
GAPS = (0.02, 0.08)
"""Minimum and maximum seconds between two keys."""
SLOW_PROGRAM, SLOW_WORKER, REVIEW = "--slow-program", "--slow-worker", "--review"
KEYS_CLOSE = "any key closes"


def run_slow_worker() -> None:
    """Run the robots' process with robots that repeat every search."""
    decide = robot.decide

    def ponder(*request):
        end = time.perf_counter() + THOUGHT_SECONDS
        choice = decide(*request)
        while time.perf_counter() < end:
            choice = decide(*request)
        return choice

    vars(worker)["decide"] = ponder
    worker.main()


def run_slow_program(session: str) -> None:
    """Run the program at the table of a session, with that process."""

    vars(client)["build_command"] = lambda _module: (sys.executable, __file__, SLOW_WORKER)
    app.run(sessions.resume(summaries.find_path(session)))


def run_reviews() -> None:
    """Review a session again and again."""
    from benchmarks.review import record_session  # noqa: PLC0415 - lazy: only in that process

    os.nice(BACKGROUND_NICENESS)
    session = record_session("rikiki", "steady")
    while True:
        review = Review([], [])
        while len(review.judged) < len(session.decisions):
            compute_next_piece(session, review)


def measure_press(terminal: Terminal, key: str, has_changed: Callable[[], bool]) -> float:
    """Return the seconds from a key to the end of the frame in which the screen has changed."""
    start = len(terminal.output)
    started_at = time.perf_counter()
    terminal.send(key)
    while True:
        if not terminal.read(5):
            raise SystemExit(f"nothing came of {key}:\n{terminal.text}")
        now = time.perf_counter()
        if FRAME_END in terminal.output[start:] and has_changed():
            return now - started_at


def read_for(terminal: Terminal, seconds: float) -> None:
    """Read for some seconds, also while robots think, for which ``wait_until_quiet`` would wait."""
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        terminal.read(left)


def measure_series(
    terminal: Terminal, presses: int, key: str, read_state: Callable[[], object], is_ready: Callable[[], bool]
) -> list[float]:
    """Press a key that changes the result of ``read_state``, whenever the table is ready for it; return the times."""
    rng, times = Random(1), list[float]()
    while len(times) < presses:
        read_for(terminal, rng.uniform(*GAPS))
        if not is_ready():
            terminal.send("enter")
            read_for(terminal, 0.3)
            continue
        before = read_state()
        times.append(measure_press(terminal, key, lambda: read_state() != before))  # noqa: B023 - used before the next round
    return times


def print_times(label: str, times: list[float]) -> None:
    """Print the median and the 99th percentile."""
    median, late = (1000 * seconds for seconds in (statistics.median(times), statistics.quantiles(times, n=100)[98]))
    print(
        f"{label}: median {median:.1f} ms (at most {MAX_MEDIAN_MS}), 99% within {late:.1f} ms (at most {MAX_LATE_MS}),"
        f" {len(times)} keys"
    )


def main() -> None:
    """Measure at a table that waits for a bid, then while robots bid and play."""
    presses = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    with tempfile.TemporaryDirectory() as home:
        os.environ["CARDTABLE_HOME"] = home
        (Path(home) / "settings.toml").write_text("robot_pace = 0\ntrick_pause = 0\n")
        game, seats = GAMES["rikiki"], [Occupant("Guest"), *[Occupant(name, "expert") for name in ("Ada", "Bo", "Cy")]]
        session = sessions.create(game, seats, game.options(), 7, now=datetime.now(UTC))
        session.close()
        program = (sys.executable, __file__, SLOW_PROGRAM, session.header.id)
        with Terminal(Path(home), program=program) as terminal:
            measure(terminal, presses)


def measure(terminal: Terminal, presses: int) -> None:
    """Measure all series at one table."""

    def is_sheet_open() -> bool:
        return KEYS_CLOSE in terminal.rows[-1]

    def can_press() -> bool:
        return is_sheet_open() or "is thinking" in terminal.text

    terminal.wait("Your bid.")
    terminal.wait_until_quiet()
    print_times(
        "table waits, the key sheet opened and closed",
        measure_series(terminal, presses, "?", is_sheet_open, lambda: True),
    )
    if is_sheet_open():
        terminal.send("?")
    print_times(
        "experts think, the key sheet opened and closed",
        measure_series(terminal, presses, "?", is_sheet_open, can_press),
    )
    with subprocess.Popen((sys.executable, __file__, REVIEW)) as reviews:
        print_times("a review runs as well", measure_series(terminal, presses, "?", is_sheet_open, can_press))
        reviews.kill()


if __name__ == "__main__":
    if SLOW_WORKER in sys.argv:
        run_slow_worker()
    elif REVIEW in sys.argv:
        run_reviews()
    elif SLOW_PROGRAM in sys.argv:
        run_slow_program(sys.argv[2])
    else:
        main()
