"""Reading of journal files, of one or many sessions, with errors that name file and line."""

import os
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import Members, decode
from cardtable.engine.game import OVER, Seat
from cardtable.engine.journal import MOST_LINE_BYTES, MOST_SESSION_BYTES, Header, Journal, JournalError, Occupant
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import sanitize, unknown_name_message
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, file_cache, paths
from cardtable.store.errors import CacheFile, DamagedJournal, FileError, SeveralSessions, StillPlayed, os_error_message

MOST_NAME: Final = 24
"""Maximum length of a displayed name in characters."""


class SessionInFile(NamedTuple):
    """One journal or score table in a file of many."""

    first: int
    """Number of its first line in the file, from 1 on."""
    data: bytes
    """Its bytes; if they exceed the limit, only enough of them to detect that."""
    more: bool
    """True if another session follows."""


def parts(path: Path) -> Iterator[SessionInFile]:
    """Yield the sessions of a file in order.

    A line beyond the limit ends the iteration, since the rest of the file may be endless. Raises ``FileError`` if
    the file cannot be read, or two headers follow each other.
    """
    try:
        with os.fdopen(atomic_io.open_regular(path, os.O_RDONLY), "rb") as file:
            first, held = 1, bytearray()
            for number, line in enumerate(iter(partial(file.readline, MOST_LINE_BYTES + 1), b""), 1):
                if number == 1:
                    _refuse_cache(path, line)
                elif journal.starts_session(line):
                    if number == first + 1:
                        raise _bare(path, first)
                    yield SessionInFile(first, bytes(held), more=True)
                    first, held = number, bytearray()
                if len(held) <= MOST_SESSION_BYTES:
                    held += line
                if len(line) > MOST_LINE_BYTES:
                    held += file.read(max(0, MOST_SESSION_BYTES + 1 - len(held)))
                    break
            yield SessionInFile(first, bytes(held), more=False)
    except OSError as error:
        raise FileError(path, os_error_message(error)) from None


def refuse_several(path: Path, data: bytes) -> None:
    """Raise ``FileError`` unless the bytes belong to one session, whole or damaged."""
    _refuse_cache(path, data)
    if start := journal.next_session(data):
        raise _bare(path, 1) if data.count(b"\n", 0, start) == 1 else SeveralSessions(path)


def _bare(path: Path, line: int) -> DamagedJournal:
    return DamagedJournal(path, line, "another header follows at once: these are no sessions", 0)


def _refuse_cache(path: Path, data: bytes) -> None:
    if data.startswith(file_cache.BEGINNING):
        raise CacheFile(path, "it is an index that cardtable keeps of the sessions beside it; it holds no session")


def parse_session(path: Path, data: bytes) -> Journal:
    """Parse the bytes of a file with one session.  Raises ``DamagedJournal``."""
    try:
        return journal.read(data)
    except JournalError as error:
        raise damaged(path, error) from None


def replayed(path: Path, read: Journal, *, only_read: bool = False) -> Referee:
    """Return the referee after the last line of a journal.  Raises ``FileError``.

    ``only_read``: True if no more events are applied, so that undo information is not stored.
    """
    try:
        table = replay.load(read, GAMES, only_read=only_read)
    except JournalError as error:
        raise damaged(path, error) from None
    for who in (*read.header.seats, *table.new_occupants.values()):
        if who.robot is not None and who.robot not in LEVELS:
            raise FileError(path, unknown_name_message("robot", who.robot, LEVELS))
    return table


def read_session(path: Path) -> bytes:
    """Return the bytes of a file with one session.  Raises ``FileError``, also for several sessions or none."""
    try:
        data = atomic_io.read(path, MOST_SESSION_BYTES)
    except OSError as error:
        raise FileError(path, os_error_message(error)) from None
    refuse_several(path, data)
    return data


def first_line(path: Path) -> bytes:
    """Return the first line of a file, at most as long as a journal's line may be.  Raises ``FileError``."""
    try:
        descriptor = atomic_io.open_regular(path, os.O_RDONLY)
        try:
            return os.read(descriptor, MOST_LINE_BYTES).split(b"\n", 1)[0]
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FileError(path, os_error_message(error)) from None


