"""The reader and writer of journals: what it takes, what it takes for damage, what for a torn tail."""

import json
import zlib
from itertools import product

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import BadJournal, End, Line, Origin, SeatOf
from tests.engine.toy import header

LINES = (
    Line(chance="first 1", at=0),
    Line(chance="deal AC AD AH AS", at=0.5),
    Line(chance="trump H", at=0.5),
    Line(seat=1, action="keep", at=2.125),
    Line(say='{"cardtable":1} é 🂡', seat=0, at=3),
    Line(seat=0, action="keep", at=4.75),
)
WRITTEN = journal.write([header(), *LINES])
BY_HAND = b"".join(json.dumps(one).encode() + b"\n" for one in map(json.loads, WRITTEN.splitlines()) if one.pop("crc"))


def lines_of(data):
    return [entry.line for entry in journal.read(data).entries]


def split(data=WRITTEN):
    return data.splitlines(keepends=True)


def sealed(*bodies, before=WRITTEN):
    """Lines after those written, with the checksums that belong to them."""
    crc = journal.read(before).crc
    for body in bodies:
        line, crc = journal.seal(body, crc)
        before += line
    return before


def damaged(data, line, why):
    """The reader finds this damage in this line; what comes before it is offered."""
    with pytest.raises(BadJournal, match=why) as caught:
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
    data = journal.write([header(origin=Origin("20260101-000000-toy-0001", 17))])
    assert json.loads(data)["from"] == {"id": "20260101-000000-toy-0001", "line": 17}
    assert journal.read(data).header.origin == Origin("20260101-000000-toy-0001", 17)


def test_the_end_says_how_many_decisions_were_taken_back_even_if_none():
    data = journal.write([header(), Line(end=End((4, 4), (1, 1), 0), at=0)])
    assert json.loads(split(data)[1])["end"] == {"totals": [4, 4], "ranks": [1, 1], "undone": 0}


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


@pytest.mark.parametrize("following", [split()[6], split()[6][:-1], b"{"])
def test_a_bad_line_with_anything_after_it_is_damage(following):
    bad = split()[5].replace(b"cardtable", b"tablecard")
    damaged(b"".join([*split()[:5], bad, following]), 6, "the checksum is wrong")


def test_a_torn_line_is_damage_if_another_session_follows():
    with pytest.raises(BadJournal) as caught:
        journal.read(WRITTEN[:-1], 11, more=True)
    assert caught.value.line == 17
    with pytest.raises(BadJournal, match="the checksum is wrong") as caught:
        journal.read(WRITTEN.replace(b"4.75", b"4.76"), 11, more=True)
    assert caught.value.line == 17
    assert journal.read(WRITTEN, 11, more=True).first == 11


# Damage


def test_no_changed_bit_is_accepted():
    for at, bit in product(range(len(WRITTEN)), range(8)):
        data = bytearray(WRITTEN)
        data[at] ^= 1 << bit
        try:
            read = journal.read(bytes(data))
        except BadJournal:
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


# Strict JSON


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"say":"a","say":"b"}', "a member stands twice"),
        (b'{"say":"a","other":{"x":1,"x":2}}', "a member stands twice"),
        (b'{"say":"a","at":NaN}', "NaN is not a number"),
        (b'{"say":"a","at":Infinity}', "Infinity is not a number"),
        (b'{"say":"a","x":-Infinity}', "-Infinity is not a number"),
        (b'{"say":"a","at":1e999}', "too large"),
        (b'{"say":"a","x":[1e15]}', "too large"),
        (b'{"say":"a","at":1000000000000000}', "more than 15 digits"),
        (b'{"say":"a","x":-1000000000000000}', "more than 15 digits"),
        (b'{"say":"a","x":' + b"9" * 4000 + b"}", "more than 15 digits"),
        (b'{"say":"a","x":' + b"[" * 12 + b"]" * 12 + b"}", "nested too deeply"),
        (b'{"say":"a","x":' + b'{"x":' * 600 + b"1" + b"}" * 600 + b"}", "nested too deeply"),
        (b'{"say":"a","x":' + b"[" * 1900 + b"]" * 1900 + b"}", "nested too deeply"),
        (b'{"say":"\\ud83c"}', "not Unicode"),
        (b'{"say":"a","\\uDD1f":1}', "not Unicode"),
        (b'["say"]', "not a JSON object"),
        (b"1", "not a JSON object"),
        (b'"say"', "not a JSON object"),
        (b'{"say":"' + b"x" * 4096 + b'"}', "longer than 4 KiB"),
    ],
)
def test_what_is_not_strict_json_is_damage_wherever_it_stands(body, why):
    damaged(BY_HAND + body + b"\n", 8, why)
    damaged(BY_HAND + body + b"\n" + split(BY_HAND)[-1], 8, why)
    if body.endswith(b"}"):
        damaged(sealed(body), 8, why)


@pytest.mark.parametrize(
    "body", [b"{'say':'a'}", b'{"say":"a",}', b'{"say":"\x01"}', b'{"say":"\xff"}', b"", b'{"say":"a"} {"say":"b"}']
)
def test_what_is_not_json_at_all_is_damage_before_the_last_line(body):
    damaged(BY_HAND + body + b"\n" + split(BY_HAND)[-1], 8, "not valid JSON|not UTF-8")


def test_a_line_of_4_kib_is_read_and_one_byte_more_is_not():
    def talk(size):
        return b'{"say":"%s"}' % (b"x" * (size - len(b'{"say":""}\n')))

    assert len(talk(4096)) + 1 == 4096
    assert len(lines_of(BY_HAND + talk(4096) + b"\n")) == 7
    damaged(BY_HAND + talk(4097) + b"\n", 8, "longer than 4 KiB")


def test_a_session_of_more_than_4_mib_is_not_even_looked_at():
    damaged(WRITTEN + b"\0" * 4 * 1024 * 1024, 1, "larger than 4 MiB")


def test_files_that_an_editor_has_changed_are_refused_with_the_reason():
    damaged(WRITTEN.replace(b"\n", b"\r\n"), 1, "CR LF")
    damaged(BY_HAND.replace(b"\n", b"\r\n"), 1, "CR LF")
    damaged(b"\xef\xbb\xbf" + BY_HAND, 1, "byte order mark")
    damaged(BY_HAND.decode().encode("utf-16"), 1, "not UTF-8")
    damaged(BY_HAND.decode().encode("utf-16-le"), 1, "not valid JSON|not UTF-8|NUL")
    damaged(BY_HAND.replace(b"\n", b"\r"), 1, "not a whole line")
    lines = split(BY_HAND)
    damaged(b"".join([*lines[:3], lines[3].replace(b"\n", b"\r\n"), *lines[4:]]), 4, "CR LF")


# What a line says


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"{}", "nothing known"),
        (b'{"at":1}', "nothing known"),
        (b'{"seat":0}', "nothing known"),
        (b'{"seat":0,"why":"clock"}', "nothing known"),
        (b'{"whisper":"a"}', "nothing known"),
        (b'{"say":"a","name":"b"}', "not one thing but 2"),
        (b'{"seat":0,"action":"keep","chance":"first 0"}', "not one thing but 2"),
        (b'{"action":"keep"}', "no seat"),
        (b'{"seat":null,"action":"keep"}', "no seat"),
        (b'{"say":null}', "null"),
        (b'{"seat":0,"action":"keep","undo":null}', "not one thing but 2"),
        (b'{"seat":0.0,"action":"keep"}', "Expected `int"),
        (b'{"seat":"0","action":"keep"}', "Expected `int"),
        (b'{"seat":false,"action":"keep"}', "Expected `int"),
        (b'{"seat":0,"action":5}', "Expected `str"),
        (b'{"chance":["deal"]}', "Expected `str"),
        (b'{"undo":"2"}', "Expected `int"),
        (b'{"undo":1.0}', "Expected `int"),
        (b'{"undo":true}', "Expected `int"),
        (b'{"void":1}', "Expected `str"),
        (b'{"say":"a","at":"1"}', "Expected `int"),
        (b'{"say":"a","at":true}', "Expected `int"),
        (b'{"say":"a","at":-0.5}', "less than no time"),
        (b'{"forfeit":"1"}', "Expected `int"),
        (b'{"end":true}', "Expected `object"),
        (b'{"end":{}}', "required field"),
        (b'{"end":{"totals":[1],"ranks":[1.5]}}', "Expected `int"),
    ],
)
def test_a_line_that_says_nothing_or_too_much_or_the_wrong_kind_of_thing_is_damage(body, why):
    damaged(BY_HAND + body + b"\n", 8, why)
    damaged(sealed(body), 8, why)


def test_every_kind_of_line_is_read():
    bodies = {
        b'{"undo":2}': Line(undo=2),
        b'{"void":"clock"}': Line(void="clock"),
        b'{"say":"well played","seat":0}': Line(say="well played", seat=0),
        b'{"say":""}': Line(say=""),
        b'{"name":"Friday"}': Line(name="Friday"),
        b'{"forfeit":1,"why":"clock"}': Line(forfeit=1, why="clock"),
        b'{"end":{"totals":[1,-2],"ranks":[1,2]}}': Line(end=End((1, -2), (1, 2))),
    }
    assert lines_of(sealed(*bodies))[len(LINES) :] == list(bodies.values())


