"""Names of tables, for sessions and for score tables."""

from cardtable.store import score_tables, sessions
from cardtable.store.summaries import Summary


def rename(table: Summary, name: str) -> None:
    """Set the name of an unfinished table; an empty name removes it.

    Raises ``CardtableError`` if the session has ended, is damaged, or is open in another program.
    """
    (score_tables if table.real_cards else sessions).rename(table.path, name)
