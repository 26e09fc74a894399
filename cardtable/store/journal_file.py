"""Journal file of one session: append-only, locked while it is open, and repaired after disk failures."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Final, NamedTuple, Self, TypeVar

from cardtable.engine import journal
from cardtable.engine.checksummed_jsonl import append_crc
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MAX_SESSION_BYTES, Line
from cardtable.engine.text_format import format_count, shorten_path
from cardtable.store import atomic_io, emergency_save, paths, session_files, summaries
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.errors import FileError, NotSaved, classify_os_error, convert_os_errors, format_os_error

T = TypeVar("T")
_UNWRITABLE: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_CHANGED: Final = "another program has changed the file"
_COUNTED_MARKS: Final = {b'"action":"': "decision", b'{"round":': "round"}
"""Bytes that mark a line as a decision or a round, each with the word for it."""


class _Unwritten:
    """State of a journal that is in memory only, since its file has still to be created."""

    saved: Final = 0


class _ReadOnly(NamedTuple):
    """State of a journal whose file may not be written."""

    reason: str


class _Closed:
    """State of a journal whose file is closed for good."""


class _StoredFile:
    """State of a journal whose file exists. It is locked while it is open, and opened again if it has to be written."""

    def __init__(self, size: int = 0) -> None:
        self.saved = self.size = size
        """Number of bytes of the journal that are on the disk, and size of the file.

        The file is larger if it ends with an incomplete line, which the next ``append`` removes.
        """
        self.torn_tail = b""
        """Bytes of an incomplete line that are to be written to a separate file before they are removed."""
        self.is_trusted = True
        """False if written data may never reach the disk, because a flush has failed."""
        self.descriptor: int | None = None
        self._link_count = 1
        self._leftover = b""
        """Line of which all or a part was written, maybe behind a line of another program, and is to be removed."""

    def open(self, path: Path) -> int:
        """Open and lock the file, unless it is open, and return its descriptor."""
        if self.descriptor is None:
            with ExitStack() as opened:
                descriptor = atomic_io.open_locked(path, opened, os.O_RDWR | os.O_APPEND)
                self.descriptor, self._link_count = descriptor, os.fstat(descriptor).st_nlink
                opened.pop_all()
        return self.descriptor

    def read(self, path: Path) -> bytes:
        """Return the content of the file, which counts as saved, and flush it and its name if it is open.

        A program that was killed may not have done so, and lines that are added must not depend on what a power failure
        may undo.
        """
        if self.descriptor is None:
            data = atomic_io.read(path, MAX_SESSION_BYTES)
        else:
            data = atomic_io.read_first(self.descriptor, MAX_SESSION_BYTES + 1)
            self._flush(self.descriptor)
            with suppress(OSError):
                atomic_io.sync_folder(path.parent)
            paths.sync_folder_name(path.parent)
        self.saved = self.size = len(data)
        return data

    def append(self, path: Path, data: bytearray) -> None:
        """Append the unsaved lines of the journal, each followed by a flush, until a flush fails.

        Raises ``OSError`` if the file is not the one that was saved, or cannot be written.
        """
        descriptor = self.open(path)
        if self._leftover:
            self._remove_leftover(descriptor)
        self._check_unchanged(descriptor, path, data[: self.saved])
        if self.torn_tail:
            atomic_io.write_beside(path, ".torn", self.torn_tail)
            self.torn_tail = b""
        if self.is_trusted and self.size > self.saved:
            self._truncate(descriptor, self.saved)
            self.size = self.saved
        while self.is_trusted and self.saved < len(data):
            end = data.index(b"\n", self.saved) + 1
            self._write(descriptor, bytes(data[self.saved : end]))
            if self._flush(descriptor):
                self.saved = end

    def move(self, path: Path, folder: Path) -> Path:
        """Move the file into another folder, and return its new path."""
        if atomic_io.must_close_before_change():
            self.close()
        path = atomic_io.move(path, folder, locked_descriptor=self.descriptor)
        if self.descriptor is not None and not os.path.samestat(path.stat(), os.fstat(self.descriptor)):
            self.close()  # moved to a different disk: the next line opens the new file
        return path

    def is_deleted(self, path: Path) -> bool:
        """Return True if the file was deleted, and not its folder, so that a new one may be created."""
        is_unlinked = not os.fstat(self.open(path)).st_nlink
        return is_unlinked and path.parent.is_dir() and not os.path.lexists(path)

    def close(self) -> None:
        """Close the file and release its lock."""
        if self.descriptor is not None:
            atomic_io.unlock_and_close(self.descriptor)
            self.descriptor = None

    def _check_unchanged(self, descriptor: int, path: Path, saved: bytearray) -> None:
        """Raise ``OSError`` if the file is gone or does not begin with exactly the saved bytes.

        The lock does not suffice, since some systems ignore it. All bytes are compared, since another program may
        overwrite the file and restore its size and times.
        """
        status = os.fstat(descriptor)
        try:
            path_status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            path_status = None
        if path_status is None or not status.st_nlink:
            raise OSError(errno.ENOENT, "the file is gone")
        is_same_file = os.path.samestat(path_status, status)
        is_same_size = (status.st_size, status.st_nlink) == (self.size, self._link_count)
        if not (is_same_file and is_same_size) or atomic_io.read_first(descriptor, len(saved)) != saved:
            raise OSError(errno.EBUSY, _CHANGED)

    def _write(self, descriptor: int, line: bytes) -> None:
        """Write a line at the end of the file. Raises ``OSError`` if it is not all in its place afterwards.

        Without locks another program may append a line between ``_check_unchanged`` and the write. The line that comes
        second continues no checksum, and is removed again by the program that has written it.
        """
        self._leftover = line
        try:
            if os.write(descriptor, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            is_last = os.fstat(descriptor).st_size == self.size + len(line)
            if not is_last and not self._read_rest(descriptor).startswith(line):
                raise OSError(errno.EBUSY, _CHANGED)
        except OSError:
            with suppress(OSError):
                self._remove_leftover(descriptor)
            raise
        self._leftover = b""
        self.size += len(line)

    def _remove_leftover(self, descriptor: int) -> None:
        """Remove the line whose writing has failed, or its beginning, unless lines of another program follow it.

        Then it is tried again by the next ``append``.
        """
        rest = self._read_rest(descriptor)
        if self._leftover.startswith(rest) or rest.endswith(self._leftover):
            self._truncate(descriptor, self.size + max(len(rest) - len(self._leftover), 0))
            self._leftover = b""

    def _read_rest(self, descriptor: int) -> bytes:
        return atomic_io.read_first(descriptor, MAX_SESSION_BYTES)[self.size :]

    def _truncate(self, descriptor: int, size: int) -> None:
        os.ftruncate(descriptor, size)
        self._flush(descriptor)

    def _flush(self, descriptor: int) -> bool:
        try:
            atomic_io.flush(descriptor)
        except OSError:
            self.is_trusted = False
        return self.is_trusted


class JournalFile:
    """Bytes of a session, and the file that holds them as far as the disk permits.

    ``data`` is the whole journal in memory; ``append`` writes and flushes each new line. After a failure ``save_error``
    describes it, and the next call of ``append``, ``save`` or ``finalize`` tries again. A partial write is truncated.
    After a failed flush the page cache is not trusted any more, and a new file replaces the old one.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = bytearray(data)
        self.durable_only = False
        """True if a line that cannot be saved is refused. If False, it is kept in memory."""
        self.accept_loss = False
        """True if unsaved lines may be lost when the file is closed, so that no emergency copy is made."""
        self.loss_message: str | None = None
        """Message about lines that were not saved in their place, with the reason and the path of the emergency copy.

        ``None`` unless lines are unsaved after ``finalize``.
        """
        self.saving_seconds = 0.0
        """Time that the successful writes of this file have taken in all, with their flushes."""
        self._error: OSError | None = None
        """Error of the last attempt to save, or ``None`` if it succeeded."""
        self._state: _Unwritten | _StoredFile | _ReadOnly | _Closed = _Unwritten()

    @classmethod
    def open_locked(cls, path: Path) -> Self:
        """Open, lock and read the file at ``path``.

        A file that another program has locked is read-only. A file without write permission is read, and ``save``
        reports the error. Raises ``OSError`` if the file cannot be read.
        """
        file, stored = cls(path, b""), _StoredFile()
        file._state = stored
        try:
            stored.open(path)
        except BlockingIOError as error:
            file._state = _ReadOnly(format_os_error(error))
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
        try:
            file.data += stored.read(path)
        except OSError:
            stored.close()
            raise
        return file

    @classmethod
    def open_without_lock(cls, path: Path, data: bytes) -> Self:
        """Return a read-only instance for bytes that the caller has read from ``path``. The file is not opened."""
        file = cls(path, data)
        file._state = _ReadOnly("it is open for reading only")
        return file

    @property
    def read_only(self) -> str | None:
        """Reason why the file may not be written, or ``None`` if it may be written."""
        return self._state.reason if isinstance(self._state, _ReadOnly) else None

    @property
    def save_error(self) -> str | None:
        """Reason why lines cannot be saved, with the path, in one printable line, or ``None`` if they are saved."""
        error = self._error
        return f"saving failed: {format_os_error(error)}: {shorten_path(self.path)}" if error else None

    def read_appended(self) -> list[Line]:
        """Return the lines that another program has appended since the last call. This instance must be read-only.

        A file that is moved into the archive or back is found again. An incomplete line is returned by a later call.
        Raises ``CardtableError`` if the file cannot be read, is damaged, or no longer begins with the lines read
        before.
        """
        with convert_os_errors(self.path):
            candidates = (self.path, paths.archive_folder() / self.path.name, paths.sessions_folder() / self.path.name)
            path = next((candidate for candidate in candidates if candidate.exists()), self.path)
            if path == self.path and path.stat().st_size == len(self.data):
                return []
        before, data = journal.read(bytes(self.data)), session_files.read_session(path)
        parsed = session_files.parse_session(path, data)
        if not data.startswith(self.data[: before.size]):
            raise FileError(self.path, "it is not the same session any more")
        self.path = path
        self.data[:] = data[: parsed.size]
        return [entry.line for entry in parsed.entries[len(before.entries) :]]

    def set_torn_tail(self, size: int) -> None:
        """Treat the bytes from position ``size`` as an incomplete line, and remove them from ``data``.

        The next ``save`` writes them to a separate file and truncates this one.
        """
        if isinstance(self._state, _StoredFile):
            self._state.torn_tail = bytes(self.data[size:])
            self._drop(size)

    def append(self, line: bytes) -> None:
        """Append a line, which ends with a newline, and save it.

        Raises ``NotSaved`` if ``durable_only`` is set and the line cannot be saved. The line is then removed again.
        """
        size = len(self.data)
        self.data += line
        self.save()
        if self.durable_only and self._error:
            self._drop(size)
            raise NotSaved(self._error)

    def _drop(self, size: int) -> None:
        """Remove the bytes from position ``size`` from ``data``."""
        del self.data[size:]
        if isinstance(self._state, _StoredFile):
            self._state.saved = min(self._state.saved, size)

    def require_durable(self) -> None:
        """Set ``durable_only``. Raises ``NotSaved`` if earlier lines are unsaved and cannot be saved now."""
        self.durable_only = True
        if self.unsaved_description and self.save() and self._error:
            raise NotSaved(self._error)

    def discard(self) -> None:
        """Close the file of a session that no player has seen yet, and delete it. Errors are ignored."""
        if isinstance(self._state, _StoredFile):
            if atomic_io.must_close_before_change():
                self._state.close()
            with suppress(OSError):
                atomic_io.remove(self.path)
        self.close()

    def save(self) -> str:
        """Write and flush the unsaved lines. Return a description of those that remain unsaved, or ``""``.

        A failure does not raise an exception but sets ``save_error``. Nothing happens if the file is read-only or
        closed.
        """
        if isinstance(self._state, _ReadOnly | _Closed):
            return ""
        started_at = monotonic()
        try:
            self._write_unsaved()
        except OSError as error:
            self._error = error
        else:
            self._error = None
            self.saving_seconds += monotonic() - started_at
        return self.unsaved_description

    @property
    def unsaved_description(self) -> str:
        """Description of the unsaved lines, such as "2 decisions"; all lines if the file was deleted.

        It is ``""`` if everything is saved, or the file is read-only or closed.
        """
        state, error = self._state, self._error
        if isinstance(state, _ReadOnly | _Closed):
            return ""
        is_gone = error is not None and classify_os_error(error) == "gone"
        lines = bytes(self.data[0 if is_gone else state.saved :])
        return describe_lines(lines) if lines else ""

    def copy_to(self, folder: Path) -> "JournalFile":
        """Write the whole session into another folder, close this file, and return the new one.

        This file is not deleted.

        A leading ``~`` in the path is expanded. Raises ``CardtableError`` if the session cannot be written there, or if
        this program runs on a host for a guest; this file then remains open.
        """
        if is_hosted_client():
            raise CardtableError("nothing can be saved here: this program runs on the club's machine")
        try:
            folder = folder.expanduser()
        except RuntimeError:
            raise FileError(folder, "no such home folder is known") from None
        copy = JournalFile(folder / self.path.name, bytes(self.data))
        copy.save()
        if copy.save_error:
            copy.close()
            raise CardtableError(copy.save_error)
        self.close()
        return copy

    def finalize(self) -> None:
        """Save the unsaved lines, in an emergency folder if necessary, and close the file.

        A second call has no effect.
        """
        self.save()
        self.save_to_emergency_folder()
        self.close()

    def close(self) -> None:
        """Close the file and release its lock. Nothing more is written then. A read-only file stays read-only."""
        if isinstance(self._state, _StoredFile):
            self._state.close()
        if not self.read_only:
            self._state = _Closed()

    @property
    def closed_cleanly(self) -> bool:
        """True if the file was closed, or is read-only, and no line was lost or saved elsewhere."""
        return isinstance(self._state, _ReadOnly | _Closed) and not self.loss_message

    def save_to_emergency_folder(self) -> None:
        """Write the whole session to an emergency folder if lines are unsaved, and set ``loss_message``.

        It may be called while another thread appends lines; the copy then ends with a whole line.
        """
        unsaved, error = self.unsaved_description, self._error
        if not unsaved or self.loss_message:
            return
        cause = format_os_error(error) if error else "the disk does not answer"
        reason = f"saving failed: {cause}: {self.path}"
        path = None if self.accept_loss else emergency_save.save(self.path.name, bytes(self.data))
        if path is None:
            self.loss_message = f"{unsaved} lost; {reason}"
        else:
            self.loss_message = (
                f"{unsaved} not saved; {reason}; all of it is saved in {path}, and the next start offers it"
            )

    def move(self, folder: Path) -> None:
        """Move the file into another folder. Nothing happens if lines are unsaved or the file cannot be written.

        Raises ``OSError`` if the file cannot be moved.
        """
        if isinstance(self._state, _StoredFile) and not self._error:
            paths.create_folder(folder)
            self.path = self._state.move(self.path, folder)

    def _write_unsaved(self) -> None:
        if isinstance(stored := self._state, _StoredFile) and self.durable_only and stored.is_deleted(self.path):
            stored.close()
            self._state = _Unwritten()
        if isinstance(stored := self._state, _StoredFile):
            stored.append(self.path, self.data)
            if stored.is_trusted:
                return
        self._write_whole()

    def _write_whole(self) -> None:
        """Write the session as a new file that replaces an old one atomically, and open it.

        Raises ``OSError``, in particular ``FileExistsError`` if the path exists but was not created by this instance.
        """
        old = self._state if isinstance(self._state, _StoredFile) else None
        if old is None:
            paths.create_folder(self.path.parent)
            if os.path.lexists(self.path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        written = atomic_io.write_temp(self.path, bytes(self.data))
        if old and atomic_io.must_close_before_change():
            old.close()
        atomic_io.replace(written, self.path)
        if old:
            old.close()
        self._state = new = _StoredFile(len(self.data))
        new.is_trusted = False
        atomic_io.sync_folder(self.path.parent)
        new.is_trusted = True
        new.open(self.path)


class OpenJournal:
    """Base of an open session and an open score table, which writes every line to its file."""

    def __init__(self, file: JournalFile, crc: int, *, sealed: bool) -> None:
        """``crc`` is the checksum of the last line; ``sealed`` is True if the lines have checksums."""
        self.file = file
        self.notice: str | None = None
        """Message to the player about the state of the file, such as a torn last line, or ``None``."""
        self._crc, self._sealed = crc, sealed

    @property
    def path(self) -> Path:
        """Path of the file, which need not exist while saving fails."""
        return self.file.path

    @property
    def save_error(self) -> str | None:
        """Reason why lines cannot be saved, with the path, in one printable line, or ``None`` if all are saved."""
        return self.file.save_error

    def save(self) -> str:
        """Try to save the unsaved lines again. Return a description of those still unsaved, or ``""``."""
        return self.file.save()

    def save_into(self, folder: Path) -> None:
        """Copy the file into another folder and continue it there. The present file remains as it is.

        A leading ``~`` in the path is expanded. Raises ``CardtableError`` if the copy cannot be written; the present
        file is then continued.
        """
        self.file = self.file.copy_to(folder)

    def close(self) -> None:
        """Save the unsaved lines, in an emergency folder if necessary, and release the lock of the file."""
        self.file.finalize()

    def _seal(self, body: bytes) -> tuple[bytes, int]:
        return append_crc(body, self._crc) if self._sealed else (body + b"\n", 0)

    def _archive(self) -> None:
        """Move the file into the archive. If the move fails, ``list_unfinished`` tries it again later."""
        if self.path.parent == paths.sessions_folder():
            with suppress(OSError):
                self.file.move(paths.archive_folder())


J = TypeVar("J", bound=OpenJournal)


@contextmanager
def change_once(opened: J) -> Iterator[J]:
    """Yield an open session or score table for a change, and close it; no emergency copy is made of the change.

    Raises ``CardtableError`` if the change cannot be saved.
    """
    with closing(opened):
        yield opened
        opened.file.accept_loss = True
    if opened.save_error:
        raise CardtableError(opened.save_error)


def describe_lines(lines: bytes) -> str:
    """Return how many decisions or, in a score table, rounds some lines contain, in words.

    If they contain neither, the text is "the last lines".
    """
    counts = [format_count(number, word) for mark, word in _COUNTED_MARKS.items() if (number := lines.count(mark))]
    return " and ".join(counts) or "the last lines"


def open_journal(path: Path, load: Callable[[Path, JournalFile], T]) -> T:
    """Open and lock the file at ``path``, and return the result of ``load(path, file)``.

    The file must hold a single session. It is closed if ``load`` raises ``CardtableError``. Raises ``CardtableError``
    if the file cannot be opened or holds no session, or several.
    """
    try:
        file = JournalFile.open_locked(path)
    except OSError as error:
        raise make_missing_file_error(path, error) from None
    try:
        session_files.check_single_session(path, bytes(file.data))
        return load(path, file)
    except CardtableError:
        file.close()
        raise


def make_missing_file_error(path: Path, error: OSError) -> CardtableError:
    """Return the error for a listed journal that cannot be opened.

    If the file was moved between the session folders meanwhile, the message says so.
    """
    archived, unfinished = paths.archive_folder() / path.name, paths.sessions_folder() / path.name
    if not isinstance(error, FileNotFoundError):
        return FileError(path, format_os_error(error))
    if path == unfinished and archived.exists():
        over = summaries.summarize_fast(archived).state == "over"
        return CardtableError(f"That session {'is over' if over else 'was abandoned'}: it is in the archive")
    if path == archived and unfinished.exists():
        return CardtableError("That session was restored: it is among the tables")
    return FileError(path, format_os_error(error))
