"""Reading journals: from a file of one session or of many, one session at a time."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from cardtable.engine import journal, replay
from cardtable.engine.contract import OVER, Seat
from cardtable.engine.journal import MOST_LINE_BYTES, MOST_SESSION_BYTES, BadJournal, Header, Journal, SeatOf
from cardtable.engine.table import Table
from cardtable.engine.text import clean
from cardtable.engine.words import unknown
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import disk, kept, paths
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
        with os.fdopen(disk.open_regular(path, os.O_RDONLY), "rb") as file:
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
    if data.startswith(kept.BEGINNING):
        raise CacheFile(path, "it is an index that cardtable keeps of the sessions beside it; it holds no session")


def one(path: Path, data: bytes) -> Journal:
    """The journal of the bytes of a file of one session.  Raises ``DamagedJournal``."""
    try:
        return journal.read(data)
    except BadJournal as error:
        raise damaged(path, error) from None


def replayed(path: Path, read: Journal, *, only_read: bool = False) -> Table:
    """Return the table after the last line of a journal that can be gone on with.  Raises ``FileError``.

    ``only_read``: nothing will happen at the table any more.
    """
    try:
        table = replay.load(read, GAMES, only_read=only_read)
    except BadJournal as error:
        raise damaged(path, error) from None
    for who in (*read.header.seats, *table.sitters.values()):
        if who.robot is not None and who.robot not in LEVELS:
            raise FileError(path, unknown("robot", who.robot, LEVELS))
    return table


def read_session(path: Path) -> bytes:
    """The bytes of a file of one session.  Raises ``FileError``, also where it holds several, or none."""
    try:
        data = disk.read(path, MOST_SESSION_BYTES)
    except OSError as error:
        raise FileError(path, reason(error)) from None
    refuse_several(path, data)
    return data


def first_line(path: Path) -> bytes:
    """Return the first line of a file, as far as a line of a journal may go.  Raises ``FileError``."""
    try:
        descriptor = disk.open_regular(path, os.O_RDONLY)
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


def names(seats: Iterable[SeatOf]) -> list[str]:
    """Who sits where, as it may be shown."""
    return [clean(who.name, MOST_NAME) for who in seats]


def shown(header: Header) -> Header:
    """The header with its names as they may be shown."""
    seats = shown_seats(header.seats)
    club = None if header.club is None else clean(header.club, MOST_NAME)
    return msgspec.structs.replace(header, seats=seats, club=club)


def shown_seats(seats: Sequence[SeatOf]) -> tuple[SeatOf, ...]:
    """Return the seats with their names as they may be shown."""
    called = zip(seats, names(seats), strict=True)
    return tuple([msgspec.structs.replace(who, name=name) for who, name in called])


def table_name(read: Journal) -> str:
    """What the table of a journal is called, as it may be shown; nothing (``""``) if it has no name."""
    named = (entry.line.table_name for entry in reversed(read.entries))
    told = (name for name in named if name is not None)
    return clean(next(told, "").strip(), MOST_NAME)


def damaged(path: Path, error: BadJournal) -> DamagedJournal:
    """What to say of a journal that does not hold."""
    good = 0 if error.good is None else 1 + len(error.good.entries)
    return DamagedJournal(path, error.line, error.why, good)
