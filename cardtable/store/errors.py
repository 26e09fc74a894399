"""Errors of files and disks, with messages for the player."""

import errno
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal, TypeAlias

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize, shorten_path

DiskFault: TypeAlias = Literal["", "full", "read-only", "gone", "broken"]
"""Kind of a failure to write a file, or ``""`` if there is no failure."""
_FAULTS: Final[Mapping[int, DiskFault]] = {
    **dict.fromkeys((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "full"),
    **dict.fromkeys((errno.EROFS, errno.EACCES, errno.EPERM), "read-only"),
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR, errno.ESTALE), "gone"),
}


class NotSaved(CardtableError):
    """Error for a change that was refused because it cannot be written to the disk. The state is unchanged."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"it cannot be saved: {format_os_error(error)}")
        self.fault: Final = classify_os_error(error)
        self.os_message: Final = format_os_error(error)
        """Message of the operating system."""


class FileError(CardtableError):
    """Error for a file that cannot be used.

    The message has the shortened path and the reason; ``reason`` is the reason alone.
    """

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{shorten_path(path)}: {reason}", f"{path}: {reason}")
        self.path, self.reason = path, sanitize(reason)


class StillPlayed(CardtableError):
    """Refusal to show or copy all cards of a session that human players have not finished.

    The user can override the refusal.
    """


class UnsavedDataError(Exception):
    """Error at the end of the program: some data could not be saved in its place."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(*lines)
        self.lines = lines
        """One message for each file: what was not saved, and where a copy is, if there is one."""


class NewerFile(FileError):
    """Error for a file that was written by a newer version of the program."""


class OlderFile(FileError):
    """Error for a file of an older version of the program, which this one cannot read."""


class SeveralSessions(FileError):
    """Error for a file that holds several sessions where a single one is expected."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "it holds several sessions; only cardtable verify and trace read such a file")


class CacheFile(FileError):
    """Error for a file in a session folder that is a cache of the program instead of a session."""


class DamagedJournal(FileError):
    """Error for a journal that is damaged from line ``line``. The first ``good`` lines are valid and can be copied."""

    def __init__(self, path: Path, line: int, reason: str, good: int) -> None:
        CardtableError.__init__(self, f"{shorten_path(path)}:{line}: {reason}", f"{path}:{line}: {reason}")
        self.path, self.line, self.good = path, line, good
        self.reason = sanitize(f"line {line}: {reason}")


@contextmanager
def convert_os_errors(path: Path, failure: str = "") -> Iterator[None]:
    """Convert an ``OSError`` into a ``FileError`` about a file; ``failure`` is the beginning of its reason."""
    try:
        yield
    except OSError as error:
        raise FileError(path, f"{failure}{format_os_error(error)}") from None


def format_os_error(error: OSError) -> str:
    """Return the operating system's message for an error, or a substitute if it has none."""
    return error.strerror or str(error) or type(error).__name__


def classify_os_error(error: OSError) -> DiskFault:
    return _FAULTS.get(error.errno or 0, "broken")
