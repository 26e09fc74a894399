"""Whole JSON files of this program: read strictly, sealed with a checksum, written in one step."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import uniform
from threading import Lock
from time import monotonic, sleep
from typing import Final, Generic, TypeVar

import msgspec

from cardtable.engine import checksummed_jsonl
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import place, sanitize
from cardtable.store import atomic_io, paths
from cardtable.store.errors import FileError, NewerFile, reason

T = TypeVar("T")
_COMPACT: Final = -1
"""As an indentation: everything on one line, without spaces."""
_MOST_PLACE: Final = 40
"""Characters of the path of a backup that are shown."""


class InvalidContent(ValueError):
    """The reason why the bytes of a file are not used, in one line."""

    def __init__(self, why: str, *, newer: bool = False) -> None:
        super().__init__(why)
        self.newer = newer
        """True if a newer version of the program has written the file."""


class JsonFile(Generic[T]):
    """A kind of file that holds one JSON object, with a version and a checksum.

    The checksum is that of a journal's first line, so that any changed byte shows.  Files of before, and those that
    a person has changed and taken it out of, have none.
    """

    def __init__(
        self,
        kind: type[T],
        member: str,
        version: int,
        most: int,
        *,
        personal: bool,
        indent: int = _COMPACT,
        outline: type | None = None,
        older: Callable[[bytes], T] | None = None,
        remember: bool = False,
    ) -> None:
        """Describe a kind of file.

        `member` holds the version, of which `version` is the newest; `most` is the largest size in bytes.  A
        `personal` file may be reached through a symbolic link, which stays, and is kept as NAME.bak before each
        change.  `outline` is a looser type that bounds the size of a list before its items are read; `older` reads
        files of earlier versions, and of before there was a version.  With `remember`, for immutable values that are
        often asked for, the same bytes as the last time are not parsed again.
        """
        self._kind, self._member, self._version, self._most = kind, member, version, most
        self._personal, self._indent, self._outline, self._older = personal, indent, outline, older
        self._remember = remember
        self._last: tuple[bytes, T | InvalidContent] | None = None
        """The bytes that were parsed last, and what came of them."""

    def parse(self, data: bytes) -> T:
        """Return the value in a file's bytes.  Raises ``ValueError`` with one line that says why there is none."""
        last = self._last
        outcome = last[1] if last and last[0] == data else self._outcome(data)
        if self._remember:
            self._last = data, outcome
        if isinstance(outcome, InvalidContent):
            raise outcome.with_traceback(None)
        return outcome

    def _outcome(self, data: bytes) -> T | InvalidContent:
        if len(data) > self._most:
            return InvalidContent(f"the file is larger than {self._most >> 20} MiB")
        try:
            data.decode()
            return self._parsed(data)
        except InvalidContent as error:
            return error
        except RecursionError:
            return InvalidContent("nested too deeply")
        except UnicodeDecodeError:
            return InvalidContent("not UTF-8 text")
        except ValueError as error:
            return InvalidContent(sanitize(str(error)))

    def _parsed(self, data: bytes) -> T:
        members = checksummed_jsonl.decode(data, dict[str, msgspec.Raw])
        version = checksummed_jsonl.decode(members.get(self._member, b"null"), object)
        if type(version) is int and version > self._version:
            raise InvalidContent(checksummed_jsonl.NEWER, newer=True)
        body = checksummed_jsonl.unseal(data) if "crc" in members else data
        if self._older and (version is None or (type(version) is int and version < self._version)):
            value = self._older(body)
        else:
            if self._outline:
                checksummed_jsonl.decode(body, self._outline)
            value = checksummed_jsonl.decode(body, self._kind)
        checksummed_jsonl.reject_duplicate_keys(body)
        return value

    def read(self, path: Path) -> T:
        """Return the value in a file.

        Raises ``FileError``, ``NewerFile`` if a newer version has written it, and ``FileNotFoundError``.
        """
        try:
            return self.parse(atomic_io.read(path, self._most, links=self._personal))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise FileError(path, reason(error)) from None
        except InvalidContent as error:
            kind = NewerFile if error.newer else FileError
            raise kind(path, f"{error}{self._offer(path)}") from None

    def _offer(self, path: Path) -> str:
        """Return what to add to the complaint about a file: its backup, if there is one."""
        backup = atomic_io.backup(path)
        if not self._personal or not backup.exists():
            return ""
        where = place(backup, _MOST_PLACE) if path.is_symlink() else backup.name
        return f"; {where} is the file before its last change"

    def write(self, path: Path, value: T) -> None:
        """Put a value into a file.

        Raises ``FileError`` if the value is too large, or the file there cannot be understood, and ``OSError``.
        """
        body = msgspec.json.format(msgspec.json.encode(value), indent=self._indent)
        data, _ = checksummed_jsonl.append_crc(body, 0)
        if len(data) > self._most:
            raise FileError(path, f"the file would be larger than {self._most >> 20} MiB")
        if not self._personal:
            atomic_io.write_whole(path, data)
            return
        with suppress(FileNotFoundError):
            self.read(path)
        atomic_io.write_personal(path, data, self._most)


_LONGEST_WAIT: Final = 5.0
"""Seconds that other programs may take."""
_PATIENCE: Final = (0.001, 0.02)
"""Seconds between two tries, drawn by lot, so that of several who wait each has her turn."""
_HERE: Final = Lock()


@contextmanager
def home_lock() -> Iterator[None]:
    """Wait until nobody else changes settings or players, and let nobody do so meanwhile.

    Raises ``OSError``, and ``CardtableError`` where another program goes on for too long.
    """
    with _HERE:
        paths.make(paths.home())
        descriptor = atomic_io.open_regular(paths.home() / "home.lock", os.O_RDWR | os.O_CREAT)
        try:
            end = monotonic() + _LONGEST_WAIT
            while not atomic_io.lock(descriptor):
                if monotonic() > end:
                    raise CardtableError(
                        "another program is changing settings or players; nothing was saved, try again"
                    )
                sleep(uniform(*_PATIENCE))
            yield
        finally:
            atomic_io.unlock_and_close(descriptor)
