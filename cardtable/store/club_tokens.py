"""What proves to clubs elsewhere who comes back to them."""

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
"""In the environment of a guest's program that the host has started: who she is, and the token that lets her in."""
WORD_VARIABLE: Final = "CARDTABLE_WORD"
"""There, too: the word with which a guest by ssh comes back, until she says that she has noted it."""
_WORD_NOTED: Final = "word-noted"
"""The file in the home of such a program that says so."""
TURN_VARIABLE: Final = "CARDTABLE_TURN"
"""There, too: the file that such a program locks while it thinks of a hint."""
MOST_TICKETS: Final = 200
"""Tickets that are stored; if there are more, the oldest of the club with the most of them goes."""
MOST_OF_NICK: Final = 4
"""Tickets of one nick at one club: a host that pretends to be the club must not replace the right one."""
MOST_BYTES: Final = 1024 * 1024


class ClubToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who somebody is at a club."""

    nick: str
    token: str


class ClubTicket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who somebody is at the club of an id."""

    club: str
    nick: str
    token: str


class Tickets(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that the file holds."""

    tickets: tuple[ClubTicket, ...] = ()
    """The one that was used last at the end."""
    by_address: dict[str, ClubToken] = {}
    """Those of files of before, when a club was known by its address; each until it is used there."""
    clubs: Literal[2] = 2


class _Tickets1(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of version 1."""

    tickets: dict[str, ClubToken] = {}
    """By the address of the club."""
    clubs: Literal[1] = 1


def _by_address(data: bytes) -> Tickets:
    """Return the tickets of a file of version 1, or of before there was a version.  Raises ``ValueError``."""
    if "clubs" in checksummed_jsonl.decode(data, dict[str, msgspec.Raw]):
        return Tickets(by_address=checksummed_jsonl.decode(data, _Tickets1).tickets)
    return Tickets(by_address=checksummed_jsonl.decode(data, dict[str, ClubToken]))


_FILE: Final = JsonFile(Tickets, "clubs", 2, MOST_BYTES, personal=True, older=_by_address)


def at_the_host() -> bool:
    """Whether a host runs this program for a guest of its club."""
    return ENTRY_VARIABLE in os.environ


def word_to_note() -> str:
    """Return the word that the guest of this program has to note; "" if there is none, or it is noted."""
    return "" if is_word_noted(paths.home()) else os.environ.get(WORD_VARIABLE, "")


def note_word() -> None:
    """Say that the guest has noted the word; if that cannot be written, it is shown again."""
    with suppress(OSError):
        (paths.home() / _WORD_NOTED).touch()


def is_word_noted(home: Path) -> bool:
    """Return True if the guest of the program with this home has noted the word."""
    return (home / _WORD_NOTED).exists()


def load() -> tuple[Tickets, str]:
    """Return all tickets, and in a line what is wrong with their file; then there are none."""
    try:
        return _read(), ""
    except CardtableError as error:
        return Tickets(), str(error)


def _read() -> Tickets:
    """Return all tickets; none where there is no file.  Raises ``FileError``."""
    try:
        return _FILE.read(paths.club_tokens_file())
    except FileNotFoundError:
        return Tickets()


def find(club: str, url: str, nick: str, me: str, refused: Collection[str] = ()) -> ClubToken:
    """Return as whom to come in at the club of an id, which answers at `url`; without a token where there is none.

    Tokens that the club has `refused` are left out.

    `me` is who has signed in here.  Without a nick that is `me`, unless another nick was used there last that is no
    player's of this machine; there is no nick ("") if neither is known.
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


def keep(club: str, url: str, nick: str, token: str) -> None:
    """Keep a ticket for the next time; if the file cannot be read or written, the nick has to be given again then."""
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
