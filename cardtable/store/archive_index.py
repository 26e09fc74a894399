"""All sessions, finished or not, listed at once from an index of what was found out about them before.

The index is a cache: the journals are the archive, and what the index lacks is read from them.  First come the
first and last lines, which tell all about a session that is over; then those journals are read as a whole that
do not say how they ended.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Occupant
from cardtable.engine.text_format import sanitize
from cardtable.store import paths, profiles, summaries
from cardtable.store.club_sessions import ClubMarks
from cardtable.store.file_cache import FileCache, Traces, fingerprint
from cardtable.store.profiles import ProfileStore, profile_keys
from cardtable.store.session_files import MOST_NAME
from cardtable.store.summaries import ENDING, SessionFiles, State, Summary

VERSION: Final = 6
"""Goes up whenever facts that are kept mean something else."""
SAVED_EACH: Final = 1
"""Seconds after which the index is written while there is more to be found out."""


class IndexedFacts(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What the index keeps of a session: what its summary tells, but for where its file lies."""

    header: Header
    state: State
    round: int
    totals: tuple[int, ...]
    ranks: tuple[int, ...] | None
    played: int
    name: str = ""
    rounds: int | None = None
    undone: int = 0
    real_cards: bool = False
    left: tuple[tuple[Seat, Occupant], ...] = ()
    came_later: tuple[Occupant, ...] = ()
    timed_out: Seat | None = None
    club_marks: ClubMarks = ClubMarks()

    @classmethod
    def of(cls, summary: Summary, header: Header) -> "IndexedFacts":
        """What a summary tells."""
        return cls(
            header,
            summary.state,
            summary.round,
            summary.totals,
            summary.ranks,
            summary.played,
            name=summary.name,
            rounds=summary.rounds,
            undone=summary.undone,
            real_cards=summary.real_cards,
            left=summary.left,
            came_later=summary.came_later,
            timed_out=summary.timed_out,
            club_marks=summary.club_marks,
        )

    @property
    def sound(self) -> bool:
        """Whether there can be such a session, and it may be shown."""
        header, ranks = self.header, self.ranks
        if not (summaries.sound(header) and summaries.fits(header, self.totals)):
            return False
        sitting = [*header.seats, *[who for _, who in self.left], *self.came_later]
        if any(sanitize(who.name, MOST_NAME) != who.name for who in sitting) or sanitize(self.name) != self.name:
            return False
        if sanitize(header.club or "", MOST_NAME) != (header.club or ""):
            return False
        if self.timed_out is not None and not 0 <= self.timed_out < len(header.seats):
            return False
        if not all(0 <= seat < len(header.seats) for seat, _ in self.left):
            return False
        if self.state != "over" or ranks is None:
            return self.state != "over" and ranks is None
        return summaries.fits(header, ranks)


class _File(NamedTuple):
    """A journal as the folder lists it."""

    key: str
    """Its folder and name."""
    path: Path
    traces: Traces


def entries() -> list[Summary]:
    """All sessions, the last played first, and those that cannot be opened; as many as are new are read."""
    return _whole().sessions()


def copies() -> list[SessionFiles]:
    """Return the files of sessions that have copies; as many as are new are read."""
    return [*_whole().copies().values()]


def _whole() -> "Archive":
    archive = Archive()
    archive.look()
    while archive.read(inf):
        pass
    return archive


def finished() -> list[Summary]:
    """The sessions that are over or given up, and those in the archive that cannot be opened, as ``entries`` does."""
    return ended(entries())


def ended(sessions: Iterable[Summary]) -> list[Summary]:
    """Return the sessions that are over or given up, and what lies in the archive and cannot be opened."""
    return [each for each in sessions if each.state != "open" or each.path.parent == paths.archive()]


