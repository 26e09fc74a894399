"""What of a session that goes on may be told to those who play it: its finished rounds."""

from msgspec.structs import replace

from cardtable.engine import journal
from cardtable.engine.journal import Journal
from cardtable.engine.replay import follow
from cardtable.games import GAMES


def finished(read: Journal) -> str:
    """The lines of a journal up to the end of the last finished round, with 0 for the seed."""
    rounds = entries = 0
    for number, (_, table) in enumerate(follow(read, GAMES)):
        if len(table.scores) > rounds:
            rounds, entries = len(table.scores), number
    header = replace(read.header, seed=0)
    return journal.write([header, *[entry.line for entry in read.entries[:entries]]]).decode()
