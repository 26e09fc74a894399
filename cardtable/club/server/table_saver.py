"""Saving of a club's tables in play to the club's file."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

from msgspec.structs import replace

from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.club_file import SavedTable, create_saved_table
from cardtable.club.server.tables import ActiveTable
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Seat


class TableSaver:
    """Saves the tables in play as they are, or as they are about to become."""

    def __init__(self, accounts: AccountStore, active_tables: Mapping[str, ActiveTable]) -> None:
        """The caller keeps the tables in play, by id, up to date."""
        self._accounts, self._active_tables = accounts, active_tables

    async def save(self) -> None:
        """Save the tables in play, and record that their players have taken part in a session.

        An error of the disk is ignored here, since the lobby retries.
        """
        sessions_in_play = [table.hosted_session for table in self._active_tables.values() if table.hosted_session]
        self._accounts.mark_played(
            owner.name for session in sessions_in_play for owner in session.people.owners.values()
        )
        with suppress(CardtableError):
            await self.save_or_raise()

    async def save_or_raise(self) -> None:
        """Save the tables in play. Raises ``CardtableError`` if that fails."""
        await self._accounts.save_all(self._list())

    async def save_access(self, table: str, undo: Callable[[], None]) -> None:
        """Save who may see a table whose session exists; nothing happens for any other table.

        Raises ``CardtableError`` after a call of ``undo`` if that cannot be saved.
        """
        if table not in self._active_tables:
            return
        try:
            await self.save_or_raise()
        except CardtableError:
            undo()
            self.save_later()
            raise

    async def save_new_access(self, table: ActiveTable) -> None:
        """Save who may see a private table before its session begins, so that no crash can open it to everybody.

        Raises ``CardtableError`` if that cannot be saved.
        """
        if table.access.is_private:
            await self._accounts.save_all(self._list(new_tables=[table]))

    async def save_given_seat(self, table: str, seat: Seat) -> None:
        """Save that a robot is about to take over a seat permanently. Raises ``CardtableError`` if that fails."""
        try:
            await self._accounts.save_all(self._list((table, seat)))
        except CardtableError:
            self.save_later()
            raise

    def save_later(self) -> None:
        """Have the next save of the club write the tables in play as they are now."""
        self._accounts.tables = self._list()

    def _list(
        self, seat_to_robot: tuple[str, Seat] | None = None, new_tables: Iterable[ActiveTable] = ()
    ) -> tuple[SavedTable, ...]:
        """Return the tables in play as they are saved, followed by ``new_tables``, whose sessions are about to begin.

        ``seat_to_robot`` is the id of a table and a seat of it that a robot is about to take over permanently.
        """
        tables = [create_saved_table(table) for table in (*self._active_tables.values(), *new_tables)]
        return tuple(
            [
                replace(table, given=(*table.given, seat_to_robot[1]))
                if seat_to_robot and table.session == seat_to_robot[0]
                else table
                for table in tables
            ]
        )
