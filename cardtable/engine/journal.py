"""Reader and encoder of session journals: JSON Lines with chained checksums.

This module knows the format, not the games; ``Referee.apply_line`` validates the content. Unknown members are ignored.
``docs/journal.md`` describes the format.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Final, Literal, TypeAlias

import msgspec

from cardtable.engine import checksummed_jsonl
from cardtable.engine.checksummed_jsonl import MAX_LINE_BYTES, OLDEST_VERSION, Members, convert, parse_header, seal
from cardtable.engine.game import Seat
from cardtable.engine.options import Value

VERSION: Final = 4
"""Version of new journals. Older journals are continued in their own version.

Version 3 has no terms, no ``why`` beside an action, and no lost seats, and version 2 has ``SENTENCES`` in place of
marks.
"""
MAX_SESSION_BYTES: Final = checksummed_jsonl.MAX_BYTES
MAX_SEED: Final = 10**15 - 1
_RESERVED_BYTES: Final = 96
"""Number of bytes of a line reserved for the members ``at`` and ``when`` and the checksum."""
SCORES_MEMBER: Final = "cardtable_scores"
"""Member that identifies the header of a score table."""
_HEADER: Final = re.compile(rb'"cardtable(_scores)?"\s*:')
ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Occupant(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Occupant of a seat: a robot if ``robot`` states its level, else a person."""

    name: str
    robot: str | None = None
    player: str | None = None
    """Id of the person's profile; ``None`` for guests."""


DecisionSeconds: TypeAlias = Annotated[int, msgspec.Meta(ge=5, le=600)]
ReserveSeconds: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=7200)]


class PlayerClock(msgspec.Struct, frozen=True):
    """Clock of each person in a session, in seconds."""

    decision: DecisionSeconds
    """Time for each decision."""
    reserve: ReserveSeconds = 0
    """Time for the whole session, from which a decision takes what it needs beyond its own time."""


DEFAULT_CLOCK: Final = PlayerClock(60, 600)
"""Clock of people in a rated session, if nobody asks for another one."""


class Terms(msgspec.Struct, frozen=True, omit_defaults=True):
    """Terms on which people play a session at a club."""

    rated: bool = False
    """True if the session counts in ratings and seasons, and whoever leaves it loses it."""
    aids: bool = True
    """True if hints, the coach and the review of the unfinished session are allowed."""
    clock: PlayerClock | None = None


def allows_aids(terms: Terms | None, *, is_over: bool) -> bool:
    """Return True if hints, the coach and the last deal are allowed in a session with these terms, or at its end."""
    return is_over or terms is None or terms.aids


class Origin(msgspec.Struct, frozen=True):
    """Session and line number from which a session was branched."""

    id: str
    line: int


class Header(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, rename={"origin": "from"}):
    """First line of a journal: game, house rules, seats, and the seed of all deals."""

    cardtable: int
    id: str
    game: str
    created: str
    seed: int
    options: dict[str, Value]
    seats: tuple[Occupant, ...]
    origin: Origin | None = None
    package: str | None = None
    """Package and version that provide a game from outside, such as ``cardtable-hearts 1.0``.

    ``None`` for a game that is part of the program.
    """
    club: str | None = None
    """Address of the club where the session was played; set only in the copy that a guest keeps at home."""
    host: str | None = None
    """Id of the club that hosts the session; set only in the session that the host keeps.

    Outcomes of chance of a hosted session are not derived from ``seed``.
    """
    chosen: bool = False
    """True if the players could know the deal: it was chosen by its number, or repeated from another session."""
    arrivals: tuple[Seat, ...] = ()
    """Seats in the order in which their players came to the table, robots last; empty if it is not recorded."""
    terms: Terms | None = None
    """Terms of the club at which the session was begun; ``None`` at home, and before version 4."""

    @property
    def people(self) -> list[Seat]:
        return [seat for seat, occupant in enumerate(self.seats) if occupant.robot is None]


