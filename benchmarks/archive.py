"""Time to open, search and paint an archive of many sessions.

    python benchmarks/archive.py [--sessions N] [--times N]

Robots play some sessions of each game; these are copied under new ids, with valid checksums, until the archive is full,
since the rows of a session do not depend on how many similar sessions there are.  One in a hundred has no end, as if
its players had abandoned it.  Printed are seconds of processor time and elapsed time, the minimum of several runs: the
archive opened from its index, rebuilt from the first and last lines of all journals, the sessions without an end read
completely, the tables of a season, then a key that filters or sorts, and a frame of the screen.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import cycle
from pathlib import Path

import msgspec

from cardtable.engine import journal
from cardtable.engine.journal import Occupant
from cardtable.games import GAMES
from cardtable.records import competition_results
from cardtable.records.archive import SORTS
from cardtable.session.simulation import Plan, simulate
from cardtable.store import archive_index, paths
from cardtable.store.profiles import ProfileStore
from cardtable.store.seasons import Season
from cardtable.ui.archive.model import ArchiveModel, paint_archive
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.painting.themes import Appearance
from cardtable.wording import archive_rows

SESSIONS_PER_GAME = 30
"""Sessions of each game that are played; the others are copies."""
ABANDONED_INTERVAL = 100
"""One session in this many has no end."""
MAX_OPEN_SECONDS, MAX_REBUILD_SECONDS = 0.5, 3.0
"""Limits in seconds."""


def fill(home: Path, number: int, nick: str = "") -> None:
    """Put ``number`` sessions into the archive of a home directory. With a nick the first seat is a person's."""
    folder = home / "archive"
    folder.mkdir(parents=True)
    source = [
        journal.read(session.journal)
        for key, game in GAMES.items()
        for session in simulate(Plan(key, SESSIONS_PER_GAME, 7, ("novice",) * game.about.usual_seats, game.options()))
    ]
    for i, read in zip(range(number), cycle(source), strict=False):
        id_ = f"2026{1 + i % 12:02}{1 + i % 28:02}-{i % 24:02}{i % 60:02}00-{read.header.game}-{i:05x}"
        lines = [entry.line for entry in read.entries][: -1 if i % ABANDONED_INTERVAL == 0 else None]
        seats = (Occupant(nick), *read.header.seats[1:]) if nick else read.header.seats
        data = journal.encode(msgspec.structs.replace(read.header, id=id_, seats=seats), lines)
        path = folder / f"{id_}.jsonl"
        path.write_bytes(data)
        modified_at = datetime(2026, 1, 1, tzinfo=UTC).timestamp() + 3000 * i
        os.utime(path, (modified_at, modified_at))


def format_min_time(call: Callable[[], object], times: int) -> str:
    """Return the minimum processor time and elapsed time of a call, as text."""
    durations = []
    for _ in range(times):
        clock, processor = time.perf_counter(), time.process_time()
        call()
        durations.append((time.process_time() - processor, time.perf_counter() - clock))
    processor, clock = map(min, zip(*durations, strict=True))
    return f"{1e3 * processor:7.1f} ms, {1e3 * clock:7.1f} ms by the clock"


def open_archive() -> archive_index.Archive:
    """Return the archive as it is first listed."""
    archive = archive_index.Archive()
    next(archive.read())
    archive.list_sessions()
    return archive


def rebuild_index() -> tuple[archive_index.Archive, int]:
    """Return the archive after its index was deleted and every session was listed again, and the number of half-read
    journals.
    """
    paths.index_file().unlink(missing_ok=True)
    archive = archive_index.Archive()
    half_read = next(progress.half_read for progress in archive.read(0.05) if not progress.unread)
    archive.list_sessions()
    return archive, half_read


def main() -> None:
    """Parse the arguments, fill an archive and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CARDTABLE_HOME"] = folder
        fill(Path(folder), options.sessions)
        measure(options.sessions, options.times)


def measure(sessions: int, times: int) -> None:
    """Measure the archive of the current home directory; print a line for each step."""
    size = sum(path.stat().st_size for path in paths.archive_folder().iterdir())
    print(f"{sessions:,} sessions, {size / 1e6:,.0f} MB")
    print(
        f"made anew from first and last lines  {format_min_time(rebuild_index, times)} (at most "
        f"{1e3 * MAX_REBUILD_SECONDS:,.0f})"
    )
    archive, half_read = rebuild_index()
    duration = format_min_time(archive.load_sessions, 1)
    print(f"then {half_read} read as a whole            {duration}")
    print(
        f"from the index                       {format_min_time(open_archive, times)} (at most "
        f"{1e3 * MAX_OPEN_SECONDS:,.0f})"
    )
    print(f"all that is known, as a list         {format_min_time(archive_index.list_summaries, times)}")
    summaries = archive_index.list_summaries()
    rows = [archive_rows.create_row(summary, "Ada", ProfileStore()) for summary in summaries]
    no_profiles = ProfileStore()
    row_time = format_min_time(
        lambda: [archive_rows.create_row(summary, "Ada", no_profiles) for summary in summaries], times
    )
    print(f"rows to be shown                     {row_time}")
    season = Season("All", tuple(GAMES), final=tuple([summary.id for summary in summaries]))
    season_time = format_min_time(
        lambda: competition_results.compute_results(season, summaries, no_profiles, include_robots=True), times
    )
    print(f"tables of a season of them all       {season_time}")
    listing = ArchiveModel(datetime.now(UTC))
    listing.replace_sessions(rows)
    for text in ("r", "rikiki", "rikiki ada 2026", "no such word"):
        listing.search_input.text = text
        print(
            f"a key that finds {text!r:19} {format_min_time(listing.apply_filters, times)}, "
            f"{len(listing.matches):,} rows"
        )
    listing.clear_filters()
    for sort in SORTS:
        print(f"sorted by {sort:26} {format_min_time(lambda sort=sort: listing.sort_by(sort), times)}")  # type: ignore[misc]
    appearance = Appearance(themes.load_theme("classic", paths.theme_files())[0])
    for width, height in ((80, 24), (120, 40)):
        listing.move_cursor(sessions // 2)
        duration = format_min_time(lambda w=width, h=height: paint_archive(Canvas(w, h, appearance), listing), times)  # type: ignore[misc]
        print(f"painted at {width}x{height:<22}  {duration}")


if __name__ == "__main__":
    main()
