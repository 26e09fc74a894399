"""What proves to clubs elsewhere who comes back to them."""

import os
from contextlib import suppress
from typing import Final

import msgspec

from cardtable.store import disk, paths

NICK_VARIABLE: Final = "CARDTABLE_NICK"
ENTRY_VARIABLE: Final = "CARDTABLE_TOKEN"
"""In the environment of a guest's program that the host has started: who she is, and the token that lets her in."""
TURN_VARIABLE: Final = "CARDTABLE_TURN"
"""There, too: the file that such a program locks while it thinks of a hint."""
MOST_CLUBS: Final = 100
MOST_BYTES: Final = 1024 * 1024


class Ticket(msgspec.Struct, frozen=True):
    """Who somebody is at a club."""

    nick: str
    token: str


def at_the_host() -> bool:
    """Whether a host runs this program for a guest of its club."""
    return ENTRY_VARIABLE in os.environ


def of(url: str) -> Ticket | None:
    """Who was last at the club of an address."""
    return _all().get(url)


def keep(url: str, nick: str, token: str) -> None:
    """Keep it for the next time; where that cannot be, she has to say who she is again."""
    tickets = _all()
    tickets.pop(url, None)
    tickets[url] = Ticket(nick, token)
    kept = dict(list(tickets.items())[-MOST_CLUBS:])
    with suppress(OSError):
        paths.make(paths.home())
        disk.write_whole(paths.club_tokens_file(), msgspec.json.encode(kept))


def _all() -> dict[str, Ticket]:
    try:
        return msgspec.json.decode(disk.read(paths.club_tokens_file(), MOST_BYTES), type=dict[str, Ticket])
    except (OSError, msgspec.MsgspecError):
        return {}
