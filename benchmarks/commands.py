"""Time and memory of each command that reads the sessions of a large home.

    python benchmarks/commands.py [--sessions 20000]

Robots play some sessions of each game, which are copied under new ids until the archive is full.  Each command is run
twice, in a process of its own: first without the archive's index and the figures of the statistics, as if all sessions
were new, then with them.  Printed are elapsed seconds and the largest resident memory.  The exit code is 1 if a command
fails or needs more than the limits.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardtable.store import paths

ROOT: Final = Path(__file__).parent.parent
FILL: Final = (
    "import sys; from pathlib import Path; from benchmarks.archive import fill;"
    "fill(Path(sys.argv[1]), int(sys.argv[2]), 'Anna')"
)
"""Program that fills a home, in a process of its own: a process counts the memory of the one that started it."""
MAX_SECONDS: Final = {"first": 600.0, "again": 60.0}
"""Limits of a command when all sessions are new, and afterwards."""
MAX_MEBIBYTES: Final = 1024.0


class Usage(NamedTuple):
    """Resources that a command has used."""

    code: int
    seconds: float
    mebibytes: float


def measure(arguments: list[str], output: Path) -> Usage:
    """Run a command of the program; its output goes into a file."""
    started_at = time.perf_counter()
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "cardtable", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=ROOT,
        )
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(process.returncode, time.perf_counter() - started_at, usage.ru_maxrss / 1024)


def list_commands(session: str, path: Path, folder: Path) -> list[list[str]]:
    """Return the commands that read all sessions, or look for one of them by its id."""
    return [
        ["list"],
        ["list", "--json"],
        ["list", "--game", "rikiki"],
        ["show", session],
        ["show", session, "--json"],
        ["replay", session],
        ["trace", session],
        ["verify", session],
        ["export", session, "--format", "csv"],
        ["statistics"],
        ["rankings"],
        ["doctor"],
        ["verify", str(path)],
        ["verify", *[str(journal_path) for journal_path in sorted(folder.glob("*.jsonl"))[:200]]],
    ]


def main() -> int:
    """Parse the arguments, fill a home and measure; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sessions", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["CARDTABLE_HOME"] = home
        subprocess.run([sys.executable, "-c", FILL, home, str(options.sessions)], cwd=ROOT, check=True)
        folder = paths.archive_folder()
        path = sorted(folder.glob("*.jsonl"))[options.sessions // 2]
        slowest, largest, failed = Usage(0, 0, 0), Usage(0, 0, 0), []
        slow_name = large_name = ""
        for arguments in list_commands(path.stem, path, folder):
            name = " ".join(arguments[:3]).replace(home, "")[:44]
            for cache in (paths.index_file(), paths.statistics_file()):
                cache.unlink(missing_ok=True)
            for state, max_seconds in MAX_SECONDS.items():
                result = measure(arguments, Path(home) / "output")
                print(f"{name:46}{state:8}{result.seconds:8.2f} s{result.mebibytes:8.0f} MiB", flush=True)
                if result.code or result.seconds > max_seconds or result.mebibytes > MAX_MEBIBYTES:
                    failed.append(name)
                    print((Path(home) / "output").read_text(encoding="utf-8", errors="replace")[-500:])
                if result.seconds > slowest.seconds:
                    slowest, slow_name = result, f"{name}, {state}"
                if result.mebibytes > largest.mebibytes:
                    largest, large_name = result, f"{name}, {state}"
        if failed:
            print(f"beyond a limit, or failed: {', '.join(failed)}")
        print(f"slowest {slowest.seconds:.1f} s ({slow_name}); largest {largest.mebibytes:.0f} MiB ({large_name})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
