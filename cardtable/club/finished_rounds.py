"""What of a session that goes on may be told to those who play it: its finished rounds."""

from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import Journal
from cardtable.store.club_sessions import finished_entries


def finished(read: Journal) -> str:
    """The lines of a journal up to the end of the last finished round, with 0 for the seed."""
    header = replace(read.header, seed=0)
    return journal.write([header, *[entry.line for entry in read.entries[: finished_entries(read)]]]).decode()
