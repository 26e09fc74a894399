"""Errors of files and disks, with messages for the player."""

import errno
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, shorten_path

DiskFault: TypeAlias = Literal["", "full", "read-only", "gone", "broken"]
"""Kind of a failure to write a file; the empty string stands for no failure."""
_FAULTS: Final[Mapping[int, DiskFault]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read-only"),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.ESTALE), "gone"),
}


class NotSaved(CardtableError):
    """A change is refused because it cannot be written to the disk; the state is unchanged."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"it cannot be saved: {os_error_message(error)}")
        self.fault: Final = disk_fault(error)
        self.reason: Final = os_error_message(error)
        """Message of the operating system."""


class FileError(CardtableError):
    """A file cannot be used; the message has its path and the reason."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{shorten_path(path)}: {why}", f"{path}: {why}")
        self.path, self.why = path, sanitize(why)


class StillPlayed(CardtableError):
    """A session that people still play is not shown or copied with all cards unless this is requested."""


class UnsavedDataError(Exception):
    """The program has ended with unsaved data."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(*lines)
        self.lines = lines
        """One line for each loss: the data, and the place of the copy if there is one."""


class NewerFile(FileError):
    """A file was written by a newer version of the program."""


class SeveralSessions(FileError):
    """A file holds several sessions where one is expected."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "it holds several sessions; only cardtable verify and trace read such a file")


class CacheFile(FileError):
    """A file in a session folder is not a session but a cache of the program."""


class DamagedJournal(FileError):
    """A journal is damaged from ``line`` on; the first ``good`` lines can be copied."""

    def __init__(self, path: Path, line: int, why: str, good: int) -> None:
        CardtableError.__init__(self, f"{shorten_path(path)}:{line}: {why}", f"{path}:{line}: {why}")
        self.path, self.line, self.good = path, line, good
        self.why = sanitize(f"line {line}: {why}")


def os_error_message(error: OSError) -> str:
    """Return the message of the operating system for an error."""
    return error.strerror or str(error) or type(error).__name__


def disk_fault(error: OSError) -> DiskFault:
    """Return the kind of failure of an ``OSError``."""
    return _FAULTS.get(error.errno or 0, "broken")
