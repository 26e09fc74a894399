"""Reading on in a journal that another program writes."""

from pathlib import Path

from cardtable.engine import journal
from cardtable.engine.journal import Line
from cardtable.store import files, paths
from cardtable.store.errors import FileError, reason
from cardtable.store.journal_file import JournalFile


def read_on(file: JournalFile) -> list[Line]:
    """The lines that have come since ``file``, which is read only, was read; it has them from now on.

    It is followed into the archive and back.  A line that is not whole yet comes the next time.
    Raises ``FileError`` where the file cannot be read, or does not go on from what was read.
    """
    try:
        path = _found(file.path)
        if path == file.path and path.stat().st_size == len(file.data):
            return []
    except OSError as error:
        raise FileError(file.path, reason(error)) from None
    before, data = journal.read(bytes(file.data)), files.read_session(path)
    now = files.one(path, data)
    if not data.startswith(file.data[: before.size]):
        raise FileError(path, "it is not the same session any more")
    file.path = path
    file.data[:] = data[: now.size]
    return [entry.line for entry in now.entries[len(before.entries) :]]


def _found(path: Path) -> Path:
    """Where a journal lies by now: where it was, or where sessions go that are over or taken back."""
    places = (path, paths.archive() / path.name, paths.sessions() / path.name)
    return next((place for place in places if place.exists()), path)
