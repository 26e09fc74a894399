"""What all sessions come to: ratings and statistics, reckoned from the archive.

What the archive's index tells is there at once.  The facts of each session are extracted from its journal once,
the sessions played last first, and are kept; that may take minutes where there are thousands of new ones.
"""

import os
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from time import monotonic
from typing import Final, Literal

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Sides, no_partnerships
from cardtable.engine.journal import Header
from cardtable.engine.options import Value, read
from cardtable.games import GAMES, blaming
from cardtable.records import statistics
from cardtable.records import statistics as session_facts
from cardtable.records.ratings import KnownPlayers, Player, Ratings
from cardtable.records.statistics import SessionFacts, Statistics
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import archive_index, paths, profiles
from cardtable.store.file_cache import FileCache, Traces, fingerprint
from cardtable.store.summaries import Summary
from cardtable.workers.server import WorkerRequest, serve

GIVES_WAY: Final = 10
"""By how much the priority of its process is lower than that of the program, and than that of the robots' process."""
TOLD_EACH: Final = 0.2
"""Seconds after which it is told how far things are."""
FIRST_AFTER: Final = 0.5
"""Seconds after which something is reckoned from what is known by then, while sessions are still being found."""
RECKONED_EACH: Final = 15.0
"""Seconds after which all is reckoned anew from what is known by then."""
PART_OF_TIME: Final = 10
"""Reckoning anew takes at most one in so many seconds."""
SAVED_EACH: Final = 1.0
"""Seconds after which what is known is written to the disk."""
WORKERS: Final = 2
"""Processes that extract facts."""
MANY: Final = 200
"""New sessions from which on they do."""
PORTION: Final = 20
"""Sessions that a process is given at once."""


@dataclass(frozen=True, slots=True)
class AggregatedRecords:
    """What the sessions come to of which something is known."""

    ratings: dict[str, Ratings] = field(default_factory=dict)
    """By the game's key."""
    statistics: Statistics = field(default_factory=dict)

    def players(self) -> list[tuple[Player, int]]:
        """All players and the number of their sessions: people by that number, then robots, the strongest first."""
        sessions: dict[Player, int] = {}
        for (player, _), figures in self.statistics.items():
            sessions[player] = sessions.get(player, 0) + figures.sessions
        return sorted(sessions.items(), key=lambda item: _place_of(*item))


@dataclass(frozen=True, slots=True)
class AggregationProgress:
    """How far the reckoning is."""

    read: int
    """Sessions of which the facts are known; at first files that were looked at."""
    sessions: int
    records: AggregatedRecords | None = None
    """What they come to, if that is new."""
    stage: Literal["found", "read"] = "read"
    """First sessions are found, then each is read as a whole."""


class AggregationRequest(WorkerRequest[AggregationProgress], frozen=True):
    """Asks how far things are until all is reckoned."""


def _place_of(player: Player, sessions: int) -> tuple[bool, int, str]:
    return player.robot, -LEVELS.index(player.name) if player.robot else -sessions, player.name


def reckon(anew_each: float = RECKONED_EACH) -> Generator[AggregationProgress, None, None]:
    """Tell how far things are, and first, then each so many seconds what the sessions come to; at last what all do."""
    known = archive_index.Archive()
    known.look()
    yield from _list(known)
    sessions = _counting(known)
    cache = FileCache(paths.figures(), SessionFacts, session_facts.VERSION)
    found: dict[Path, SessionFacts] = {}
    try:
        yield from _reckon(sessions, cache, found, anew_each)
    finally:
        cache.save()


def _counting(known: archive_index.Archive) -> list[Summary]:
    """Return the sessions that statistics count, in the order in which they ended."""
    sessions = [session for session in archive_index.ended(known.sessions()) if statistics.counts(session)]
    return sorted(sessions, key=lambda session: (session.played, session.id))


def _list(known: archive_index.Archive) -> Iterator[AggregationProgress]:
    """Find out which sessions there are and how they ended; if that takes long, what those come to that are found."""
    begun, first = monotonic(), True
    while known.read(TOLD_EACH):
        left = known.unread + known.half_read
        records = None
        if first and monotonic() - begun > FIRST_AFTER:
            records, first = _records(_counting(known), {}), False
        yield AggregationProgress(known.files - left, known.files, records, stage="found")


