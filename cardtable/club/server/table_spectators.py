"""Spectators of a club's tables, whom the game master can send away, or keep out."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial

from cardtable.club.protocol import Update
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.table_access import RequestRefused, TableAccess
from cardtable.club.server.table_saver import TableSaver
from cardtable.club.server.tables import ActiveTable
from cardtable.engine.text_format import find_name
from cardtable.session.session_events import Stage


class TableSpectators:
    """Decisions of game masters about spectators, saved before anybody is told."""

    def __init__(
        self,
        clients: Sequence[ConnectedClient],
        active_tables: Mapping[str, ActiveTable],
        saver: TableSaver,
        remove_client: Callable[[ConnectedClient, str], Awaitable[None]],
    ) -> None:
        """The caller keeps ``clients``, and the tables in play, by id, up to date.

        ``remove_client`` removes a client from the table with an id.
        """
        self._clients, self._active_tables, self._saver = clients, active_tables, saver
        self._remove_client = remove_client

    async def send_away(self, master: str, table: str, access: TableAccess, wanted_nick: str) -> None:
        """Remove a spectator, who cannot come back, for the game master ``master``.

        Raises ``RequestRefused`` if nobody with this nick watches the table, and ``CardtableError`` if the decision
        cannot be saved.
        """
        nick = find_name(wanted_nick, [each.nick for each in self._list_spectators(table)])
        if nick is None:
            raise RequestRefused(f"nobody called {wanted_nick} watches that table")
        access.send_away(nick)
        await self._saver.save_access(table, partial(access.readmit, nick))
        await self._dismiss_spectators(table, access, f"{master} has sent you away from the table.")

    async def admit(self, master: str, table: str, access: TableAccess, *, admitted: bool) -> None:
        """Open a table to spectators for the game master ``master``, or close it to them.

        Raises ``CardtableError`` if the decision cannot be saved.
        """
        before, access.admits_spectators = access.admits_spectators, admitted

        def undo() -> None:
            access.admits_spectators = before

        await self._saver.save_access(table, undo)
        await self._dismiss_spectators(table, access, f"{master} has closed the table to spectators.")

    def _list_spectators(self, table: str) -> list[ConnectedClient]:
        """Return the clients who watch a table and own no seat there."""
        active_table = self._active_tables.get(table)
        return [
            client
            for client in self._clients
            if active_table is not None
            and (subscriber := client.subscriptions.get(table)) is not None
            and subscriber.seat is None
            and active_table.find_seat(client.person) is None
        ]

    async def _dismiss_spectators(self, table: str, access: TableAccess, reason: str) -> None:
        """Remove the spectators who may not watch a table any more, and tell them the reason."""
        await self.dismiss(
            [each for each in self._list_spectators(table) if not access.admits_spectator(each.nick)], table, reason
        )

    async def dismiss(self, clients: Iterable[ConnectedClient], table: str, reason: str) -> None:
        """Remove those of the clients who are at a table in play from it, and tell them the reason."""
        for client in clients:
            if table in client.subscriptions:
                client.queue_answer(Update(table, 0, (), Stage.PLAY, closed=reason))
                await self._remove_client(client, table)
