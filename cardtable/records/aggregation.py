"""Ratings and statistics of all sessions, computed from the archive in a process of its own.

Data in the archive's index is available at once. The facts about the rounds of each session are extracted from its
journal once, the latest session first, and cached. For thousands of new sessions this may take minutes.
"""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Final, Literal, NamedTuple

import msgspec

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Sides, no_partnerships
from cardtable.engine.journal import Header
from cardtable.engine.options import Value, read
from cardtable.games import GAMES, convert_plugin_errors, list_keys
from cardtable.records import statistics
from cardtable.records.ratings import KnownPlayers, Player, Rating, Ratings
from cardtable.records.statistics import PlayerStatistics, SessionFacts, Statistics
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import archive_index, paths, profiles
from cardtable.store.archive_index import FileCache, Fingerprint, compute_fingerprint, flush_unchanged
from cardtable.store.summaries import Summary
from cardtable.workers.server import BACKGROUND_NICENESS, WorkerRequest, serve

PROGRESS_INTERVAL: Final = 0.2
"""Interval between two progress messages, in seconds."""
FIRST_RESULTS_DELAY: Final = 0.5
"""Time after which first results are sent while sessions are still being searched for, in seconds."""
RESULTS_INTERVAL: Final = 15.0
"""Interval at which all results are computed again from the facts known so far, in seconds."""
RESULTS_TIME_DIVISOR: Final = 10
"""Divisor of the share of time that such computations may take: 10 means at most about a tenth."""
SAVE_INTERVAL: Final = 1.0
"""Interval at which new facts are written to the disk, in seconds."""
WORKERS: Final = 2
"""Number of processes that extract facts."""
MIN_PARALLEL_SESSIONS: Final = 200
"""Minimum number of new sessions for which separate processes are used."""
BATCH_SIZE: Final = 20
"""Number of sessions that a process receives at once."""


ALL_GAMES: Final = ""
"""Value in place of the key of a game that stands for all games together."""


class PlayerRecord(NamedTuple):
    """Statistics and rating of a player in one game, or in all games together."""

    player: Player
    game: str
    """Key of the game, or ``ALL_GAMES``."""
    figures: PlayerStatistics
    """Statistics; for all games only those that ``statistics.combine`` includes."""
    rating: Rating | None = None
    """Rating in the game, or ``None`` if the player is not rated in it."""


class AggregatedRecords(msgspec.Struct, frozen=True):
    """Ratings and statistics of the sessions that are known so far."""

    ratings: dict[str, Ratings] = msgspec.field(default_factory=dict)
    """Ratings by key of the game."""
    statistics: Statistics = msgspec.field(default_factory=dict)

    def get_record(self, player: Player, game: str) -> PlayerRecord:
        """Return the record of a player in a game or in ``ALL_GAMES``, which is empty if they have not played it."""
        if game == ALL_GAMES:
            by_game = [self.get_record(player, key).figures for key in list_keys()]
            return PlayerRecord(player, game, statistics.combine(by_game))
        ratings = self.ratings.get(game) or Ratings()
        figures = self.statistics.get((player, game)) or PlayerStatistics()
        return PlayerRecord(player, game, figures, ratings.players.get(player))

    def list_players(self) -> list[tuple[Player, int]]:
        """Return all players, each with the number of sessions.

        People are sorted by that number, the largest first. Robots follow, the strongest first.
        """
        sessions: dict[Player, int] = {}
        for (player, _), figures in self.statistics.items():
            sessions[player] = sessions.get(player, 0) + figures.sessions
        return sorted(sessions.items(), key=lambda item: _compute_sort_key(*item))


class AggregationProgress(msgspec.Struct, frozen=True):
    """Progress of the aggregation, with new results at times."""

    read: int
    """Number of sessions whose facts are known, or in stage ``"found"`` the number of files that were examined."""
    sessions: int
    records: AggregatedRecords | None = None
    """New results, or ``None`` if the message has none."""
    stage: Literal["found", "read"] = "read"
    """``"found"`` while sessions are being searched for, ``"read"`` while whole sessions are being read."""


