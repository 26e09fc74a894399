"""Reading journals: from a file of one session or of many, one session at a time."""

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
from cardtable.engine.text_format import sanitize, unknown
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, file_cache, paths
from cardtable.store.errors import CacheFile, DamagedJournal, FileError, SeveralSessions, StillPlayed, reason

MOST_NAME: Final = 24
"""Characters of a name that are shown."""


class SessionInFile(NamedTuple):
    """One session in a file of many: a journal, or a score table."""

    first: int
    """The number of its first line in the file."""
    data: bytes
    """Its bytes; of one that is too large no more than shows that."""
    more: bool
    """Whether another session follows."""


def parts(path: Path) -> Iterator[SessionInFile]:
    """Yield the sessions of a file, one after another.

    A line that is too long for a journal ends the reading: what follows it may go on for ever.
    Raises ``FileError`` where the file cannot be read, or holds headers with nothing between them.
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
        raise FileError(path, reason(error)) from None


def refuse_several(path: Path, data: bytes) -> None:
    """Raise ``FileError`` where these bytes are not those of one session, whole or damaged."""
    _refuse_cache(path, data)
    if start := journal.next_session(data):
        raise _bare(path, 1) if data.count(b"\n", 0, start) == 1 else SeveralSessions(path)


def _bare(path: Path, line: int) -> DamagedJournal:
    return DamagedJournal(path, line, "another header follows at once: these are no sessions", 0)


def _refuse_cache(path: Path, data: bytes) -> None:
    if data.startswith(file_cache.BEGINNING):
        raise CacheFile(path, "it is an index that cardtable keeps of the sessions beside it; it holds no session")


def parse_session(path: Path, data: bytes) -> Journal:
    """The journal of the bytes of a file of one session.  Raises ``DamagedJournal``."""
    try:
        return journal.read(data)
    except JournalError as error:
        raise damaged(path, error) from None


def replayed(path: Path, read: Journal, *, only_read: bool = False) -> Referee:
    """Return the table after the last line of a journal that can be gone on with.  Raises ``FileError``.

    ``only_read``: nothing will happen at the table any more.
    """
    try:
        table = replay.load(read, GAMES, only_read=only_read)
    except JournalError as error:
        raise damaged(path, error) from None
    for who in (*read.header.seats, *table.sitters.values()):
        if who.robot is not None and who.robot not in LEVELS:
            raise FileError(path, unknown("robot", who.robot, LEVELS))
    return table


def read_session(path: Path) -> bytes:
    """The bytes of a file of one session.  Raises ``FileError``, also where it holds several, or none."""
    try:
        data = atomic_io.read(path, MOST_SESSION_BYTES)
    except OSError as error:
        raise FileError(path, reason(error)) from None
    refuse_several(path, data)
    return data


def first_line(path: Path) -> bytes:
    """Return the first line of a file, as far as a line of a journal may go.  Raises ``FileError``."""
    try:
        descriptor = atomic_io.open_regular(path, os.O_RDONLY)
        try:
            return os.read(descriptor, MOST_LINE_BYTES).split(b"\n", 1)[0]
        finally:
            os.close(descriptor)
    except OSError as error:
        raise FileError(path, reason(error)) from None


def given_up(path: Path, turn: Seat) -> bool:
    """Whether the session of a journal, in which it is this seat's turn, was given up.

    That is one that lies in this home's archive before it is over; elsewhere it is open.
    """
    return turn != OVER and paths.in_archive(path)


def still_played(path: Path, header: Header, turn: Seat) -> bool:
    """Whether people still play the session, in which it is this seat's turn: nobody else may see its cards."""
    return bool(header.people) and turn != OVER and not given_up(path, turn)


def refusal(header: Header, command: str) -> StillPlayed:
    """Return the error for a command that would show the cards of a session that people still play."""
    why = f"people still play it, and {command} tells their cards; {command} --open does it all the same"
    return StillPlayed(f"{header.id}: {why}")


def names(seats: Iterable[Occupant]) -> list[str]:
    """Who sits where, as it may be shown."""
    return [sanitize(who.name, MOST_NAME) for who in seats]


def sanitized_header(header: Header) -> Header:
    """The header with its names as they may be shown."""
    seats = shown_seats(header.seats)
    club = None if header.club is None else sanitize(header.club, MOST_NAME)
    return msgspec.structs.replace(header, seats=seats, club=club)


def shown_seats(seats: Sequence[Occupant]) -> tuple[Occupant, ...]:
    """Return the seats with their names as they may be shown."""
    called = zip(seats, names(seats), strict=True)
    return tuple([msgspec.structs.replace(who, name=name) for who, name in called])


def table_name(read: Journal) -> str:
    """What the table of a journal is called, as it may be shown; nothing (``""``) if it has no name."""
    named = (entry.line.table_name for entry in reversed(read.entries))
    told = (name for name in named if name is not None)
    return sanitize(next(told, "").strip(), MOST_NAME)


def damaged(path: Path, error: JournalError) -> DamagedJournal:
    """What to say of a journal that does not hold."""
    good = 0 if error.good is None else 1 + len(error.good.entries)
    return DamagedJournal(path, error.line, error.why, good)


_LATEST: Final = 4_000_000_000
"""Seconds; beyond it clocks are set wrong, and some systems know no dates."""


def last_played(data: bytes) -> int:
    """When the session of a journal or of a score table was played last, by the bytes of its file.

    In whole seconds since 1970-01-01T00:00Z, as times stand in files; 0 where that cannot be known.  It is the moment
    of the last line that is neither talk nor a name: ``at`` has gone on by so much since the last line with ``when``,
    or since the session was created if there is none.  What is damaged is passed over.
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
    """The members of a line; none of one that cannot be read."""
    try:
        return decode(line, dict[str, object])
    except ValueError:
        return {}


def created_at(text: str) -> float:
    """Return the time that a header names in seconds since 1970-01-01T00:00Z; 0 if that is no time after then."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return max(0.0, (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def _copied(header: Members) -> int:
    """How many lines after the header are those of the session that it was begun from."""
    origin = header.get("from")
    line = origin.get("line") if isinstance(origin, dict) else None
    return max(line - 1, 0) if type(line) is int else 0


def _is_play(header: Members, line: Members) -> bool:
    """Whether the line is anything but talk, the table's name or the players'; a line that cannot be read is not."""
    named = "seats" in line or ("name" in line and not ("sit" in line and header.get("cardtable") != 1))
    return bool(line) and "say" not in line and not named


def _at(line: Members) -> float:
    at = line.get("at")
    return float(at) if isinstance(at, int | float) else 0.0
