"""What is said to a person when something outside the program is wrong."""

import errno
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import place, sanitize

DiskFault: TypeAlias = Literal["", "full", "read-only", "gone", "broken"]
"""Kind of reason why a file cannot be written; the empty string stands for none."""
_FAULTS: Final[Mapping[int, DiskFault]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read-only"),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.ESTALE), "gone"),
}


class NotSaved(CardtableError):
    """A change is refused because the disk does not take it; nothing has changed."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"it cannot be saved: {reason(error)}")
        self.fault: Final = disk_fault(error)
        self.reason: Final = reason(error)
        """The words of the operating system."""


class FileError(CardtableError):
    """A file cannot be used: which, and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{place(path)}: {why}", f"{path}: {why}")
        self.path, self.why = path, sanitize(why)


class StillPlayed(CardtableError):
    """A session is shown or copied with all cards only if that is asked for: people still play it."""


class UnsavedDataError(Exception):
    """The program has ended, and not everything could be kept in its place."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(*lines)
        self.lines = lines
        """What and where, a line for each thing."""


class NewerFile(FileError):
    """A file was written by a newer version of the program."""


class SeveralSessions(FileError):
    """A file holds several sessions, and one was asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "it holds several sessions; only cardtable verify and trace read such a file")


class CacheFile(FileError):
    """A file among sessions is none of them: the program keeps in it what it has found out about them."""


class DamagedJournal(FileError):
    """A journal does not hold from a line on; the ``good`` lines before it can be copied."""

    def __init__(self, path: Path, line: int, why: str, good: int) -> None:
        CardtableError.__init__(self, f"{place(path)}:{line}: {why}", f"{path}:{line}: {why}")
        self.path, self.line, self.good = path, line, good
        self.why = sanitize(f"line {line}: {why}")


def reason(error: OSError) -> str:
    """Why the system refused, in its words."""
    return error.strerror or str(error) or type(error).__name__


def disk_fault(error: OSError) -> DiskFault:
    """Return the kind of an error of the operating system."""
    return _FAULTS.get(error.errno or 0, "broken")
