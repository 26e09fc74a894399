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

OF = 1500
"""Number of lines for which times are printed."""
LIMITS = {"king": 50.0, "rummy": 1500.0}
"""Maximum milliseconds for these lines."""


def sessions(key: str, lines: int) -> list[bytes]:
    """Return journals that together have at least ``lines`` lines."""
    game, journals, number = GAMES[key], list[bytes](), 0
    while sum(data.count(b"\n") for data in journals) < lines:
        number += 1
        plan = Plan(key, 1, number, ("steady",) * game.about.usual_seats, game.options())
        journals += [session.journal for session in simulate(plan)]
    return journals


def milliseconds(call: Callable[[], object], times: int) -> float:
    """Return the minimum time of a call."""
    spent = []
    for _ in range(times):
        start = time.thread_time()
        call()
        spent.append(time.thread_time() - start)
    return 1e3 * min(spent)


def main() -> None:
    """Print a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--lines", type=int, default=OF)
    parser.add_argument("--times", type=int, default=10)
    chosen = parser.parse_args()
    for key in GAMES:
        journals = sessions(key, chosen.lines)
        number = sum(data.count(b"\n") for data in journals)
        whole = reading = 0.0
        for data in journals:
            reading += milliseconds(lambda: journal.read(data), chosen.times)  # noqa: B023 - used before the next one
            whole += milliseconds(lambda: replay.load(journal.read(data), GAMES), chosen.times)  # noqa: B023
        limit = f", at most {LIMITS[key]:,.0f}" if key in LIMITS else ""
        share = OF / number
        print(f"{key:9} {share * whole:7.1f} ms for {OF} lines{limit}; {share * reading:.1f} ms of it to read them")


if __name__ == "__main__":
    main()
