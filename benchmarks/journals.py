"""Time to parse and replay a journal of each game.

    python benchmarks/journals.py [--lines N] [--times N]

Sessions of steady robots, as many as give N lines; each is parsed from its bytes and replayed to its end.  Printed are
milliseconds of processor time for 1,500 lines, and the part of it spent in replaying: the minimum of several runs.
"""

import argparse
import time
from collections.abc import Callable

from cardtable.engine import journal, replay
from cardtable.games import GAMES
from cardtable.session.simulation import Plan, simulate

REPORTED_LINES = 1500
"""Number of lines for which times are printed."""
LIMITS = {"king": 50.0, "rummy": 1500.0}
"""Maximum milliseconds for these lines."""


def create_journals(key: str, lines: int) -> list[bytes]:
    """Return journals that together have at least ``lines`` lines."""
    game, journals, number = GAMES[key], list[bytes](), 0
    while sum(data.count(b"\n") for data in journals) < lines:
        number += 1
        plan = Plan(key, 1, number, ("steady",) * game.about.usual_seats, game.options())
        journals += [session.journal for session in simulate(plan)]
    return journals


def measure_milliseconds(call: Callable[[], object], times: int) -> float:
    """Return the minimum time of a call."""
    durations = []
    for _ in range(times):
        start = time.thread_time()
        call()
        durations.append(time.thread_time() - start)
    return 1e3 * min(durations)


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lines", type=int, default=REPORTED_LINES)
    parser.add_argument("--times", type=int, default=10)
    options = parser.parse_args()
    for key in GAMES:
        journals = create_journals(key, options.lines)
        number = sum(data.count(b"\n") for data in journals)
        total_ms = reading_ms = 0.0
        for data in journals:
            reading_ms += measure_milliseconds(lambda: journal.read(data), options.times)  # noqa: B023 - used before the next one
            total_ms += measure_milliseconds(lambda: replay.load(journal.read(data), GAMES), options.times)  # noqa: B023
        limit = f", at most {LIMITS[key]:,.0f}" if key in LIMITS else ""
        share = REPORTED_LINES / number
        print(
            f"{key:9} {share * total_ms:7.1f} ms for {REPORTED_LINES} lines{limit}; "
            f"{share * reading_ms:.1f} ms of it to read them"
        )


if __name__ == "__main__":
    main()
