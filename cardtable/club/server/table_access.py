"""People who may see a table of a club and come to it."""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from cardtable.club.protocol import TableInfo
from cardtable.club.server.limits import LIMITS, RequestRefused
from cardtable.store.seating import compute_nick_key


class TableAccess:
    """People who may see a table and come to it: everybody, or at a private table those who are invited.

    Of them the game master may send spectators away, or all spectators for a while.
    """

    def __init__(
        self, invited: Iterable[str] | None = None, sent_away: Iterable[str] = (), *, admits_spectators: bool = True
    ) -> None:
        """Open a table to everybody, or to the people with the nicks ``invited`` only.

        ``sent_away`` are the nicks of those who may not watch it.
        """
        self.is_private: Final = invited is not None
        self._nicks = {compute_nick_key(nick): nick for nick in invited or ()}
        self._sent_away = {compute_nick_key(nick): nick for nick in sent_away}
        self.admits_spectators = admits_spectators
        """True unless the game master has closed the table to spectators."""

    def copy(self) -> "TableAccess":
        """Return the access to another table, which is the same now."""
        invited = self.invited if self.is_private else None
        return TableAccess(invited, self.sent_away, admits_spectators=self.admits_spectators)

    def add_to(self, table_info: TableInfo) -> TableInfo:
        """Return the description of the table with who may come to it."""
        return replace(
            table_info, private=self.is_private, invited=self.invited, no_spectators=not self.admits_spectators
        )

    @property
    def invited(self) -> tuple[str, ...]:
        """Nicks of the people who are invited to a private table, in the order of their invitation."""
        return tuple(self._nicks.values())

    @property
    def sent_away(self) -> tuple[str, ...]:
        """Nicks of the spectators who have been sent away."""
        return tuple(self._sent_away.values())

    def admits(self, nick: str) -> bool:
        return not self.is_private or compute_nick_key(nick) in self._nicks

    def invite(self, *nicks: str) -> None:
        """Invite people to a private table; nothing happens at an open one."""
        if self.is_private:
            self._nicks.update({compute_nick_key(nick): nick for nick in nicks})

    def withdraw(self, nick: str) -> None:
        """Forget a person, who may be invited or sent away; nothing happens for anybody else."""
        for nicks in (self._nicks, self._sent_away):
            nicks.pop(compute_nick_key(nick), None)

    def rename(self, old_nick: str, nick: str) -> None:
        """Use the present nick of a person in place of a former one."""
        for nicks in (self._nicks, self._sent_away):
            if nicks.pop(compute_nick_key(old_nick), None) is not None:
                nicks[compute_nick_key(nick)] = nick

    def send_away(self, nick: str) -> None:
        """Keep a spectator away from now on.

        Raises ``RequestRefused`` if too many people have been sent away.
        """
        LIMITS.sent_away.check(len(self._sent_away))
        self._sent_away[compute_nick_key(nick)] = nick

    def readmit(self, nick: str) -> None:
        self._sent_away.pop(compute_nick_key(nick), None)

    def admits_spectator(self, nick: str) -> bool:
        """Return True if somebody without a seat may watch the table."""
        return self.admits_spectators and compute_nick_key(nick) not in self._sent_away

    def check_spectator(self, nick: str) -> None:
        """Raise ``RequestRefused`` if somebody without a seat may not watch the table."""
        if not self.admits_spectator(nick):
            away = "you have been sent away from that table"
            raise RequestRefused(away if self.admits_spectators else "that table is closed to spectators")

    def check_can_invite(self) -> None:
        """Raise ``RequestRefused`` if the table is open to everybody or has the maximum number of invitations."""
        if not self.is_private:
            raise RequestRefused("that table is not private; everybody may come to it")
        LIMITS.invited.check(len(self._nicks))
