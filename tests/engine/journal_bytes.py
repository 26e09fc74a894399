"""A short session as bytes, and assertions about damaged and torn journals."""

import json

import pytest

from cardtable.engine import journal
from cardtable.engine.checksummed_jsonl import JournalError, append_crc
from cardtable.engine.journal import ActionLine, ChanceLine, TalkLine
from tests.engine.toy import make_header

LINES = (
    ChanceLine("first 1", at=0),
    ChanceLine("deal AC AD AH AS", at=0.5),
    ChanceLine("trump H", at=0.5),
    ActionLine(1, "keep", at=2.125),
    TalkLine(text='{"cardtable":2} é 🂡', seat=0, at=3),
    ActionLine(0, "keep", at=4.75),
)
SEALED_JOURNAL = journal.encode(make_header(), LINES)
UNSEALED_JOURNAL = b"".join(
    json.dumps(one).encode() + b"\n" for one in map(json.loads, SEALED_JOURNAL.splitlines()) if one.pop("crc")
)


def read_lines(data):
    return [entry.line for entry in journal.read(data).entries]


def split_lines(data=SEALED_JOURNAL):
    return data.splitlines(keepends=True)


def append_sealed(*bodies, before=SEALED_JOURNAL):
    """Return a journal with `bodies` appended, each with its chained checksum."""
    crc = journal.read(before).crc
    for body in bodies:
        line, crc = append_crc(body, crc)
        before += line
    return before


def assert_damaged(data, line, reason):
    """Assert that the reader reports damage in this line and offers the lines before it."""
    with pytest.raises(JournalError, match=reason) as caught:
        journal.read(data)
    assert caught.value.line == line
    if line > 1:
        assert [entry.line for entry in caught.value.good.entries] == list(LINES[: line - 2])
    else:
        assert caught.value.good is None
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) <= 200


def assert_torn(data, complete_lines):
    """Assert that the reader drops everything after the first `complete_lines` lines."""
    read = journal.read(data)
    assert [entry.line for entry in read.entries] == list(LINES[: complete_lines - 1])
    assert read.torn == data[read.size :] != b""
    assert data[: read.size] == b"".join(split_lines()[:complete_lines])
