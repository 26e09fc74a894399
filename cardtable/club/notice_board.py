"""What the lobby shows, and what of it has changed: put into frames once for all who are told the same."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache

from msgspec.structs import replace

from cardtable.club.shown import TableRow
from cardtable.club.visit import Visit
from cardtable.club.wire import LobbyNews, encode


class NoticeBoard:
    """The lobby as it was told of last."""

    def __init__(self) -> None:
        self.rows: Mapping[str, TableRow] = {}
        """By table."""
        self._people: tuple[tuple[str, ...], ...] = ()
        """Who is here, and who of them has no profile; nothing where somebody has been told more than the others."""
        self._whole: Callable[[], str] = lambda: encode(LobbyNews((), whole=True))

    def somebody_comes(self) -> None:
        """Somebody was told by herself who is here."""
        self._people = ()

    def tell(
        self,
        visits: Iterable[Visit],
        people: tuple[str, ...],
        guests: tuple[str, ...],
        rows: Mapping[str, TableRow],
    ) -> None:
        """Tell what has changed.

        Who is at a table hears of that one alone, and of it who sits there, since she sees the rest; once she
        is in the lobby again she is told all of it anew.
        """
        before, self.rows = self.rows, rows
        changed = tuple([row for id_, row in rows.items() if before.get(id_) != row])
        gone = tuple(before.keys() - rows.keys())
        news = ""
        if self._people != (people, guests):
            news = encode(LobbyNews(people, changed, gone, guests))
        elif changed or gone:
            news = encode(LobbyNews(None, changed, gone))
        self._people = people, guests
        self._whole = cache(lambda: encode(LobbyNews(people, tuple(rows.values()), (), guests, whole=True)))
        at_tables = {row.table: encode(LobbyNews(None, (row,))) for row in changed if _sits_otherwise(before, row)}
        for visit in visits:
            if visit.listeners:
                visit.behind = True
                for table in at_tables.keys() & visit.listeners.keys():
                    visit.lobby(at_tables[table], self._whole)
            elif visit.behind:
                visit.lobby_anew(self._whole())
            elif news:
                visit.lobby(news, self._whole)

    def catch_up(self, visit: Visit) -> None:
        """Who is in the lobby again sees it as it was told of last."""
        if visit.behind and not visit.listeners:
            visit.lobby_anew(self._whole())


def _sits_otherwise(before: Mapping[str, TableRow], row: TableRow) -> bool:
    """Whether more of a table has changed than how far it has been played."""
    was = before.get(row.table)
    return was is None or replace(was, round=row.round, turn=row.turn) != row
