"""Limits on the tables of a club: of each player, of each network, and of the club."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from cardtable.club.server.account_store import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.club_table import ClubTable
from cardtable.club.server.disk_space import DiskSpace
from cardtable.club.server.limits import LIMITS, Budget, RequestRefused

_LEAVE_OTHERS: Final = "there is little room for tables from your address; leave your other tables first"


class TableLimits:
    """Checks whether a player may open, join or reopen a table."""

    def __init__(
        self,
        accounts: AccountStore,
        clients: Sequence[ConnectedClient],
        tables: Mapping[str, ClubTable],
        max_tables: int,
        disk_space: DiskSpace,
    ) -> None:
        """The caller keeps ``clients`` and the tables, which are mapped by id, up to date.

        ``max_tables`` is the maximum number of gatherings and open sessions, and ``disk_space`` counts what tables add
        to the disk.
        """
        self.disk_space: Final = disk_space
        self._accounts, self._clients, self._tables = accounts, clients, tables
        self._limit = replace(LIMITS.tables, number=max_tables)
        self._reopened, self._watched = Budget(LIMITS.reopened_tables), Budget(LIMITS.watched_tables)

    def check_new_table(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if a client may not open another table."""
        self.check_club_capacity(client)
        self.check_gathering_limit(client.nick)
        self.check_unfinished_limit(client.nick)
        self.check_table_limit(client, "")
        self.disk_space.check_growth(client.nick, is_new=True)

    def check_resumption(self, client: ConnectedClient, session: str) -> None:
        """Raise ``RequestRefused`` if a client may not call back the players of the session with an id."""
        self.check_return_capacity(client)
        self.check_gathering_limit(client.nick)
        self.check_table_limit(client, session)
        self.check_wake_rate(client.nick)
        table = self._tables.get(session)
        self.disk_space.check_growth(table.opened_by if table else client.nick, is_new=False)

    def check_rematch(self, nick: str, *, is_over: bool) -> None:
        """Raise ``RequestRefused`` if a game master may not offer another session.

        ``is_over`` is True if the present session has ended, so that it does not become an unfinished one.
        """
        self.disk_space.check_growth(nick, is_new=True)
        if not is_over:
            self.check_unfinished_limit(nick)
            self.check_wake_rate(nick)

    def check_gathering_limit(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player is the game master of the maximum number of gathering tables."""
        LIMITS.waiting_tables.check(
            sum(bool(table.gathering) and table.master == nick for table in self._tables.values())
        )

    def check_unfinished_limit(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player, or the player's network, has the maximum number of unfinished sessions.

        A session counts for the player who opened its table. A player whose network is unknown is limited only as a
        player.
        """
        openers = Counter(table.opened_by for table in self._tables.values() if table.has_session)
        LIMITS.unfinished.check(openers[nick])
        network = self._accounts.get_network(nick)
        own = sum(number for each, number in openers.items() if self._accounts.get_network(each) == network)
        if network and own >= LIMITS.all_unfinished.compute_share(openers.total() - own):
            raise RequestRefused(LIMITS.all_unfinished.share_refusal)

    def check_table_limit(self, client: ConnectedClient, table: str) -> None:
        """Raise ``RequestRefused`` if a player is at the maximum number of other tables.

        ``table`` is the id of the table that the player wants to join; empty for a new table.
        """
        joined = self.list_joined_tables(client.nick)
        if table not in joined:
            LIMITS.joined_tables.check(len(joined))

    def list_joined_tables(self, nick: str) -> set[str]:
        """Return the ids of the tables at which a player sits or watches, over all of the player's connections."""
        joined = {id_ for id_, table in self._tables.items() if nick in table.seated_nicks}
        return joined.union(*[each.subscriptions for each in self._clients if each.nick == nick])

    def check_club_capacity(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if no further table may be opened for a client.

        An address may have half of the tables that the others leave free. The second half of these is reserved for
        players who are at no other table, so that a player with many nicks leaves room for others of the same address.
        """
        own, others = self._count_tables(client.network)
        self._limit.check(own + others)
        share = self._limit.compute_share(others)
        if own >= share:
            raise RequestRefused(self._limit.share_refusal)
        if own >= share // 2 and self.list_joined_tables(client.nick):
            raise RequestRefused(_LEAVE_OTHERS)

    def check_return_capacity(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if a client at other tables may not reopen a session of their own.

        Only the tables of the client's network count. A player at no other table is never refused.
        """
        own, _ = self._count_tables(client.network)
        if own >= self._limit.compute_share(0) and self.list_joined_tables(client.nick):
            raise RequestRefused(_LEAVE_OTHERS)

    def check_wake_rate(self, nick: str) -> None:
        """Raise ``RequestRefused`` if a player has too many closed sessions opened within a short time.

        The host has to load each of them.
        """
        self._reopened.take(nick)

    def check_watch_rate(self, client: ConnectedClient) -> None:
        """Raise ``RequestRefused`` if people of a client's network have begun to watch tables too often."""
        self._watched.take(client.budget_key)

    def _count_tables(self, network: str) -> tuple[int, int]:
        """Return the number of tables that a network has open, and the number that others have opened.

        The second number leaves out tables to which others have only returned, since such tables are opened without
        regard to the limit of the club.
        """
        tables = [table for table in self._tables.values() if not table.is_asleep]
        own = sum(table.network == network for table in tables)
        return own, sum(table.network != network and not table.is_return for table in tables)
