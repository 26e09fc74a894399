"""Encoding of messages, and rejection of malformed frames."""

from typing import get_args

import msgspec
import pytest

from cardtable.club import protocol
from cardtable.club.protocol import AnyServerMessage, decode_client, decode_server, encode
from tests.club.messages import CLIENT_MESSAGES, SERVER_MESSAGES


def test_samples_cover_every_message():
    assert {type(each) for each in CLIENT_MESSAGES} == {*protocol.CLIENT_MESSAGES}
    assert [type(each) for each in SERVER_MESSAGES] == list(get_args(AnyServerMessage))


@pytest.mark.parametrize("message", CLIENT_MESSAGES, ids=lambda message: type(message).__name__)
def test_client_message_round_trip(message):
    assert decode_client(encode(message)) == decode_client(encode(message).encode()) == message


@pytest.mark.parametrize("message", SERVER_MESSAGES, ids=lambda message: type(message).__name__)
def test_server_message_round_trip(message):
    assert decode_server(encode(message)) == message


@pytest.mark.parametrize(
    "frame",
    [
        "", "null", "[]", "{}", '{"type":"Sing"}', '{"type":["Say"]}', '{"type":"say"}', '{"type":"say","text":1}',
        '{"type":"say","text":"a","to":"b"}', '{"type":"disconnect"}x', '{"type":"say","text":"\\ud800"}',
        b'{"type":"say","text":"\xff"}', b"\xff\xfe", '{"type":"say","text":"%s"}' % ("a" * 401),
        '{"type":"act","table":"t","at":-1,"action":"x"}', '{"type":"act","table":"t","at":1e400,"action":"x"}',
        '{"type":"act","table":"t","at":%s,"action":"x"}' % ("9" * 60_000),
        '{"type":"vote_substitute","table":"t","seat":%s}' % ("9" * 60_000),
        "[" * 60_000, '{"a":' * 12_000, '{"a":' + "[" * 30_000 + "]" * 30_000 + ',"type":"disconnect"}',
        '{"type":"open_table","game":"king","seats":4,"options":{"hook":%s' % ("[" * 60_000),
        '{"type":"welcome","club":"","nick":"","token":"","member":true,"people":[],"tables":[]}',
    ],
    ids=lambda frame: repr(frame)[:40],
)  # fmt: skip
def test_rejects_malformed_client_frame(frame):
    with pytest.raises(msgspec.MsgspecError):
        decode_client(frame)
