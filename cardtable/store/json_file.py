"""JSON files with a version and a checksum, their changes, and the lock of the home folder.

The files are parsed strictly and replaced atomically, as a whole.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from random import uniform
from threading import Lock
from time import monotonic, sleep
from typing import Annotated, Final, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from cardtable.engine import checksummed_jsonl
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, shorten_path
from cardtable.store import atomic_io, paths
from cardtable.store.errors import FileError, NewerFile, OlderFile, convert_os_errors, format_os_error
from cardtable.store.paths import check_owner

T = TypeVar("T", bound=msgspec.Struct)
V = TypeVar("V")
_COMPACT: Final = -1
"""Indentation that makes msgspec write one line without spaces."""
_MAX_PATH_LENGTH: Final = 40
"""Maximum length of the path of a backup in a message, in characters."""


class InvalidContent(ValueError):
    """Error for invalid bytes of a file. The message has the reason in one line."""

    def __init__(self, reason: str, file_error: type[FileError] = FileError) -> None:
        super().__init__(reason)
        self.file_error: Final = file_error
        """Type of the error for a file with these bytes."""


class JsonFile(Generic[T]):
    """Codec for files that hold one JSON object with a version and a checksum.

    The version is the tag of the object's type. The checksum is computed as in the first line of a journal. Files that
    a person has edited have no checksum and are accepted without it.
    """

    def __init__(
        self,
        value_type: type[T],
        max_bytes: int,
        *,
        personal: bool,
        indent: int = _COMPACT,
        outline: type | None = None,
    ) -> None:
        """Describe a kind of file, whose content has type ``value_type``.

        ``max_bytes`` is the maximum size of a file. A ``personal`` file is one that a person may edit: it may be a
        symbolic link, which is preserved, and it is copied to ``NAME.bak`` before each change. The value that was
        parsed last is cached, and has to be immutable. ``outline`` is a looser type that limits the length of lists
        before their items are parsed.
        """
        self.value_type: Final = value_type
        self._most, self._personal, self._indent, self._outline = max_bytes, personal, indent, outline
        self._last: tuple[bytes, T | InvalidContent] | None = None
        """Bytes of a personal file that were parsed last, and the resulting value or error."""
        self._cached: tuple[tuple[Path, int, int, int], T] | None = None
        """Fingerprint and value of the file that ``read_cached`` has read last."""

    def parse(self, data: bytes) -> T:
        """Return the value of a file's bytes. Raises ``ValueError``, with a reason in one line, if they are invalid."""
        last = self._last
        outcome = last[1] if last and last[0] == data else self._try_parse(data)
        if self._personal:
            self._last = data, outcome
        if isinstance(outcome, InvalidContent):
            raise outcome.with_traceback(None)
        return outcome

    def _try_parse(self, data: bytes) -> T | InvalidContent:
        if len(data) > self._most:
            return InvalidContent(f"the file is larger than {self._most >> 20} MiB")
        try:
            data.decode()
            return self._parse_members(data)
        except InvalidContent as error:
            return error
        except RecursionError:
            return InvalidContent("nested too deeply")
        except UnicodeDecodeError:
            return InvalidContent("not UTF-8 text")
        except ValueError as error:
            return InvalidContent(sanitize(str(error)))

    def _parse_members(self, data: bytes) -> T:
        members = checksummed_jsonl.decode(data, dict[str, msgspec.Raw])
        self._check_version(members)
        body = checksummed_jsonl.unseal(data) if "crc" in members else data
        if self._outline:
            checksummed_jsonl.decode(body, self._outline)
        value = checksummed_jsonl.decode(body, self.value_type)
        checksummed_jsonl.reject_duplicate_keys(body)
        return value

    def _check_version(self, members: Mapping[str, msgspec.Raw]) -> None:
        """Raise ``InvalidContent`` unless the members of a file have the version that this program writes."""
        config = self.value_type.__struct_config__
        member, known = config.tag_field or "", config.tag
        version = checksummed_jsonl.decode(members.get(member, b"null"), object)
        if type(version) is not int or not isinstance(known, int):
            raise InvalidContent(f"it has no version ({member})")
        if version > known:
            raise InvalidContent(checksummed_jsonl.NEWER_VERSION, NewerFile)
        if version < known:
            raise InvalidContent(checksummed_jsonl.OLDER_VERSION, OlderFile)

    def read(self, path: Path) -> T:
        """Return the value of a file.

        Raises ``FileNotFoundError`` if it does not exist, ``NewerFile`` or ``OlderFile`` if another version of the
        program has written it, and ``FileError`` if it cannot be read or is invalid. The message for a personal file
        mentions its backup.
        """
        try:
            return self.parse(atomic_io.read(path, self._most, follow_links=self._personal))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise FileError(path, format_os_error(error)) from None
        except InvalidContent as error:
            raise error.file_error(path, f"{error}{self._format_backup_hint(path)}") from None

    def read_cached(self, path: Path) -> T:
        """Return the value as ``read`` does, but without reading a file again whose fingerprint is unchanged."""
        try:
            status = path.stat()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise FileError(path, format_os_error(error)) from None
        fingerprint = path, status.st_ino, status.st_size, status.st_mtime_ns
        if self._cached is None or self._cached[0] != fingerprint:
            self._cached = fingerprint, self.read(path)
        return self._cached[1]

    def _format_backup_hint(self, path: Path) -> str:
        """Return the text on a backup for the error message about a file, or ``""`` if there is no backup."""
        backup = atomic_io.get_backup_path(path)
        if not self._personal or not backup.exists():
            return ""
        backup_name = shorten_path(backup, _MAX_PATH_LENGTH) if path.is_symlink() else backup.name
        return f"; {backup_name} is the file before its last change"

    def encode(self, value: T) -> bytes:
        body = msgspec.json.format(msgspec.json.encode(value), indent=self._indent)
        data, _ = checksummed_jsonl.append_crc(body, 0)
        return data

    def write(self, path: Path, value: T) -> None:
        """Replace the content of a file by a value.

        Raises ``FileError`` if the value is too large or could not be read again, and ``OSError`` if the file cannot be
        written.
        """
        data = self.encode(value)
        if len(data) > self._most:
            raise FileError(path, f"the file would be larger than {self._most >> 20} MiB")
        try:
            self.parse(data)
        except ValueError as error:
            raise FileError(path, f"it cannot be written so that it can be read again: {error}") from None
        if self._personal:
            atomic_io.write_personal(path, data, self._most)
        else:
            atomic_io.write_atomically(path, data)


