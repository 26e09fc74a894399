"""Reading of journal files with one or many sessions. The errors name the file and the line.

For lists of sessions there is a fast, lenient reader of journals with checksums. It finds single lines by their bytes,
which have no spaces between members, and does not check the others. Text that players have typed cannot match, since
its quotation marks are escaped. An incomplete last line is ignored.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from cardtable.engine import journal, replay
from cardtable.engine.checksummed_jsonl import MAX_LINE_BYTES, JournalError, Members, decode
from cardtable.engine.game import OVER, Seat
from cardtable.engine.referee import Referee
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.games import GAMES
from cardtable.robots.kit.levels import LEVELS
from cardtable.store import atomic_io, paths
from cardtable.store.errors import CacheFile, DamagedJournal, FileError, SeveralSessions, StillPlayed, convert_os_errors

State: TypeAlias = Literal["open", "over", "abandoned"]
"""State of a session; ``"abandoned"`` if it is unfinished and in the archive."""
MAX_NAME_LENGTH: Final = 24
"""Maximum length of a name on the screen, in characters."""
CACHE_PREFIX: Final = b'{"kept":'
"""First bytes of a cache that the program keeps in a folder of sessions."""


class SessionInFile(NamedTuple):
    """Journal or score table in a file that holds several of them."""

    first_line: int
    """Number of its first line in the file, numbered from 1."""
    data: bytes
    """Bytes of the session. If they exceed the limit, only as many are included as make this evident."""
    has_more: bool
    """True if another session follows in the file."""


def iter_sessions(path: Path) -> Iterator[SessionInFile]:
    """Yield the sessions in a file, in order.

    The iteration ends at a line that is too long, since the rest of the file may be endless. Raises ``FileError`` if
    the file cannot be read or is a cache of the program, and ``DamagedJournal`` if two headers follow each other.
    """
    with convert_os_errors(path), os.fdopen(atomic_io.open_regular(path, os.O_RDONLY), "rb") as file:
        first, data = 1, bytearray()
        for number, line in enumerate(iter(partial(file.readline, MAX_LINE_BYTES + 1), b""), 1):
            if number == 1:
                _check_not_cache(path, line)
            elif journal.is_session_header(line):
                if number == first + 1:
                    raise _make_bare_header_error(path, first)
                yield SessionInFile(first, bytes(data), has_more=True)
                first, data = number, bytearray()
            if len(data) <= journal.MAX_SESSION_BYTES:
                data += line
            if len(line) > MAX_LINE_BYTES:
                data += file.read(max(0, journal.MAX_SESSION_BYTES + 1 - len(data)))
                break
        yield SessionInFile(first, bytes(data), has_more=False)


def check_single_session(path: Path, data: bytes) -> None:
    """Raise ``FileError`` unless the bytes belong to a single session, which may be damaged."""
    _check_not_cache(path, data)
    if start := journal.find_next_session(data):
        raise _make_bare_header_error(path, 1) if data.count(b"\n", 0, start) == 1 else SeveralSessions(path)


def _make_bare_header_error(path: Path, line: int) -> DamagedJournal:
    return DamagedJournal(path, line, "another header follows at once: these are no sessions", 0)


def _check_not_cache(path: Path, data: bytes) -> None:
    if data.startswith(CACHE_PREFIX):
        raise CacheFile(path, "it is an index that cardtable keeps of the sessions beside it; it holds no session")


def is_cache(path: Path) -> bool:
    """Return True if a file is a cache of the program, or a copy of one under another name."""
    try:
        return read_first_line(path).startswith(CACHE_PREFIX)
    except FileError:
        return False


def parse_session(path: Path, data: bytes) -> journal.Journal:
    """Parse the bytes of a file with one session. Raises ``DamagedJournal`` if they are invalid."""
    with convert_journal_errors(path):
        return journal.read(data)


def replay_journal(path: Path, parsed: journal.Journal, *, without_undo: bool = False) -> Referee:
    """Return the referee after the last line of a journal.

    ``without_undo`` saves time and memory if the caller only reads the result: states for undo are not stored. Raises
    ``DamagedJournal`` if a line is illegal, and ``FileError`` if the level of a robot is unknown.
    """
    with convert_journal_errors(path):
        table = replay.load(parsed, GAMES, read_only=without_undo)
    occupants = (*parsed.header.seats, *table.occupants.changed.values())
    for level in (*[occupant.robot for occupant in occupants], *[line.robot for line in table.occupants.lost.values()]):
        if level is not None and level not in LEVELS:
            raise FileError(path, format_unknown_name("robot", level, LEVELS))
    return table


def check_can_continue(path: Path, header: replay.RulesHeader) -> None:
    """Raise ``FileError`` if the installed version of a game no longer has the house rules of this header."""
    try:
        replay.read_current_rules(header, GAMES)
    except ValueError as error:
        raise FileError(path, str(error)) from None


def read_session(path: Path) -> bytes:
    """Return the bytes of a file with one session.

    Raises ``FileError`` if the file cannot be read, or if it holds no session or several.
    """
    with convert_os_errors(path):
        data = atomic_io.read(path, journal.MAX_SESSION_BYTES)
    check_single_session(path, data)
    return data


def load_journal(path: Path) -> journal.Journal:
    """Return the journal in a file with one session.

    Raises ``FileError`` as ``read_session`` does, and ``DamagedJournal`` if the journal is invalid.
    """
    return parse_session(path, read_session(path))


def read_first_line(path: Path) -> bytes:
    """Return the first line of a file without its newline, shortened to the maximum length of a journal's line.

    Raises ``FileError`` if the file cannot be read.
    """
    with convert_os_errors(path):
        descriptor = atomic_io.open_regular(path, os.O_RDONLY)
        try:
            return os.read(descriptor, MAX_LINE_BYTES).split(b"\n", 1)[0]
        finally:
            os.close(descriptor)


def is_abandoned(path: Path, turn: Seat) -> bool:
    """Return True if the session of a journal was abandoned: it is unfinished, and in the archive of this home.

    ``turn`` is the referee's ``turn`` after the last line.
    """
    return turn != OVER and paths.is_in_archive(path)


def get_state(path: Path, *, is_over: bool) -> State:
    return "over" if is_over else "abandoned" if paths.is_in_archive(path) else "open"


def make_refusal(header: journal.Header, command: str) -> StillPlayed:
    """Return the error for a command that would show the cards of a session that human players still play."""
    reason = f"this game is still going on, and {command} would reveal hands; {command} --show-hands does it anyway"
    return StillPlayed(f"{header.id}: {reason}")


def format_names(seats: Iterable[journal.Occupant]) -> list[str]:
    return [sanitize(occupant.name, MAX_NAME_LENGTH) for occupant in seats]


def list_former_players(
    initial_seats: Sequence[journal.Occupant], referee: Referee, owners: Mapping[Seat, journal.Occupant]
) -> list[tuple[str, ...]]:
    """Return the names of others who made the finished rounds, for each seat; empty if there are none.

    There is an empty string for each round of the present player: the owner of the seat, or else its occupant.
    """
    former: list[tuple[str, ...]] = [()] * len(initial_seats)
    for seat, occupant in referee.occupants.changed.items():
        player, first = owners.get(seat, occupant), initial_seats[seat]
        makers = [occupants.get(seat, first) for occupants in referee.occupants.by_round]
        others = [maker for maker in makers if maker.name != player.name and (maker.player or "") != player.player]
        texts = [sanitize(maker.name, MAX_NAME_LENGTH) if maker in others else "" for maker in makers]
        former[seat] = tuple(texts) if others else ()
    return former


def format_former_players(makers: Sequence[str]) -> str:
    """Return the rounds that others have made at a seat, such as ``Bob 1-3, Cy 4``; ``makers`` by round."""
    texts = []
    for name, run in groupby(enumerate(makers, 1), key=itemgetter(1)):
        first, *others = [number for number, _ in run]
        if name:
            texts.append(f"{name} {first}-{others[-1]}" if others else f"{name} {first}")
    return ", ".join(texts)


def list_sheet_names(parsed: journal.Journal, referee: Referee) -> list[str]:
    """Return the names of the columns of the score sheet, such as ``Ada (Bob 1-3)`` if Bob made the first rounds.

    ``referee`` has replayed the journal.
    """
    names = format_names(journal.replace_occupants(parsed.header, referee.occupants.changed).seats)
    former = list_former_players(parsed.header.seats, referee, {})
    return [
        f"{name} ({format_former_players(makers)})" if makers else name
        for name, makers in zip(names, former, strict=True)
    ]


def sanitize_header(header: journal.Header) -> journal.Header:
    """Return the header with all names sanitized for display."""
    seats = sanitize_occupants(header.seats)
    club = None if header.club is None else sanitize(header.club, MAX_NAME_LENGTH)
    return msgspec.structs.replace(header, seats=seats, club=club)


def sanitize_occupants(seats: Sequence[journal.Occupant]) -> tuple[journal.Occupant, ...]:
    """Return the occupants with their names sanitized for display."""
    named = zip(seats, format_names(seats), strict=True)
    return tuple([msgspec.structs.replace(occupant, name=name) for occupant, name in named])


def find_table_name(parsed: journal.Journal) -> str:
    """Return the table name of a journal, sanitized for display, or ``""`` if it has none."""
    names = (entry.line.name for entry in reversed(parsed.entries) if isinstance(entry.line, journal.NameLine))
    return sanitize(next(names, "").strip(), MAX_NAME_LENGTH)


@contextmanager
def convert_journal_errors(path: Path) -> Iterator[None]:
    """Convert the error about a journal that cannot be parsed or replayed into one that names its file."""
    try:
        yield
    except JournalError as error:
        good = 0 if error.good is None else 1 + len(error.good.entries)
        raise DamagedJournal(path, error.line, error.reason, good) from None


END_PREFIX: Final = b'\n{"end":'
"""Beginning of the line with the result, after the line end before it."""
_PREFIXES: Final[Mapping[type[object], bytes]] = {
    journal.ResultLine: END_PREFIX,
    journal.NameLine: b'\n{"name":',
    journal.ForfeitLine: b'\n{"forfeit":',
    journal.OccupantLine: b'\n{"sit":',
    journal.LostLine: b'\n{"lost":',
}
"""Beginnings of the lines that are found by their bytes, after the line end before them."""
MAX_TIME: Final = 4_000_000_000
"""Latest time that is accepted, in seconds since 1970-01-01T00:00Z.