class AggregationRequest(WorkerRequest[AggregationProgress], frozen=True):
    """Request for the progress of the aggregation until it is complete."""


def _compute_sort_key(player: Player, sessions: int) -> tuple[bool, int, str]:
    return player.robot, -LEVELS.index(player.name) if player.robot else -sessions, player.name


def aggregate(results_interval: float = RESULTS_INTERVAL) -> Generator[AggregationProgress, None, None]:
    """Yield the progress of the aggregation.

    Results are included at the beginning, then every ``results_interval`` seconds, and at the end.
    """
    known = archive_index.Archive()
    yield from _search_sessions(known)
    sessions = list_counted(known)
    cache = FileCache(paths.statistics_file(), SessionFacts, statistics.VERSION)
    facts: dict[Path, SessionFacts] = {}
    try:
        yield from _read_sessions(sessions, cache, facts, results_interval)
    finally:
        cache.save()


def list_counted(archive: archive_index.Archive) -> list[Summary]:
    """Return the known sessions that statistics include, in the order in which they ended."""
    return sorted(
        filter(statistics.is_counted, archive.list_sessions()), key=lambda session: (session.played, session.id)
    )


def _search_sessions(archive: archive_index.Archive) -> Iterator[AggregationProgress]:
    """Search for sessions and their final results.

    If this takes longer than ``FIRST_RESULTS_DELAY``, results of the sessions found so far are yielded once.
    """
    started_at, first = monotonic(), True
    for progress in islice(archive.read(PROGRESS_INTERVAL), 1, None):
        if not progress.left:
            return
        records = None
        if first and monotonic() - started_at > FIRST_RESULTS_DELAY:
            records, first = _compute_records(list_counted(archive), {}), False
        yield AggregationProgress(progress.files - progress.left, progress.files, records, stage="found")


def _read_sessions(
    sessions: Sequence[Summary],
    cache: FileCache[SessionFacts],
    facts: dict[Path, SessionFacts],
    results_interval: float,
) -> Iterator[AggregationProgress]:
    marks = _compute_fingerprints(sessions)
    cache.prune(map(_get_cache_key, marks))
    for session in sessions:
        cached = cache.get(_get_cache_key(session.path), marks[session.path]) if session.path in marks else None
        header = session.header
        if cached and header and cached.has_size_for(header.game, len(header.seats)):
            facts[session.path] = cached
    reported, pause = monotonic(), results_interval
    yield AggregationProgress(len(facts), len(sessions), _compute_records(sessions, facts))
    computed_at = saved = monotonic()
    unread = [session.path for session in reversed(sessions) if session.path not in facts and session.path in marks]
    with closing(extract_all(unread)) as results:
        for path, session_facts in results:
            _add_facts(facts, cache, path, marks[path], session_facts)
            if monotonic() - saved > SAVE_INTERVAL:
                cache.save()
                saved = monotonic()
            if monotonic() - computed_at > pause:
                started_at = monotonic()
                yield AggregationProgress(len(facts), len(sessions), _compute_records(sessions, facts))
                reported = computed_at = monotonic()
                pause = max(results_interval, RESULTS_TIME_DIVISOR * (computed_at - started_at))
            elif monotonic() - reported > PROGRESS_INTERVAL:
                yield AggregationProgress(len(facts), len(sessions))
                reported = monotonic()
    if unread:
        yield AggregationProgress(len(facts), len(sessions), _compute_records(sessions, facts))


