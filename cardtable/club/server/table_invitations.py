"""Decisions of game masters about who comes to their tables, and sentences by which one person addresses another."""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from cardtable.club.protocol import Talk, Update
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_table import ClubTable
from cardtable.club.server.limits import LIMITS, Budget, RequestRefused
from cardtable.club.server.stored_sessions import UnfinishedSession
from cardtable.club.server.table_access import Person
from cardtable.club.server.table_registry import TableRegistry
from cardtable.engine.text_format import find_name
from cardtable.games import ABOUT
from cardtable.session.session_events import Stage
from cardtable.store.seating import compute_nick_key

MUTED: Final = "the host has muted you"


class TableInvitations:
    """Invitations, offers and spectators: each decision of a game master is saved before anybody is told.

    Invitations and offers have a budget for each sender, and for each pair of sender and receiver; senders of one
    network share theirs. People whom the host has muted invite nobody, and nobody is told of them.
    """

    def __init__(
        self,
        accounts: AccountStore,
        registry: TableRegistry,
        clients: Sequence[ConnectedClient],
        remove_client: Callable[[ConnectedClient, str], Awaitable[None]],
    ) -> None:
        """``clients`` holds all connected clients.

        ``remove_client`` removes a client from the table with an id.
        """
        self._accounts, self._registry, self._clients = accounts, registry, clients
        self._remove_client = remove_client
        self._senders, self._pairs = Budget(LIMITS.invitations), Budget(LIMITS.invitations_of_one)

    # Invitations

    def find_nick(self, nick: str) -> str:
        """Return the present form of the nick of a person whom the club knows.

        Raises ``RequestRefused`` if it knows nobody with this nick, since anybody could come with it.
        """
        if known := self._accounts.find_known_nick(nick):
            return known
        raise RequestRefused(f"nobody called {nick} has been here yet")

    def check_sender(self, sender: str, nicks: Collection[str]) -> None:
        """Take what an invitation or offer of ``sender`` to people with these nicks costs from the budgets.

        Raises ``RequestRefused`` if the sender is muted, or has no budget left.
        """
        if nicks and self._accounts.is_muted(sender):
            raise RequestRefused(MUTED)
        key = self._accounts.get_network(sender) or compute_nick_key(sender)
        for nick in nicks:
            self._pairs.take(f"{key} {compute_nick_key(nick)}", nick=nick)
            self._senders.take(key)

    async def invite(self, master: str, table: ClubTable, nick: str) -> None:
        """Invite a person to a private table for its game master ``master``.

        Raises ``RequestRefused`` if the table is not private, the club does not know the person, the person is invited
        already, or ``master`` may not invite them, and ``CardtableError`` if the invitation cannot be saved.
        """
        if not table.access.is_private:
            raise RequestRefused("that table is not private; everybody may come to it")
        nick, game = self.find_nick(nick), self._registry.list_lobby_tables()[table.id].game
        if table.access.admits(nick):
            raise RequestRefused(f"{nick} is already invited")
        await self.admit(master, table, nick)
        self.announce(master, [nick], game)

    async def admit(self, master: str, table: ClubTable, nick: str) -> None:
        """Take what speaking to a person costs ``master``, and invite the person to the table unless it admits them.

        Raises ``RequestRefused`` as ``check_sender`` does or if the table has the maximum number of invitations, and
        ``CardtableError`` if the invitation cannot be saved.
        """
        self.check_sender(master, [nick])
        if not table.access.admits(nick):
            LIMITS.invited.check(len(table.access.invited))
            table.access.invite(nick)
            await self._registry.save_or_undo(table, partial(table.access.withdraw, nick))

    def announce(self, master: str, nicks: Collection[str], game: str) -> None:
        """Tell connected people that they are invited to a private table of a game."""
        self.tell(master, nicks, f"{master} invites you to a private table of {ABOUT[game].title}.")

    def call_back(self, caller: Person, session: UnfinishedSession) -> None:
        """Tell all connected players of a session that ``caller`` resumes it, as far as the budgets allow that."""
        text = f"{caller.nick} calls you back to your session of {ABOUT[session.header.game].title}."
        for person in {client.person for client in self._clients} - {caller}:
            if person.find_seat(session.owners) is not None:
                with suppress(RequestRefused):  # they see the table in the lobby
                    self.check_sender(caller.nick, [person.nick])
                    self.tell(caller.nick, [person.nick], text)

    async def withdraw(self, master: str, table: ClubTable, wanted_nick: str) -> None:
        """Withdraw an invitation for the game master ``master``, and remove the person from the table.

        Raises ``RequestRefused`` if there is no such invitation, or if the person is the game master, plays in the
        session or is offered a seat, and ``CardtableError`` if the withdrawal cannot be saved.
        """
        nick = find_name(wanted_nick, table.access.invited)
        if nick is None:
            raise RequestRefused(f"{wanted_nick} is not invited to that table")
        row = self._registry.list_lobby_tables()[table.id]
        sitting = [name for info in row.seats for name in (info.name, info.offered)]
        if nick in (master, table.opened_by) or ((row.playing or row.resuming) and nick in sitting):
            raise RequestRefused(f"{nick} belongs to that table")
        table.access.withdraw(nick)
        await self._registry.save_or_undo(table, partial(table.access.invite, nick))
        reason = f"You are not invited to the table of {ABOUT[row.game].title} any more."
        self.tell(master, [nick], reason)
        table.leave(nick)
        await self._dismiss([each for each in self._clients if each.nick == nick], table, reason)

    def tell(self, sender: str, nicks: Collection[str], text: str) -> None:
        """Tell connected people what ``sender`` has done, unless the sender is muted."""
        for client in self._clients:
            if client.nick in nicks and not self._accounts.is_muted(sender):
                client.queue_talk(Talk(text, about=sender))

    # Spectators

    async def send_away(self, master: str, table: ClubTable, wanted_nick: str) -> None:
        """Remove a spectator, who cannot come back, for the game master ``master``.

        Raises ``RequestRefused`` if nobody with this nick watches the table, and ``CardtableError`` if the decision
        cannot be saved.
        """
        nick = find_name(wanted_nick, [each.nick for each in self._list_spectators(table)])
        if nick is None:
            raise RequestRefused(f"nobody called {wanted_nick} watches that table")
        table.access.send_away(nick)
        await self._registry.save_or_undo(table, partial(table.access.readmit, nick))
        await self._dismiss_spectators(table, f"{master} has sent you away from the table.")

    async def admit_spectators(self, master: str, table: ClubTable, *, admitted: bool) -> None:
        """Open a table to spectators, or close it to them, for the game master ``master``.

        Raises ``CardtableError`` if the decision cannot be saved.
        """
        before, table.access.admits_spectators = table.access.admits_spectators, admitted

        def undo() -> None:
            table.access.admits_spectators = before

        await self._registry.save_or_undo(table, undo)
        await self._dismiss_spectators(table, f"{master} has closed the table to spectators.")

    def _list_spectators(self, table: ClubTable) -> list[ConnectedClient]:
        """Return the clients who watch a table and own no seat there."""
        return [
            client
            for client in self._registry.list_clients(table.id)
            if client.subscriptions[table.id].seat is None and table.find_seat(client.person) is None
        ]

    async def _dismiss_spectators(self, table: ClubTable, reason: str) -> None:
        """Remove the spectators who may not watch a table any more, and tell them the reason."""
        unwanted = [each for each in self._list_spectators(table) if not table.access.admits_spectator(each.nick)]
        await self._dismiss(unwanted, table, reason)

    async def _dismiss(self, clients: Iterable[ConnectedClient], table: ClubTable, reason: str) -> None:
        """Remove those of the clients who are at a table in play from it, and tell them the reason."""
        for client in clients:
            if table.id in client.subscriptions:
                client.queue_answer(Update(table.id, 0, (), Stage.PLAY, closed=reason))
                await self._remove_client(client, table.id)
