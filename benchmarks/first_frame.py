"""How soon the picker is there, beside the least that a program with this terminal library can show.

    python benchmarks/first_frame.py [RUNS]

From the start of the process to the last word of the picture on an 80x24 pseudo-terminal: the
picker in an empty home, the picker over five unfinished sessions, and an app of one ``Static``.
They run in turns, so that a busy machine slows all of them; the ratio is the median of those
within a turn.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardtable.engine.contract import CHANCE
from cardtable.games import GAMES
from cardtable.robots.robot import decide, make
from cardtable.store import seating, sessions
from tests.pty.terminal import CARDTABLE, Terminal

BARE = (
    sys.executable,
    "-c",
    """
from textual.app import App
from textual.widgets import Static

class Bare(App):
    def compose(self):
        yield Static("a word")

Bare().run()
""",
)
LEAST = "one Static"
SESSIONS = 5
DECISIONS = 150
MOST_RATIO = 1.5


def fill(home: Path) -> None:
    """Leave unfinished sessions in a home."""
    os.environ["CARDTABLE_HOME"] = str(home)
    robot = make("random", "rikiki")
    for seed in range(SESSIONS):
        game = GAMES["rikiki"]
        session = sessions.create(
            game, seating.usual(game, game.options()), game.options(), seed, now=datetime.now(UTC)
        )
        table = session.table
        while table.decisions < DECISIONS:
            if table.turn == CHANCE:
                table.go_on()
            else:
                table.play(table.turn, decide(robot, table.view(table.turn), seed, table.decisions))
        session.close()


def first_frame(home: Path, program: Sequence[str], last_word: bytes) -> float:
    """Seconds from the start of a program to the word that its picture ends in."""
    begun = time.perf_counter()
    with Terminal(home, program=program, environment={"PYTHONDONTWRITEBYTECODE": None}) as terminal:
        while last_word not in terminal.output:
            if not terminal.read(10):
                raise SystemExit(f"no picture came: {bytes(terminal.output)!r}")
        return time.perf_counter() - begun


def main() -> None:
    """Measure all three in turns."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryDirectory() as full:
        fill(Path(full))
        cases = {
            LEAST: (Path(empty), BARE, b"a word"),
            "picker, empty home": (Path(empty), CARDTABLE, b"help"),
            f"picker, {SESSIONS} unfinished sessions": (Path(full), CARDTABLE, b"help"),
        }
        rounds = [{name: first_frame(*case) for name, case in cases.items()} for _ in range(runs + 1)][1:]
    for name in cases:
        seconds = statistics.median(times[name] for times in rounds)
        ratio = statistics.median(times[name] / times[LEAST] for times in rounds)
        print(f"{name}: {1000 * seconds:.0f} ms, {ratio:.2f} times {LEAST} (at most {MOST_RATIO})")


if __name__ == "__main__":
    main()
