"""Time of ratings and statistics of thousands of sessions, and delay of keys in the meantime.

    python benchmarks/records.py [SESSIONS]

Robots play a few sessions of each game, which are stored in an archive again and again with different players. Measured
are the first computation, in which every journal is replayed (one in fifty, from which the total is extrapolated), the
next one, which replays none, and the delay of a key while the process computes.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

import msgspec

from cardtable.engine import journal
from cardtable.engine.journal import VERSION, Header, Occupant
from cardtable.games import GAMES, KEYS
from cardtable.records import statistics
from cardtable.records.aggregation import aggregate
from cardtable.records.statistics import SessionFacts
from cardtable.robots.arena import play_session
from cardtable.store import archive_index, paths
from cardtable.store.archive_index import FileCache, compute_fingerprint
from cardtable.ui.toolkit.context import StatisticsWorker

SESSIONS_PER_GAME = 6
"""Sessions of each game that are played."""
NICKS = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn", "Gina", "Hugo", "Ida", "Jan", "Kim", "Lea", "Max2", "Nils")
LEVELS = ("novice", "steady", "random")
FIRST_END, SESSION_INTERVAL = 1_767_000_000, 3600
"""End of the first session (Unix time), and seconds from one session to the next."""


def record_session(game: str, seed: int) -> tuple[Header, list[journal.Line]]:
    """Play a session of robots; return its header and its other lines."""
    rules = GAMES[game].options()
    levels = [LEVELS[(seed + seat) % 3] for seat in range(GAMES[game].seats_for(rules))]
    lines: list[journal.Line] = []
    table = play_session(GAMES[game], levels, rules, seed, lines.append)
    seats = tuple([Occupant(f"Robot{seat}", level) for seat, level in enumerate(levels)])
    created = "2026-01-01T00:00:00Z"
    options = table.options.to_dict()
    return Header(cardtable=VERSION, id="x", game=game, created=created, seed=seed, options=options, seats=seats), lines


def fill(sessions: int) -> None:
    """Store ``sessions`` sessions in the archive."""
    templates = [record_session(game, seed) for seed in range(SESSIONS_PER_GAME) for game in KEYS]
    paths.create_folder(paths.archive_folder())
    rng = Random(1)
    for number in range(sessions):
        header, lines = templates[number % len(templates)]
        nicks = rng.sample(NICKS, len(header.seats))
        # The better people sit where the better robots were.
        people = [seat for seat, robot in enumerate(header.seats) if robot.robot == "steady"] or [0]
        seats = tuple([Occupant(nicks[i]) if i in people else seat for i, seat in enumerate(header.seats)])
        id_ = f"20260101-000000-{header.game}-{number:06x}"
        path = paths.archive_folder() / f"{id_}.jsonl"
        path.write_bytes(journal.encode(msgspec.structs.replace(header, id=id_, seats=seats), lines))
        os.utime(path, (FIRST_END + SESSION_INTERVAL * number,) * 2)


def print_duration(label: str, call: Callable[[], object]) -> None:
    """Print the duration of a call."""
    started_at = time.perf_counter()
    call()
    print(f"{label}: {time.perf_counter() - started_at:.2f} s")


def compute_all() -> None:
    """Compute all ratings and statistics."""
    for _ in aggregate():
        pass


def compute_first_result() -> None:
    """Compute until the first result can be shown."""
    results = aggregate()
    next(results)
    results.close()


def cache_facts() -> None:
    """Store the facts of all sessions as a first computation does, extracting them once for each session played."""
    cache = FileCache(paths.statistics_file(), SessionFacts, statistics.VERSION)
    facts: dict[tuple[str, int], SessionFacts | None] = {}
    for session in archive_index.list_finished():
        assert session.header is not None
        key = session.header.game, session.header.seed
        if key not in facts:
            facts[key] = statistics.extract_facts(session.path)
        if session_facts := facts[key]:
            cache.put(f"archive/{session.path.name}", compute_fingerprint(session.path.stat()), session_facts)
    cache.save()


async def measure_delay(work: Awaitable[object]) -> tuple[float, float]:
    """Return the maximum delay of a loop that wakes every 5 ms until the work is done, and the duration of the work."""
    max_delay, started_at = 0.0, time.perf_counter()
    working = asyncio.ensure_future(work)
    while not working.done():
        before = time.perf_counter()
        await asyncio.sleep(0.005)
        max_delay = max(max_delay, time.perf_counter() - before - 0.005)
    await working
    return max_delay, time.perf_counter() - started_at


async def measure_worker() -> None:
    """Print the delay of keys while the process computes, and for the same time while it does not."""
    worker = StatisticsWorker()
    delay, duration = await measure_delay(worker.compute_records(lambda _progress: None))
    await worker.stop()
    idle_delay, _ = await measure_delay(asyncio.sleep(duration))
    print(
        f"the same in a process of its own: {duration:.2f} s, in which keys wait at most {1000 * delay:.0f} ms;"
        f" without it {1000 * idle_delay:.0f} ms"
    )


def main() -> None:
    """Fill an archive and measure."""
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as home:
        os.environ["CARDTABLE_HOME"] = home
        sample_size = max(sessions // 50, 1)
        fill(sample_size)
        started_at = time.perf_counter()
        compute_all()
        seconds_per_session = (time.perf_counter() - started_at) / sample_size
        print(
            f"a new session replayed and reckoned: {1000 * seconds_per_session:.0f} ms; {sessions} new ones: "
            f"{seconds_per_session * sessions:.0f} s"
        )
        fill(sessions)
        print_duration(f"the index of {sessions} sessions", archive_index.list_finished)
        print_duration("the same again", archive_index.list_finished)
        print_duration("ratings, places and totals, before any journal is replayed", compute_first_result)
        cache_facts()
        print_duration("all ratings and statistics, from what is kept", compute_all)
        asyncio.run(measure_worker())


if __name__ == "__main__":
    main()
