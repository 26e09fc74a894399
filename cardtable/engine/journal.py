"""The session journal: JSON Lines with a chained checksum.  The one reader and writer.

Knows the format, not the games: whether a line fits is judged by ``Table.take``.
"""

import re
from collections.abc import Iterable
from typing import Final, TypeAlias

import msgspec

from cardtable.engine import lines
from cardtable.engine.contract import Seat
from cardtable.engine.lines import MOST_LINE_BYTES, VERSION, BadJournal, Members, convert, opening, seal
from cardtable.engine.options import Value

__all__ = [
    "ID",
    "KINDS",
    "MOST_LINE_BYTES",
    "MOST_SEED",
    "MOST_SESSION_BYTES",
    "SCORES",
    "VERSION",
    "BadJournal",
    "End",
    "Entry",
    "Header",
    "Journal",
    "Line",
    "Origin",
    "SeatOf",
    "fits",
    "header_of",
    "is_score_table",
    "read",
    "seal",
    "starts_session",
    "write",
]
MOST_SESSION_BYTES: Final = lines.MOST_BYTES
MOST_SEED: Final = 10**15 - 1
_MARGIN: Final = 64
"""Bytes of a line kept for the time and the checksum."""
SCORES: Final = "cardtable_scores"
"""The member by which the header of a score table is known."""
_HEADER: Final = re.compile(rb'"cardtable"\s*:')
ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SeatOf(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Who sits at a seat; no ``robot`` (its level) is a person."""

    name: str
    robot: str | None = None


class Origin(msgspec.Struct, frozen=True):
    """The session and line that this one was begun from."""

    id: str
    line: int


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, rename={"origin": "from"}):
    """Line 1 of a journal."""

    cardtable: int
    id: str
    game: str
    created: str
    seed: int
    options: dict[str, Value]
    seats: tuple[SeatOf, ...]
    origin: Origin | None = None

    @property
    def people(self) -> list[Seat]:
        """The seats of people."""
        return [seat for seat, who in enumerate(self.seats) if who.robot is None]


class End(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a session ended."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    undone: int | None = None
    """Decisions taken back in the session."""


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line after the header: exactly one of the members of ``KINDS``."""

    chance: str | None = None
    seat: Seat | None = None
    action: str | None = None
    undo: int | None = None
    void: str | None = None
    say: str | None = None
    name: str | None = None
    forfeit: Seat | None = None
    why: str | None = None
    end: End | None = None
    at: float | int | None = None
    """Seconds the session has been open in a program."""


KINDS: Final = ("chance", "action", "undo", "void", "say", "name", "forfeit", "end")


Entry: TypeAlias = lines.Entry[Line]
Journal: TypeAlias = lines.Chain[Header, Line]


def write(values: Iterable[Header | Line]) -> bytes:
    """A journal of these lines."""
    written, crc = [], 0
    for value in values:
        line, crc = seal(msgspec.json.encode(value), crc)
        written.append(line)
    return b"".join(written)


def fits(line: Line) -> bool:
    """Whether what a person wrote into this line can be kept: UTF-8, and not too long."""
    try:
        return len(msgspec.json.encode(line)) <= MOST_LINE_BYTES - _MARGIN
    except UnicodeEncodeError:
        return False


def starts_session(line: bytes) -> bool:
    """Whether this line of a file of many sessions is a header."""
    if not _HEADER.search(line):
        return False
    try:
        return "cardtable" in opening(line)
    except ValueError:
        return line.startswith(b'{"cardtable"')


def read(data: bytes, first: int = 1, *, more: bool = False) -> Journal:
    """Read one session's bytes, whose first line has the number ``first`` in its file.

    A torn last line is left out; if ``more`` of the file follows, no crash can have torn it.
    Raises ``BadJournal`` for damage.
    """
    return lines.read(data, _FORMAT, first, more=more)


def header_of(line: bytes) -> Header:
    """The header of a session with checksums, from its line without the LF; ``read`` looks closer at it.

    Raises ``ValueError`` for any other.
    """
    return _judged(msgspec.json.decode(lines.sealed(line), type=Header))


def _header(members: Members) -> Header:
    return _judged(convert(members, Header))


def _judged(header: Header) -> Header:
    if header.cardtable != VERSION or not ID.fullmatch(header.id) or not 0 <= header.seed <= MOST_SEED:
        raise ValueError("the header's version, id or seed cannot be")
    return header


def _line(members: Members) -> Line:
    line = lines.one_of(members, KINDS, Line)
    if line.action is not None and line.seat is None:
        raise ValueError("the action has no seat")
    if line.at is not None and line.at < 0:
        raise ValueError("the session cannot have been open for less than no time")
    return line


def _others(members: Members) -> str:
    if SCORES in members:
        return "it is the score table of a game with real cards: cardtable score opens it"
    return "not a cardtable journal"


_FORMAT: Final = lines.Format("cardtable", _header, _line, _others)


def is_score_table(data: bytes) -> bool:
    """Whether a file that begins so is that of a score table, whole or damaged."""
    first = data.split(b"\n", 1)[0]
    if b'"%s"' % SCORES.encode() not in first:
        return False
    try:
        return SCORES in opening(first)
    except ValueError:
        return first.startswith(b'{"%s"' % SCORES.encode())
