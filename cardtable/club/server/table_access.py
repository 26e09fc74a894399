"""People who may see a table of a club and come to it."""

from collections.abc import Iterable
from typing import Final

from cardtable.club.protocol import MAX_INVITED
from cardtable.engine.errors import CardtableError
from cardtable.store.seating import compute_nick_key


class RequestRefused(CardtableError):
    """Raised if a request is refused; the message is meant for the client."""


class TableAccess:
    """People who may see a table and come to it: everybody, or at a private table those who are invited."""

    def __init__(self, invited: Iterable[str] | None = None) -> None:
        """Open a table to everybody, or to the people with the nicks ``invited`` only."""
        self.is_private: Final = invited is not None
        self._nicks = {compute_nick_key(nick): nick for nick in invited or ()}

    @property
    def invited(self) -> tuple[str, ...]:
        """Nicks of the people who are invited to a private table, in the order of their invitation."""
        return tuple(self._nicks.values())

    def admits(self, nick: str) -> bool:
        return not self.is_private or compute_nick_key(nick) in self._nicks

    def invite(self, *nicks: str) -> None:
        """Invite people to a private table; nothing happens at an open one."""
        if self.is_private:
            self._nicks.update({compute_nick_key(nick): nick for nick in nicks})

    def withdraw(self, nick: str) -> None:
        """Withdraw an invitation; nothing happens if there is none."""
        self._nicks.pop(compute_nick_key(nick), None)

    def rename(self, old_nick: str, nick: str) -> None:
        """Invite a person under their present nick in place of a former one."""
        if self.admits(old_nick):
            self.withdraw(old_nick)
            self.invite(nick)

    def check_can_invite(self) -> None:
        """Raise ``RequestRefused`` if the table is open to everybody or has the maximum number of invitations."""
        if not self.is_private:
            raise RequestRefused("that table is not private; everybody may come to it")
        if len(self._nicks) >= MAX_INVITED:
            raise RequestRefused(f"{MAX_INVITED} people are invited to that table; withdraw an invitation first")
