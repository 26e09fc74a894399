"""Invitations to tables of a club, and other sentences of the club by which one person addresses another."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from cardtable.club.protocol import MAX_INVITED, TableInfo, Talk
from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.limits import RateLimiters
from cardtable.club.server.seat_ownership import Person
from cardtable.club.server.table_access import RequestRefused, TableAccess
from cardtable.club.server.tables import UnfinishedSession
from cardtable.engine.text_format import find_name
from cardtable.games import ABOUT
from cardtable.store.seating import compute_nick_key

MUTED: Final = "the host has muted you"
INVITATION_RATE: Final = 0.1
"""Average number of invitations and offers per second that one network may make; bursts of ``MAX_INVITED``."""
RECEIVER_RATE: Final = 1 / 60
"""Average number of them per second that one network may make to the same person."""
RECEIVER_BURST: Final = 5


def format_withdrawal(table_info: TableInfo) -> str:
    """Return the sentence that tells a person that they are not invited to a table any more."""
    return f"You are not invited to the table of {ABOUT[table_info.game].title} any more."


class TableInvitations:
    """Invitations that game masters make and withdraw, saved before anybody is told, and offers at tables.

    They have a budget for each sender, and for each pair of sender and receiver; senders of one network share theirs.
    People whom the host has muted invite nobody, and nobody is told of them.
    """

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
        self._senders = RateLimiters(INVITATION_RATE, MAX_INVITED)
        self._pairs = RateLimiters(RECEIVER_RATE, RECEIVER_BURST)

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
            if not self._pairs.get_limiter(f"{key} {compute_nick_key(nick)}").take_token():
                raise RequestRefused(f"you have asked {nick} often enough; wait a minute")
            if not self._senders.get_limiter(key).take_token():
                raise RequestRefused("you are inviting too many people; wait a minute")

    async def invite(self, master: str, table_info: TableInfo, access: TableAccess, nick: str) -> None:
        """Invite a person to a private table for its game master ``master``.

        Raises ``RequestRefused`` if the table is not private, the club does not know the person, the person is invited
        already, or ``master`` may not invite them, and ``CardtableError`` if the invitation cannot be saved.
        """
        access.check_can_invite()
        nick = self.find_nick(nick)
        if access.admits(nick):
            raise RequestRefused(f"{nick} is already invited")
        self.check_sender(master, [nick])
        access.invite(nick)
        await self._save(table_info.table, partial(access.withdraw, nick))
        self.announce(master, [nick], table_info.game)

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
        self.tell(master, [nick], format_withdrawal(table_info))
        return nick

    def tell(self, sender: str, nicks: Collection[str], text: str) -> None:
        """Tell connected people what ``sender`` has done, unless the sender is muted."""
        for client in self._clients:
            if client.nick in nicks and not self._accounts.is_muted(sender):
                client.queue_talk(Talk(text, about=sender))
