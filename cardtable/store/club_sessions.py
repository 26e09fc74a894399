"""Recognition of sessions that the club of this home plays."""

from collections.abc import Iterable, Set
from typing import Final

import msgspec

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Header, Journal, Line, MarkKind, Occupant, list_later_occupants
from cardtable.store import paths
from cardtable.store.errors import FileError
from cardtable.store.journal_scan import parse_creation_time
from cardtable.store.json_file import JsonFile

_MAX_BYTES: Final = 4 * 1024 * 1024
_UNKNOWN_CLUB: Final = "unknown"


class PlayedAtClub(CardtableError):
    """Error for an operation that would continue a club's session outside the club, or show hidden hands."""


class _HomeClub(msgspec.Struct, frozen=True, tag_field="club", tag=2):
    """Identity of the club of this home, as stored in its accounts file."""

    id: str = ""
    id_since: int = 0
    """Time at which the club received its id, in seconds since 1970-01-01T00:00Z. Earlier sessions lack the id."""


_FILE: Final = JsonFile(_HomeClub, _MAX_BYTES, personal=True)


def find_marks(lines: Iterable[Line]) -> frozenset[MarkKind]:
    """Return the marks in journal lines that hold after the last of them."""
    marks = set[MarkKind]()
    for line in lines:
        if isinstance(line, journal.MarkLine):
            marks.add(line.mark)
        elif isinstance(line, journal.ChanceLine) and line.is_deal:
            marks.discard("hands-revealed")
    return frozenset(marks)


def is_club_header(header: Header, occupants: Iterable[Occupant], marks: Set[MarkKind]) -> bool:
    """Return True if a club plays the session with a header, marks, and occupants past and present."""
    if header.club is not None:  # a guest's copy, in which all hands are open
        return False
    if header.host is not None or "at-club" in marks:
        return True
    people = {occupant.name for occupant in occupants if occupant.robot is None}
    return len(people) > 1 and _is_older_than_club_id(header.created)


def _is_older_than_club_id(created: str) -> bool:
    """Return True if a session without a club's id may nevertheless belong to the club, because it is old enough."""
    club = _load_home_club()
    return club is not None and (not club.id_since or parse_creation_time(created) < club.id_since)


def _load_home_club() -> _HomeClub | None:
    """Return the club of this home, or ``None`` if it has none. If its file cannot be read, the club has no id."""
    try:
        return _FILE.read_cached(paths.club_file())
    except FileNotFoundError:
        return None
    except FileError:
        return _HomeClub()


def is_club_session(parsed: Journal) -> bool:
    """Return True if a session is played by a club, whether its hands are revealed or not."""
    return is_club_header(parsed.header, list_occupants(parsed), find_marks(entry.line for entry in parsed.entries))


def has_club_mark(parsed: Journal) -> bool:
    """Return True if the header or a line of the journal states that a club plays the session."""
    return parsed.header.host is not None or "at-club" in find_marks(entry.line for entry in parsed.entries)


def list_occupants(parsed: Journal) -> list[Occupant]:
    """Return all occupants of a session, past and present."""
    return [*parsed.header.seats, *[occupant for _, occupant in list_later_occupants(parsed)]]


def get_host_id(header: Header) -> str:
    """Return the id of the club that plays a session.

    Headers of old sessions lack the id. Then the id of this home's club is returned, or ``"unknown"``.
    """
    club = _load_home_club()
    return header.host or (club.id if club else "") or _UNKNOWN_CLUB


def make_club_refusal() -> PlayedAtClub:
    """Return the error for an attempt to continue a club's session outside the club."""
    return PlayedAtClub(
        "this session is played at the club: open the club to continue (cardtable host, or Open to others with Ctrl+P)"
    )
