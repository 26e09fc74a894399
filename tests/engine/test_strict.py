"""Strictness of the journal reader: JSON syntax, types of members, and size limits."""

import json

import pytest

from cardtable.engine import journal
from cardtable.engine.journal import (
    ActionLine,
    ForfeitLine,
    NameLine,
    Occupant,
    ResultLine,
    SessionResult,
    TalkLine,
    UndoLine,
    VoidLine,
)
from tests.engine.journal_bytes import (
    LINES,
    SEALED_JOURNAL,
    UNSEALED_JOURNAL,
    append_sealed,
    assert_damaged,
    read_lines,
    split_lines,
)
from tests.engine.toy import make_header


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"say":"a","say":"b"}', "a member occurs twice"),
        (b'{"say":"a","other":{"x":1,"x":2}}', "a member occurs twice"),
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
def test_non_strict_json_is_damage_in_any_line(body, reason):
    assert_damaged(UNSEALED_JOURNAL + body + b"\n", 8, reason)
    assert_damaged(UNSEALED_JOURNAL + body + b"\n" + split_lines(UNSEALED_JOURNAL)[-1], 8, reason)
    if body.endswith(b"}"):
        assert_damaged(append_sealed(body), 8, reason)


@pytest.mark.parametrize(
    "body", [b"{'say':'a'}", b'{"say":"a",}', b'{"say":"\x01"}', b'{"say":"\xff"}', b"", b'{"say":"a"} {"say":"b"}']
)
def test_invalid_json_before_last_line_is_damage(body):
    assert_damaged(UNSEALED_JOURNAL + body + b"\n" + split_lines(UNSEALED_JOURNAL)[-1], 8, "not valid JSON|not UTF-8")


def test_integers_of_15_digits_are_read():
    body = b'{"say":"a","x":[999999999999999,-999999999999999],"at":999999999999999}'
    assert read_lines(append_sealed(body))[-1].at == 10**15 - 1


def test_line_length_limit_of_4_kib():
    def talk(size):
        return b'{"say":"%s"}' % (b"x" * (size - len(b'{"say":""}\n')))

    assert len(talk(4096)) + 1 == 4096
    assert len(read_lines(UNSEALED_JOURNAL + talk(4096) + b"\n")) == 7
    assert_damaged(UNSEALED_JOURNAL + talk(4097) + b"\n", 8, "longer than 4 KiB")


def test_journal_size_limit_of_4_mib():
    assert_damaged(SEALED_JOURNAL + b"\0" * 4 * 1024 * 1024, 1, "larger than 4 MiB")


def test_files_changed_by_an_editor_are_refused():
    assert_damaged(SEALED_JOURNAL.replace(b"\n", b"\r\n"), 1, "CR LF")
    assert_damaged(UNSEALED_JOURNAL.replace(b"\n", b"\r\n"), 1, "CR LF")
    assert_damaged(b"\xef\xbb\xbf" + UNSEALED_JOURNAL, 1, "byte order mark")
    assert_damaged(UNSEALED_JOURNAL.decode().encode("utf-16"), 1, "not UTF-8")
    assert_damaged(UNSEALED_JOURNAL.decode().encode("utf-16-le"), 1, "not valid JSON|not UTF-8|NUL")
    assert_damaged(UNSEALED_JOURNAL.replace(b"\n", b"\r"), 1, "not a whole line")
    lines = split_lines(UNSEALED_JOURNAL)
    assert_damaged(b"".join([*lines[:3], lines[3].replace(b"\n", b"\r\n"), *lines[4:]]), 4, "CR LF")


# What a line says


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{}", "nothing known"),
        (b'{"at":1}', "nothing known"),
        (b'{"seat":0}', "nothing known"),
        (b'{"seat":0,"why":"clock"}', "nothing known"),
        (b'{"whisper":"a"}', "nothing known"),
        (b'{"say":"a","name":"b"}', "2 things instead of one"),
        (b'{"seat":0,"action":"keep","chance":"first 0"}', "2 things instead of one"),
        (b'{"action":"keep"}', "required field `seat`"),
        (b'{"seat":null,"action":"keep"}', "Expected `int`"),
        (b'{"say":null}', "null"),
        (b'{"seat":0,"action":"keep","undo":null}', "2 things instead of one"),
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
        (b'{"say":"a","at":-0.5}', "a negative time"),
        (b'{"forfeit":"1"}', "Expected `int"),
        (b'{"end":true}', "Expected `object"),
        (b'{"end":{}}', "required field"),
        (b'{"end":{"totals":[1],"ranks":[1.5]}}', "Expected `int"),
    ],
)
def test_line_with_invalid_members_is_damage(body, reason):
    assert_damaged(UNSEALED_JOURNAL + body + b"\n", 8, reason)
    assert_damaged(append_sealed(body), 8, reason)


