"""Invitations to the private tables of a club."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial

from cardtable.club.protocol import TableInfo, Talk
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.tables import RequestRefused, TableAccess
from cardtable.engine.text_format import find_name
from cardtable.games import ABOUT


def format_withdrawal(master: str, table_info: TableInfo) -> str:
    """Return the sentence that tells a person that the game master has withdrawn the invitation to a table."""
    return f"{master} has withdrawn your invitation to a table of {ABOUT[table_info.game].title}."


class TableInvitations:
    """Invitations that game masters make and withdraw, saved before anybody is told."""

    def __init__(
        self,
        accounts: AccountStore,
        clients: Sequence[ConnectedClient],
        save: Callable[[str, Callable[[], None]], Awaitable[None]],
    ) -> None:
        """``clients`` holds all connected clients.

        ``save`` saves who may see the table with an id; if that fails, it calls the function that it gets, which undoes
        the change, and raises ``CardtableError``.
        """
        self._accounts, self._clients, self._save = accounts, clients, save

    def find_nick(self, nick: str) -> str:
        """Return the present form of the nick of a person whom the club knows.

        Raises ``RequestRefused`` if it knows nobody with this nick, since anybody could come with it.
        """
        if known := self._accounts.find_known_nick(nick):
            return known
        raise RequestRefused(f"nobody called {nick} has been here yet")

    async def invite(self, master: str, table_info: TableInfo, access: TableAccess, nick: str) -> None:
        """Invite a person to a private table for its game master ``master``.

        Raises ``RequestRefused`` if the table is not private, the club does not know the person, or the person is
        invited already, and ``CardtableError`` if the invitation cannot be saved.
        """
        access.check_can_invite()
        nick = self.find_nick(nick)
        if access.admits(nick):
            raise RequestRefused(f"{nick} is already invited")
        access.invite(nick)
        await self._save(table_info.table, partial(access.withdraw, nick))
        self.announce(master, [nick], table_info.game)

    def announce(self, master: str, nicks: Collection[str], game: str) -> None:
        """Tell connected people that they are invited to a private table of a game."""
        self._tell(nicks, f"{master} invites you to a private table of {ABOUT[game].title}.")

    async def withdraw(
        self, master: str, table_info: TableInfo, access: TableAccess, wanted_nick: str, opened_by: str
    ) -> str:
        """Withdraw an invitation for the game master ``master``, and return the nick of the person.

        ``opened_by`` is the nick of the player who has opened the table; empty if its session does not exist. Raises
        ``RequestRefused`` if there is no such invitation, or if the person is the game master, plays in the session or
        is offered a seat, and ``CardtableError`` if the withdrawal cannot be saved.
        """
        nick = find_name(wanted_nick, access.invited)
        if nick is None:
            raise RequestRefused(f"{wanted_nick} is not invited to that table")
        has_session = table_info.playing or table_info.taken_up
        sitting = [name for place in table_info.places for name in (place.name, place.offered)]
        if nick in (master, opened_by) or (has_session and nick in sitting):
            raise RequestRefused(f"{nick} belongs to that table")
        access.withdraw(nick)
        await self._save(table_info.table, partial(access.invite, nick))
        self._tell([nick], format_withdrawal(master, table_info))
        return nick

    def _tell(self, nicks: Collection[str], text: str) -> None:
        for client in self._clients:
            if client.nick in nicks:
                client.queue_talk(Talk(text))
