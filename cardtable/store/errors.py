"""What is said to a person when something outside the program is wrong."""

from pathlib import Path

from cardtable.store.text import clean, place


class CardtableError(Exception):
    """What went wrong, for a person: one printable line of at most 200 characters."""

    def __init__(self, text: str) -> None:
        super().__init__(clean(text))


class FileError(CardtableError):
    """A file cannot be used: which, and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{place(path)}: {why}")
        self.path = path


class DamagedJournal(FileError):
    """A journal does not hold from a line on; the ``good`` lines before it can be copied."""

    def __init__(self, path: Path, line: int, why: str, good: int) -> None:
        CardtableError.__init__(self, f"{place(path)}:{line}: {why}")
        self.path, self.line, self.good = path, line, good


def reason(error: OSError) -> str:
    """Why the system refused, in its words."""
    return error.strerror or str(error) or type(error).__name__
