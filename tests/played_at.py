"""Sessions that were played last at a moment of their own."""

from datetime import UTC, datetime

import msgspec

from cardtable.engine import journal


def iso(seconds):
    """A moment as headers have it, from seconds since 1970."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def played_at(path, seconds):
    """Let the session of a journal be played last so many seconds after 1970: it was begun and went on then."""
    read = journal.read(path.read_bytes())
    header = msgspec.structs.replace(read.header, created=iso(seconds))
    lines = [msgspec.structs.replace(entry.line, at=0, when=None) for entry in read.entries]
    path.write_bytes(journal.encode([header, *lines]))