class Archive:
    """What is known of all sessions so far.  Used by one thread at a time."""

    def __init__(self) -> None:
        """Reads the index, and no journal."""
        self._kept = FileCache(paths.index(), IndexedFacts, VERSION)
        self._rows: dict[str, tuple[Traces, Summary]] = {}
        self._unread: deque[_File] = deque()
        self._half_read: deque[_File] = deque()
        self._saved = monotonic()
        self._chosen: dict[str, tuple[tuple[tuple[Path, Traces], ...], SessionFiles]] = {}

    def sessions(self) -> list[Summary]:
        """Those of which something is known, the last played first; of files that hold the same one that counts."""
        copied = self.copies()
        counts = {files.counts for files in copied.values()}
        damaged = {path for files in copied.values() for path in files.damaged}
        rows = [row for _, row in self._rows.values()]
        listed = [row for row in rows if row.header is None or row.id not in copied or row.path in counts]
        listed += [summaries.summarize_full(row.path) for row in rows if row.header and row.path in damaged]
        return summaries.sort_by_recency(_with_known_deals(listed))

    def copies(self) -> dict[str, SessionFiles]:
        """Return the files of sessions that have copies, by the ids, as far as something is known of them."""
        held: dict[str, list[str]] = {}
        for key, (_, summary) in self._rows.items():
            if summary.header is not None:
                held.setdefault(summary.id, []).append(key)
        own = f"/%s{ENDING}"
        copied = {id_: keys for id_, keys in held.items() if len(keys) > 1 or not keys[0].endswith(own % id_)}
        return {id_: self._choose(id_, keys) for id_, keys in copied.items()}

    def _choose(self, id_: str, keys: Sequence[str]) -> SessionFiles:
        """Return which of the files of a session counts; files are compared again only when one has changed."""
        rows = tuple([(self._rows[key][1].path, self._rows[key][0]) for key in keys])
        known = self._chosen.get(id_)
        if known is None or known[0] != rows:
            known = self._chosen[id_] = rows, summaries.choose(id_, [path for path, _ in rows])
        return known[1]

    @property
    def unread(self) -> int:
        """How many journals nothing is known of yet."""
        return len(self._unread)

    @property
    def half_read(self) -> int:
        """How many journals only the header is known of."""
        return len(self._half_read)

    @property
    def files(self) -> int:
        """How many journals there are."""
        return len(self._rows) + len(self._unread)

    def look(self) -> None:
        """See which journals there are; what the index knows of them is known at once."""
        summaries.finish_moves()
        found = [file for folder in (paths.archive(), paths.sessions()) for file in _files(folder)]
        self._kept.prune(file.key for file in found)
        before, self._rows = self._rows, {}
        self._unread.clear()
        self._half_read.clear()
        for file in found:
            row = before.get(file.key)
            if row is None or row[0] != file.traces or not row[1].is_complete:
                facts = self._kept.get(file.key, file.traces)
                row = (file.traces, _summary(file, facts)) if facts and facts.sound else None
            if row:
                self._rows[file.key] = row
            else:
                self._unread.append(file)

    def read(self, seconds: float) -> bool:
        """Find out more for about so long, and keep it in the index; whether there is still more."""
        end = monotonic() + seconds
        while self._read_one() and monotonic() < end:
            pass
        more = bool(self._unread or self._half_read)
        if not more or monotonic() - self._saved > SAVED_EACH:
            self._kept.save()
            self._saved = monotonic()
        return more

    def glance_at_unread(self) -> None:
        """Read what is unknown as far as its header and its end, without keeping it in the index."""
        while self._unread:
            file = self._unread.popleft()
            self._found(file, summaries.summarize_fast(file.path))

    def _read_one(self) -> bool:
        """Find out more of one session, if there is more; first come those of which nothing is known."""
        if self._unread:
            file = self._unread.popleft()
            self._found(file, summaries.summarize_fast(file.path))
        elif self._half_read:
            file = self._half_read.popleft()
            self._found(file, summaries.summarize_full(file.path))
        else:
            return False
        return True

    def _found(self, file: _File, summary: Summary) -> None:
        if summary.header is None and not os.path.lexists(file.path):  # moved since the folder was listed
            self._rows.pop(file.key, None)
            return
        self._rows[file.key] = file.traces, summary
        if not summary.is_complete:
            self._half_read.append(file)
        elif summary.header is not None:  # what hinders a journal may pass without a trace
            self._kept.put(file.key, file.traces, IndexedFacts.of(summary, summary.header))


def deal_was_seen(session: str) -> bool:
    """Return True if a player in the session of this id had its deal in an earlier session of this home."""
    archive = Archive()
    archive.look()
    archive.glance_at_unread()
    return any(each.seen_before for each in archive.sessions() if each.id == session)


def _with_known_deals(sessions: Sequence[Summary]) -> list[Summary]:
    """Return the sessions, with ``seen_before`` set where a player at the table had the deal in an earlier one.

    Earlier is what was created earlier, of the same second the one with the lower id.
    """
    same: dict[tuple[str, int], list[Summary]] = {}
    for session in sessions:
        if session.header and _can_be_seen_again(session, session.header):
            same.setdefault((session.header.game, session.header.seed), []).append(session)
    seen: set[Path] = set()
    book: ProfileStore | None = None
    for several in same.values():
        if len(several) > 1:
            book = book or profiles.load()[0]
            seen.update(_seen_again(book, several))
    return [replace(each, seen_before=True) if each.path in seen else each for each in sessions]


def _can_be_seen_again(session: Summary, header: Header) -> bool:
    """Return True for a session of people here whose deal follows from its seed: in clubs and real cards none does."""
    if header.club or header.host or session.real_cards:
        return False
    return any(who.robot is None for who in session.everybody)


def _seen_again(book: ProfileStore, same: Iterable[Summary]) -> Iterator[Path]:
    """Yield those of the sessions of one deal that were begun when one of their players had seen it."""
    players: set[str] = set()
    for session in sorted(same, key=lambda each: (each.header.created if each.header else "", each.id)):
        version = session.header.cardtable if session.header else 1
        here = profile_keys(book, version, session.everybody)
        if here & players:
            yield session.path
        players |= here


def _files(folder: Path) -> list[_File]:
    """The journals of a folder; none if it cannot be read."""
    found = []
    caches = [cache.name for cache in (paths.index(), paths.figures()) if cache.parent == folder]
    try:
        with os.scandir(folder) as listed:
            for entry in listed:
                if paths.is_listed(entry.name, ENDING) and entry.name not in caches:
                    with suppress(OSError):  # it may be moved at this moment
                        stat = entry.stat(follow_symlinks=False)
                        key = f"{folder.name}/{entry.name}"
                        found.append(_File(key, Path(entry.path), fingerprint(stat)))
    except OSError:
        return []
    return found


def _summary(file: _File, facts: IndexedFacts) -> Summary:
    return Summary(
        facts.header.id,
        file.path,
        facts.header,
        facts.state,
        facts.round,
        facts.totals,
        facts.ranks,
        facts.played,
        name=facts.name,
        rounds=facts.rounds,
        undone=facts.undone,
        real_cards=facts.real_cards,
        left=facts.left,
        came_later=facts.came_later,
        timed_out=facts.timed_out,
        club_marks=facts.club_marks,
    )
