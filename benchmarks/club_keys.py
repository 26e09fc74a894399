"""Time from a key to the player's own move on the screen: locally, and as a guest of a club over loopback.

    python benchmarks/club_keys.py [MOVES]

The same deal of Rikiki with steady robots, on an 80x24 pseudo-terminal, from Enter to the end of the frame that shows
the own bid, or the hand without the card.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.pty.terminal import FRAME_END, Terminal

MAX_EXTRA_MS = 30
"""Maximum of the additional milliseconds as a guest."""


def read_own_text(terminal: Terminal) -> list[str]:
    """Return the text of the own seat: the bid and the hand."""
    return [row[:56] for row in terminal.rows[16:23]]


def measure_move(terminal: Terminal) -> float:
    """Return the milliseconds from Enter to the frame that shows the move."""
    before, start = read_own_text(terminal), len(terminal.output)
    started_at = time.perf_counter()
    terminal.send("enter")
    while True:
        if not terminal.read(5):
            raise SystemExit(f"nothing came of Enter:\n{terminal.text}")
        now = time.perf_counter()
        if FRAME_END in terminal.output[start:] and read_own_text(terminal) != before:
            return 1000 * (now - started_at)


def measure_moves(terminal: Terminal, number: int) -> list[float]:
    """Make ``number`` own moves, continuing after each round; return their times."""
    times: list[float] = []
    while len(times) < number:
        terminal.wait_until_quiet(0.4)
        keys = terminal.rows[-1]
        if "Enter bid" in keys or "Enter play" in keys:
            times.append(measure_move(terminal))
        elif "next round" in keys:
            terminal.send("enter")
    return times


def print_times(label: str, times: list[float]) -> float:
    """Print the median and the maximum; return the median."""
    median = statistics.median(times)
    print(f"{label}: median {median:.1f} ms, slowest {max(times):.1f} ms, {len(times)} moves")
    return median


def main() -> None:
    """Measure locally, then as a guest."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as folder:
        home, club_home = Path(folder) / "home", Path(folder) / "club"
        for path in (home, club_home):
            path.mkdir()
            (path / "settings.toml").write_text("robot_pace = 0\ntrick_pause = 0\n")
        with Terminal(home, "play", "rikiki", "--seats", "me,steady,steady,steady", "--seed", "7") as terminal:
            terminal.wait("Your bid.")
            local_median = print_times("at home", measure_moves(terminal, number))
        host = [sys.executable, str(Path(__file__).with_name("club.py")), "--host"]
        environment = {**os.environ, "CARDTABLE_HOME": str(club_home)}
        with subprocess.Popen(host, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            with Terminal(home, "join", f"127.0.0.1:{port}", "--nick", "Anna") as terminal:
                terminal.wait("No table is open yet")
                terminal.send("n")
                terminal.wait("New table")
                terminal.send("enter")
                terminal.wait("you start it")
                terminal.send("enter")
                terminal.wait("round 1")
                guest_median = print_times("at a guest", measure_moves(terminal, number))
            process.kill()
    print(f"at a guest {guest_median - local_median:+.1f} ms (at most {MAX_EXTRA_MS} ms more)")


if __name__ == "__main__":
    main()
