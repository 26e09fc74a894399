"""Reader and writer of journals: valid journals, damage, and torn tails."""

import json
import zlib

import pytest

from cardtable.engine import journal
from cardtable.engine.checksummed_jsonl import JournalError
from cardtable.engine.journal import Origin, ResultLine, SessionResult
from tests.engine.journal_bytes import (
    LINES,
    SEALED_JOURNAL,
    UNSEALED_JOURNAL,
    append_sealed,
    assert_damaged,
    assert_torn,
    read_lines,
    split_lines,
)
from tests.engine.toy import make_header

# What is written


def test_encoded_journal_reads_back_unchanged():
    read = journal.read(SEALED_JOURNAL)
    assert read.header == make_header()
    assert [entry.line for entry in read.entries] == list(LINES)
    assert [entry.number for entry in read.entries] == [2, 3, 4, 5, 6, 7]
    assert (read.sealed, read.size, read.torn) == (True, len(SEALED_JOURNAL), b"")


def test_lines_are_compact_with_chained_checksum_last():
    crc = 0
    for line in SEALED_JOURNAL.splitlines():
        body, _, tail = line.rpartition(b',"crc":"')
        crc = zlib.crc32(body + b"}", crc)
        assert tail == b'%08x"}' % crc
        members = json.loads(line)
        assert json.dumps(members, separators=(",", ":"), ensure_ascii=False).encode() == line
    assert SEALED_JOURNAL.endswith(b"\n")


def test_member_names_and_order():
    first, deal = json.loads(split_lines()[0]), json.loads(split_lines()[4])
    assert list(first) == ["cardtable", "id", "game", "created", "seed", "options", "seats", "crc"]
    assert first["seats"] == [{"name": "Anna"}, {"name": "Bo", "robot": "steady"}]
    assert deal == {"seat": 1, "action": "keep", "at": 2.125, "crc": deal["crc"]}
    assert make_header().people == [0]


def test_header_names_the_origin_of_a_copy():
    data = journal.encode(make_header(origin=Origin("20260101-000000-toy-0001", 17)))
    assert json.loads(data)["from"] == {"id": "20260101-000000-toy-0001", "line": 17}
    assert journal.read(data).header.origin == Origin("20260101-000000-toy-0001", 17)


def test_end_line_always_has_undone_count():
    data = journal.encode(make_header(), [ResultLine(SessionResult((8, 8), (1, 1), 0), at=0)])
    assert json.loads(split_lines(data)[1])["end"] == {"totals": [8, 8], "ranks": [1, 1], "undone": 0}


# Torn tails


def test_incomplete_header_is_damage():
    assert_damaged(b"", 1, "the file is empty")
    assert_damaged(b"\0" * 512, 1, "the file is empty")
    for cut in range(1, len(split_lines()[0])):
        assert_damaged(SEALED_JOURNAL[:cut], 1, "not a whole line")


@pytest.mark.parametrize(
    "last",
    [
        b"\n",
        b"{}",
        b"{\n",
        b"\0" * 512,
        b'{"seat":1,"acti\0\0\0\0\0\0\0\0\n',
        b"\0\0\0\0\0\0\0\0\0\0" + split_lines()[-1][10:],
        split_lines()[-1][:20] + b"\0" * 500,
        (split_lines()[-1][:20] + b"\0" * 1500) * 3 + split_lines()[-1][:20],
        split_lines()[-1][:20] + b"\0" * 5000 + b"\n",
        b"\xff\xfe\x00\n",
        split_lines()[-1].replace(b"keep", b"kept"),
        split_lines()[-2],
        split_lines()[-1].replace(b'"crc":"', b'"crc": "'),
        b'{"seat":1,"action":"keep","crc":"12345678"}\n',
    ],
)
def test_incomplete_last_line_is_dropped(last):
    assert_torn(b"".join(split_lines()[:-1]) + last, 6)


def test_trailing_zeros_lose_no_line():
    assert_torn(SEALED_JOURNAL + b"\0" * 4096, 7)


@pytest.mark.parametrize(
    "text", [SEALED_JOURNAL, SEALED_JOURNAL[:-1], SEALED_JOURNAL[:-9], UNSEALED_JOURNAL, UNSEALED_JOURNAL[:-1]]
)
def test_changed_line_break_before_last_line_is_damage(text):
    at = text.rstrip(b"\n").rfind(b"\n")
    line = 1 + text.count(b"\n", 0, at)
    for byte in set(range(256)) - {ord("\n")}:
        assert_damaged(text[:at] + bytes([byte]) + text[at + 1 :], line, "the line goes on after its end")


def test_lost_final_line_break_tears_last_line():
    """The last byte of a line may lie in a sector of its own that was not written."""
    for zeros in (0, 1, 512, 4096):
        assert_torn(SEALED_JOURNAL[:-1] + b"\0" * zeros, 6)


@pytest.mark.parametrize("following", [split_lines()[6], split_lines()[6][:-1], b"{"])
def test_bad_line_followed_by_bytes_is_damage(following):
    bad = split_lines()[5].replace(b"cardtable", b"tablecard")
    assert_damaged(b"".join([*split_lines()[:5], bad, following]), 6, "the checksum is wrong")


