"""Tickets for clubs elsewhere, by which a club recognises a returning player; environment of guests' programs."""

import os
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

import msgspec

from cardtable.engine import checksummed_jsonl
from cardtable.engine.errors import CardtableError
from cardtable.store import paths, profiles, seating
from cardtable.store.json_file import JsonFile, home_lock

NICK_VARIABLE: Final = "CARDTABLE_NICK"
ENTRY_VARIABLE: Final = "CARDTABLE_TOKEN"
"""Environment variables of a guest's program started by the host: the guest's nick, and the token of admission."""
WORD_VARIABLE: Final = "CARDTABLE_WORD"
"""Environment variable of such a program: return word of a guest by ssh, until the guest confirms having noted it."""
_WORD_NOTED: Final = "word-noted"
"""Marker file in the home of such a program: the guest has noted the word."""
TURN_VARIABLE: Final = "CARDTABLE_TURN"
"""Environment variable of such a program: path of the lock under which hints are computed."""
MOST_TICKETS: Final = 200
"""Maximum number of stored tickets; beyond it the oldest ticket of the club with the most tickets is removed."""
MOST_OF_NICK: Final = 4
"""Maximum number of tickets of one nick at one club.

There are several, so that a host that pretends to be the club does not replace the right ticket.
"""
MOST_BYTES: Final = 1024 * 1024


class ClubToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nick and token of a player at a club."""

    nick: str
    token: str


class ClubTicket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ticket for a club, which is identified by its id."""

    club: str
    nick: str
    token: str


class Tickets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the ticket file."""

    tickets: tuple[ClubTicket, ...] = ()
    """Ordered by last use, the most recent last."""
    by_address: dict[str, ClubToken] = {}
    """Tickets of version 1 by the club's address; each remains until its next use."""
    clubs: Literal[2] = 2


class _Tickets1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of a ticket file of version 1."""

    tickets: dict[str, ClubToken] = {}
    """By the address of the club."""
    clubs: Literal[1] = 1


def _by_address(data: bytes) -> Tickets:
    """Parse a file of version 1, or from before versions.  Raises ``ValueError``."""
    if "clubs" in checksummed_jsonl.decode(data, dict[str, msgspec.Raw]):
        return Tickets(by_address=checksummed_jsonl.decode(data, _Tickets1).tickets)
    return Tickets(by_address=checksummed_jsonl.decode(data, dict[str, ClubToken]))


_FILE: Final = JsonFile(Tickets, "clubs", 2, MOST_BYTES, personal=True, older=_by_address)


def at_the_host() -> bool:
    """Return True if a host runs this program for a guest of its club."""
    return ENTRY_VARIABLE in os.environ


def word_to_note() -> str:
    """Return the word that the guest of this program has to note; ``""`` if there is none, or it was noted."""
    return "" if is_word_noted(paths.home()) else os.environ.get(WORD_VARIABLE, "")


def note_word() -> None:
    """Record that the guest has noted the word; after a failure it is shown again."""
    with suppress(OSError):
        (paths.home() / _WORD_NOTED).touch()


def is_word_noted(home: Path) -> bool:
    """Return True if the guest of the program with this home has noted the word."""
    return (home / _WORD_NOTED).exists()


def load() -> tuple[Tickets, str]:
    """Return the tickets, and the error of their file in one line; after an error there are no tickets."""
    try:
        return _read(), ""
    except CardtableError as error:
        return Tickets(), str(error)


def _read() -> Tickets:
    """Return the tickets; empty if the file does not exist.  Raises ``FileError``."""
    try:
        return _FILE.read(paths.club_tokens_file())
    except FileNotFoundError:
        return Tickets()


def find(club: str, url: str, nick: str, me: str, refused: Collection[str] = ()) -> ClubToken:
    """Return the nick and token for a club with id ``club`` at ``url``; the token is ``""`` if no ticket fits.

    ``nick``: nick chosen by the player, or ``""``; ``me``: nick of the profile signed in here; ``refused``: tokens
    that the club has refused, which are left out. Without ``nick`` the most recent ticket is used whose nick is no
    profile of this machine, else ``me``; the nick is ``""`` if neither exists.
    """
    kept = load()[0]
    known = [ClubToken(each.nick, each.token) for each in reversed(kept.tickets) if each.club == club]
    if url in kept.by_address:
        known.append(kept.by_address[url])
    known = [ticket for ticket in known if ticket.token not in refused]
    wanted = nick or (me if me != seating.GUEST else "")
    for ticket in known:
        if wanted and seating.nick_key(ticket.nick) == seating.nick_key(wanted):
            return ticket
    strangers = [ticket for ticket in known if not nick and profiles.find(ticket.nick) is None]
    return next(iter(strangers), ClubToken(wanted, ""))


def store_ticket(club: str, url: str, nick: str, token: str) -> None:
    """Store a ticket as the most recent.

    Errors of the file are ignored; the player then has to enter the nick again.
    """
    ticket, key = ClubTicket(club, nick, token), seating.nick_key(nick)
    with suppress(OSError, CardtableError), home_lock():
        kept = _read()
        own = [each for each in kept.tickets if each.club == club and seating.nick_key(each.nick) == key]
        left_out = [each for each in own if each.token == token] or own[: 1 - MOST_OF_NICK]
        tickets = [*[each for each in kept.tickets if each not in left_out], ticket]
        if len(tickets) > MOST_TICKETS:
            largest, _ = Counter(each.club for each in tickets).most_common(1)[0]
            tickets.remove(next(each for each in tickets if each.club == largest))
        by_address = {
            address: each
            for address, each in kept.by_address.items()
            if address != url or seating.nick_key(each.nick) != key
        }
        new = Tickets(tuple(tickets), by_address)
        if new != kept:
            _FILE.write(paths.club_tokens_file(), new)
