"""Tickets by which other clubs recognise this player, clubs visited, and people whose talk the player has hidden.

Also the environment of programs that a host runs for guests, and the lock by which only one of them computes hints at a
time; the host names its file in the environment variable ``HINT_LOCK_VARIABLE``, and without it nothing is locked.
"""

import os
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import Final

import msgspec
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.store import atomic_io, paths, profiles, seating
from cardtable.store.json_file import JsonFile, JsonStore

NICK_VARIABLE: Final = "CARDTABLE_NICK"
ADMISSION_TOKEN_VARIABLE: Final = "CARDTABLE_TOKEN"  # noqa: S105 - the name of a variable
"""Environment variable of such a program: the token that admits it to the host."""
RETURN_WORD_VARIABLE: Final = "CARDTABLE_WORD"
"""Environment variable of such a program: the return word of a guest who connects by ssh.

It is set until the guest confirms having noted the word.
"""
_WORD_NOTED_FILE: Final = "word-noted"
"""Marker file in the home of such a program, which exists once the guest has noted the return word."""
HINT_LOCK_VARIABLE: Final = "CARDTABLE_TURN"
"""Environment variable of such a program: path of the lock file that is held while a hint is computed."""
MAX_TICKETS: Final = 200
"""Maximum number of stored tickets. Beyond it, the oldest ticket of the club with the most tickets is removed."""
MAX_TICKETS_PER_NICK: Final = 4
"""Maximum number of tickets for one nick at one club.

Several are stored, so that a host that impersonates the club cannot replace the genuine ticket.
"""
MAX_HIDDEN: Final = 100
"""Maximum number of people of one club whose talk is hidden; beyond it, the one hidden first is shown again."""
MAX_HIDING_CLUBS: Final = 50
"""Maximum number of clubs whose hidden people are stored; beyond it, the club stored first is forgotten."""
MAX_VISITED: Final = 10
"""Maximum number of visited clubs that are stored; beyond it, the one visited longest ago is forgotten."""
MAX_CLUB_NAME_LENGTH: Final = 40
"""Maximum length of the stored name of a club, in characters."""
_MAX_TICKETS_BYTES: Final = 1024 * 1024


