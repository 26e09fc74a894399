"""Naming a table, whether its cards are dealt here or are real."""

from cardtable.store import score_tables, sessions
from cardtable.store.summaries import Summary


def rename(table: Summary, name: str) -> None:
    """Give an unfinished table a name, or with an empty one none.

    Raises ``CardtableError`` where it is over, damaged, or open in another program.
    """
    (score_tables if table.real_cards else sessions).rename(table.path, name)
