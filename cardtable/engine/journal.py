"""The session journal: JSON Lines with a chained checksum.  The one reader and writer.

Knows the format, not the games: whether a line fits is judged by ``Table.take``.
"""

import json
import re
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

import msgspec

from cardtable.engine.contract import Seat
from cardtable.engine.options import Value

VERSION: Final = 1
MOST_SESSION_BYTES: Final = 4 * 1024 * 1024
MOST_LINE_BYTES: Final = 4096
MOST_SEED: Final = 10**15 - 1
_MOST_DIGITS: Final = 15
_MOST_DEPTH: Final = 8
_MARGIN: Final = 64
"""Bytes of a line kept for the time and the checksum."""
_CRC: Final = re.compile(rb',"crc":"([0-9a-f]{8})"}\Z')
_HEADER: Final = re.compile(rb'"cardtable"\s*:')
T = TypeVar("T")
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class BadJournal(ValueError):
    """The journal does not hold from this line on; ``good`` is what comes before it."""

    def __init__(self, line: int, why: str, good: "Journal | None" = None) -> None:
        super().__init__(why)
        self.line, self.why, self.good = line, why, good


class SeatOf(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who sits at a seat; no ``robot`` (its level) is a person."""

    name: str
    robot: str | None = None


class Origin(msgspec.Struct, frozen=True):
    """The session and line that this one was begun from."""

    id: str
    line: int


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"origin": "from"}):
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


@dataclass(frozen=True, slots=True)
class Entry:
    """A line as read: its number in the file, its bytes without checksum and LF, its meaning."""

    number: int
    body: bytes
    line: Line


@dataclass(slots=True)
class Journal:
    """A journal as read from its bytes."""

    first: int
    """The number of its header's line in the file."""
    header: Header
    header_body: bytes
    sealed: bool
    """Whether its lines carry checksums."""
    entries: list[Entry]
    crc: int
    """Checksum of the last line."""
    size: int
    """Bytes of the whole lines."""
    torn: bytes
    """What a crash left of a last line."""


def seal(body: bytes, crc: int) -> tuple[bytes, int]:
    """A line as written from its JSON object and the checksum of the line before."""
    crc = zlib.crc32(body, crc)
    return b'%s,"crc":"%08x"}\n' % (body[:-1], crc), crc


def write(values: Iterable[Header | Line]) -> bytes:
    """A journal of these lines."""
    lines, crc = [], 0
    for value in values:
        line, crc = seal(msgspec.json.encode(value), crc)
        lines.append(line)
    return b"".join(lines)


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
        return "cardtable" in _members(_open(line)[0])
    except ValueError:
        return line.startswith(b'{"cardtable"')


def read(data: bytes, first: int = 1, *, more: bool = False) -> Journal:
    """Read one session's bytes, whose first line has the number ``first`` in its file.

    A torn last line is left out; if ``more`` of the file follows, no crash can have torn it.
    Raises ``BadJournal`` for damage.
    """
    if len(data) > MOST_SESSION_BYTES:
        raise BadJournal(first, "the session is larger than 4 MiB")
    lines = data.rstrip(b"\0").split(b"\n")
    tail = lines.pop()
    if not lines:
        raise BadJournal(first, "the header is not a whole line" if tail else "the file is empty")
    try:
        journal = _begin(lines[0], first)
    except ValueError as error:
        raise BadJournal(first, str(error)) from None
    if not journal.sealed and len(lines) == 1:
        raise BadJournal(first, "the line has no checksum")
    for index in range(1, len(lines)):
        try:
            _add(journal, lines[index])
        except ValueError as error:
            if isinstance(error, _TornError) and index == len(lines) - 1 and not tail and not more:
                break
            raise BadJournal(first + index, str(error), journal) from None
    journal.torn = data[journal.size :]
    if more and journal.torn:
        raise BadJournal(first + len(lines), "the line is not whole", journal)
    return journal


class _TornError(ValueError):
    """What a crash may leave, if it is at the very end."""


def _begin(line: bytes, first: int) -> Journal:
    """The journal of which this is the header."""
    body, crc = _open(line)
    members = _members(body)
    version = members.get("cardtable")
    if type(version) is not int:
        raise ValueError("not a cardtable journal")
    if version > VERSION:
        raise ValueError("written by a newer version of cardtable")
    _compare(body, 0, crc)
    header = _convert(members, Header)
    if version != VERSION or not _ID.fullmatch(header.id) or not 0 <= header.seed <= MOST_SEED:
        raise ValueError("the header's version, id or seed cannot be")
    return Journal(first, header, body, crc is not None, [], crc or 0, len(line) + 1, b"")


def _add(journal: Journal, line: bytes) -> None:
    """Read the next line of the journal."""
    body, crc = _open(line)
    if journal.sealed:
        _compare(body, journal.crc, crc)
    meaning = _line(body)
    if (crc is not None) != journal.sealed:
        raise ValueError("some lines have a checksum, some have none")
    journal.entries.append(Entry(journal.first + len(journal.entries) + 1, body, meaning))
    journal.crc = crc or 0
    journal.size += len(line) + 1


def _open(line: bytes) -> tuple[bytes, int | None]:
    """The JSON object of a line, and its checksum if it has one."""
    if len(line) >= MOST_LINE_BYTES:
        raise ValueError("the line is longer than 4 KiB")
    if line.endswith(b"\r"):
        raise ValueError("the line ends in CR LF: an editor has changed the file")
    if line.startswith(b"\xef\xbb\xbf"):
        raise ValueError("the file begins with a byte order mark: an editor has changed it")
    found = _CRC.search(line)
    return (line[: found.start()] + b"}", int(found[1], 16)) if found else (line, None)


def _compare(body: bytes, before: int, crc: int | None) -> None:
    """Raise if the line's checksum does not follow from the one before."""
    if crc is not None and zlib.crc32(body, before) != crc:
        raise _TornError("the checksum is wrong: the line was changed, or one before it is missing")


def _members(body: bytes) -> dict[str, object]:
    try:
        members = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_refuse,
            parse_float=_number,
            parse_int=_whole,
        )
    except UnicodeDecodeError:
        raise _TornError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise _TornError(f"not valid JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(members, dict):
        raise ValueError("not a JSON object")
    if "crc" in members:
        raise _TornError("the checksum is not eight hexadecimal digits in the last member, written without spaces")
    _bound(members, _MOST_DEPTH)
    if b"\\ud" in body.lower():
        _encodable(members)
    return members


def _bound(value: object, depth: int) -> None:
    """Raise if lists and objects are nested deeper than ``depth``."""
    if isinstance(value, dict | list):
        if not depth:
            raise ValueError("nested too deeply")
        for inner in value.values() if isinstance(value, dict) else value:
            _bound(inner, depth - 1)


def _encodable(members: dict[str, object]) -> None:
    """Raise if half of a surrogate pair stands where text should."""
    try:
        msgspec.json.encode(members)
    except UnicodeEncodeError:
        raise ValueError("a text is not Unicode") from None


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not a number")


def _number(text: str) -> float:
    value = float(text)
    if abs(value) >= 10**_MOST_DIGITS:
        raise ValueError("a number is too large")
    return value


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > _MOST_DIGITS:
        raise ValueError(f"a whole number has more than {_MOST_DIGITS} digits")
    return int(text)


def _line(body: bytes) -> Line:
    members = _members(body)
    kinds = [kind for kind in KINDS if kind in members]
    if len(kinds) != 1:
        raise ValueError(f"the line says not one thing but {len(kinds)}" if kinds else "the line says nothing known")
    line = _convert(members, Line)
    if getattr(line, kinds[0]) is None:
        raise ValueError(f"the line says nothing: {kinds[0]} is null")
    if line.action is not None and line.seat is None:
        raise ValueError("the action has no seat")
    if line.at is not None and line.at < 0:
        raise ValueError("the session cannot have been open for less than no time")
    return line


def _convert(members: dict[str, object], kind: type[T]) -> T:
    try:
        return msgspec.convert(members, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error).replace(" | null", "")) from None
