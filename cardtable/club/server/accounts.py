"""Accounts of a club."""

from cardtable.store import profiles


def get_owner_token(nick: str, owner_token: str) -> str:
    """Return ``owner_token`` if ``nick`` belongs to a player without a password, and otherwise an empty string.

    All others need their own credentials, even on the host's machine.
    """
    profile = profiles.find(nick)
    return owner_token if profile and not profile.password else ""