class SessionResult(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Result of a session, as recorded in its last line."""

    totals: tuple[int, ...]
    ranks: tuple[int, ...]
    undone: int | None = None
    """Number of decisions undone in the session; ``None`` if it is not recorded."""
    own: tuple[int, ...] | None = None
    """Number of choices that the person in each seat has made; ``None`` if it is not recorded.

    A choice is a decision with at least two legal actions.
    """
    due: tuple[int, ...] | None = None
    """Number of choices that were due in each seat, whoever made them; ``None`` if it is not recorded."""
    late: tuple[int, ...] | None = None
    """Number of choices that robots have made because of the clock of the person, while another one had not lost."""


class _StampedLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Line after the header, with the times at which it was written.

    Each class of lines has the members of the file in the order of the file, so that encoding needs no table.
    """

    at: float | int | None = None
    """Time in seconds for which the session has been open in a program."""
    when: int | None = None
    """Unix time in seconds; set in the first line after each opening, and in the line with the result."""


class ChanceLine(_StampedLine, frozen=True, rename={"outcome": "chance"}):
    """Outcome of chance."""

    outcome: str

    @property
    def is_deal(self) -> bool:
        return self.outcome.partition(" ")[0] == "deal"


RobotReason: TypeAlias = Literal["clock", "round"]
"""Why a robot decides in place of a person: the time of the person, or of the round, is up."""
LossReason: TypeAlias = Literal["clock", "left"]
"""Why a seat has lost a session: its time was up several times in a row, or the person has left."""


class ActionLine(_StampedLine, frozen=True):
    """Decision of the player in a seat."""

    seat: Seat
    action: str
    coach: bool = False
    """True for the first own action of a player after the coach was switched on; it excludes the session from ratings.
    """
    robot: str | None = None
    """Level of the robot that has chosen in place of the person."""
    why: RobotReason | None = None
    """Why the robot had to choose; ``None`` if the person lets robots finish the round, or has lost the session."""
    worlds: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Number of worlds in which robots of the session search at most, from here on; ``None`` if it does not change."""


class UndoLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, rename={"decisions": "undo"}):
    """The last decisions are undone, or the last of one seat among several that decide at once."""

    seat: Seat | None = None
    decisions: int
    at: float | int | None = None
    when: int | None = None


class VoidLine(_StampedLine, frozen=True, rename={"reason": "void"}):
    """The round is void."""

    reason: str


class TalkLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False, rename={"text": "say"}):
    """Chat message of the player in a seat, of a spectator or of the host."""

    seat: Seat | None = None
    text: str
    at: float | int | None = None
    when: int | None = None


class OccupantLine(_StampedLine, frozen=True, rename={"seat": "sit"}):
    """A seat has a new occupant."""

    seat: Seat
    name: str
    player: str | None = None
    robot: str | None = None

    @property
    def occupant(self) -> Occupant:
        return Occupant(self.name, self.robot, self.player)


class NameLine(_StampedLine, frozen=True):
    """The table has a new name."""

    name: str


class ForfeitLine(_StampedLine, frozen=True, rename={"seat": "forfeit", "reason": "why"}):
    """A seat loses the session."""

    seat: Seat
    reason: str | None = None


class LostLine(_StampedLine, frozen=True, rename={"seat": "lost", "reason": "why"}):
    """A seat has lost the session, which goes on: from here a robot decides for it to the end."""

    seat: Seat
    reason: LossReason
    robot: str
    """Level of the robot."""


class ResultLine(_StampedLine, frozen=True, rename={"result": "end"}):
    """The session has ended."""

    result: SessionResult


MarkKind: TypeAlias = Literal["at-club", "hands-revealed", "private", "one-network", "networks-differ"]
"""Fact about a session that the program states.

In this order: the club continues a session that was begun at home, the hands are revealed until the next deal, a
private table of the club plays the session, and all people who have decided so far came from one network, or no
longer do.
"""
SENTENCES: Final[Mapping[MarkKind, str]] = {
    "at-club": "The session goes on at the club.",
    "hands-revealed": "The host has opened all hands of this round outside the club.",
    "private": "This table is private: only invited people see it.",
}
"""What players read in place of a mark, and table talk without a seat that is the mark in a journal of version 2.

Marks of version 4 are not told.
"""
_MARKS_BY_SENTENCE: Final = {sentence: mark for mark, sentence in SENTENCES.items()}


class MarkLine(_StampedLine, frozen=True):
    """Fact about the session, which nobody can type."""

    mark: MarkKind


Line: TypeAlias = (
    ChanceLine
    | ActionLine
    | UndoLine
    | VoidLine
    | TalkLine
    | OccupantLine
    | NameLine
    | ForfeitLine
    | LostLine
    | ResultLine
    | MarkLine
)
KINDS: Final[Mapping[str, type[Line]]] = {
    "chance": ChanceLine,
    "action": ActionLine,
    "undo": UndoLine,
    "void": VoidLine,
    "say": TalkLine,
    "sit": OccupantLine,
    "name": NameLine,
    "forfeit": ForfeitLine,
    "lost": LostLine,
    "end": ResultLine,
    "mark": MarkLine,
}
"""Member by which a kind of line is recognised, and the class of such lines."""


Entry: TypeAlias = checksummed_jsonl.ParsedLine[Line]
Journal: TypeAlias = checksummed_jsonl.ParsedFile[Header, Line]


def encode(header: Header, lines: Iterable[Line] = ()) -> bytes:
    return seal([_ENCODER.encode(header), *[encode_line(line, header.cardtable) for line in lines]])


def encode_line(line: Line, version: int) -> bytes:
    """Return the JSON object of a line in a journal of a version.

    In version 2 a mark is table talk, and talk that equals such a sentence gets a space at its end, so that it is none.
    """
    if version > 2:
        return _ENCODER.encode(line)
    if isinstance(line, MarkLine):
        line = TalkLine(text=SENTENCES[line.mark], at=line.at, when=line.when)
    elif isinstance(line, TalkLine) and line.seat is None and line.text in _MARKS_BY_SENTENCE:
        line = msgspec.structs.replace(line, text=f"{line.text} ")
    return _ENCODER.encode(line)


def replace_occupants(header: Header, occupants: Mapping[Seat, Occupant]) -> Header:
    """Return the header with new occupants of some seats.

    ``occupants``: the new occupants by seat; the other seats keep theirs.
    """
    if not occupants:
        return header
    seats = tuple([occupants.get(seat, occupant) for seat, occupant in enumerate(header.seats)])
    return msgspec.structs.replace(header, seats=seats)


def list_later_occupants(journal: Journal) -> list[tuple[Seat, Occupant]]:
    """Return the seats that have changed their occupant, with the new one, in the order of the changes."""
    return [(line.seat, line.occupant) for entry in journal.entries if isinstance(line := entry.line, OccupantLine)]


def is_storable(line: Line) -> bool:
    """Return True if the line is valid Unicode and leaves enough space for time and checksum.

    A line may hold text typed by a player.
    """
    try:
        return len(encode_line(line, VERSION)) <= MAX_LINE_BYTES - _RESERVED_BYTES
    except UnicodeEncodeError:
        return False


def is_session_header(line: bytes) -> bool:
    """Return True if this line of a file with several sessions is the header of a journal or of a score table.

    A damaged line counts if it begins like a header.
    """
    if not _HEADER.search(line):
        return False
    try:
        return not parse_header(line.removesuffix(b"\n")).keys().isdisjoint({"cardtable", SCORES_MEMBER})
    except ValueError:
        return line.startswith((b'{"cardtable"', b'{"%s"' % SCORES_MEMBER.encode()))


def find_next_session(data: bytes) -> int:
    """Return the offset of the first session header after the first line of ``data``; 0 if there is none."""
    offset = data.find(b"\n") + 1 or len(data)
    while match := _HEADER.search(data, offset):
        start = data.rfind(b"\n", offset, match.start()) + 1 or offset
        end = data.find(b"\n", match.end()) + 1 or len(data)
        if is_session_header(data[start : min(end, start + MAX_LINE_BYTES)]):
            return start
        offset = end
    return 0


def read(data: bytes, first_line: int = 1, *, more_follows: bool = False) -> Journal:
    """Parse the bytes of one session, whose header is line number ``first_line`` of its file.

    A torn last line is left out. If ``more_follows`` in the file, an incomplete line cannot result from a crash and is
    an error. Raises ``JournalError`` if the data is damaged.
    """
    return checksummed_jsonl.read(data, _FORMAT, first_line, more_follows=more_follows)


def parse_journal_header(line: bytes) -> Header:
    """Parse the header of a session with checksums, given as a line with its line end.

    Less strict than ``read`` about JSON. Raises ``ValueError`` if the line is not a valid header.
    """
    if len(line) > MAX_LINE_BYTES:
        raise ValueError("the line is too long")
    return _convert_header(checksummed_jsonl.decode(checksummed_jsonl.unseal(line), dict[str, object]))


def _convert_header(members: Members) -> Header:
    if members.get("cardtable") in (2, 3):
        members = {name: value for name, value in members.items() if name != "terms"}
    header = convert(members, Header)
    if not has_valid_identity(header):
        raise ValueError("the header's version, id, seed or arrivals are not valid")
    return header


def has_valid_identity(header: Header) -> bool:
    """Return True if the version, the id, the seed and the arrivals of a header are ones that a journal can have."""
    has_arrivals = not header.arrivals or sorted(header.arrivals) == [*range(len(header.seats))]
    is_known = OLDEST_VERSION <= header.cardtable <= VERSION and bool(ID.fullmatch(header.id))
    return is_known and has_arrivals and 0 <= header.seed <= MAX_SEED


def _convert_line(header: Header, members: Members) -> Line:
    if members.get("coach", True) is not True:  # unknown to programs that had no coach
        members = {name: value for name, value in members.items() if name != "coach"}
    kinds = dict(KINDS)
    if "sit" in members:
        del kinds["name"]  # it is that of the new occupant
    if header.cardtable < 4:
        del kinds["lost"]
        if "action" in members:
            members = {name: value for name, value in members.items() if name != "why"}
    if header.cardtable == 2:
        del kinds["mark"]
    line = checksummed_jsonl.convert_variant(members, kinds)
    if line.when is not None and line.when < 0:
        raise ValueError("the time is before 1970")
    if line.at is not None and line.at < 0:
        raise ValueError("the session cannot have been open for a negative time")
    if header.cardtable == 2 and isinstance(line, TalkLine) and line.seat is None and line.text in _MARKS_BY_SENTENCE:
        return MarkLine(_MARKS_BY_SENTENCE[line.text], at=line.at, when=line.when)
    return line


_ENCODER: Final = msgspec.json.Encoder()
_ACTION_DECODER: Final = msgspec.json.Decoder(ActionLine)
_CHANCE_DECODER: Final = msgspec.json.Decoder(ChanceLine)
_NUMBER_LIMIT: Final = 10**15


def _decode_canonical_line(header: Header, body: bytes) -> Line | None:
    """Decode a line that is byte for byte as the program writes it, else return ``None``.

    Fast path for actions and outcomes of chance; all other lines need the strict parser.
    """
    line: ActionLine | ChanceLine
    try:
        line = _ACTION_DECODER.decode(body) if body.startswith(b'{"seat":') else _CHANCE_DECODER.decode(body)
    except (ValueError, RecursionError):
        return None
    at, when = line.at, line.when
    if not (at is None or 0 <= at < _NUMBER_LIMIT) or not (when is None or 0 <= when < _NUMBER_LIMIT):
        return None
    if isinstance(line, ActionLine):
        is_unknown = line.why is not None and header.cardtable < 4
        if is_unknown or not -_NUMBER_LIMIT < line.seat < _NUMBER_LIMIT:
            return None
    return line if _ENCODER.encode(line) == body else None


def _format_foreign(members: Members) -> str:
    if SCORES_MEMBER in members:
        return "it is the score table of a game with real cards: cardtable score opens it"
    return "not a cardtable journal"


_FORMAT: Final = checksummed_jsonl.FileFormat(
    "cardtable", VERSION, _convert_header, _convert_line, _format_foreign, _decode_canonical_line
)


def is_score_table(data: bytes) -> bool:
    """Return True if data that begins like this is a score table, even a damaged one."""
    first = data.split(b"\n", 1)[0]
    if b'"%s"' % SCORES_MEMBER.encode() not in first:
        return False
    try:
        return SCORES_MEMBER in parse_header(first)
    except ValueError:
        return first.startswith(b'{"%s"' % SCORES_MEMBER.encode())
