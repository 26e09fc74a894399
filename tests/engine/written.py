"""A short session as bytes, and what a reader finds wrong with others."""

import json

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import JournalError, Line
from tests.engine.toy import header

LINES = (
    Line(chance="first 1", at=0),
    Line(chance="deal AC AD AH AS", at=0.5),
    Line(chance="trump H", at=0.5),
    Line(seat=1, action="keep", at=2.125),
    Line(say='{"cardtable":1} é 🂡', seat=0, at=3),
    Line(seat=0, action="keep", at=4.75),
)
WRITTEN = journal.encode([header(), *LINES])
BY_HAND = b"".join(json.dumps(one).encode() + b"\n" for one in map(json.loads, WRITTEN.splitlines()) if one.pop("crc"))


def lines_of(data):
    return [entry.line for entry in journal.read(data).entries]


def split(data=WRITTEN):
    return data.splitlines(keepends=True)


def sealed(*bodies, before=WRITTEN):
    """Lines after those written, with the checksums that belong to them."""
    crc = journal.read(before).crc
    for body in bodies:
        line, crc = journal.append_crc(body, crc)
        before += line
    return before


def damaged(data, line, why):
    """The reader finds this damage in this line; what comes before it is offered."""
    with pytest.raises(JournalError, match=why) as caught:
        journal.read(data)
    assert caught.value.line == line
    if line > 1:
        assert [entry.line for entry in caught.value.good.entries] == list(LINES[: line - 2])
    else:
        assert caught.value.good is None
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= 200


def torn(data, whole):
    """The reader drops what lies after this many lines."""
    read = journal.read(data)
    assert [entry.line for entry in read.entries] == list(LINES[: whole - 1])
    assert read.torn == data[read.size :] != b""
    assert data[: read.size] == b"".join(split()[:whole])
