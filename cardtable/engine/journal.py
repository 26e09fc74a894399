"""The session journal: JSON Lines with a chained checksum.  The one reader and writer.

Knows the format, not the games: whether a line fits is judged by ``Referee.apply_line``.  What a member means depends
on the version in the header; one that its version does not know means nothing.  ``docs/journal.md`` tells the form.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

import msgspec

from cardtable.engine import checksummed_jsonl
from cardtable.engine.checksummed_jsonl import MOST_LINE_BYTES, JournalError, Members, append_crc, convert, parse_header
from cardtable.engine.game import Seat
from cardtable.engine.options import Value

__all__ = [
    "ID",
    "KINDS",
    "MOST_LINE_BYTES",
    "MOST_SEED",
    "MOST_SESSION_BYTES",
    "NOT_IN_VERSION_1",
    "SCORES",
    "VERSION",
    "Entry",
    "Header",
    "Journal",
    "JournalError",
    "Line",
    "Occupant",
    "Origin",
    "SessionResult",
    "append_crc",
    "as_in_version_1",
    "header_of",
    "is_score_table",
    "is_storable",
    "next_session",
    "read",
    "starts_session",
    "with_occupants",
    "write",
]
VERSION: Final = 2
"""Of new journals.  Those of version 1 are read, and gone on with as such."""
MOST_SESSION_BYTES: Final = checksummed_jsonl.MOST_BYTES
MOST_SEED: Final = 10**15 - 1
_MARGIN: Final = 96
"""Bytes of a line kept for both times and the checksum."""
SCORES: Final = "cardtable_scores"
"""The member by which the header of a score table is known."""
FOREIGN: Final = "not a cardtable journal"
"""Why a file of something else cannot be read."""
_HEADER: Final = re.compile(rb'"cardtable(_scores)?"\s*:')
ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Occupant(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Who sits at a seat; no ``robot`` (its level) is a person."""

    name: str
    robot: str | None = None
    player: str | None = None
    """The id of a person's profile; guests have none, and in version 1 nobody has."""


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
    seats: tuple[Occupant, ...]
    origin: Origin | None = None
    package: str | None = None
    """What has to be installed for a game from outside: ``cardtable-hearts 1.0``."""
    club: str | None = None
    """Where it was played, if this is what somebody who sat there keeps of it at home."""
    host: str | None = None
    """Id of the club at whose host it is played; outcomes of chance do not follow from ``seed`` there."""
    chosen: bool = False
    """True if the session was begun by the number of a deal, or as the same deal again."""

    @property
    def people(self) -> list[Seat]:
        """The seats of people."""
        return [seat for seat, who in enumerate(self.seats) if who.robot is None]


class SessionResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """How a session ended."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    undone: int | None = None
    """Decisions taken back in the session."""


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One line after the header: exactly one of the members of ``KINDS``."""

    chance: str | None = None
    seat: Seat | None = None
    action: str | None = None
    undo: int | None = None
    void: str | None = None
    say: str | None = None
    sit: Seat | None = None
    """From here on somebody else decides for this seat: ``sitter``."""
    name: str | None = None
    player: str | None = None
    robot: str | None = None
    forfeit: Seat | None = None
    why: str | None = None
    end: SessionResult | None = None
    at: float | int | None = None
    """Seconds the session has been open in a program."""
    when: int | None = None
    """The time, in seconds since 1970-01-01T00:00Z: on the first line after each opening, and on the end."""

    @property
    def table_name(self) -> str | None:
        """What the table is called from here on, if the line says that."""
        return self.name if self.sit is None else None

    @property
    def talk(self) -> bool:
        """Whether it is talk or a name of the table, which have no effect on the game."""
        return self.say is not None or self.table_name is not None

    @property
    def sitter(self) -> Occupant:
        """Who sits down, where the line says ``sit``."""
        return Occupant(self.name or "", self.robot, self.player)


KINDS: Final = ("chance", "action", "undo", "void", "say", "sit", "name", "forfeit", "end")
NOT_IN_VERSION_1: Final = frozenset({"sit", "player", "robot", "when"})
"""Members of lines that mean nothing in version 1."""


Entry: TypeAlias = checksummed_jsonl.ParsedLine[Line]
Journal: TypeAlias = checksummed_jsonl.ParsedFile[Header, Line]


def write(values: Iterable[Header | Line]) -> bytes:
    """A journal of these lines."""
    written, crc = [], 0
    for value in values:
        line, crc = append_crc(msgspec.json.encode(value), crc)
        written.append(line)
    return b"".join(written)


def with_occupants(header: Header, sitters: Mapping[Seat, Occupant]) -> Header:
    """The header of a session in some seats of which somebody else sits: ``sitters``."""
    if not sitters:
        return header
    seats = tuple([sitters.get(seat, who) for seat, who in enumerate(header.seats)])
    return msgspec.structs.replace(header, seats=seats)


