"""What proves to clubs elsewhere who comes back to them."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, Literal

import msgspec

from cardtable.engine import lines
from cardtable.engine.errors import CardtableError
from cardtable.store import paths
from cardtable.store.json_file import JsonFile

NICK_VARIABLE: Final = "CARDTABLE_NICK"
ENTRY_VARIABLE: Final = "CARDTABLE_TOKEN"
"""In the environment of a guest's program that the host has started: who she is, and the token that lets her in."""
TURN_VARIABLE: Final = "CARDTABLE_TURN"
"""There, too: the file that such a program locks while it thinks of a hint."""
MOST_CLUBS: Final = 100
MOST_BYTES: Final = 1024 * 1024


class Ticket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who somebody is at a club."""

    nick: str
    token: str


class Tickets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that the file holds."""

    tickets: dict[str, Ticket] = {}
    """By the address of the club."""
    clubs: Literal[1] = 1


def _without_version(data: bytes) -> Tickets:
    """Return the tickets of a file as they were written before it had a version.  Raises ``ValueError``."""
    return Tickets(lines.decode(data, dict[str, Ticket]))


_FILE: Final = JsonFile(Tickets, "clubs", 1, MOST_BYTES, personal=True, older=_without_version)


def at_the_host() -> bool:
    """Whether a host runs this program for a guest of its club."""
    return ENTRY_VARIABLE in os.environ


def load() -> tuple[Mapping[str, Ticket], str]:
    """Return all tickets by address, and in a line what is wrong with their file; then there are none."""
    try:
        return _FILE.read(paths.club_tokens_file()).tickets, ""
    except FileNotFoundError:
        return {}, ""
    except CardtableError as error:
        return {}, str(error)


def of(url: str) -> Ticket | None:
    """Who was last at the club of an address."""
    return load()[0].get(url)


def keep(url: str, nick: str, token: str) -> None:
    """Keep a ticket for the next time; if the file cannot be read or written, the nick has to be given again then."""
    tickets = {address: ticket for address, ticket in load()[0].items() if address != url}
    newest = list({**tickets, url: Ticket(nick, token)}.items())[-MOST_CLUBS:]
    with suppress(OSError, CardtableError):
        paths.make(paths.home())
        _FILE.write(paths.club_tokens_file(), Tickets(dict(newest)))
