"""Accounts of a club: storage, logins and administration."""

from collections.abc import Callable
from time import time
from typing import Final

from cardtable.club.server.account_administration import AccountAdministration
from cardtable.club.server.account_store import AccountObserver, AccountStore
from cardtable.club.server.authenticator import Authenticator
from cardtable.club.server.limits import LIMITS
from cardtable.store import profiles


class ClubAccounts:
    """Accounts of one club, with the objects that log people in and that carry out the host's commands."""

    def __init__(
        self,
        code: str = "",
        *,
        max_new_nicks: int = LIMITS.new_nicks.number,
        clock: Callable[[], float] = time,
        observer: AccountObserver | None = None,
        own_networks: tuple[str, ...] = (),
    ) -> None:
        """Load the accounts; for the parameters and errors see ``AccountStore`` and ``Authenticator``."""
        self.store: Final = AccountStore(code, clock=clock, observer=observer, own_networks=own_networks)
        self.authenticator: Final = Authenticator(self.store, max_new_nicks=max_new_nicks)
        self.administration: Final = AccountAdministration(self.store)


def get_owner_token(nick: str, owner_token: str) -> str:
    """Return ``owner_token`` if ``nick`` belongs to a player without a password, and otherwise an empty string.

    All others need their own credentials, even on the host's machine.
    """
    profile = profiles.find_same(nick)
    return owner_token if profile and not profile.password else ""
