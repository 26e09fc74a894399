"""What was found out about files and is kept, so that it need not be found out again: a cache, and never more.

The file is JSON Lines: a line with its version, then one for each file, with a checksum as in journals.  What is
missing, stale or not as it should be is found out anew; the file may be deleted at any time.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Final, Generic, TypeAlias, TypeVar

import msgspec

from cardtable.engine.checksummed_jsonl import append_crc, unseal
from cardtable.store import atomic_io, paths

Traces: TypeAlias = tuple[int, int, int]
"""What changes when a file does: its number, its size, and when it was written."""
BEGINNING: Final = b'{"kept":'
"""What such a file begins with."""
MOST_BYTES: Final = 64 * 1024 * 1024
_WRITING: Final = Lock()
"""Two threads of a program would write into the same draft."""
T = TypeVar("T", bound=msgspec.Struct)


class _Row(msgspec.Struct, Generic[T], frozen=True, gc=False):
    """What is kept of one file."""

    file: str
    traces: Traces
    found: T


def fingerprint(of: os.stat_result) -> Traces:
    """The traces of a file of which the system has told."""
    return of.st_ino, of.st_size, of.st_mtime_ns


class FileCache(Generic[T]):
    """What is kept of the files of a folder, by their names."""

    def __init__(self, path: Path, kind: type[T], version: int) -> None:
        """``version`` goes up whenever rows of before mean something else."""
        self._path, self._version = path, version
        self._decoder = msgspec.json.Decoder(_Row[kind])  # type: ignore[valid-type]
        self._rows: dict[str, _Row[T]] = {}
        self._new: dict[str, _Row[T]] = {}
        """Rows that the file does not have."""
        self._size: int | None = None
        """Bytes of the file, if it needs no more than new rows at its end; ``None`` if it has to be written anew."""
        self._changed = False
        with suppress(OSError):
            self._read(atomic_io.read(path, MOST_BYTES))

    def _read(self, data: bytes) -> None:
        head, *lines = data.split(b"\n")
        if head != self._head:
            return
        bad = lines[-1:] != [b""]
        for line in lines[:-1]:
            try:
                row = self._decoder.decode(unseal(line + b"\n"))
            except (msgspec.DecodeError, ValueError, RecursionError):
                bad = True
            else:
                bad = bad or row.file in self._rows
                self._rows[row.file] = row
        self._size = None if bad else len(data)

    @property
    def _head(self) -> bytes:
        return b"%s%d}" % (BEGINNING, self._version)

    def get(self, file: str, as_it_is: Traces) -> T | None:
        """What is kept of a file that has these traces."""
        row = self._rows.get(file)
        return row.found if row and row.traces == as_it_is else None

    def put(self, file: str, as_it_is: Traces, found: T) -> None:
        """Keep something of a file."""
        self._rows[file] = self._new[file] = _Row(file, as_it_is, found)
        self._changed = True

    def prune(self, files: Iterable[str]) -> None:
        """Forget all files but these."""
        there = set(files)
        gone = [file for file in self._rows if file not in there]
        for file in gone:
            del self._rows[file]
            self._new.pop(file, None)
        if gone:
            self._size, self._changed = None, True

    def save(self) -> None:
        """Write the file, if anything has changed: at its end, where that is enough.

        Where that fails nothing is lost but time.
        """
        if not self._changed:
            return
        with suppress(OSError), _WRITING:
            if self._size is None or self._size != self._path.lstat().st_size:
                paths.make(self._path.parent)
                data = b"".join([self._head, b"\n", *map(_written, self._rows.values())])
                self._size = None
                atomic_io.write_whole(self._path, data)
                self._size = len(data)
            else:
                data, size = b"".join(map(_written, self._new.values())), self._size
                self._size = None
                atomic_io.append(self._path, data)
                self._size = size + len(data)
            self._new.clear()
            self._changed = False


def _written(row: _Row[T]) -> bytes:
    return append_crc(msgspec.json.encode(row), 0)[0]
