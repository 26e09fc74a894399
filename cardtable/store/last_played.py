"""When a session was played last, as its file tells: that it was copied, moved or touched changes nothing."""

from datetime import UTC, datetime
from typing import Final

from cardtable.engine.lines import Members, decode

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
