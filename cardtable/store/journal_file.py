"""Journal file of one session: append-only, locked while it is open, and repaired after disk failures."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Final, Self, TypeVar

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MAX_SESSION_BYTES, Line
from cardtable.engine.text_format import format_count, shorten_path
from cardtable.store import atomic_io, emergency_save, file_lock, paths, session_files, summaries
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.errors import FileError, NotSaved, format_os_error

T = TypeVar("T")
_UNWRITABLE: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_CHANGED: Final = "another program has changed the file"
_COUNTED_MARKS: Final = {b'"action":"': "decision", b'{"round":': "round"}
"""Bytes that mark a line as a decision or a round, each with the word for it."""


class _LockedError(OSError):
    """Error for a journal that another program has open."""


class JournalFile:
    """Bytes of a session, and the file that holds them as far as the disk permits.

    ``data`` is the whole journal in memory; ``append`` writes and flushes each new line. After a failure ``save_error``
    describes it, and the next call of ``append``, ``save`` or ``finalize`` tries again. A partial write is truncated.
    After a failed flush the page cache is not trusted any more, and a new file replaces the old one.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = bytearray(data)
        self.read_only: str | None = None
        """Reason why the file may not be written, or ``None`` if it may be written."""
        self.save_error: str | None = None
        """Reason why lines cannot be saved, with the path, in one printable line, or ``None`` if everything is saved.
        """
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
        self._failure_reason = "the disk does not answer"
        self._error = OSError(errno.EIO, self._failure_reason)
        """The last error on saving."""
        self._descriptor: int | None = None
        self._closed = False
        self._created = False
        self._flush_failed = False
        """True if written data may never reach the disk, because a flush has failed."""
        self._deleted = False
        """True if another program has deleted the file."""
        self._saved = 0
        """Number of bytes of ``data`` that are on the disk."""
        self._size = 0
        """Size of the file in bytes, as far as known."""
        self._link_count = 1
        self._torn_tail = b""
        self._misplaced_line = b""
        """Line that was written behind a line of another program, and is to be removed again."""

    @classmethod
    def open_locked(cls, path: Path) -> Self:
        """Open, lock and read the file at ``path``.

        A file that another program has locked is read-only. A file without write permission is read, and ``save``
        reports the error. Raises ``OSError`` if the file cannot be read.
        """
        file = cls(path, b"")
        file._created = True
        try:
            file._open()
        except _LockedError as error:
            file.read_only = format_os_error(error)
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
        try:
            if file._descriptor is None:
                file.data += atomic_io.read(path, MAX_SESSION_BYTES)
            else:
                file.data += atomic_io.read_first(file._descriptor, MAX_SESSION_BYTES + 1)
                file._flush_existing(file._descriptor)
        except OSError:
            file.close()
            raise
        file._saved = file._size = len(file.data)
        return file

    def _flush_existing(self, descriptor: int) -> None:
        """Flush the file and its name as they were found, since a program that was killed may not have done so.

        Otherwise lines that are added would depend on what a power failure may undo.
        """
        self._flush(descriptor)
        with suppress(OSError):
            atomic_io.sync_folder(self.path.parent)
        paths.sync_folder_name(self.path.parent)

    @classmethod
    def open_without_lock(cls, path: Path, data: bytes) -> Self:
        """Return a read-only instance for bytes that the caller has read from ``path``. The file is not opened."""
        file = cls(path, data)
        file.read_only = "it is open for reading only"
        return file

    def read_appended(self) -> list[Line]:
        """Return the lines that another program has appended since the last call. This instance must be read-only.

        A file that is moved into the archive or back is found again. An incomplete line is returned by a later call.
        Raises ``CardtableError`` if the file cannot be read, is damaged, or no longer begins with the lines read
        before.
        """
        try:
            path = _find_current_path(self.path)
            if path == self.path and path.stat().st_size == len(self.data):
                return []
        except OSError as error:
            raise FileError(self.path, format_os_error(error)) from None
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
        self._torn_tail = bytes(self.data[size:])
        del self.data[size:]
        self._saved = size

    def append(self, line: bytes) -> None:
        """Append a line, which ends with a newline, and save it.

        Raises ``NotSaved`` if ``durable_only`` is set and the line cannot be saved. The line is then removed again.
        """
        size = len(self.data)
        self.data += line
        self.save()
        if self.durable_only and self.save_error:
            del self.data[size:]
            self._saved = min(self._saved, size)
            raise NotSaved(self._error)

    def require_durable(self) -> None:
        """Set ``durable_only``. Raises ``NotSaved`` if earlier lines are unsaved and cannot be saved now."""
        self.durable_only = True
        if self.unsaved_bytes:
            self.save()
        if self.unsaved_bytes:
            raise NotSaved(self._error)

    def discard(self) -> None:
        """Close the file of a session that no player has seen yet, and delete it. Errors are ignored."""
        self._closed = True
        if self._created:
            if atomic_io.must_close_before_change():
                self.close()
            with suppress(OSError):
                atomic_io.remove(self.path)
        self.close()

    def save(self) -> str:
        """Write and flush the unsaved lines. Return a description of those that remain unsaved, or ``""``.

        A failure does not raise an exception but sets ``save_error``. Nothing happens if the file is read-only or
        closed.
        """
        if self.read_only or self._closed:
            return ""
        started_at = monotonic()
        try:
            self._write_unsaved()
        except OSError as error:
            self._failure_reason, self._error = format_os_error(error), error
            self.save_error = f"saving failed: {self._failure_reason}: {shorten_path(self.path)}"
        else:
            self.save_error = None
            self.saving_seconds += monotonic() - started_at
        return self.unsaved_description

    @property
    def unsaved_description(self) -> str:
        """Description of the unsaved lines, such as "2 decisions".

        It is ``""`` if everything is saved or the file is read-only.
        """
        lines = self.unsaved_bytes
        return describe_lines(lines) if lines and not self.read_only else ""

    @property
    def unsaved_bytes(self) -> bytes:
        """Lines that are not on the disk. If the file was deleted, these are all lines."""
        return bytes(self.data[0 if self._deleted else self._saved :])

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
        if self._closed:
            return
        self.save()
        self._closed = True
        self.close()
        if self.save_error:
            self.save_to_emergency_folder()

    @property
    def closed_cleanly(self) -> bool:
        """True if the file was closed and no line was lost or saved elsewhere."""
        return self._closed and not self.loss_message

    def save_to_emergency_folder(self) -> None:
        """Write the whole session to an emergency folder if lines are unsaved, and set ``loss_message``.

        It may be called while another thread appends lines; the copy then ends with a whole line.
        """
        unsaved = self.unsaved_description
        if not unsaved or self.loss_message:
            return
        reason = f"saving failed: {self._failure_reason}: {self.path}"
        path = None if self.accept_loss else emergency_save.save(self.path.name, bytes(self.data))
        if path is None:
            self.loss_message = f"{unsaved} lost; {reason}"
        else:
            self.loss_message = (
                f"{unsaved} not saved; {reason}; all of it is saved in {path}, and the next start offers it"
            )

    def move(self, folder: Path) -> None:
        """Move the file into another folder. Nothing happens if lines are unsaved or the file is read-only.

        Raises ``OSError`` if the file cannot be moved.
        """
        if self._created and not self.save_error and not self.read_only:
            paths.create_folder(folder)
            if atomic_io.must_close_before_change():
                self.close()
            self.path = atomic_io.move(self.path, folder, locked_descriptor=self._descriptor)
            if self._descriptor is not None and not os.path.samestat(self.path.stat(), os.fstat(self._descriptor)):
                self.close()  # moved to a different disk: the next line opens the new file

    def close(self) -> None:
        """Close the file and release its lock."""
        if self._descriptor is not None:
            file_lock.unlock_and_close(self._descriptor)
            self._descriptor = None

    def _write_unsaved(self) -> None:
        if self._created and self._descriptor is None:
            self._open()
        if self._descriptor is not None and self._can_be_replaced(self._descriptor):
            self.close()
            self._created = self._deleted = False
        if self._descriptor is not None:
            if self._misplaced_line:
                self._remove_misplaced_line(self._descriptor)
            self._check_unchanged(self._descriptor)
            if self._torn_tail:
                self._write_torn_file()
            if not self._flush_failed:
                self._append(self._descriptor)
        if self._flush_failed or not self._created:
            self._write_whole()
            self._open()

    def _open(self) -> None:
        self._deleted = not os.path.lexists(self.path)
        descriptor = atomic_io.open_regular(self.path, os.O_RDWR | os.O_APPEND)
        try:
            if not file_lock.lock(descriptor):
                raise _LockedError(errno.EAGAIN, "it is open in another program")
            if not os.path.samestat(self.path.stat(), os.fstat(descriptor)):
                raise OSError(errno.EBUSY, "another program has moved the file")
            self._link_count = os.fstat(descriptor).st_nlink
        except OSError:
            file_lock.unlock_and_close(descriptor)
            raise
        self._descriptor = descriptor

    def _can_be_replaced(self, descriptor: int) -> bool:
        """Return True if a new file may be created for a durable session whose file was deleted.

        Its folder still exists.
        """
        deleted = self.durable_only and not os.fstat(descriptor).st_nlink
        return deleted and self.path.parent.is_dir() and not os.path.lexists(self.path)

    def _check_unchanged(self, descriptor: int) -> None:
        """Raise ``OSError`` if the file is gone or does not consist of exactly the saved bytes.

        The lock does not suffice, since some systems ignore it. All bytes are compared, since another program may
        overwrite the file and restore its size and times.
        """
        status = os.fstat(descriptor)
        try:
            path_status = self.path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            path_status = None
        self._deleted = path_status is None or not status.st_nlink
        if path_status is None or self._deleted:
            raise OSError(errno.ENOENT, "the file is gone")
        is_same_file = os.path.samestat(path_status, status)
        is_same_size = (status.st_size, status.st_nlink) == (self._size, self._link_count)
        if not (is_same_file and is_same_size) or (
            atomic_io.read_first(descriptor, self._saved) != self.data[: self._saved]
        ):
            raise OSError(errno.EBUSY, _CHANGED)

    def _append(self, descriptor: int) -> None:
        """Append the unsaved lines to the open file, each followed by a flush."""
        if self._size > self._saved:
            self._truncate(descriptor)
        while self._saved < len(self.data) and not self._flush_failed:
            end = self.data.index(b"\n", self._saved) + 1
            self._write(descriptor, bytes(self.data[self._saved : end]))
            if self._flush(descriptor):
                self._saved = end

    def _write(self, descriptor: int, line: bytes) -> None:
        """Write a line at the end of the file. Raises ``OSError`` if it is not all in its place afterwards.

        Without locks another program may append a line between ``_check_unchanged`` and the write. The line that comes
        second continues no checksum, and is removed again by the program that has written it.
        """
        try:
            if os.write(descriptor, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            if line.startswith(self._read_from(descriptor, self._size)):
                self._size = os.fstat(descriptor).st_size
                with suppress(OSError):
                    self._truncate(descriptor)
            raise
        is_last = os.fstat(descriptor).st_size == self._size + len(line)
        if not is_last and not self._read_from(descriptor, self._size).startswith(line):
            self._misplaced_line = line
            self._remove_misplaced_line(descriptor)
            raise OSError(errno.EBUSY, _CHANGED)
        self._size += len(line)

    def _remove_misplaced_line(self, descriptor: int) -> None:
        """Remove the own line that follows a line of another program, unless more lines follow it.

        Then it is tried again by the next ``save``.
        """
        line, size = self._misplaced_line, os.fstat(descriptor).st_size
        if line and self._read_from(descriptor, max(size - len(line), 0)) == line:
            os.ftruncate(descriptor, size - len(line))
            self._flush(descriptor)
            self._misplaced_line = b""

    @staticmethod
    def _read_from(descriptor: int, position: int) -> bytes:
        """Return the bytes of the open file from a position on."""
        return atomic_io.read_first(descriptor, MAX_SESSION_BYTES)[position:]

    def _truncate(self, descriptor: int) -> None:
        """Truncate the file to the lines that are saved."""
        os.ftruncate(descriptor, self._saved)
        self._size = self._saved
        self._flush(descriptor)

    def _flush(self, descriptor: int) -> bool:
        try:
            atomic_io.flush(descriptor)
        except OSError:
            self._flush_failed = True
        return not self._flush_failed

    def _write_torn_file(self) -> None:
        """Write the incomplete last line into a separate file next to the journal."""
        atomic_io.write_beside(self.path, ".torn", self._torn_tail)
        self._torn_tail = b""

    def _write_whole(self) -> None:
        """Write the session as a new file that replaces an old one atomically.

        Raises ``OSError``, in particular ``FileExistsError`` if the path exists but was not created by this instance.
        """
        if not self._created:
            paths.create_folder(self.path.parent)
            if os.path.lexists(self.path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        written = atomic_io.write_temp(self.path, bytes(self.data))
        if atomic_io.must_close_before_change():
            self.close()
        atomic_io.replace(written, self.path)
        self.close()
        self._created = self._flush_failed = True
        self._saved = self._size = len(self.data)
        atomic_io.sync_folder(self.path.parent)
        self._flush_failed = False


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


def _find_current_path(path: Path) -> Path:
    """Return the path at which a journal exists now: ``path`` itself, or its name in one of the session folders.

    If the journal exists nowhere, ``path`` is returned.
    """
    places = (path, paths.archive_folder() / path.name, paths.sessions_folder() / path.name)
    return next((place for place in places if place.exists()), path)