def load_facts(sessions: Sequence[Summary], max_unread: float) -> dict[Path, SessionFacts]:
    """Return the facts about sessions from the cache, and extract those that it lacks.

    Nothing is returned if it lacks more than ``max_unread`` of them.
    """
    cache, marks = FileCache(paths.statistics_file(), SessionFacts, statistics.VERSION), _compute_fingerprints(sessions)
    facts = {
        path: session_facts for path, mark in marks.items() if (session_facts := cache.get(_get_cache_key(path), mark))
    }
    unread = [path for path in marks if path not in facts]
    if len(unread) > max_unread:
        return {}
    for path, session_facts in _extract_in_process(unread):
        _add_facts(facts, cache, path, marks[path], session_facts)
    cache.save()
    return facts


def _add_facts(
    facts: dict[Path, SessionFacts],
    cache: FileCache[SessionFacts],
    path: Path,
    mark: Fingerprint,
    session_facts: SessionFacts | None,
) -> None:
    """Add the facts about a session, if it could be read, to those that are known and to the cache."""
    if session_facts is not None:
        facts[path] = session_facts
        if flush_unchanged(path, mark):
            cache.put(_get_cache_key(path), mark, session_facts)


def extract_all(files: Sequence[Path]) -> Generator[tuple[Path, SessionFacts | None], None, None]:
    """Yield the facts about each file, ``None`` if it cannot be read.

    Two processes extract them if there are many files.
    """
    if len(files) < MIN_PARALLEL_SESSIONS or (os.cpu_count() or 1) < WORKERS:
        yield from _extract_in_process(files)
        return
    from cardtable.robots.process_executor import ProcessExecutor  # noqa: PLC0415 - lazy: startup

    batches = [files[start : start + BATCH_SIZE] for start in range(0, len(files), BATCH_SIZE)]
    done = 0
    with suppress(OSError, RuntimeError), ProcessExecutor(WORKERS) as pool:  # one may die, or cannot be started
        for batch, extracted in zip(batches, pool.map(_extract_batch, batches), strict=True):
            yield from zip(batch, extracted, strict=True)
            done += len(batch)
    yield from _extract_in_process(files[done:])


def _extract_in_process(files: Iterable[Path]) -> Iterator[tuple[Path, SessionFacts | None]]:
    for path in files:
        yield path, statistics.extract_facts(path)


def _extract_batch(files: Sequence[Path]) -> list[SessionFacts | None]:
    return [facts for _, facts in _extract_in_process(files)]


def _compute_fingerprints(sessions: Sequence[Summary]) -> dict[Path, Fingerprint]:
    """Return the fingerprints of the journals that still exist, by path."""
    fingerprints = {}
    for session in sessions:
        with suppress(OSError):
            fingerprints[session.path] = compute_fingerprint(session.path.stat())
    return fingerprints


def _get_cache_key(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _compute_records(sessions: Sequence[Summary], facts: Mapping[Path, SessionFacts]) -> AggregatedRecords:
    """Return ratings and statistics of sessions, which are in the order in which they ended.

    Damaged sessions are left out.
    """
    records, known_players = AggregatedRecords(), KnownPlayers(profiles.load()[0])
    for session in sessions:
        session_facts = facts.get(session.path)
        if session.header is None or (session_facts is not None and not session_facts.whole):
            continue
        seats = known_players.find_players(session)
        statistics.add_session(records.statistics, session, seats, session_facts)
        records.ratings.setdefault(session.header.game, Ratings()).add(session, seats, get_sides(session.header))
    return records


def get_sides(header: Header) -> Sides:
    """Return the partnerships in a session.

    Every seat is on its own if the game no longer has the session's options.
    """
    return _compute_sides(header.game, len(header.seats), tuple(header.options.items()))


@lru_cache(maxsize=256)
def _compute_sides(key: str, seats: int, options: tuple[tuple[str, Value], ...]) -> Sides:
    try:
        with convert_plugin_errors():
            return GAMES[key].sides(seats, read(GAMES[key].options, dict(options)))
    except (CardtableError, ValueError):
        return no_partnerships(seats)


def main() -> None:
    """Serve requests of the program that started this process.

    A thread would not do, since it would delay the handling of keys.
    """
    serve(lambda _asked: aggregate(), BACKGROUND_NICENESS)
