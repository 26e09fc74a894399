"""Fast, lenient reader of journals with checksums, for lists of sessions.

It finds single lines by their bytes, which have no spaces between members, and does not check the others. Text that
players have typed cannot match, since its quotation marks are escaped. An incomplete last line is ignored.
``engine.journal`` is the strict reader.
"""

from datetime import UTC, datetime
from typing import Final, TypeVar

from cardtable.engine import journal
from cardtable.engine.checksummed_jsonl import Members, decode
from cardtable.engine.game import Seat
from cardtable.engine.journal import Header, Occupant, SessionResult, encode_line, parse_journal_header
from cardtable.engine.text_format import sanitize
from cardtable.store.session_files import MAX_NAME_LENGTH

END_PREFIX: Final = b'\n{"end":'
"""Beginning of the line with the result, after the line end before it."""
_NAME_PREFIX: Final = b'\n{"name":'
_FORFEIT_PREFIX: Final = b'\n{"forfeit":'
_SIT_PREFIX: Final = b'{"sit":'
MAX_TIME: Final = 4_000_000_000
"""Latest time that is accepted, in seconds since 1970-01-01T00:00Z.

Later times come from clocks that are wrong, and some systems cannot convert them to a date.
"""
T = TypeVar("T")


def read_header(data: bytes) -> Header:
    """Return the header of a journal. Raises ``ValueError`` if it is invalid or has no checksum."""
    return parse_journal_header(data[: data.find(b"\n") + 1])


def read_result(data: bytes) -> SessionResult | None:
    """Return the result in the end line, or ``None`` if there is no such line.

    Raises ``ValueError`` if it is invalid.
    """
    line = _read_last_line(data, END_PREFIX, journal.ResultLine)
    return line.result if line else None


def read_table_name(data: bytes) -> str:
    """Return the table name from the last line that sets it, sanitized for display, or ``""`` if no line does.

    Raises ``ValueError`` if that line is invalid.
    """
    line = _read_last_line(data, _NAME_PREFIX, journal.NameLine)
    return sanitize(line.name.strip(), MAX_NAME_LENGTH) if line else ""


def read_timed_out_seat(data: bytes) -> Seat | None:
    """Return the seat that lost on time, or ``None`` if no seat did. Raises ``ValueError`` if the line is invalid."""
    line = _read_last_line(data, _FORFEIT_PREFIX, journal.ForfeitLine)
    return line.seat if line else None


def _read_last_line(data: bytes, prefix: bytes, line_class: type[T]) -> T | None:
    """Return the last complete line with this beginning, or ``None`` if there is none.

    Raises ``ValueError`` if it is invalid.
    """
    start = data.rfind(prefix, 0, data.rfind(b"\n")) + 1
    return decode(data[start : data.find(b"\n", start)], line_class) if start else None


def read_later_occupants(data: bytes) -> list[tuple[Seat, Occupant]]:
    """Return the seats and new occupants of all ``sit`` lines, in order.

    Raises ``ValueError`` if one of them is invalid.
    """
    if _SIT_PREFIX not in data:
        return []
    lines = [decode(line, journal.OccupantLine) for line in data.split(b"\n") if line.startswith(_SIT_PREFIX)]
    return [(line.seat, line.occupant) for line in lines]


def count_rounds(data: bytes) -> int:
    """Return the number of rounds dealt, without void rounds."""
    return data.count(b'"chance":"deal ') - data.count(b'"void":"')


def has_coach(data: bytes) -> bool:
    """Return True if a line records that the coach was on."""
    return b'"coach":true' in data


def has_mark(data: bytes, mark: journal.MarkKind, version: int) -> bool:
    """Return True if a line of a journal of this version has a mark."""
    return b"\n" + encode_line(journal.MarkLine(mark), version).removesuffix(b"}") in data


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
    at = line.get("at")
    return float(at) if isinstance(at, int | float) else 0.0