Later times come from clocks that are wrong, and some systems cannot convert them to a date.
"""
L = TypeVar("L")


def read_header(data: bytes) -> journal.Header:
    """Return the header of a journal. Raises ``ValueError`` if it is invalid or has no checksum."""
    return journal.parse_journal_header(data[: data.find(b"\n") + 1])


def read_last_line(data: bytes, line_class: type[L]) -> L | None:
    """Return the last complete line of a kind, or ``None`` if there is none.

    Raises ``ValueError`` if it is invalid.
    """
    start = data.rfind(_PREFIXES[line_class], 0, data.rfind(b"\n")) + 1
    return decode(data[start : data.find(b"\n", start)], line_class) if start else None


def read_lines(data: bytes, line_class: type[L]) -> list[L]:
    """Return all lines of a kind, in order. Raises ``ValueError`` if one of them is invalid."""
    prefix = _PREFIXES[line_class]
    if prefix not in data:
        return []
    return [decode(line, line_class) for line in data.split(b"\n") if line.startswith(prefix[1:])]


def count_rounds(data: bytes) -> int:
    """Return the number of rounds dealt, without void rounds."""
    return data.count(b'"chance":"deal ') - data.count(b'"void":"')


def has_coach(data: bytes) -> bool:
    return b'"coach":true' in data


def has_mark(data: bytes, mark: journal.MarkKind, version: int) -> bool:
    is_known = version > 2 or mark in journal.SENTENCES
    return is_known and b"\n" + journal.encode_line(journal.MarkLine(mark), version).removesuffix(b"}") in data


def find_last_played(data: bytes) -> int:
    """Return the time of the last play in a journal or score table, in whole seconds since 1970-01-01T00:00Z.

    This is the time of the last line that is no talk, mark or name: the last ``when`` up to that line, or the time of
    creation, plus the difference between the ``at`` values. Damaged lines are skipped. The result is 0 if the time is
    unknown.
    """
    return max(0, min(int(_compute_last_played(data)), MAX_TIME))


def _compute_last_played(data: bytes) -> float:
    head, *lines = data.split(b"\n")[:-1] or [b""]
    header = _decode_members(head)
    created, copied = parse_creation_time(str(header.get("created"))), _count_copied_lines(header)
    latest, dated = None, b'"when"' in data
    for line in reversed(lines[copied:]):
        if latest is not None:
            if not dated:
                break
            if b'"when"' not in line:
                continue
        members = _decode_members(line)
        if latest is None and not _is_play(members):
            continue
        latest = _get_open_time(members) if latest is None else latest
        when = members.get("when")
        if type(when) is int and when >= created:
            return when + latest - _get_open_time(members)
    before = _get_open_time(_decode_members(lines[copied - 1])) if 0 < copied <= len(lines) else 0.0
    return created if latest is None else created + latest - before


def _decode_members(line: bytes) -> Members:
    """Return the members of a line. There are none if the line is invalid."""
    try:
        return decode(line, dict[str, object])
    except ValueError:
        return {}


def parse_creation_time(text: str) -> float:
    """Convert the time in a header to seconds since 1970-01-01T00:00Z. Invalid and earlier times are 0.

    A time without a zone is taken as UTC.
    """
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return max(0.0, (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


def _count_copied_lines(header: Members) -> int:
    """Return the number of lines after the header that were copied from the session of origin."""
    origin = header.get("from")
    line = origin.get("line") if isinstance(origin, dict) else None
    return max(line - 1, 0) if type(line) is int else 0


def _is_play(line: Members) -> bool:
    """Return True if a line is valid, and neither talk, a mark nor a name of a table or player."""
    named = "seats" in line or ("name" in line and "sit" not in line)
    return bool(line) and not named and line.keys().isdisjoint({"say", "mark"})


def _get_open_time(line: Members) -> float:
    seconds = line.get("at")
    return float(seconds) if isinstance(seconds, int | float) else 0.0
