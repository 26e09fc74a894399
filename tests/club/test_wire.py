"""Messages go over the wire and come back as they were; what is none of them is told from them."""

import asyncio
from typing import get_args

import msgspec
import pytest

from cardtable.club.protocol import Asked, Said, asked, encode, said
from cardtable.games import KEYS
from tests.club.guests import Table
from tests.club.messages import ASKED, SAID


def test_there_is_one_of_each_message():
    assert [type(each) for each in ASKED] == list(get_args(Asked))
    assert [type(each) for each in SAID] == list(get_args(Said))


@pytest.mark.parametrize("message", ASKED, ids=lambda message: type(message).__name__)
def test_what_a_guest_says_is_heard_as_it_was_said(message):
    assert asked(encode(message)) == asked(encode(message).encode()) == message


@pytest.mark.parametrize("message", SAID, ids=lambda message: type(message).__name__)
def test_what_a_host_says_is_heard_as_it_was_said(message):
    assert said(encode(message)) == message


@pytest.mark.asyncio
@pytest.mark.parametrize("key", KEYS)
async def test_all_that_is_told_at_a_table_is_read_as_it_was_written(key):
    async with Table(key) as table:
        guests = [await table.guest(seat) for seat in (0, 1, None)]
        await asyncio.gather(*[guest.play(2) for guest in guests[:2]])
        guests[2].hear()
        for guest in guests:
            for frame in guest.frames:
                assert encode(said(frame)) == frame


@pytest.mark.parametrize(
    "frame",
    [
        "", "null", "[]", "{}", '{"type":"Sing"}', '{"type":["Say"]}', '{"type":"Say"}', '{"type":"Say","text":1}',
        '{"type":"Say","text":"a","to":"b"}', '{"type":"Away"}x', '{"type":"Say","text":"\\ud800"}',
        b'{"type":"Say","text":"\xff"}', b"\xff\xfe", '{"type":"Say","text":"%s"}' % ("a" * 401),
        '{"type":"Act","table":"t","at":-1,"action":"x"}', '{"type":"Act","table":"t","at":1e400,"action":"x"}',
        '{"type":"Act","table":"t","at":%s,"action":"x"}' % ("9" * 60_000),
        '{"type":"StandIn","table":"t","seat":%s}' % ("9" * 60_000),
        "[" * 60_000, '{"a":' * 12_000, '{"a":' + "[" * 30_000 + "]" * 30_000 + ',"type":"Away"}',
        '{"type":"OpenTable","game":"king","seats":4,"options":{"hook":%s' % ("[" * 60_000),
        '{"type":"Welcome","club":"","nick":"","token":"","member":true,"people":[],"tables":[]}',
    ],
    ids=lambda frame: repr(frame)[:40],
)  # fmt: skip
def test_what_is_no_message_of_a_guest_is_refused_as_such(frame):
    with pytest.raises(msgspec.MsgspecError):
        asked(frame)
