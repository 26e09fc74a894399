"""Journals with a given time of the last play, and a clock that a test sets."""

from datetime import UTC, datetime

import msgspec

from cardtable.engine import journal


def format_iso(seconds):
    """Format seconds since 1970 as headers do."""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%SZ}"


def set_last_played(path, seconds):
    """Rewrite a journal so that its session was begun and last played at ``seconds`` since 1970."""
    read = journal.read(path.read_bytes())
    header = msgspec.structs.replace(read.header, created=format_iso(seconds))
    lines = [msgspec.structs.replace(entry.line, at=0, when=None) for entry in read.entries]
    path.write_bytes(journal.encode(header, lines))


class ManualClock:
    """Time source that a test sets, in seconds."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds
