"""The reader and writer of journals: what it takes, what it takes for damage, what for a torn tail."""

import json
import zlib
from itertools import product

import pytest

from cardtable.engine import checksummed_jsonl, journal
from cardtable.engine.journal import JournalError, Line, Origin, SessionResult
from tests.engine.toy import header
from tests.engine.written import BY_HAND, LINES, WRITTEN, damaged, lines_of, sealed, split, torn

# What is written


def test_what_is_written_is_read_again():
    read = journal.read(WRITTEN)
    assert read.header == header()
    assert [entry.line for entry in read.entries] == list(LINES)
    assert [entry.number for entry in read.entries] == [2, 3, 4, 5, 6, 7]
    assert (read.sealed, read.size, read.torn) == (True, len(WRITTEN), b"")


def test_lines_are_written_compactly_with_the_checksum_chained_and_last():
    crc = 0
    for line in WRITTEN.splitlines():
        body, _, tail = line.rpartition(b',"crc":"')
        crc = zlib.crc32(body + b"}", crc)
        assert tail == b'%08x"}' % crc
        told = json.loads(line)
        assert json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode() == line
    assert WRITTEN.endswith(b"\n")


def test_members_have_the_names_and_order_of_the_format():
    first, deal = json.loads(split()[0]), json.loads(split()[4])
    assert list(first) == ["cardtable", "id", "game", "created", "seed", "options", "seats", "crc"]
    assert first["seats"] == [{"name": "Anna"}, {"name": "Bo", "robot": "steady"}]
    assert deal == {"seat": 1, "action": "keep", "at": 2.125, "crc": deal["crc"]}
    assert header().people == [0]


def test_a_session_begun_from_another_names_it():
    data = journal.encode([header(origin=Origin("20260101-000000-toy-0001", 17))])
    assert json.loads(data)["from"] == {"id": "20260101-000000-toy-0001", "line": 17}
    assert journal.read(data).header.origin == Origin("20260101-000000-toy-0001", 17)


def test_the_end_says_how_many_decisions_were_taken_back_even_if_none():
    data = journal.encode([header(), Line(end=SessionResult((8, 8), (1, 1), 0), at=0)])
    assert json.loads(split(data)[1])["end"] == {"totals": [8, 8], "ranks": [1, 1], "undone": 0}


def test_adding_to_what_was_read_continues_the_chain():
    body = b'{"seat":1,"action":"keep","at":9}'
    assert lines_of(sealed(body))[-1] == Line(seat=1, action="keep", at=9)


# Torn tails


def test_cut_at_any_byte_it_opens_with_the_whole_lines():
    for cut in range(len(split()[0]), len(WRITTEN)):
        whole = WRITTEN[:cut].count(b"\n")
        if WRITTEN[:cut].endswith(b"\n"):
            assert lines_of(WRITTEN[:cut]) == list(LINES[: whole - 1])
        else:
            torn(WRITTEN[:cut], whole)


def test_without_a_whole_header_there_is_no_session():
    damaged(b"", 1, "the file is empty")
    damaged(b"\0" * 512, 1, "the file is empty")
    for cut in range(1, len(split()[0])):
        damaged(WRITTEN[:cut], 1, "not a whole line")


@pytest.mark.parametrize(
    "last",
    [
        b"\n",
        b"{}",
        b"{\n",
        b"\0" * 512,
        b'{"seat":1,"acti\0\0\0\0\0\0\0\0\n',
        b"\0\0\0\0\0\0\0\0\0\0" + split()[-1][10:],
        split()[-1][:20] + b"\0" * 500,
        b"\xff\xfe\x00\n",
        split()[-1].replace(b"keep", b"kept"),
        split()[-2],
        split()[-1].replace(b'"crc":"', b'"crc": "'),
        b'{"seat":1,"action":"keep","crc":"12345678"}\n',
    ],
)
def test_what_a_crash_leaves_of_the_last_line_is_dropped(last):
    torn(b"".join(split()[:-1]) + last, 6)


def test_a_file_made_longer_with_zeros_by_a_crash_has_all_its_lines():
    torn(WRITTEN + b"\0" * 4096, 7)


@pytest.mark.parametrize("text", [WRITTEN, WRITTEN[:-1], WRITTEN[:-9], BY_HAND, BY_HAND[:-1]])
def test_changed_line_break_before_last_line(text):
    at = text.rstrip(b"\n").rfind(b"\n")
    line = 1 + text.count(b"\n", 0, at)
    for byte in set(range(256)) - {ord("\n")}:
        damaged(text[:at] + bytes([byte]) + text[at + 1 :], line, "the line goes on after its end")


def test_line_break_lost_in_a_power_failure():
    """The last byte of a line may lie in a sector of its own, which was not written."""
    for zeros in (0, 1, 512, 4096):
        torn(WRITTEN[:-1] + b"\0" * zeros, 6)


@pytest.mark.parametrize("following", [split()[6], split()[6][:-1], b"{"])
def test_a_bad_line_with_anything_after_it_is_damage(following):
    bad = split()[5].replace(b"cardtable", b"tablecard")
    damaged(b"".join([*split()[:5], bad, following]), 6, "the checksum is wrong")


def test_a_torn_line_is_damage_if_another_session_follows():
    with pytest.raises(JournalError) as caught:
        journal.read(WRITTEN[:-1], 11, more_follows=True)
    assert caught.value.line == 17
    with pytest.raises(JournalError, match="the checksum is wrong") as caught:
        journal.read(WRITTEN.replace(b"4.75", b"4.76"), 11, more_follows=True)
    assert caught.value.line == 17
    assert journal.read(WRITTEN, 11, more_follows=True).first_line == 11


# Damage


def test_no_changed_bit_is_accepted():
    for at, bit in product(range(len(WRITTEN)), range(8)):
        data = bytearray(WRITTEN)
        data[at] ^= 1 << bit
        try:
            read = journal.read(bytes(data))
        except JournalError:
            continue
        assert at >= len(WRITTEN) - len(split()[-1]) - 1
        assert read.torn
        assert [entry.line for entry in read.entries] == list(LINES[: len(read.entries)])


def test_lines_lost_doubled_or_swapped_are_damage():
    lines = split()
    for i in range(1, len(lines) - 1):
        damaged(b"".join(lines[:i] + lines[i + 1 :] + lines[-1:]), i + 1, "the checksum is wrong")
        damaged(b"".join(lines[: i + 1] + lines[i:]), i + 2, "the checksum is wrong")
        swapped = [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :], lines[-1]]
        damaged(b"".join(swapped), i + 1, "the checksum is wrong")


def test_some_lines_with_and_some_without_a_checksum_is_damage():
    lines, by_hand = split(), split(BY_HAND)
    for i in range(1, len(lines)):
        damaged(b"".join([*lines[:i], by_hand[i], *lines[i + 1 :]]), i + 1, "some have none")
        damaged(b"".join([*by_hand[:i], lines[i], *by_hand[i + 1 :]]), i + 1, "some have none")


def test_a_header_that_lost_its_checksum_does_not_make_a_torn_line_of_the_next():
    data = split()[0].replace(b'"crc"', b'"crd"') + split()[1]
    damaged(data, 2, "some have none")


def test_a_file_written_by_hand_has_no_checksum_at_all_and_two_lines():
    assert lines_of(BY_HAND) == list(LINES)
    assert not journal.read(BY_HAND).sealed
    assert lines_of(b"".join(split(BY_HAND)[:2])) == list(LINES[:1])
    damaged(split(BY_HAND)[0], 1, "no checksum")
    damaged(split(BY_HAND)[0] + b'{"say', 1, "no checksum")


def test_a_file_written_by_hand_may_be_torn():
    torn_line = BY_HAND[:-1]
    read = journal.read(torn_line)
    assert [entry.line for entry in read.entries] == list(LINES[:-1])
    assert read.torn == split(BY_HAND)[-1][:-1]


# Where a session starts in a file of many


def test_a_header_is_known_wherever_it_stands():
    for line in (split()[0], split(BY_HAND)[0], b'{"seats": [], "cardtable" : 1}\n'):
        assert journal.is_session_header(line)


def test_a_damaged_header_is_still_one():
    assert journal.is_session_header(split()[0].replace(b"toy", b"t\xffy"))


@pytest.mark.parametrize(
    "line", [*split()[1:], *split(BY_HAND)[1:], b'{"say":"a","x":{"cardtable":1}}\n', b"\n", b"\0"]
)
def test_no_other_line_is_taken_for_a_header(line):
    assert not journal.is_session_header(line)


def test_line_numbers_are_those_of_the_file():
    assert [entry.number for entry in journal.read(WRITTEN, 101).entries] == [102, 103, 104, 105, 106, 107]
    with pytest.raises(JournalError) as caught:
        journal.read(b"".join([*split()[:3], *split()[4:]]), 101)
    assert caught.value.line == 104


AS_WRITTEN = (
    b'{"chance":"deal AS"}',
    b'{"seat":0,"action":"bid 3","at":1.25}',
    b'{"seat":0,"action":"bid 3","at":1,"when":1800000000}',
    b'{"seat":-1,"action":"bid 3"}',
)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    "body",
    [
        *AS_WRITTEN,
        b'{"seat": 0,"action":"bid 3"}',
        b'{"action":"bid 3","seat":0}',
        b'{"seat":0,"seat":1,"action":"bid 3"}',
        b'{"action":"bid 3"}',
        b'{"seat":null,"action":"bid 3"}',
        b'{"seat":0,"action":"bid 3","undo":1}',
        b'{"chance":"deal AS","seat":0,"action":"bid 3"}',
        b'{"seat":0,"action":"bid 3","name":"Zoe"}',
        b'{"seat":0,"action":"bid 3","coach":true}',
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
def test_quick_reading_of_a_line_agrees_with_the_slow_one(version, body):
    header = journal.Header(
        cardtable=version, id="x", game="gurka", created="2026-11-20T08:37:28Z", seed=1, options={},
        seats=(journal.Occupant("Anna"),) * 4,
    )  # fmt: skip
    try:
        slow = journal._convert_line(header, checksummed_jsonl.parse_object(body))
    except ValueError:
        slow = None
    quick = journal._decode_canonical_line(header, body)
    assert quick in (None, slow)
    assert (quick is not None) == (body in AS_WRITTEN and (version == 2 or b"when" not in body))
