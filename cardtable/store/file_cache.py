"""Cache of facts about the files of a folder, stored as JSON Lines.

The first line has the version of the cache, and each other line has the facts about one file, with a checksum as in
journals. Missing, outdated or damaged rows are computed again. The cache may be deleted at any time.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from cardtable.engine.checksummed_jsonl import append_crc, unseal
from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, paths
from cardtable.store.json_file import home_lock
from cardtable.store.session_files import CACHE_PREFIX

Fingerprint: TypeAlias = tuple[int, int, int]
"""Fingerprint of a file: its inode number, its size in bytes, and its modification time in nanoseconds."""
_WRITEBACK_TIME: Final = 120.0
"""Time in seconds after which the system has written a change to the disk without being asked."""
_NO_PATH: Final = Path()
MAX_BYTES: Final = 64 * 1024 * 1024
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
            self._read(atomic_io.read(path, MAX_BYTES))

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
            data = b"".join([b"" if size else self._head + b"\n", *map(_encode_row, rows)])
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


def _encode_row(row: _Row[T]) -> bytes:
    return append_crc(msgspec.json.encode(row, enc_hook=lambda _path: None), 0)[0]