class Change(NamedTuple, Generic[V]):
    """Value before and after a change. They are equal if there was nothing to change."""

    before: V
    after: V


class JsonStore(Generic[T]):
    """File of the home that several programs change, one after the other, under the lock of the home.

    All fields of its type have defaults, which are the value of a file that does not exist.
    """

    def __init__(self, file: JsonFile[T], get_path: Callable[[], Path], failure: str) -> None:
        """``failure`` is the beginning of the message about a change that cannot be saved."""
        self.file, self.get_path, self._failure = file, get_path, failure

    def read(self) -> T:
        """Return the present value. Raises ``FileError`` if the file cannot be read or is invalid."""
        try:
            return self.file.read(self.get_path())
        except FileNotFoundError:
            return self.file.value_type()

    def load(self) -> tuple[T, str | None]:
        """Return the present value, and the error of the file in one line, which is ``None`` if there is none.

        After an error the value is that of a missing file.
        """
        try:
            return self.read(), None
        except CardtableError as error:
            return self.file.value_type(), str(error)

    def update(self, change: Callable[[T], T]) -> Change[T]:
        """Save the result of ``change`` of the present value, under the lock of the home, and return both values.

        ``change`` does nothing but compute the result. The old version of a personal file becomes its backup. Raises
        ``FileError`` if the file is invalid or cannot be written, ``CardtableError`` if the home cannot be locked, and
        whatever ``change`` raises; the file is then unchanged.
        """
        path = self.get_path()
        with convert_os_errors(path, self._failure), home_lock():
            before = self.read()
            after = change(before)
            if after != before:
                self.file.write(path, after)
        return Change(before, after)


class MergedCopy(NamedTuple):
    """Result of merging a copy of a file."""

    added: str = ""
    """What was added from the copy, in words; ``""`` if nothing was."""
    ignored: str = ""
    """What of the copy is ignored, in words; ``""`` if nothing is."""


Digest: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{16}\Z")]
"""Value by which bytes are recognised that are not stored."""


def compute_digest(data: bytes) -> Digest:
    from hashlib import sha256  # noqa: PLC0415 - lazy: startup

    return sha256(data).hexdigest()[:16]


_LOCK_TIMEOUT: Final = 5.0
"""Maximum time to wait for the lock, in seconds."""
_RETRY_DELAY: Final = (0.001, 0.02)
"""Range of the delay between two attempts, in seconds. It is random, so that no waiting program is starved."""
_THREAD_LOCK: Final = Lock()


@contextmanager
def home_lock() -> Iterator[None]:
    """Hold the lock that protects settings, profiles and tickets against other threads and programs.

    Raises ``OSError`` if the lock file cannot be opened, and ``CardtableError`` if another program holds the lock for
    more than 5 seconds, or if this one runs as root and the files are another user's.
    """
    check_owner(paths.home())
    with _THREAD_LOCK:
        paths.create_folder(paths.home())
        descriptor = atomic_io.open_regular(paths.home() / "home.lock", os.O_RDWR | os.O_CREAT)
        try:
            end = monotonic() + _LOCK_TIMEOUT
            while not atomic_io.lock(descriptor):
                if monotonic() > end:
                    raise CardtableError(
                        "another program is changing settings or players; nothing was saved, try again"
                    )
                sleep(uniform(*_RETRY_DELAY))
            yield
        finally:
            atomic_io.unlock_and_close(descriptor)
