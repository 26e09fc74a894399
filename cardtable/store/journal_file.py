"""The file of one session: only ever appended to, locked, and caught up when the disk fails."""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self, TypeVar

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import MOST_SESSION_BYTES, Line
from cardtable.engine.text_format import counted, place
from cardtable.store import atomic_io, emergency_save, paths, session_files, summaries
from cardtable.store.club_tokens import at_the_host
from cardtable.store.errors import FileError, NotSaved, reason

T = TypeVar("T")
_UNWRITABLE: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_COUNTED: Final = {b'"action":"': "decision", b'{"round":': "round"}
"""How lines are told apart that a person cares for, and what they are called."""


class _LockedError(OSError):
    """Another program has the journal open."""


class JournalFile:
    """The bytes of a session and, as far as the disk allows, the same bytes in its file.

    ``data`` is what the session has; each line is written and flushed as it comes.  What could
    not be saved is told in ``trouble`` and tried again with the next line, and at the end.
    A failed write is cut off again; after a failed flush nothing that the system holds of the
    file is trusted, and a whole new file takes its place.
    """

    def __init__(self, path: Path, data: bytes) -> None:
        self.path = path
        self.data = bytearray(data)
        self.read_only: str | None = None
        """Why nothing may be written, if nothing may."""
        self.trouble: str | None = None
        """Why saving failed, and where, in a line that may be shown."""
        self.durable_only = False
        """True if a line that the disk does not take is refused instead of being played in memory."""
        self.accept_loss = False
        """Whether the person has said that what is not saved may be lost."""
        self.loss_message: str | None = None
        """After ``finalize``: what could not be kept in its place, why, and where it is instead."""
        self._why = "the disk does not answer"
        self._error = OSError(errno.EIO, self._why)
        """The error with which saving failed last."""
        self._descriptor: int | None = None
        self._let_go = False
        self._made = False
        self._suspect = False
        """Whether what the file holds may never reach the disk."""
        self._gone = False
        """Whether there is no file any more."""
        self._saved = 0
        """Bytes of ``data`` that the file holds and the disk has."""
        self._size = 0
        """Bytes that the file is known to have."""
        self._links = 1
        self._torn = b""

    @classmethod
    def existing(cls, path: Path) -> Self:
        """The file at ``path``, opened, locked and read.  Raises ``OSError``.

        One that another program has locked is read-only; one that may not be written can be
        read, and ``save`` tells the trouble.
        """
        file = cls(path, b"")
        file._made = True
        try:
            file._open()
        except _LockedError as error:
            file.read_only = reason(error)
        except OSError as error:
            if error.errno not in _UNWRITABLE:
                raise
        try:
            if file._descriptor is None:
                file.data += atomic_io.read(path, MOST_SESSION_BYTES)
            else:
                file.data += atomic_io.read_first(file._descriptor, MOST_SESSION_BYTES + 1)
        except OSError:
            file.close()
            raise
        file._saved = file._size = len(file.data)
        return file

    @classmethod
    def only_read(cls, path: Path, data: bytes) -> Self:
        """The file at ``path`` as it was read, not opened: nothing may be written."""
        file = cls(path, data)
        file.read_only = "it is only looked at"
        return file

    def read_on(self) -> list[Line]:
        """The lines that another program has written since this file was read, which is ``read_only``.

        It is followed into the archive and back.  A line that is not whole yet comes the next time.
        Raises ``FileError`` where the file cannot be read, or does not go on from what was read.
        """
        try:
            path = _found(self.path)
            if path == self.path and path.stat().st_size == len(self.data):
                return []
        except OSError as error:
            raise FileError(self.path, reason(error)) from None
        before, data = journal.read(bytes(self.data)), session_files.read_session(path)
        now = session_files.parse_session(path, data)
        if not data.startswith(self.data[: before.size]):
            raise FileError(self.path, "it is not the same session any more")
        self.path = path
        self.data[:] = data[: now.size]
        return [entry.line for entry in now.entries[len(before.entries) :]]

    def set_torn_tail(self, size: int) -> None:
        """Take what lies beyond ``size`` for a torn line; ``save`` puts it aside and cuts it off."""
        self._torn = bytes(self.data[size:])
        del self.data[size:]
        self._saved = size

    def append(self, line: bytes) -> None:
        """Add a line and save it.

        Raises ``NotSaved`` with `durable_only` if the disk does not take the line, which is removed again.
        """
        size = len(self.data)
        self.data += line
        self.save()
        if self.durable_only and self.trouble:
            del self.data[size:]
            self._saved = min(self._saved, size)
            raise NotSaved(self._error)

    def require_durable(self) -> None:
        """Refuse from now on what the disk does not take.  Raises ``NotSaved`` if it does not have everything now."""
        self.durable_only = True
        if self.unsaved_bytes:
            self.save()
        if self.unsaved_bytes:
            raise NotSaved(self._error)

    def discard(self) -> None:
        """Close a file that nobody was told of, and remove what the disk has of it."""
        self._let_go = True
        if self._made:
            with suppress(OSError):
                self.path.unlink()
        self.close()

    def save(self) -> str:
        """Bring the file up to what the session has, if the disk lets it; what it does not have then, in words."""
        if self.read_only or self._let_go:
            return ""
        try:
            self._catch_up()
        except OSError as error:
            self._why, self._error = reason(error), error
            self.trouble = f"saving failed: {self._why}: {place(self.path)}"
        else:
            self.trouble = None
        return self.unsaved

    @property
    def unsaved(self) -> str:
        """What the disk does not have, in words; nothing (``""``) if it has all."""
        lines = self.unsaved_bytes
        return decisions(lines) if lines and not self.read_only else ""

    @property
    def unsaved_bytes(self) -> bytes:
        """The lines that the disk does not have."""
        return bytes(self.data[0 if self._gone else self._saved :])

    def moved_into(self, folder: Path) -> "JournalFile":
        """The file of the same session in another folder, which gets all of it; the one here is let go and stays.

        A ``~`` stands for the home folder.  Raises ``CardtableError`` if that fails, too; nothing has changed then.
        """
        if at_the_host():
            raise CardtableError("nothing can be saved here: this program runs on the club's machine")
        try:
            folder = folder.expanduser()
        except RuntimeError:
            raise FileError(folder, "no such home folder is known") from None
        there = JournalFile(folder / self.path.name, bytes(self.data))
        there.save()
        if there.trouble:
            there.close()
            raise CardtableError(there.trouble)
        self.close()
        return there

    def finalize(self) -> None:
        """Save what is not saved yet, elsewhere if it must be, and close the file; once."""
        if self._let_go:
            return
        self.save()
        self._let_go = True
        self.close()
        if self.trouble:
            self.keep_elsewhere()

    @property
    def closed_cleanly(self) -> bool:
        """Whether it was let go and nothing has to be told of that."""
        return self._let_go and not self.loss_message

    def keep_elsewhere(self) -> None:
        """Write the whole session where writing works, if anything of it is not saved.

        Whatever another thread is doing with the file meanwhile, it has whole lines only.
        """
        unsaved = self.unsaved
        if not unsaved or self.loss_message:
            return
        why = f"saving failed: {self._why}: {self.path}"
        there = None if self.accept_loss else emergency_save.keep(self.path.name, bytes(self.data))
        if there is None:
            self.loss_message = f"{unsaved} lost; {why}"
        else:
            self.loss_message = (
                f"{unsaved} not saved; {why}; all of it is kept in {there}, and the next start offers it"
            )

    def move(self, folder: Path) -> None:
        """Move the file, if it has all that the session has, into another folder.  Raises ``OSError``."""
        if self._made and not self.trouble and not self.read_only:
            paths.make(folder)
            if os.name == "nt":  # there an open file cannot be moved
                self.close()
            self.path = atomic_io.move(self.path, folder, locked=self._descriptor)
            if self._descriptor is not None and not os.path.samestat(self.path.stat(), os.fstat(self._descriptor)):
                self.close()  # on another disk it is another file; the next line opens it

    def close(self) -> None:
        """Let go of the file and its lock."""
        if self._descriptor is not None:
            atomic_io.unlock_and_close(self._descriptor)
            self._descriptor = None

    def _catch_up(self) -> None:
        if self._made and self._descriptor is None:
            self._open()
        if self._descriptor is not None and self._can_be_replaced(self._descriptor):
            self.close()
            self._made = self._gone = False
        if self._descriptor is not None:
            self._compare(self._descriptor)
            if not self._suspect:
                self._append(self._descriptor)
        if self._suspect or not self._made:
            self._write_whole()
            self._open()

    def _open(self) -> None:
        self._gone = not os.path.lexists(self.path)
        descriptor = atomic_io.open_regular(self.path, os.O_RDWR | os.O_APPEND)
        try:
            if not atomic_io.lock(descriptor):
                raise _LockedError(errno.EAGAIN, "it is open in another program")
            if not os.path.samestat(self.path.stat(), os.fstat(descriptor)):
                raise OSError(errno.EBUSY, "another program has moved the file")
            self._links = os.fstat(descriptor).st_nlink
        except OSError:
            atomic_io.unlock_and_close(descriptor)
            raise
        self._descriptor = descriptor

    def _can_be_replaced(self, descriptor: int) -> bool:
        """Return True if the file of a durable session was deleted, but not its folder."""
        deleted = self.durable_only and not os.fstat(descriptor).st_nlink
        return deleted and self.path.parent.is_dir() and not os.path.lexists(self.path)

    def _compare(self, descriptor: int) -> None:
        """Raise ``OSError`` if the file does not hold what was saved: locks do not work everywhere.

        All of it is compared: another program may write over it, and set back its size and times.
        """
        found = os.fstat(descriptor)
        try:
            here = self.path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            here = None
        self._gone = here is None or not found.st_nlink
        if here is None or self._gone:
            raise OSError(errno.ENOENT, "the file is gone")
        same = os.path.samestat(here, found) and (found.st_size, found.st_nlink) == (self._size, self._links)
        if not same or atomic_io.read_first(descriptor, self._saved) != self.data[: self._saved]:
            raise OSError(errno.EBUSY, "another program has changed the file")

    def _append(self, descriptor: int) -> None:
        """Bring an open file up to the session, one line in flight at a time."""
        if self._torn:
            self._set_aside()
        if self._size > self._saved:
            self._cut(descriptor)
        while self._saved < len(self.data) and not self._suspect:
            end = self.data.index(b"\n", self._saved) + 1
            self._write(descriptor, bytes(self.data[self._saved : end]))
            if self._flushed(descriptor):
                self._saved = end

    def _write(self, descriptor: int, line: bytes) -> None:
        try:
            if os.write(descriptor, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self._size = os.fstat(descriptor).st_size
            with suppress(OSError):
                self._cut(descriptor)
            raise
        self._size += len(line)

    def _cut(self, descriptor: int) -> None:
        """Cut off what is not a whole line."""
        os.ftruncate(descriptor, self._saved)
        self._size = self._saved
        self._flushed(descriptor)

    def _flushed(self, descriptor: int) -> bool:
        try:
            atomic_io.flush(descriptor)
        except OSError:
            self._suspect = True
        return not self._suspect

    def _set_aside(self) -> None:
        """Keep the bytes of a torn line in a file of their own beside the journal."""
        atomic_io.write_beside(self.path, ".torn", self._torn)
        self._torn = b""

    def _write_whole(self) -> None:
        """Put a whole new file in the place of the old one, or where there was none."""
        if not self._made:
            paths.make(self.path.parent)
            if os.path.lexists(self.path):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        written = atomic_io.write_temp(self.path, bytes(self.data))
        if os.name == "nt":  # there an open file cannot be replaced
            self.close()
        atomic_io.replace(written, self.path)
        self.close()
        self._made = self._suspect = True
        self._saved = self._size = len(self.data)
        atomic_io.sync_folder(self.path.parent)
        self._suspect = False


def decisions(lines: bytes) -> str:
    """How many decisions there are in lines of a journal, or rounds in those of a score table, in words."""
    found = [counted(number, word) for mark, word in _COUNTED.items() if (number := lines.count(mark))]
    return " and ".join(found) or "the last lines"


def open_and_read(path: Path, read: Callable[[Path, JournalFile], T]) -> T:
    """What ``read`` makes of the file at ``path``, which is let go of again where that raises ``CardtableError``.

    Raises ``CardtableError``, too, where the file cannot be opened.
    """
    try:
        file = JournalFile.existing(path)
    except OSError as error:
        raise missing_file_error(path, error) from None
    try:
        session_files.refuse_several(path, bytes(file.data))
        return read(path, file)
    except CardtableError:
        file.close()
        raise


def missing_file_error(path: Path, error: OSError) -> CardtableError:
    """Why a journal cannot be opened that was listed: where it lies by now, or what the system says of its file."""
    archived, unfinished = paths.archive() / path.name, paths.sessions() / path.name
    if not isinstance(error, FileNotFoundError):
        return FileError(path, reason(error))
    if path == unfinished and archived.exists():
        over = summaries.summarize_fast(archived).state == "over"
        return CardtableError(f"That session {'is over' if over else 'was given up'}: it is in the archive")
    if path == archived and unfinished.exists():
        return CardtableError("That session was taken back: it is among the tables")
    return FileError(path, reason(error))


def _found(path: Path) -> Path:
    """Where a journal lies by now: where it was, or where sessions go that are over or taken back."""
    places = (path, paths.archive() / path.name, paths.sessions() / path.name)
    return next((place for place in places if place.exists()), path)