def test_every_line_kind_is_read():
    bodies = {
        b'{"undo":2}': UndoLine(decisions=2),
        b'{"void":"clock"}': VoidLine("clock"),
        b'{"say":"well played","seat":0}': TalkLine(text="well played", seat=0),
        b'{"say":""}': TalkLine(text=""),
        b'{"name":"Friday"}': NameLine("Friday"),
        b'{"forfeit":1,"why":"clock"}': ForfeitLine(1, "clock"),
        b'{"end":{"totals":[1,-2],"ranks":[1,2]}}': ResultLine(SessionResult((1, -2), (1, 2))),
    }
    assert read_lines(append_sealed(*bodies))[len(LINES) :] == list(bodies.values())


def test_unsealed_line_with_spaces_and_any_member_order():
    spaced = UNSEALED_JOURNAL + b' {"action" : "keep" ,  "seat" : 1 } \n'
    assert read_lines(spaced)[-1] == ActionLine(1, "keep")


def test_unknown_line_members_are_preserved():
    body = '{"seat":1,"action":"keep","mood":{"é":[1,2.5,null]},"at":9}'.encode()
    read = journal.read(append_sealed(body))
    assert read.entries[-1].body == body
    assert read.entries[-1].line == ActionLine(1, "keep", at=9)


# The header


def replace_header_members(**members):
    """Return a journal without checksums whose header has these members; `...` removes a member."""
    header = {**json.loads(split_lines(UNSEALED_JOURNAL)[0]), **members}
    first = json.dumps({name: value for name, value in header.items() if value is not ...})
    return first.encode() + b"\n" + b"".join(split_lines(UNSEALED_JOURNAL)[1:])


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"cardtable": 9}, "written by a newer version of cardtable"),
        ({"cardtable": 9, "seats": 5, "seed": "?"}, "written by a newer version of cardtable"),
        ({"cardtable": 1}, "written by an older version of cardtable"),
        ({"cardtable": 0}, "version, id, seed or arrivals"),
        ({"cardtable": True}, "not a cardtable journal"),
        ({"cardtable": "1"}, "not a cardtable journal"),
        ({"cardtable": ...}, "not a cardtable journal"),
        ({"id": "../../etc/passwd"}, "version, id, seed or arrivals"),
        ({"id": ""}, "version, id, seed or arrivals"),
        ({"id": "a\n"}, "version, id, seed or arrivals"),
        ({"id": 5}, "Expected `str"),
        ({"id": ...}, "required field `id`"),
        ({"game": ...}, "required field `game`"),
        ({"created": ...}, "required field `created`"),
        ({"seed": -1}, "version, id, seed or arrivals"),
        ({"cardtable": 3, "arrivals": [0, 0]}, "version, id, seed or arrivals"),
        ({"cardtable": 3, "arrivals": [1]}, "version, id, seed or arrivals"),
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
def test_invalid_header_is_damage(members, reason):
    assert_damaged(replace_header_members(**members), 1, reason)


def test_newer_version_is_reported_despite_wrong_checksum():
    assert_damaged(SEALED_JOURNAL.replace(b'"cardtable":3', b'"cardtable":9', 1), 1, "newer version")


@pytest.mark.parametrize("seed", [0, 10**15 - 1])
def test_smallest_and_largest_seed(seed):
    assert journal.read(replace_header_members(seed=seed)).header.seed == seed


def test_unknown_header_members_are_preserved():
    read = journal.read(replace_header_members(table={"felt": "green"}))
    assert json.loads(read.header_body)["table"] == {"felt": "green"}
    assert read.header == make_header()


def test_seat_without_robot_is_a_person():
    seats = [{"name": "Anna", "robot": None}, {"name": "Bo", "robot": "novice", "mood": "good"}]
    assert journal.read(replace_header_members(seats=seats)).header.seats == (
        Occupant("Anna"),
        Occupant("Bo", "novice"),
    )
