"""Cost of the idle program: memory, bytes written to disk, share of a core.

    python benchmarks/idle.py [MINUTES]

On two pseudo-terminals of 80x24 at once: a table where a player is to act, and a table where a round clock runs.  The
first seconds are excluded, because the robots' process starts and caches fill in them.  Needs /proc, so it runs on
Linux only.
"""

import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.store import sessions
from tests.pty.terminal import CARDTABLE, Terminal

MINUTES = 10.0
SETTLING_SECONDS = 15
MAX_MEGABYTES, MAX_BYTES, MAX_SHARE = 1, 0, 1
TICKS = os.sysconf("SC_CLK_TCK")
TABLES: dict[str, dict[str, int]] = {"a person is to act": {}, "a round clock runs": {"round_clock": 60}}


class Cost(NamedTuple):
    """Resources that a process has used so far."""

    memory: int
    """Resident bytes."""
    written: int
    """Bytes written to disk as the kernel counts them, without caches."""
    seconds: float
    """Processor seconds."""


def read_cost(process: int) -> Cost:
    """Return the resources of a process as the kernel counts them."""
    folder = Path(f"/proc/{process}")
    memory = int((folder / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    written = next(line for line in (folder / "io").read_text().splitlines() if line.startswith("write_bytes"))
    times = (folder / "stat").read_text().rpartition(")")[2].split()[11:13]
    return Cost(memory, int(written.split()[1]), sum(map(int, times)) / TICKS)


def list_files(home: Path) -> dict[Path, tuple[int, int]]:
    """Return sizes and modification times of all files of a home directory."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()}


def begin_session(home: Path, options: dict[str, int]) -> str:
    """Start a session of a player and robots; return its id."""
    os.environ["CARDTABLE_HOME"] = str(home)
    game = GAMES["rikiki"]
    seats = [Occupant("Guest"), *[Occupant(name, "steady") for name in ("Ada", "Bo", "Cy")]]
    session = sessions.create(game, seats, game.options(**options), 7, now=datetime.now(UTC))
    session.close()
    return session.header.id


def print_cost(label: str, minutes: float, before: Cost, after: Cost) -> None:
    """Print the resources that one process has used."""
    growth = (after.memory - before.memory) / 2**20
    share = 100 * (after.seconds - before.seconds) / (60 * minutes)
    print(
        f"{label}: memory {growth:+.2f} MB of {after.memory / 2**20:.0f} (at most {MAX_MEGABYTES}),"
        f" {after.written - before.written} bytes written (at most {MAX_BYTES}),"
        f" {share:.2f} % of a core (at most {MAX_SHARE})"
    )


def wait_idle(terminals: list[Terminal], seconds: float) -> int:
    """Wait, reading the output of the terminals; return its number of bytes."""
    end, before = time.monotonic() + seconds, sum(len(terminal.output) for terminal in terminals)
    while (remaining := end - time.monotonic()) > 0:
        for terminal in terminals:
            terminal.read(min(remaining, 0.5))
    return sum(len(terminal.output) for terminal in terminals) - before


def main() -> None:
    """Open both tables, leave them idle, and print the cost."""
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else MINUTES
    with tempfile.TemporaryDirectory() as folder:
        homes = {label: Path(folder) / str(number) for number, label in enumerate(TABLES)}
        terminals = {}
        for label, options in TABLES.items():
            homes[label].mkdir()
            terminals[label] = Terminal(
                homes[label], program=(*CARDTABLE, "resume", begin_session(homes[label], options))
            )
        try:
            measure(terminals, homes, minutes)
        finally:
            for terminal in terminals.values():
                terminal.__exit__()


def measure(terminals: dict[str, Terminal], homes: dict[str, Path], minutes: float) -> None:
    """Measure both tables at once."""
    for terminal in terminals.values():
        terminal.wait("Your bid.")
    wait_idle([*terminals.values()], SETTLING_SECONDS)
    processes = {label: [t.process.pid, *t.list_children()] for label, t in terminals.items()}
    before = {process: read_cost(process) for process_ids in processes.values() for process in process_ids}
    files_before = {label: list_files(home) for label, home in homes.items()}
    byte_count = wait_idle([*terminals.values()], 60 * minutes)
    print(f"{minutes:g} minutes, {byte_count} bytes to both terminals")
    for label, process_ids in processes.items():
        for process, name in zip(process_ids, ("the program", "the robots' process"), strict=False):
            print_cost(f"{label}, {name}", minutes, before[process], read_cost(process))
        is_unchanged = list_files(homes[label]) == files_before[label]
        print(f"{label}: its files are {'as they were' if is_unchanged else 'changed'}")


if __name__ == "__main__":
    main()
