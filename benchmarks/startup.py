"""Time of the shortest command, compared with the minimum of any Python program.

Prints the time of ``cardtable --version`` as a multiple of ``python -c pass``.  The two run in turns, so that a busy
machine slows both; medians are compared.

    python benchmarks/startup.py [RUNS]
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

EMPTY_PROGRAM = [sys.executable, "-c", "pass"]
VERSION = [str(Path(sys.executable).with_name("cardtable")), "--version"]


def measure_run(command: Sequence[str]) -> float:
    """Return the seconds from the start of a program to its end."""
    started_at = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started_at


def main() -> None:
    """Measure both in turns; print their medians and ratio."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as a person starts it, compiled once
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    measure_run(VERSION), measure_run(EMPTY_PROGRAM)
    pairs = [(measure_run(VERSION), measure_run(EMPTY_PROGRAM)) for _ in range(runs)]
    cardtable_ms, python_ms = (statistics.median(times) * 1000 for times in zip(*pairs, strict=True))
    print(
        f"--version: {cardtable_ms:.1f} ms, "
        f"{cardtable_ms / python_ms:.2f} times the {python_ms:.1f} ms of python -c pass (at most 3)"
    )


if __name__ == "__main__":
    main()