class ClubToken(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nick of a player at a club, and the token that proves it. Without a ticket the token is ``""``."""

    nick: str
    token: str


class ClubTicket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ticket of a player for one club."""

    club: str
    nick: str
    token: str


class VisitedClub(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Club that the player has joined, by its WebSocket URL, with the name it had then."""

    url: str
    name: str


class Tickets(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="clubs", tag=2):
    """Content of the ticket file."""

    tickets: tuple[ClubTicket, ...] = ()
    """Tickets in the order of their last use, the most recent last."""
    by_address: dict[str, ClubToken] = {}
    """Tickets by the address of the club, which are not used any more."""
    hidden: dict[str, tuple[str, ...]] | msgspec.UnsetType = msgspec.UNSET
    """Nicks of the people whose talk the player has hidden, by the id of the club; left out if there are none."""
    visited: tuple[VisitedClub, ...] | msgspec.UnsetType = msgspec.UNSET
    """Clubs at which the player has been, in the order of the last visits; left out if there are none."""


TICKETS: Final = JsonStore(
    JsonFile(Tickets, _MAX_TICKETS_BYTES, personal=True), paths.club_tokens_file, "the tickets cannot be saved: "
)
load: Final = TICKETS.load


def is_hosted_client() -> bool:
    """Return True if a host runs this program for one of its people, who came by ssh or with a browser."""
    return ADMISSION_TOKEN_VARIABLE in os.environ


def find_pending_word() -> str:
    """Return the return word that the guest of this program has not noted yet, or ``""`` if there is none."""
    return "" if is_word_noted(paths.home()) else os.environ.get(RETURN_WORD_VARIABLE, "")


def mark_word_noted() -> None:
    """Record that the guest has noted the return word. Errors are ignored, and the word is then shown again."""
    with suppress(OSError):
        (paths.home() / _WORD_NOTED_FILE).touch()


def is_word_noted(home: Path) -> bool:
    """Return True if the guest has noted the return word.

    ``home`` is the home folder of the guest's program.
    """
    return (home / _WORD_NOTED_FILE).exists()


def find_ticket(club: str, nick: str, signed_in_nick: str, refused_tokens: Collection[str] = ()) -> ClubToken:
    """Return the nick and token to use at a club. The token is ``""`` if no ticket fits.

    ``club`` is the id of the club. ``nick`` is the nick that the player has typed, or ``""``.
    ``signed_in_nick`` is the nick of the profile that is signed in. Tickets with a token in ``refused_tokens`` are left
    out.

    The latest ticket for the typed nick is preferred, or without one for the signed-in nick. If no nick was typed, the
    second choice is the latest ticket whose nick belongs to no profile of this home. If no ticket is found, the typed
    or the signed-in nick is returned; the nick is ``""`` for a guest.
    """
    stored = load()[0]
    known = [ClubToken(ticket.nick, ticket.token) for ticket in reversed(stored.tickets) if ticket.club == club]
    known = [ticket for ticket in known if ticket.token not in refused_tokens]
    wanted_nick = nick or (signed_in_nick if signed_in_nick != seating.GUEST else "")
    for ticket in known:
        if wanted_nick and seating.is_same_nick(ticket.nick, wanted_nick):
            return ticket
    strangers = [ticket for ticket in known if not nick and profiles.find(ticket.nick) is None]
    return next(iter(strangers), ClubToken(wanted_nick, ""))


def store_ticket(club: str, nick: str, token: str) -> None:
    """Store a ticket as the most recent one.

    It replaces a ticket with the same token, and the oldest tickets for the nick beyond ``MAX_TICKETS_PER_NICK``.
    Errors of the file are ignored, and the player then has to type the nick again.
    """
    new = ClubTicket(club, nick, token)

    def add_ticket(stored: Tickets) -> Tickets:
        own = [ticket for ticket in stored.tickets if ticket.club == club and seating.is_same_nick(ticket.nick, nick)]
        replaced = [ticket for ticket in own if ticket.token == token] or own[: 1 - MAX_TICKETS_PER_NICK]
        tickets = [*[ticket for ticket in stored.tickets if ticket not in replaced], new]
        if len(tickets) > MAX_TICKETS:
            largest, _ = Counter(ticket.club for ticket in tickets).most_common(1)[0]
            tickets.remove(next(ticket for ticket in tickets if ticket.club == largest))
        return replace(stored, tickets=tuple(tickets))

    with suppress(CardtableError):
        TICKETS.update(add_ticket)


def list_visited() -> list[VisitedClub]:
    return [*reversed(load()[0].visited or ())]


def store_visit(url: str, name: str) -> None:
    """Store the club at the WebSocket address ``url`` as the one visited last.

    Errors of the file are ignored, and the player then has to type the address again.
    """
    club = VisitedClub(url, sanitize(name, MAX_CLUB_NAME_LENGTH))

    def add_visit(stored: Tickets) -> Tickets:
        others = [visited for visited in stored.visited or () if visited.url != url]
        return replace(stored, visited=(*others, club)[-MAX_VISITED:])

    with suppress(CardtableError):
        TICKETS.update(add_visit)


def load_hidden_nicks(club: str) -> tuple[str, ...]:
    """Return the nicks of the people of a club whose talk the player has hidden; none if the file is invalid."""
    return (load()[0].hidden or {}).get(club, ())


def store_hidden_nicks(club: str, nicks: Collection[str]) -> None:
    """Store the nicks of the people of a club whose talk is hidden.

    Errors of the file are ignored, and the people are then hidden for this visit only.
    """

    def hide(stored: Tickets) -> Tickets:
        others = [item for item in (stored.hidden or {}).items() if item[0] != club]
        hidden = [*others, *([(club, tuple(nicks)[-MAX_HIDDEN:])] if nicks else [])]
        return replace(stored, hidden=dict(hidden[-MAX_HIDING_CLUBS:]) or msgspec.UNSET)

    with suppress(CardtableError):
        TICKETS.update(hide)


LOCK_RETRY_SECONDS: Final = 0.05
"""Time between two attempts to acquire the lock, in seconds."""


@contextmanager
def try_thinking_lock() -> Iterator[Iterator[None]]:
    """Return a context that yields an iterator over the times to wait for the lock, which is released at the end."""
    file = os.environ.get(HINT_LOCK_VARIABLE)
    if file is None:
        yield iter(())
        return
    descriptor = atomic_io.open_regular(Path(file), os.O_RDWR | os.O_CREAT)

    def iter_attempts() -> Iterator[None]:
        while not atomic_io.lock(descriptor):
            yield

    try:
        yield iter_attempts()
    finally:
        atomic_io.unlock_and_close(descriptor)


@contextmanager
def wait_for_thinking_lock() -> Iterator[None]:
    """Hold the lock, for which this thread waits."""
    with try_thinking_lock() as attempts:
        for _ in attempts:
            sleep(LOCK_RETRY_SECONDS)
        yield