def _reckon(
    sessions: Sequence[Summary], cache: FileCache[SessionFacts], known: dict[Path, SessionFacts], anew_each: float
) -> Iterator[AggregationProgress]:
    marks = _marks(sessions)
    cache.prune(map(_key, marks))
    for session in sessions:
        kept = cache.get(_key(session.path), marks[session.path]) if session.path in marks else None
        if kept is not None and _fit(kept, session):
            known[session.path] = kept
    told, pause = monotonic(), anew_each
    yield AggregationProgress(len(known), len(sessions), _records(sessions, known))
    reckoned = saved = monotonic()
    unread = [session.path for session in reversed(sessions) if session.path not in known and session.path in marks]
    with closing(extracted(unread)) as coming:
        for path, found in coming:
            if found is not None:
                known[path] = found
                cache.put(_key(path), marks[path], found)
            if monotonic() - saved > SAVED_EACH:
                cache.save()
                saved = monotonic()
            if monotonic() - reckoned > pause:
                begun = monotonic()
                yield AggregationProgress(len(known), len(sessions), _records(sessions, known))
                told = reckoned = monotonic()
                pause = max(anew_each, PART_OF_TIME * (reckoned - begun))
            elif monotonic() - told > TOLD_EACH:
                yield AggregationProgress(len(known), len(sessions))
                told = monotonic()
    if unread:
        yield AggregationProgress(len(known), len(sessions), _records(sessions, known))


def extracted(files: Sequence[Path]) -> Generator[tuple[Path, SessionFacts | None], None, None]:
    """Yield the facts of each file; where there are many, two processes extract them."""
    if len(files) < MANY or (os.cpu_count() or 1) < WORKERS:
        yield from _extracted_here(files)
        return
    from cardtable.robots.process_executor import Processes  # noqa: PLC0415 - seldom, and it takes long to import

    portions = [files[at : at + PORTION] for at in range(0, len(files), PORTION)]
    try:
        pool = Processes(WORKERS)
    except (OSError, RuntimeError):  # no more threads
        yield from _extracted_here(files)
        return
    try:
        waiting = deque([(portion, pool.submit(_all_extracted, portion)) for portion in portions[: 2 * WORKERS]])
        for portion in [*portions[2 * WORKERS :], *[()] * len(waiting)]:
            first, coming = waiting.popleft()
            if portion:
                waiting.append((portion, pool.submit(_all_extracted, portion)))
            try:
                yield from zip(first, coming.result(), strict=True)
            except OSError:  # the process has died, or cannot be started
                yield from _extracted_here(first)
    finally:
        pool.shutdown()


def _extracted_here(files: Iterable[Path]) -> Iterator[tuple[Path, SessionFacts | None]]:
    for path in files:
        yield path, session_facts.extracted(path)


def _all_extracted(files: Sequence[Path]) -> list[SessionFacts | None]:
    return [found for _, found in _extracted_here(files)]


def _marks(sessions: Sequence[Summary]) -> dict[Path, Traces]:
    """The traces of the journals that are still where they were."""
    found = {}
    for session in sessions:
        with suppress(OSError):
            found[session.path] = fingerprint(session.path.stat())
    return found


def _key(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def _fit(found: SessionFacts, session: Summary) -> bool:
    assert session.header is not None
    return found.fit(session.header.game, len(session.header.seats))


def _records(sessions: Sequence[Summary], known: Mapping[Path, SessionFacts]) -> AggregatedRecords:
    """What sessions come to, in the order in which they ended; those that are known to be damaged are left out."""
    records, known_players = AggregatedRecords(), KnownPlayers(profiles.load()[0])
    for session in sessions:
        found = known.get(session.path)
        if session.header is None or (found is not None and not found.whole):
            continue
        seats = known_players.seated(session)
        statistics.add(records.statistics, session, seats, found)
        records.ratings.setdefault(session.header.game, Ratings()).add(session, seats, _sides(session.header))
    return records


def _sides(header: Header) -> Sides:
    """Who played together; nobody, if the game has no such options any more."""
    return _sides_of(header.game, len(header.seats), tuple(header.options.items()))


@lru_cache(maxsize=256)
def _sides_of(key: str, seats: int, options: tuple[tuple[str, Value], ...]) -> Sides:
    try:
        with blaming():
            return GAMES[key].sides(seats, read(GAMES[key].options, dict(options)))
    except (CardtableError, ValueError):
        return no_partnerships(seats)


def main() -> None:
    """Reckon for the program that started this process; a thread would not do, as keys would wait for it."""
    serve(lambda _asked: reckon(), GIVES_WAY)
