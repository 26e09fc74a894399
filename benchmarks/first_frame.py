"""Time to the first frame, compared with the smallest program that uses the same terminal library.

    python benchmarks/first_frame.py [RUNS [PART OF A NAME ...]]

Measured from the start of the process to the last word of the frame on an 80x24 pseudo-terminal: the picker in an empty
home directory, over five unfinished sessions and over a long King; a new session of each game; that King resumed; and
an app of one ``Static``.  They run in turns, so that a busy machine slows all of them; the ratios are the medians of
those within a turn, of elapsed time and, on Linux, of processor time, which depends less on other programs.
"""

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardtable.engine.game import CHANCE
from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.store import seating, sessions
from tests.pty.terminal import CARDTABLE, Terminal

BARE: Final = (
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
BASELINE: Final = "one Static"
SESSIONS: Final = 5
DECISIONS: Final = 150
MANY_DECISIONS: Final = 900
_PICKER, _PLAY, _RESUME = 1.35, 1.5, 1.8


class Case(NamedTuple):
    """A program whose first frame is measured."""

    home: Path
    """The home directory; each run has a copy of it."""
    program: Sequence[str]
    last_word: bytes
    max_ratio: float
    """Maximum of the ratio."""


class FrameTime(NamedTuple):
    """Time to a first frame, in seconds."""

    wall: float
    processor: float


def create_session(game_key: str, seed: int, decisions: int) -> None:
    """Leave an unfinished session in the home directory, on the player's turn after ``decisions`` decisions or more."""
    game = GAMES[game_key]
    robot = make_robot("random", game_key)
    session = sessions.create(
        game, seating.create_default_seats(game, game.options()), game.options(), seed, now=datetime.now(UTC)
    )
    table, people = session.referee, session.header.people
    while table.decisions < decisions or table.turn not in people:
        if table.turn == CHANCE:
            table.advance()
        else:
            table.play(table.turn, decide(robot, table.view(table.turn), seed, table.decisions))
    session.close()


def create_cases(homes: Path) -> dict[str, Case]:
    """Return all cases by name."""
    empty, five, long = (homes / name for name in ("empty", "five", "long"))
    empty.mkdir()
    os.environ["CARDTABLE_HOME"] = str(five)
    for seed in range(SESSIONS):
        create_session("rikiki", seed, DECISIONS)
    os.environ["CARDTABLE_HOME"] = str(long)
    create_session("king", 1, MANY_DECISIONS)
    picker = {
        "picker, empty home": empty,
        f"picker, {SESSIONS} unfinished sessions": five,
        f"picker, a King of {MANY_DECISIONS} decisions": long,
    }
    return {
        BASELINE: Case(empty, BARE, b"a word", 1),
        **{name: Case(home, CARDTABLE, b"help", _PICKER) for name, home in picker.items()},
        **{f"play {game}": Case(empty, (*CARDTABLE, "play", game), b"help", _PLAY) for game in KEYS},
        "resume that King": Case(long, (*CARDTABLE, "resume"), b"help", _RESUME),
    }


def measure_first_frame(case: Case) -> FrameTime:
    """Measure the time from the start of a program to the last word of its first frame."""
    with tempfile.TemporaryDirectory() as parent:
        home = shutil.copytree(case.home, Path(parent) / "home")
        started_at = time.perf_counter()
        with Terminal(home, program=case.program, environment={"PYTHONDONTWRITEBYTECODE": None}) as terminal:
            while case.last_word not in terminal.output:
                if not terminal.read(10):
                    raise SystemExit(f"no picture came: {bytes(terminal.output)!r}")
            return FrameTime(time.perf_counter() - started_at, read_processor_time(terminal.process.pid))


def read_processor_time(process: int) -> float:
    """Return the processor seconds that a process has used so far; not available on every system."""
    return time.clock_gettime(~process << 3 | 2) if sys.platform == "linux" else float("nan")


def main() -> None:
    """Measure all cases in turns."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    with tempfile.TemporaryDirectory() as homes:
        selected = {
            name: case
            for name, case in create_cases(Path(homes)).items()
            if name == BASELINE or not sys.argv[2:] or any(part in name for part in sys.argv[2:])
        }
        turns = [{name: measure_first_frame(case) for name, case in selected.items()} for _ in range(runs + 1)][1:]
    for name, case in selected.items():
        wall, processor = (1000 * statistics.median(turn[name][field] for turn in turns) for field in (0, 1))
        wall_ratio, processor_ratio = (
            statistics.median(turn[name][field] / turn[BASELINE][field] for turn in turns) for field in (0, 1)
        )
        print(
            f"{name}: {wall:.0f} ms, {wall_ratio:.2f} times {BASELINE} (at most {case.max_ratio}); "
            f"processor {processor:.0f} ms, {processor_ratio:.2f} times"
        )


if __name__ == "__main__":
    main()