def test_spaces_and_the_order_of_members_are_free_by_hand():
    spaced = BY_HAND + b' {"action" : "keep" ,  "seat" : 1 } \n'
    assert lines_of(spaced)[-1] == Line(seat=1, action="keep")


def test_unknown_members_are_kept():
    body = '{"seat":1,"action":"keep","mood":{"é":[1,2.5,null]},"at":9}'.encode()
    read = journal.read(sealed(body))
    assert read.entries[-1].body == body
    assert read.entries[-1].line == Line(seat=1, action="keep", at=9)


# The header


def changed(**members):
    """A session by hand with a changed header."""
    told = {**json.loads(split(BY_HAND)[0]), **members}
    first = json.dumps({name: value for name, value in told.items() if value is not ...})
    return first.encode() + b"\n" + b"".join(split(BY_HAND)[1:])


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ({"cardtable": 2}, "written by a newer version of cardtable"),
        ({"cardtable": 2, "seats": 5, "seed": "?"}, "written by a newer version of cardtable"),
        ({"cardtable": 0}, "version, id or seed"),
        ({"cardtable": True}, "not a cardtable journal"),
        ({"cardtable": "1"}, "not a cardtable journal"),
        ({"cardtable": ...}, "not a cardtable journal"),
        ({"id": "../../etc/passwd"}, "version, id or seed"),
        ({"id": ""}, "version, id or seed"),
        ({"id": "a\n"}, "version, id or seed"),
        ({"id": 5}, "Expected `str"),
        ({"id": ...}, "required field `id`"),
        ({"game": ...}, "required field `game`"),
        ({"created": ...}, "required field `created`"),
        ({"seed": -1}, "version, id or seed"),
        ({"seed": 10**15}, "more than 15 digits"),
        ({"seed": 1.5}, "Expected `int"),
        ({"seed": "1"}, "Expected `int"),
        ({"seed": ...}, "required field `seed`"),
        ({"options": ...}, "required field `options`"),
        ({"options": []}, "Expected `object"),
        ({"options": {"stakes": 1.5}}, "Expected `"),
        ({"options": {"stakes": True}}, "Expected `"),
        ({"options": {"stakes": None}}, "Expected `"),
        ({"seats": ...}, "required field `seats`"),
        ({"seats": "AB"}, "Expected `array"),
        ({"seats": ["Anna", "Bo"]}, "Expected `object"),
        ({"seats": [{"robot": "steady"}]}, "required field `name`"),
        ({"seats": [{"name": 5}]}, "Expected `str"),
        ({"seats": [{"name": "Bo", "robot": True}]}, "Expected `str"),
        ({"from": {"id": "x"}}, "required field `line`"),
        ({"from": "x"}, "Expected `object"),
    ],
)
def test_a_header_that_cannot_be_is_refused(members, why):
    damaged(changed(**members), 1, why)


def test_a_newer_version_is_called_that_even_where_its_checksum_differs():
    damaged(WRITTEN.replace(b'"cardtable":1', b'"cardtable":2', 1), 1, "newer version")


@pytest.mark.parametrize("seed", [0, 10**15 - 1])
def test_the_bounds_of_the_seed(seed):
    assert journal.read(changed(seed=seed)).header.seed == seed


def test_unknown_members_of_the_header_are_kept():
    read = journal.read(changed(table={"felt": "green"}))
    assert json.loads(read.header_body)["table"] == {"felt": "green"}
    assert read.header == header()


def test_a_seat_without_a_robot_or_with_none_is_a_person():
    seats = [{"name": "Anna", "robot": None}, {"name": "Bo", "robot": "novice", "mood": "good"}]
    assert journal.read(changed(seats=seats)).header.seats == (SeatOf("Anna"), SeatOf("Bo", "novice"))


# Where a session starts in a file of many


def test_a_header_is_known_wherever_it_stands():
    for line in (split()[0], split(BY_HAND)[0], b'{"seats": [], "cardtable" : 1}\n'):
        assert journal.starts_session(line)


def test_a_damaged_header_is_still_one():
    assert journal.starts_session(split()[0].replace(b"toy", b"t\xffy"))


@pytest.mark.parametrize(
    "line", [*split()[1:], *split(BY_HAND)[1:], b'{"say":"a","x":{"cardtable":1}}\n', b"\n", b"\0"]
)
def test_no_other_line_is_taken_for_a_header(line):
    assert not journal.starts_session(line)


def test_line_numbers_are_those_of_the_file():
    assert [entry.number for entry in journal.read(WRITTEN, 101).entries] == [102, 103, 104, 105, 106, 107]
    with pytest.raises(BadJournal) as caught:
        journal.read(b"".join([*split()[:3], *split()[4:]]), 101)
    assert caught.value.line == 104