def is_storable(line: Line) -> bool:
    """Whether what a person wrote into this line can be kept: UTF-8, and not too long."""
    try:
        return len(msgspec.json.encode(line)) <= MOST_LINE_BYTES - _MARGIN
    except UnicodeEncodeError:
        return False


def starts_session(line: bytes) -> bool:
    """Whether this line of a file of many sessions is a header: of a journal, or of a score table."""
    if not _HEADER.search(line):
        return False
    try:
        return not parse_header(line.removesuffix(b"\n")).keys().isdisjoint({"cardtable", SCORES})
    except ValueError:
        return line.startswith((b'{"cardtable"', b'{"%s"' % SCORES.encode()))


def next_session(data: bytes) -> int:
    """Where in these bytes a session begins after the one that they begin with; 0 if none does."""
    place = data.find(b"\n") + 1 or len(data)
    while found := _HEADER.search(data, place):
        start = data.rfind(b"\n", place, found.start()) + 1 or place
        end = data.find(b"\n", found.end()) + 1 or len(data)
        if starts_session(data[start : min(end, start + MOST_LINE_BYTES)]):
            return start
        place = end
    return 0


def read(data: bytes, first: int = 1, *, more: bool = False) -> Journal:
    """Read one session's bytes, whose first line has the number ``first`` in its file.

    A torn last line is left out; if ``more`` of the file follows, no crash can have torn it.
    Raises ``JournalError`` for damage.
    """
    return checksummed_jsonl.read(data, _FORMAT, first, more=more)


def header_of(line: bytes) -> Header:
    """The header of a session with checksums, from its line without the LF; ``read`` looks closer at it.

    Raises ``ValueError`` for any other.
    """
    return _header(checksummed_jsonl.decode(checksummed_jsonl.sealed(line), dict[str, object]))


def _header(members: Members) -> Header:
    header = convert(as_in_version_1(members) if members.get("cardtable") == 1 else members, Header)
    if not 1 <= header.cardtable <= VERSION or not ID.fullmatch(header.id) or not 0 <= header.seed <= MOST_SEED:
        raise ValueError("the header's version, id or seed cannot be")
    return header


def as_in_version_1(members: Members) -> Members:
    """The members of a header of version 1 that mean something there."""
    known = {name: value for name, value in members.items() if name not in ("package", "club", "host", "chosen")}
    if isinstance(seats := known.get("seats"), list):
        known["seats"] = [_without_player(who) if isinstance(who, dict) else who for who in seats]
    return known


def _without_player(who: Mapping[str, object]) -> Members:
    return {name: value for name, value in who.items() if name != "player"}


def _line(header: Header, members: Members) -> Line:
    if header.cardtable == 1:
        members = {name: value for name, value in members.items() if name not in NOT_IN_VERSION_1}
    kinds = [kind for kind in KINDS if kind != "name"] if "sit" in members else KINDS
    line = checksummed_jsonl.one_of(members, kinds, Line)
    if line.sit is not None and line.name is None:
        raise ValueError("nobody is named who sits down")
    if line.when is not None and line.when < 0:
        raise ValueError("the time is before 1970")
    if line.action is not None and line.seat is None:
        raise ValueError("the action has no seat")
    if line.at is not None and line.at < 0:
        raise ValueError("the session cannot have been open for less than no time")
    return line


_DECODER: Final = msgspec.json.Decoder(Line)
_ENCODER: Final = msgspec.json.Encoder()
_MOST: Final = 10**15


def _line_as_written(header: Header, body: bytes) -> Line | None:
    """Return what a line means that comes out the same when it is written again, so that nothing else is in it.

    That is most lines, and reading them so takes a third of the time.  ``None`` for any line that needs a closer look.
    """
    try:
        line = _DECODER.decode(body)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None
    seat, at, when = line.seat, line.at, line.when
    if (line.action is None) == (line.chance is None) or (line.action is not None and seat is None):
        return None
    if not ((seat is None or -_MOST < seat < _MOST) and (at is None or 0 <= at < _MOST)):
        return None
    if when is not None and not (header.cardtable > 1 and 0 <= when < _MOST):
        return None
    plain = Line(chance=line.chance, seat=seat, action=line.action, at=at, when=when)
    return plain if _ENCODER.encode(plain) == body else None


def _others(members: Members) -> str:
    if SCORES in members:
        return "it is the score table of a game with real cards: cardtable score opens it"
    return FOREIGN


_FORMAT: Final = checksummed_jsonl.FileFormat("cardtable", VERSION, _header, _line, _others, _line_as_written)


def is_score_table(data: bytes) -> bool:
    """Whether a file that begins so is that of a score table, whole or damaged."""
    first = data.split(b"\n", 1)[0]
    if b'"%s"' % SCORES.encode() not in first:
        return False
    try:
        return SCORES in parse_header(first)
    except ValueError:
        return first.startswith(b'{"%s"' % SCORES.encode())
