"""Table names of sessions and score tables."""

from cardtable.store import score_tables, sessions
from cardtable.store.summaries import Summary


def rename(summary: Summary, name: str) -> None:
    """Set the table name of an unfinished session or score table. An empty name removes it.

    Raises ``CardtableError`` if it has ended, is damaged, or is open in another program.
    """
    (score_tables if summary.real_cards else sessions).rename(summary.path, name)
