"""Index of all sessions, and the import of sessions that were played at a club into the player's archive.

The index is a cache of facts from the journals, for listing the archive fast.

The journals are the archive, and facts that the index lacks are read from them. At first only the head and the end of
each journal are read, which suffice for a finished session. Journals without an end line are read whole afterwards.

A cache is stored as JSON Lines. The first line has its version, and each other line has the facts about one file, with
a checksum as in journals. Missing, outdated or damaged rows are computed again. The cache may be deleted at any time.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from time import monotonic, time
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import structs
from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.checksummed_jsonl import append_crc, unseal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import ID, MAX_SESSION_BYTES, Header, Line, Occupant, OccupantLine, has_valid_identity
from cardtable.engine.text_format import sanitize, to_one_line
from cardtable.store import atomic_io, paths, profiles, session_files, summaries
from cardtable.store.errors import FileError, convert_os_errors
from cardtable.store.json_file import home_lock
from cardtable.store.seating import is_same_nick
from cardtable.store.session_files import CACHE_PREFIX, MAX_NAME_LENGTH, MAX_TIME
from cardtable.store.summaries import JOURNAL_SUFFIX, SessionFiles, Summary, list_all_journals, read_session_id

Fingerprint: TypeAlias = tuple[int, int, int]
"""Fingerprint of a file: its inode number, its size in bytes, and its modification time in nanoseconds."""
_WRITEBACK_TIME: Final = 120.0
"""Time in seconds after which the system has written a change to the disk without being asked."""
_NO_PATH: Final = Path()
_MAX_CACHE_BYTES: Final = 64 * 1024 * 1024
T = TypeVar("T", bound=msgspec.Struct)


class _Row(msgspec.Struct, Generic[T], frozen=True, gc=False):
    """Row of a cache file: the facts about one file."""

    file: str
    """Path relative to the home."""
    fingerprint: Fingerprint = msgspec.field(name="traces")
    facts: T = msgspec.field(name="found")


def compute_fingerprint(status: os.stat_result) -> Fingerprint:
    return status.st_ino % 2**63, status.st_size, status.st_mtime_ns  # numbers of Windows can have 128 bits


def flush_unchanged(path: Path, fingerprint: Fingerprint) -> bool:
    """Flush a file to the disk if it has changed lately, and return True if it has the fingerprint.

    Facts that were read from the file since the fingerprint was taken may then be cached: not even a power failure
    makes another content appear under this fingerprint.
    """
    try:
        descriptor = atomic_io.open_regular(path, os.O_RDONLY)
        try:
            status = os.fstat(descriptor)
            cannot_flush = atomic_io.must_close_before_change()  # Windows flushes no file that is only read
            if status.st_mtime > time() - _WRITEBACK_TIME and not cannot_flush:
                atomic_io.flush(descriptor)
            return compute_fingerprint(status) == fingerprint
        finally:
            os.close(descriptor)
    except OSError:
        return False


class FileCache(Generic[T]):
    """Cache of facts about files, by the names of their folder and of the file. Used by one thread at a time."""

    def __init__(self, path: Path, facts_type: type[T], version: int) -> None:
        """Read the cache file at ``path``. If it cannot be read, the cache is empty.

        ``facts_type`` is the type of the facts; a path in them is not stored, because the home may be moved.
        ``version`` has to change with the meaning of the facts; a file of another version is ignored.
        """
        self._path, self._version = path, version
        self._decoder = msgspec.json.Decoder(_Row[facts_type], dec_hook=lambda *_: _NO_PATH)  # type: ignore[valid-type]
        self._rows: dict[str, _Row[T]] = {}
        self._new: dict[str, _Row[T]] = {}
        """Rows that are not in the cache file yet."""
        self._size: int | None = None
        """Size of the cache file in bytes if rows can be appended to it, or ``None`` if it has to be rewritten."""
        self._changed = False
        with suppress(OSError):
            self._read(atomic_io.read(path, _MAX_CACHE_BYTES))

    def _read(self, data: bytes) -> None:
        head, *lines = data.split(b"\n")
        if head != self._head:
            return
        bad = lines[-1:] != [b""]
        for line in lines[:-1]:
            try:
                row = self._decoder.decode(unseal(line + b"\n"))
            except (ValueError, RecursionError):
                bad = True
            else:
                bad = bad or row.file in self._rows
                self._rows[row.file] = row
        self._size = None if bad else len(data)

    @property
    def _head(self) -> bytes:
        return b"%s%d}" % (CACHE_PREFIX, self._version)

    def get(self, file: str, fingerprint: Fingerprint) -> T | None:
        """Return the facts about a file, or ``None`` if they are unknown or the file has another fingerprint now."""
        row = self._rows.get(file)
        return row.facts if row and row.fingerprint == fingerprint else None

    def put(self, file: str, fingerprint: Fingerprint, facts: T) -> None:
        """Store the facts about a file in memory. ``save`` writes them to the cache file."""
        self._rows[file] = self._new[file] = _Row(file, fingerprint, facts)
        self._changed = True

    def prune(self, files: Iterable[str]) -> None:
        """Remove the rows of all files that are not in ``files``."""
        existing = set(files)
        gone = [file for file in self._rows if file not in existing]
        for file in gone:
            del self._rows[file]
            self._new.pop(file, None)
        if gone:
            self._size, self._changed = None, True

    def save(self) -> None:
        """Write all changes to the cache file, by appending rows if possible. Errors are ignored.

        Rows of files that have changed since are left out. The lock of the home keeps the erasure of a person from
        emptying the file in between.
        """
        if not self._changed:
            return
        with suppress(OSError, CardtableError), home_lock():
            size = self._size if self._size is not None and self._size == self._path.lstat().st_size else 0
            rows = [row for row in (self._new if size else self._rows).values() if self._is_current(row)]
            lines = [append_crc(msgspec.json.encode(row, enc_hook=lambda _path: None), 0)[0] for row in rows]
            data = b"".join([b"" if size else self._head + b"\n", *lines])
            self._size = None
            if size:
                atomic_io.append(self._path, data)
            else:
                paths.create_folder(self._path.parent)
                atomic_io.write_atomically(self._path, data)
            self._size = size + len(data)
            self._new.clear()
            self._changed = False

    def _is_current(self, row: _Row[T]) -> bool:
        """Return True unless the file of a row has changed or is gone: its facts may have been erased meanwhile."""
        try:
            return compute_fingerprint((self._path.parent.parent / row.file).lstat()) == row.fingerprint
        except OSError:
            return False


VERSION: Final = 12
"""Version of the index, incremented whenever the meaning of the stored facts changes."""
SAVE_INTERVAL: Final = 1
"""Interval in seconds between two writes of the index while journals are being read."""


class _File(NamedTuple):
    """Journal in a folder listing."""

    key: str
    """Name of the folder and of the file, which identifies the journal in the index."""
    path: Path
    fingerprint: Fingerprint


class ReadingProgress(NamedTuple):
    """Numbers of journals while the archive is read."""

    unread: int
    """Journals that have not been read at all."""
    half_read: int
    """Journals of which only the head and the end have been read."""
    files: int
    """All journals, read or not."""

    @property
    def left(self) -> int:
        """Number of journals that have not been read as a whole where that is necessary."""
        return self.unread + self.half_read


def list_summaries() -> list[Summary]:
    """Return all sessions and all files that cannot be opened, the one played last first. All new journals are read."""
    return Archive().load_sessions()


def list_copies() -> list[SessionFiles]:
    """Return the files of each session that has more than its regular file. All new journals are read."""
    archive = Archive()
    archive.load_sessions()
    return [*archive.find_copies().values()]


def list_finished() -> list[Summary]:
    """Return the finished and abandoned sessions, and the unreadable files of the archive.

    All new journals are read.
    """
    return [
        summary
        for summary in list_summaries()
        if summary.state != "open" or summary.path.parent == paths.archive_folder()
    ]


class Archive:
    """Incremental reader of all sessions, with the index as its cache. Used by one thread at a time."""

    def __init__(self) -> None:
        """Read the index. ``read`` lists the journals, and reads those that the index lacks."""
        self._cache = FileCache(paths.index_file(), Summary, VERSION)
        self._rows: dict[str, tuple[Fingerprint, Summary]] = {}
        self._unread: deque[_File] = deque()
        self._half_read: deque[_File] = deque()
        self._saved = monotonic()
        self._chosen: dict[str, tuple[tuple[tuple[Path, Fingerprint], ...], SessionFiles]] = {}

    def list_sessions(self) -> list[Summary]:
        """Return the sessions that are known so far, the one played last first.

        Tables of a tournament's round that is not finished are left out.

        Of several copies of a session only the current one is returned. Damaged copies are returned as files that
        cannot be opened.
        """
        copied = self.find_copies()
        current = {files.current for files in copied.values()}
        damaged = {path for files in copied.values() for path in files.damaged}
        rows = [row for _, row in self._rows.values() if not row.is_secret]
        listed = [row for row in rows if row.header is None or row.id not in copied or row.path in current]
        listed += [summaries.summarize_full(row.path) for row in rows if row.header and row.path in damaged]
        return summaries.sort_by_recency(_mark_known_deals(listed))

    def find_copies(self) -> dict[str, SessionFiles]:
        """Map the ids of sessions that have more than their regular file to their files, as far as they are known."""
        keys_by_id: dict[str, list[str]] = {}
        for key, (_, summary) in self._rows.items():
            if summary.header is not None:
                keys_by_id.setdefault(summary.id, []).append(key)
        own = f"/%s{JOURNAL_SUFFIX}"
        copied = {id_: keys for id_, keys in keys_by_id.items() if len(keys) > 1 or not keys[0].endswith(own % id_)}
        return {id_: self._choose_file(id_, keys) for id_, keys in copied.items()}

    def _choose_file(self, id_: str, keys: Sequence[str]) -> SessionFiles:
        """Return the files of a session with the current one. The result is cached until one of the files changes."""
        rows = tuple([(self._rows[key][1].path, self._rows[key][0]) for key in keys])
        known = self._chosen.get(id_)
        if known is None or known[0] != rows:
            known = self._chosen[id_] = rows, summaries.classify_files(id_, [path for path, _ in rows])
        return known[1]

    def load_sessions(self) -> list[Summary]:
        """Return all sessions after reading all new journals, as ``list_sessions`` does."""
        for _ in self.read():
            pass
        return self.list_sessions()

    def read(self, interval: float = inf) -> Iterator[ReadingProgress]:
        """List the session folders again, then read new journals and update the index.

        The progress is yielded once the folders are listed, when the sessions in the index are known, and after every
        ``interval`` seconds of reading, in which at least one journal is read, until none is left.
        """
        self._scan()
        while True:
            progress = ReadingProgress(len(self._unread), len(self._half_read), len(self._rows) + len(self._unread))
            if not progress.left or monotonic() - self._saved > SAVE_INTERVAL:
                self._cache.save()
                self._saved = monotonic()
            yield progress
            if not progress.left:
                return
            end = monotonic() + interval
            while self._read_one() and monotonic() < end:
                pass

    def _scan(self) -> None:
        """List the session folders. Sessions with valid facts in the index are known afterwards."""
        summaries.finish_moves()
        files = [file for folder in (paths.archive_folder(), paths.sessions_folder()) for file in _list_files(folder)]
        self._cache.prune(file.key for file in files)
        before, self._rows = self._rows, {}
        self._unread.clear()
        self._half_read.clear()
        for file in files:
            row = before.get(file.key)
            if row is None or row[0] != file.fingerprint or not row[1].is_complete:
                row, summary = None, self._cache.get(file.key, file.fingerprint)
                if summary and _is_valid(summary):
                    row = file.fingerprint, structs.replace(summary, path=file.path)
            if row:
                self._rows[file.key] = row
            else:
                self._unread.append(file)

    def read_headers(self) -> None:
        """List the session folders, and read the head and the end of all unread journals. The index is not saved."""
        self._scan()
        while self._unread:
            self._read_one()

    def _read_one(self) -> bool:
        """Read one journal, preferably one that is unread. Return False if none remains."""
        if self._unread:
            file = self._unread.popleft()
            self._add(file, summaries.summarize_fast(file.path))
        elif self._half_read:
            file = self._half_read.popleft()
            self._add(file, summaries.summarize_full(file.path))
        else:
            return False
        return True

    def _add(self, file: _File, summary: Summary) -> None:
        if summary.header is None and (not os.path.lexists(file.path) or session_files.is_cache(file.path)):
            self._rows.pop(file.key, None)  # moved after the folder was listed, or a copy of the index
            return
        self._rows[file.key] = file.fingerprint, summary
        if not summary.is_complete:
            self._half_read.append(file)
        elif summary.header is not None and flush_unchanged(file.path, file.fingerprint):
            # errors are not cached: their cause may vanish while the file stays the same
            self._cache.put(file.key, file.fingerprint, summary)


def is_deal_known(session: str) -> bool:
    """Return True if a player of the session with id ``session`` had the same deal in an earlier session of this
    home.
    """
    archive = Archive()
    archive.read_headers()
    return any(summary.seen_before for summary in archive.list_sessions() if summary.id == session)


def _mark_known_deals(sessions: Sequence[Summary]) -> list[Summary]:
    """Return the sessions, with ``seen_before`` set where a player had the same deal in an earlier session.

    Which session is earlier depends on the time of creation, then on the id.
    """
    same: dict[tuple[str, int], list[Summary]] = {}
    for session in sessions:
        if session.header and _can_deal_repeat(session, session.header):
            same.setdefault((session.header.game, session.header.seed), []).append(session)
    seen: set[Path] = set()
    for several in same.values():
        if len(several) > 1:
            seen.update(_find_repeated_deals(several))
    return [structs.replace(session, seen_before=True) if session.path in seen else session for session in sessions]


def _can_deal_repeat(session: Summary, header: Header) -> bool:
    """Return True if the deals of a session can occur in another one, because they follow from the seed.

    At clubs and with real cards they do not follow from it. Sessions without human players are left out as well.
    """
    if header.club or header.host or session.real_cards:
        return False
    return any(occupant.robot is None for occupant in session.all_occupants)


def _find_repeated_deals(sessions: Iterable[Summary]) -> Iterator[Path]:
    """Yield the paths of the sessions in which a player had already seen the deal when they began.

    All ``sessions`` have the same deal.
    """
    players: set[str] = set()
    for session in sorted(sessions, key=lambda summary: (summary.header.created if summary.header else "", summary.id)):
        ids = {occupant.player for occupant in session.all_occupants if occupant.player}
        if ids & players:
            yield session.path
        players |= ids


def _list_files(folder: Path) -> list[_File]:
    """Return the journals and score tables in a folder. The list is empty if the folder cannot be read."""
    files = []
    caches = [cache.name for cache in (paths.index_file(), paths.statistics_file()) if cache.parent == folder]
    try:
        with os.scandir(folder) as listed:
            for entry in listed:
                if paths.is_visible_file(entry.name, JOURNAL_SUFFIX) and entry.name not in caches:
                    with suppress(OSError):  # another program may be moving the file
                        stat = entry.stat(follow_symlinks=False)
                        key = f"{folder.name}/{entry.name}"
                        files.append(_File(key, Path(entry.path), compute_fingerprint(stat)))
    except OSError:
        return []
    return files


def _is_valid(summary: Summary) -> bool:
    """Return True if a summary from the index is consistent and safe to display. The index file is not trusted."""
    header = summary.header
    if header is None or header.id != summary.id or summary.error is not None or summary.seen_before:
        return False
    if not (has_valid_identity(header) and 0 <= summary.played <= MAX_TIME and summaries.is_valid_header(header)):
        return False
    texts = [summary.name, header.club or "", *[occupant.name for occupant in summary.all_occupants]]
    if any(sanitize(text, MAX_NAME_LENGTH) != text for text in texts):
        return False
    seats = [seat for seat, _ in summary.replaced_occupants]
    seats += dict(summary.lost)
    if any(seat not in range(len(header.seats)) for seat in (*seats, summary.timed_out or 0)):
        return False
    if (summary.ranks is not None) != (summary.state == "over"):
        return False
    figures = (summary.totals, summary.ranks, summary.own, summary.due, summary.late)
    return summaries.are_valid_figures(header, *figures)


def is_import_missing(session: str) -> bool:
    """Return True if ``session`` is a valid session id for which this home has no file."""
    if not ID.fullmatch(session):
        return False
    name, folders = f"{session}{JOURNAL_SUFFIX}", paths.journal_folders()
    taken = [paths.index_file(), paths.statistics_file()] + [folder / name for folder in folders]
    if any(path.name == name and os.path.lexists(path) for path in taken):
        return False
    named = [path for path in list_all_journals() if session in path.name]
    return session not in map(read_session_id, named)


def get_import_path(session: str) -> Path:
    return paths.archive_folder() / f"{session}{JOURNAL_SUFFIX}"


def import_session(session: str, text: str, club: str, nick: str, me: str) -> Path:
    """Store a session that a host has sent as ``text``, and return its path.

    ``nick`` is the player's nick at the club, ``me`` their nick in this home. Only their seat is linked to a profile.
    The seed is removed, and the header names the ``club``.

    Raises ``FileError`` if this home already has the session, if the text is longer than ``MAX_SESSION_BYTES`` or is
    not the whole session with this id, if the player does not take part in it, or if the file cannot be written.
    """
    path = get_import_path(session)
    data = text.encode(errors="replace")
    if not is_import_missing(session) or len(data) > MAX_SESSION_BYTES:
        raise FileError(path, "such a session cannot be saved")
    read = session_files.parse_session(path, data)
    if read.torn or read.header.id != session:
        raise FileError(path, "that is another session, or not all of it")
    own = profiles.add_profile_ids([Occupant(me)])[0].player
    header = _convert_header(read.header, club, nick, own)
    lines = [_convert_line(entry.line, nick, own) for entry in read.entries]
    occupants = (*header.seats, *[line.occupant for line in lines if isinstance(line, OccupantLine)])
    if not any(is_same_nick(nick, occupant.name) for occupant in occupants):
        raise FileError(path, "that is a session of others")
    data = journal.encode(header, lines)
    session_files.replay_journal(path, session_files.parse_session(path, data))
    with convert_os_errors(path):
        paths.create_folder(paths.archive_folder())
        with atomic_io.create(path) as file:
            file.write(data)
    return path


def _convert_header(header: Header, club: str, nick: str, profile_id: str | None) -> Header:
    club = to_one_line(club.strip(), session_files.MAX_NAME_LENGTH) or "a club"
    seats = tuple([_convert_occupant(occupant, nick, profile_id) for occupant in header.seats])
    return replace(header, seed=0, club=club, seats=seats, origin=None)


def _convert_line(line: Line, nick: str, profile_id: str | None) -> Line:
    if not isinstance(line, OccupantLine):
        return line
    occupant = _convert_occupant(line.occupant, nick, profile_id)
    return replace(line, name=occupant.name, player=occupant.player)


def _convert_occupant(occupant: Occupant, nick: str, profile_id: str | None) -> Occupant:
    name = to_one_line(occupant.name, session_files.MAX_NAME_LENGTH)  # text from a club is not trusted
    if occupant.robot is not None:
        return Occupant(name, occupant.robot)
    return Occupant(name, player=profile_id if is_same_nick(occupant.name, nick) else None)
