"""Messages go over the wire and come back as they were; what is none of them is told from them."""

import asyncio
from typing import get_args

import msgspec
import pytest

from cardtable.club.protocol import AnyClientMessage, AnyServerMessage, decode_client, decode_server, encode
from cardtable.games import KEYS
from tests.club.guests import Table
from tests.club.messages import ASKED, SAID


def test_there_is_one_of_each_message():
    assert [type(each) for each in ASKED] == list(get_args(AnyClientMessage))
    assert [type(each) for each in SAID] == list(get_args(AnyServerMessage))


@pytest.mark.parametrize("message", ASKED, ids=lambda message: type(message).__name__)
def test_what_a_guest_says_is_heard_as_it_was_said(message):
    assert decode_client(encode(message)) == decode_client(encode(message).encode()) == message


@pytest.mark.parametrize("message", SAID, ids=lambda message: type(message).__name__)
def test_what_a_host_says_is_heard_as_it_was_said(message):
    assert decode_server(encode(message)) == message


@pytest.mark.asyncio
@pytest.mark.parametrize("key", KEYS)
async def test_all_that_is_told_at_a_table_is_read_as_it_was_written(key):
    async with Table(key) as table:
        guests = [await table.guest(seat) for seat in (0, 1, None)]
        await asyncio.gather(*[guest.play(2) for guest in guests[:2]])
        guests[2].hear()
        for guest in guests:
            for frame in guest.frames:
                assert encode(decode_server(frame)) == frame


@pytest.mark.parametrize(
    "frame",
    [
        "", "null", "[]", "{}", '{"type":"Sing"}', '{"type":["Say"]}', '{"type":"say"}', '{"type":"say","text":1}',
        '{"type":"say","text":"a","to":"b"}', '{"type":"disconnect"}x', '{"type":"say","text":"\\ud800"}',
        b'{"type":"say","text":"\xff"}', b"\xff\xfe", '{"type":"say","text":"%s"}' % ("a" * 401),
        '{"type":"act","table":"t","at":-1,"action":"x"}', '{"type":"act","table":"t","at":1e400,"action":"x"}',
        '{"type":"act","table":"t","at":%s,"action":"x"}' % ("9" * 60_000),
        '{"type":"stand_in","table":"t","seat":%s}' % ("9" * 60_000),
        "[" * 60_000, '{"a":' * 12_000, '{"a":' + "[" * 30_000 + "]" * 30_000 + ',"type":"disconnect"}',
        '{"type":"open_table","game":"king","seats":4,"options":{"hook":%s' % ("[" * 60_000),
        '{"type":"welcome","club":"","nick":"","token":"","member":true,"people":[],"tables":[]}',
    ],
    ids=lambda frame: repr(frame)[:40],
)  # fmt: skip
def test_what_is_no_message_of_a_guest_is_refused_as_such(frame):
    with pytest.raises(msgspec.MsgspecError):
        decode_client(frame)