def given_up(path: Path, turn: Seat) -> bool:
    """Return True if the session of a journal was abandoned: unfinished, and in the archive of this home.

    ``turn``: the referee's ``turn`` after the last line.
    """
    return turn != OVER and paths.in_archive(path)


def still_played(path: Path, header: Header, turn: Seat) -> bool:
    """Return True if people still play the session, so that its cards are secret.  ``turn``: as for ``given_up``."""
    return bool(header.people) and turn != OVER and not given_up(path, turn)


def refusal(header: Header, command: str) -> StillPlayed:
    """Return the error for a command that would show the cards of a session that people still play."""
    why = f"people still play it, and {command} tells their cards; {command} --open does it all the same"
    return StillPlayed(f"{header.id}: {why}")


def names(seats: Iterable[Occupant]) -> list[str]:
    """Return the occupants' names, sanitized for display."""
    return [sanitize(who.name, MOST_NAME) for who in seats]


def sanitized_header(header: Header) -> Header:
    """Return the header with all names sanitized for display."""
    seats = shown_seats(header.seats)
    club = None if header.club is None else sanitize(header.club, MOST_NAME)
    return msgspec.structs.replace(header, seats=seats, club=club)


def shown_seats(seats: Sequence[Occupant]) -> tuple[Occupant, ...]:
    """Return the occupants with their names sanitized for display."""
    called = zip(seats, names(seats), strict=True)
    return tuple([msgspec.structs.replace(who, name=name) for who, name in called])


def table_name(read: Journal) -> str:
    """Return the table name of a journal, sanitized for display; ``""`` if the table has no name."""
    named = (entry.line.table_name for entry in reversed(read.entries))
    names = (name for name in named if name is not None)
    return sanitize(next(names, "").strip(), MOST_NAME)


def damaged(path: Path, error: JournalError) -> DamagedJournal:
    """Return the error for a journal that cannot be parsed or replayed."""
    good = 0 if error.good is None else 1 + len(error.good.entries)
    return DamagedJournal(path, error.line, error.why, good)


_LATEST: Final = 4_000_000_000
"""Latest accepted time in seconds since 1970: later ones come from wrong clocks, and some systems lack such dates."""


def last_played(data: bytes) -> int:
    """Return the time of the last play in a journal or score table, in whole seconds since 1970-01-01T00:00Z.

    It is the time of the last line that is neither talk nor a name: the last ``when`` (or the creation time) plus
    the difference of ``at`` since then. Damaged lines are skipped. It is 0 if the time is unknown.
    """
    return max(0, min(int(_moment(data)), _LATEST))


def _moment(data: bytes) -> float:
    head, *lines = data.split(b"\n")[:-1] or [b""]
    header = _members(head)
    created, copied = created_at(str(header.get("created"))), _copied(header)
    latest, dated = None, b'"when"' in data
    for line in reversed(lines[copied:]):
        if latest is not None:
            if not dated:
                break
            if b'"when"' not in line:
                continue
        members = _members(line)
        if latest is None and not _is_play(header, members):
            continue
        latest = _at(members) if latest is None else latest
        when = members.get("when")
        if type(when) is int and when >= created:
            return when + latest - _at(members)
    before = _at(_members(lines[copied - 1])) if 0 < copied <= len(lines) else 0.0
    return created if latest is None else created + latest - before


def _members(line: bytes) -> Members:
    """Return the members of a line; empty if the line is invalid."""
    try:
        return decode(line, dict[str, object])
    except ValueError:
        return {}


def created_at(text: str) -> float:
    """Convert a header's time to seconds since 1970-01-01T00:00Z; 0 if it is invalid or earlier."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def _copied(header: Members) -> int:
    """Return the number of lines after the header that were copied from the session of origin."""
    origin = header.get("from")
    line = origin.get("line") if isinstance(origin, dict) else None
    return max(line - 1, 0) if type(line) is int else 0


def _is_play(header: Members, line: Members) -> bool:
    """Return True if a line is valid and neither talk, nor a table name, nor names of players."""
    named = "seats" in line or ("name" in line and not ("sit" in line and header.get("cardtable") != 1))
    return bool(line) and "say" not in line and not named


def _at(line: Members) -> float:
    at = line.get("at")
    return float(at) if isinstance(at, int | float) else 0.0
