"""Credentials with which this home's player joins a club without being asked, also the club that it hosts."""

import os
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from cardtable.club.addresses import is_local
from cardtable.engine.errors import CardtableError
from cardtable.store import club_tokens, profiles
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE, NICK_VARIABLE


class Credentials(NamedTuple):
    """Nick, access code and token for the first login at a club; ``""`` for each that is unknown."""

    nick: str
    code: str
    token: str


def find_credentials(url: str, nick: str = "", code: str = "") -> Credentials:
    """Return the credentials for the club at the WebSocket address ``url``.

    A given ``nick`` or ``code`` is used. A program that a host runs for a guest uses that guest's nick and token.
    """
    own_code, token = _find_owner_credentials(url, nick or profiles.get_current_nick())
    if token:
        nick = nick or profiles.get_current_nick()
    if club_tokens.is_hosted_client():
        nick, token = os.environ[NICK_VARIABLE], os.environ[ADMISSION_TOKEN_VARIABLE]
    return Credentials(nick, code or own_code, token)


def _find_owner_credentials(url: str, nick: str) -> tuple[str, str]:
    """Return access code and owner token for the club of this home, or two empty strings for any other club.

    The club must be open, and ``url`` must be its address on this machine. The token proves that a player without a
    password owns the host's files; it is empty if ``nick`` cannot use it.
    """
    from cardtable.club.server import accounts, club_file, status_file  # noqa: PLC0415 - lazy: startup

    address = urlsplit(url)
    with suppress(CardtableError):
        if is_local(address.hostname or "") and status_file.read_status().port == address.port:
            stored = club_file.read_club_file()
            return stored.code, accounts.get_owner_token(nick, stored.owner_token)
    return "", ""
