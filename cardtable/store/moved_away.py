"""What to say of a session that another program has moved since it was listed."""

from pathlib import Path

from cardtable.store import paths, summaries
from cardtable.store.errors import CardtableError, FileError, reason


def not_there(path: Path, error: OSError) -> CardtableError:
    """Why the journal cannot be opened: where it lies by now, or what the system says of its file."""
    archived, unfinished = paths.archive() / path.name, paths.sessions() / path.name
    if not isinstance(error, FileNotFoundError):
        return FileError(path, reason(error))
    if path == unfinished and archived.exists():
        over = summaries.glance(archived).state == "over"
        return CardtableError(f"That session {'is over' if over else 'was given up'}: it is in the archive")
    if path == archived and unfinished.exists():
        return CardtableError("That session was taken back: it is among the tables")
    return FileError(path, reason(error))
