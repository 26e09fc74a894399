"""Recognition of sessions that the club of this home plays, and the parts of them that may be shown.

On the host's machine such a session is continued at the club only, and the program shows no hand of the round in
progress. The exception is ``cardtable reveal``: it adds the mark ``hands-revealed`` to the session, which tells the
players, and is valid until the next deal.
"""

from collections.abc import Iterable, Set
from typing import Final

import msgspec

from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import Header, Journal, Line, MarkKind, Occupant, list_later_occupants
from cardtable.engine.replay import iter_positions
from cardtable.games import GAMES
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


def is_secret(header: Header) -> bool:
    """Return True if a session belongs to a round of a tournament that is not finished at all of its tables.

    Nobody but the players at its table may see anything of it, since the other tables have the same deals.
    """
    if header.host is None:
        return False
    from cardtable.store import tournaments  # noqa: PLC0415 - lazy: startup

    return tournaments.is_playing(header.id)


def check_public(header: Header) -> None:
    """Raise ``CardtableError`` if ``is_secret`` holds for a session that is to be shown or copied."""
    if is_secret(header):
        raise CardtableError(
            f"{header.id}: a table of a tournament, which nobody can look at until all tables have finished the round"
        )


def is_club_only(header: Header, occupants: Iterable[Occupant], marks: Set[MarkKind]) -> bool:
    """Return True if an unfinished session can be continued at the club only, so that its hands are hidden here.

    ``occupants`` are all occupants of the session, past and present. It is not checked whether the session is
    unfinished.
    """
    if is_secret(header):
        return True
    return "hands-revealed" not in marks and _is_club_session(header, occupants, marks)


def _is_club_session(header: Header, occupants: Iterable[Occupant], marks: Set[MarkKind]) -> bool:
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
    return _is_club_session(parsed.header, _list_occupants(parsed), find_marks(entry.line for entry in parsed.entries))


def has_club_mark(parsed: Journal) -> bool:
    """Return True if the header or a line of the journal states that a club plays the session."""
    return parsed.header.host is not None or "at-club" in find_marks(entry.line for entry in parsed.entries)


def is_hidden(parsed: Journal, turn: Seat) -> bool:
    """Return True if at most the finished rounds of a session may be shown here.

    ``turn`` is the referee's ``turn`` after the last line. Of a session that is secret nothing may be shown.
    """
    if is_secret(parsed.header):
        return True
    if turn == OVER:
        return False
    return is_club_only(parsed.header, _list_occupants(parsed), find_marks(entry.line for entry in parsed.entries))


def _list_occupants(parsed: Journal) -> list[Occupant]:
    return [*parsed.header.seats, *[occupant for _, occupant in list_later_occupants(parsed)]]


def get_host_id(header: Header) -> str:
    """Return the id of the club that plays a session.

    Headers of old sessions lack the id. Then the id of this home's club is returned, or ``"unknown"``.
    """
    club = _load_home_club()
    return header.host or (club.id if club else "") or _UNKNOWN_CLUB


def count_finished_entries(parsed: Journal) -> int:
    """Return the number of entries in a journal up to the end of its last finished round.

    Raises ``JournalError`` if the journal cannot be replayed.
    """
    rounds = entries = 0
    for number, (_, table) in enumerate(iter_positions(parsed, GAMES)):
        if len(table.scores) > rounds:
            rounds, entries = len(table.scores), number
    return entries


def extract_finished_part(parsed: Journal) -> Journal:
    """Return a journal up to the end of its last finished round, with the seed replaced by 0.

    In old sessions the seed would disclose the cards of later rounds. Raises ``JournalError`` if the journal cannot be
    replayed.
    """
    check_public(parsed.header)
    header = msgspec.structs.replace(parsed.header, seed=0, host=get_host_id(parsed.header))
    lines = [entry.line for entry in parsed.entries[: count_finished_entries(parsed)]]
    return journal.read(journal.encode(header, lines))


def extract_viewable_part(parsed: Journal, turn: Seat) -> Journal:
    """Return the part of a journal that may be shown here. ``turn`` is the referee's ``turn`` after the last line."""
    return extract_finished_part(parsed) if is_hidden(parsed, turn) else parsed


def make_refusal() -> PlayedAtClub:
    """Return the error for an attempt to continue a club's session outside the club."""
    return PlayedAtClub(
        "this session is played at the club: open the club to continue (cardtable host, or Open to others with Ctrl+P)"
    )


def make_open_refusal(id_: str) -> PlayedAtClub:
    """Return the error for an attempt to show the round in progress of a club's session."""
    return PlayedAtClub(
        f"{id_}: it is played at the club, and only finished rounds are shown; cardtable reveal {id_} reveals the "
        "hands, and tells its players"
    )
