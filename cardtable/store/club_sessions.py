"""Sessions that the club of this home plays: which they are, and what of them may be shown while they are not over.

At the host they are played on through the club only, and no other part of the program shows a hand of the round in
progress.  ``cardtable reveal`` is the way past that: it writes ``REVEALED`` into the session, so that its players see
it, and holds until the next deal.
"""

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import Header, Journal, Line, Occupant
from cardtable.engine.replay import iter_positions
from cardtable.games import GAMES
from cardtable.store import paths
from cardtable.store.errors import FileError
from cardtable.store.json_file import JsonFile
from cardtable.store.session_files import created_at

REVEALED: Final = "The host has opened all hands of this round outside the club."
"""Talk of nobody, by which a journal tells that it was revealed.  What onlookers say begins with a nick and a colon."""
AT_CLUB: Final = "The session goes on at the club."
"""Talk of nobody in a session that was begun at home, from where the club plays it on."""
_MOST_BYTES: Final = 4 * 1024 * 1024
_UNKNOWN_CLUB: Final = "unknown"


class PlayedAtClub(CardtableError):
    """A session is played on through the club only, and what was asked for would show hands."""


class ClubMarks(NamedTuple):
    """What the lines of a journal say of the club."""

    at_club: bool = False
    """True if the club plays the session on."""
    revealed: bool = False
    """True if the hands of the last round that was dealt were opened outside the club."""


class _HomeClub(msgspec.Struct, frozen=True):
    """What has to be known of the club that is opened in this home."""

    id: str = ""
    id_since: int = 0
    """When it got its id, in seconds since 1970-01-01T00:00Z; sessions that it began before do not have it."""


_FILE: Final = JsonFile(_HomeClub, "club", 2, _MOST_BYTES, personal=True)


def marks(lines: Iterable[Line]) -> ClubMarks:
    """Return what the lines of a journal say of the club."""
    at_club = revealed = False
    for line in lines:
        if line.say is not None and line.seat is None:
            at_club = at_club or line.say == AT_CLUB
            revealed = revealed or line.say == REVEALED
        elif line.chance is not None and line.chance.startswith("deal "):
            revealed = False
    return ClubMarks(at_club, revealed)


def is_club_only(header: Header, everybody: Iterable[Occupant], said: ClubMarks) -> bool:
    """Return True if a session that is not over is played on through the club only, and its hands are hidden here.

    ``everybody``: all who sat at the table at any time.
    """
    return not said.revealed and _is_of_club(header, everybody, said)


def _is_of_club(header: Header, everybody: Iterable[Occupant], said: ClubMarks) -> bool:
    if header.club is not None:  # a guest's copy, in which nothing is hidden
        return False
    if header.host is not None or said.at_club:
        return True
    people = {who.name for who in everybody if who.robot is None}
    return len(people) > 1 and _is_older_than_club_id(header.created)


def _is_older_than_club_id(created: str) -> bool:
    """Return True if a session without the club's id may be the club's all the same."""
    club = _home_club()
    return club is not None and (not club.id_since or created_at(created) < club.id_since)


def _home_club() -> _HomeClub | None:
    """Return the club of this home; of a file that cannot be read nothing is known but that there is one."""
    path = paths.club_file()
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError:
        return _HomeClub()
    return _read_club(path, found.st_ino, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4)
def _read_club(path: Path, *_traces: int) -> _HomeClub:
    """Return what a file says of the club; remembered for as long as the file is as it was, as pages ask often."""
    try:
        return _FILE.read(path)
    except (FileError, OSError):
        return _HomeClub()


def is_of_club(read: Journal) -> bool:
    """Return True for the session of a club, revealed or not."""
    return _is_of_club(read.header, _everybody(read), marks(entry.line for entry in read.entries))


def names_club(read: Journal) -> bool:
    """Return True if a journal tells by itself that a club plays it."""
    return read.header.host is not None or marks(entry.line for entry in read.entries).at_club


def is_hidden(read: Journal, turn: Seat) -> bool:
    """Return True if only finished rounds of a session may be shown here; ``turn`` is that after its last line."""
    if turn == OVER:
        return False
    return is_club_only(read.header, _everybody(read), marks(entry.line for entry in read.entries))


def _everybody(read: Journal) -> list[Occupant]:
    return [*read.header.seats, *[entry.line.sitter for entry in read.entries if entry.line.sit is not None]]


def host_of(header: Header) -> str:
    """Return the id of the club that plays a session; headers of older sessions lack it."""
    club = _home_club()
    return header.host or (club.id if club else "") or _UNKNOWN_CLUB


def finished_entries(read: Journal) -> int:
    """Return how many entries of a journal there are up to the end of its last finished round.

    Raises ``JournalError``.
    """
    rounds = entries = 0
    for number, (_, table) in enumerate(iter_positions(read, GAMES)):
        if len(table.scores) > rounds:
            rounds, entries = len(table.scores), number
    return entries


def finished_part(read: Journal) -> Journal:
    """Return the journal up to the end of its last finished round, with 0 for the seed.  Raises ``JournalError``.

    The seed goes, as in older sessions the cards of later rounds follow from it.
    """
    header = msgspec.structs.replace(read.header, seed=0, host=host_of(read.header))
    return journal.read(journal.write([header, *[entry.line for entry in read.entries[: finished_entries(read)]]]))


def viewable(read: Journal, turn: Seat) -> Journal:
    """Return what may be shown of a journal here: all, or its finished rounds; ``turn`` is that after its last line."""
    return finished_part(read) if is_hidden(read, turn) else read


def refusal() -> PlayedAtClub:
    """Return the error for going on with a session outside the club."""
    return PlayedAtClub(
        "this session is played at the club: open the club to go on "
        "(cardtable host, or Open to others among all commands)"
    )


def refusal_to_open(id_: str) -> PlayedAtClub:
    """Return the error for showing the round in progress of a session that the club plays."""
    return PlayedAtClub(
        f"{id_}: it is played at the club, and only finished rounds are shown; "
        f"cardtable reveal {id_} opens the hands, and tells its players so"
    )