def test_torn_line_before_another_session_is_damage():
    with pytest.raises(JournalError) as caught:
        journal.read(SEALED_JOURNAL[:-1], 11, more_follows=True)
    assert caught.value.line == 17
    with pytest.raises(JournalError, match="the checksum is wrong") as caught:
        journal.read(SEALED_JOURNAL.replace(b"4.75", b"4.76"), 11, more_follows=True)
    assert caught.value.line == 17
    assert journal.read(SEALED_JOURNAL, 11, more_follows=True).first_line == 11


# Damage


def test_mixed_lines_with_and_without_checksum_are_damage():
    lines, by_hand = split_lines(), split_lines(UNSEALED_JOURNAL)
    for i in range(1, len(lines)):
        assert_damaged(b"".join([*lines[:i], by_hand[i], *lines[i + 1 :]]), i + 1, "some have none")
        assert_damaged(b"".join([*by_hand[:i], lines[i], *by_hand[i + 1 :]]), i + 1, "some have none")


def test_header_without_checksum_is_damage_not_torn_line():
    data = split_lines()[0].replace(b'"crc"', b'"crd"') + split_lines()[1]
    assert_damaged(data, 2, "some have none")


def test_unsealed_journal_needs_two_lines():
    assert read_lines(UNSEALED_JOURNAL) == list(LINES)
    assert not journal.read(UNSEALED_JOURNAL).sealed
    assert read_lines(b"".join(split_lines(UNSEALED_JOURNAL)[:2])) == list(LINES[:1])
    assert_damaged(split_lines(UNSEALED_JOURNAL)[0], 1, "no checksum")
    assert_damaged(split_lines(UNSEALED_JOURNAL)[0] + b'{"say', 1, "no checksum")


def test_unsealed_journal_may_be_torn():
    torn_line = UNSEALED_JOURNAL[:-1]
    read = journal.read(torn_line)
    assert [entry.line for entry in read.entries] == list(LINES[:-1])
    assert read.torn == split_lines(UNSEALED_JOURNAL)[-1][:-1]


# Where a session starts in a file of many


def test_header_is_recognised_in_any_form():
    for line in (split_lines()[0], split_lines(UNSEALED_JOURNAL)[0], b'{"seats": [], "cardtable" : 1}\n'):
        assert journal.is_session_header(line)


def test_damaged_header_is_recognised():
    assert journal.is_session_header(split_lines()[0].replace(b"toy", b"t\xffy"))


@pytest.mark.parametrize(
    "line", [*split_lines()[1:], *split_lines(UNSEALED_JOURNAL)[1:], b'{"say":"a","x":{"cardtable":2}}\n', b"\n", b"\0"]
)
def test_other_lines_are_not_headers(line):
    assert not journal.is_session_header(line)


def test_line_numbers_count_from_start_of_file():
    assert [entry.number for entry in journal.read(SEALED_JOURNAL, 101).entries] == [102, 103, 104, 105, 106, 107]
    with pytest.raises(JournalError) as caught:
        journal.read(b"".join([*split_lines()[:3], *split_lines()[4:]]), 101)
    assert caught.value.line == 104


@pytest.mark.parametrize(
    "body",
    [
        b'{"chance":"deal AS"}',
        b'{"seat":0,"action":"bid 3","at":1.25}',
        b'{"seat":0,"action":"bid 3","at":1,"when":1800000000}',
        b'{"seat":-1,"action":"bid 3"}',
        b'{"seat":0,"action":"bid 3","worlds":32}',
        b'{"seat":0,"action":"bid 3","coach":true}',
        b'{"seat": 0,"action":"bid 3"}',
        b'{"action":"bid 3","seat":0}',
        b'{"seat":0,"seat":1,"action":"bid 3"}',
        b'{"action":"bid 3"}',
        b'{"seat":null,"action":"bid 3"}',
        b'{"seat":0,"action":"bid 3","undo":1}',
        b'{"chance":"deal AS","seat":0,"action":"bid 3"}',
        b'{"seat":0,"action":"bid 3","name":"Zoe"}',
        b'{"seat":0,"action":"bid 3","coach":false}',
        b'{"seat":0,"action":"bid 3","coach":"Max"}',
        b'{"chance":"deal AS","coach":true}',
        b'{"seat":0,"action":"bid 3","player":"x"}',
        b'{"seat":0,"action":"bid 3","at":-1}',
        b'{"seat":0,"action":"bid 3","at":1e300}',
        b'{"seat":0,"action":"bid 3","at":1e15}',
        b'{"seat":0,"action":"bid 3","when":-1}',
        b'{"seat":1000000000000000,"action":"bid 3"}',
        b'{"seat":0,"action":"\\ud83d"}',
        b'{"seat":0,"action":"\xff"}',
        b'{"seat":0,"action":"bid 3","crc":"00000000"}',
        b'{"seat":0,"action":3}',
        b'{"seat":0.0,"action":"bid 3"}',
        b"[]",
        b"{}",
    ],
)
def test_line_with_a_blank_is_read_as_the_program_writes_it(body):
    """Lines that are written as the program does have a decoder of their own."""
    assert read_last(body) == read_last(body.replace(b":", b": ", 1))


def read_last(body):
    """Return the last line of a journal to which a line is appended; ``None`` if it is refused."""
    try:
        return read_lines(append_sealed(body))[-1]
    except JournalError:
        return None
