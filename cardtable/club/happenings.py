"""What happens at the tables of a club, in a line each for who keeps it."""

from collections.abc import Iterator, Mapping

from cardtable.club.shown import TableRow
from cardtable.games import ABOUT


def happenings(before: Mapping[str, TableRow], now: Mapping[str, TableRow]) -> Iterator[tuple[str, str]]:
    """Yield what has happened between two looks at the tables: the game master of the table, and a line."""
    for id_, row in now.items():
        was = before.get(id_)
        if row != was:
            yield from [(row.master, line) for line in _at_a_table(was, row)]
    for id_ in before.keys() - now.keys():
        left = before[id_].playing and not before[id_].over
        yield before[id_].master, f"everybody has left the table {id_}" if left else f"the table {id_} is closed"


def _at_a_table(was: TableRow | None, row: TableRow) -> Iterator[str]:
    if was is None and row.taken_up:
        yield f"{row.master} calls the others back to the session {row.table}"
    elif was is None and not row.playing:
        yield f"{row.master} opens a table of {ABOUT[row.game].title}: {row.table}"
    if row.playing and not (was and was.playing):
        who = ", ".join([f"{place.name}{' (robot)' * place.robot}" for place in row.places])
        yield f"the session {row.table} is played by {who}"
    if was and was.playing:
        for one, other in zip(was.places, row.places, strict=True):
            if other.robot and not one.robot:
                yield f"a robot plays for {other.name} in the session {row.table}"
            elif one.robot and not other.robot:
                yield f"{other.name} is back in the session {row.table}"
        if row.over and not was.over:
            yield f"the session {row.table} is over"
