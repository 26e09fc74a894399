"""Reading journals: from a file of one session or of many, one session at a time."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

import msgspec

from cardtable.engine import journal, replay
from cardtable.engine.contract import OVER, Seat
from cardtable.engine.journal import MOST_LINE_BYTES, MOST_SESSION_BYTES, BadJournal, Header, Journal, SeatOf
from cardtable.engine.table import Table
from cardtable.games import GAMES
from cardtable.robots.levels import LEVELS
from cardtable.store import disk
from cardtable.store.errors import CardtableError, DamagedJournal, FileError, reason
from cardtable.store.text import clean

MOST_NAME: Final = 24
"""Characters of a name that are shown."""


def journals(path: Path) -> Iterator[Journal]:
    """The journals of a file, one after another.

    Raises ``FileError`` where the file cannot be read, ``BadJournal`` at one that does not
    hold; asked again after that, it goes on with the next.
    """
    return _Journals(path)


class _Journals(Iterator[Journal]):
    """An iterator that a bad journal does not end, as it would end a generator."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._sessions = _sessions(path)
        self._next: tuple[int, bytes] | None = None
        self._begun = False

    def __next__(self) -> Journal:
        try:
            if not self._begun:
                self._next = next(self._sessions, None)
                self._begun = True
            if self._next is None:
                raise StopIteration
            (first, data), self._next = self._next, next(self._sessions, None)
        except OSError as error:
            raise FileError(self._path, reason(error)) from None
        return journal.read(data, first, more=self._next is not None)


def _sessions(path: Path) -> Iterator[tuple[int, bytes]]:
    """The bytes of each session of a file, with the number of its first line.

    Of a session that is too large no more is kept than shows that.
    """
    with os.fdopen(disk.open_regular(path, os.O_RDONLY), "rb") as file:
        first, held = 1, bytearray()
        for number, line in enumerate(_lines(file), 1):
            if number > 1 and journal.starts_session(line):
                yield first, bytes(held)
                first, held = number, bytearray()
            if len(held) <= MOST_SESSION_BYTES:
                held += line
        yield first, bytes(held)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file; of one that is too long no more than shows that."""
    while line := file.readline(MOST_LINE_BYTES + 1):
        end = line
        while len(end) > MOST_LINE_BYTES and not end.endswith(b"\n"):
            end = file.readline(MOST_LINE_BYTES + 1)
        yield line if line.endswith(b"\n") or not end.endswith(b"\n") else line + b"\n"


def one(path: Path, data: bytes) -> Journal:
    """The journal of the bytes of a file of one session.  Raises ``DamagedJournal``."""
    try:
        return journal.read(data)
    except BadJournal as error:
        raise damaged(path, error) from None


def replayed(path: Path, read: Journal) -> Table:
    """The table after the last line of a journal that can be gone on with.  Raises ``FileError``."""
    try:
        table = replay.load(read, GAMES)
    except BadJournal as error:
        raise damaged(path, error) from None
    for who in read.header.seats:
        if who.robot is not None and who.robot not in LEVELS:
            raise FileError(path, f"there is no robot {who.robot[:30]!r}; there are {', '.join(LEVELS)}")
    return table


def read_session(path: Path) -> bytes:
    """The bytes of a file of one session.  Raises ``FileError``."""
    try:
        return disk.read(path, MOST_SESSION_BYTES)
    except OSError as error:
        raise FileError(path, reason(error)) from None


def still_played(header: Header, turn: Seat) -> bool:
    """Whether people still play the session, in which it is this seat's turn: nobody else may see its cards."""
    return bool(header.people) and turn != OVER


def refusal(header: Header, command: str) -> CardtableError:
    """What is said of a session that people still play, and the cards of which a command would tell."""
    why = f"people still play it, and {command} tells their cards; {command} --open does it all the same"
    return CardtableError(f"{header.id}: {why}")


def names(seats: Iterable[SeatOf]) -> list[str]:
    """Who sits where, as it may be shown."""
    return [clean(who.name, MOST_NAME) for who in seats]


def shown(header: Header) -> Header:
    """The header with its names as they may be shown."""
    called = zip(header.seats, names(header.seats), strict=True)
    seats = tuple([msgspec.structs.replace(who, name=name) for who, name in called])
    return msgspec.structs.replace(header, seats=seats)


def table_name(read: Journal) -> str:
    """What the table of a journal is called, as it may be shown; nothing (``""``) if it has no name."""
    told = (entry.line.name for entry in reversed(read.entries) if entry.line.name is not None)
    return clean(next(told, "").strip(), MOST_NAME)


def damaged(path: Path, error: BadJournal) -> DamagedJournal:
    """What to say of a journal that does not hold."""
    good = 0 if error.good is None else 1 + len(error.good.entries)
    return DamagedJournal(path, error.line, error.why, good)
