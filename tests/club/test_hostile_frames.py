"""Random frames that no client of ours sends: the host refuses them and keeps nothing of them in memory."""

import asyncio
import gc
import json
import sys
from contextlib import AsyncExitStack, suppress
from random import Random

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server.client_outbox import MAX_TALK_MESSAGES, ConnectedClient
from tests.budgets import get_trials
from tests.club.guests import make_person
from tests.club.loopback_club import club, hosted_listener, joined, poll_until
from tests.club.messages import CLIENT_MESSAGES

FRAMES_PER_CONNECTION = 200
LAST_MESSAGE = protocol.Say("That was all")
WORDS = (
    *("", "t", "play AS", "bid 0", "rikiki", "king", "\0", "\x1b[2J", "\u202e"),
    *("ä" * 64, "a" * 65, "a" * 60_000, "../../etc"),
)
NUMBERS = (-1, 0, 1, 2, 10**9, 10**19, 1e308, -0.5, True, None)
OTHERS = ([], {}, [[]], {"a": {"a": 1}}, ["a"] * 1000)


def choose_value(rng):
    return rng.choice([*WORDS, *NUMBERS, *OTHERS])


def make_garbage(rng):
    return rng.randbytes(rng.choice((0, 1, 10, 1000)))


def make_deep_nesting(rng):
    begin = rng.choice(("[", '{"a":', '{"type":', '{"type":"say","text":['))
    return begin * (protocol.MAX_CLIENT_FRAME_BYTES // len(begin) // rng.choice((1, 10, 1000)))


def make_torn_message(rng):
    frame = protocol.encode(rng.choice(CLIENT_MESSAGES))
    return frame[: rng.randrange(len(frame))] + frame[rng.randrange(len(frame)) :]


def make_corrupted_message(rng):
    frame = bytearray(protocol.encode(rng.choice(CLIENT_MESSAGES)).encode())
    for _ in range(rng.randint(1, 4)):
        frame[rng.randrange(len(frame))] = rng.randrange(256)
    return bytes(frame)


def make_changed_message(rng):
    """Return a message with members of another type, missing or added."""
    members = json.loads(protocol.encode(rng.choice(CLIENT_MESSAGES)))
    for _ in range(rng.randint(1, 3)):
        name = rng.choice([*members, "type", "seed"])
        if rng.random() < 0.2:
            members.pop(name, None)
        else:
            members[name] = choose_value(rng)
    return json.dumps(members)


def make_valid_message(rng):
    """Return a valid message that may come at the wrong moment."""
    return protocol.encode(rng.choice([each for each in CLIENT_MESSAGES if not isinstance(each, protocol.Disconnect)]))


def make_too_long_frame(rng):
    return "x" * (protocol.MAX_CLIENT_FRAME_BYTES + rng.choice((1, 1000)))


FRAME_MAKERS = [
    make_garbage,
    make_deep_nesting,
    make_torn_message,
    make_corrupted_message,
    *[make_changed_message] * 6,
    *[make_valid_message] * 2,
]


async def attack(url, token, rng, frame_count, table):
    """Send random frames over one connection, with a token or without; many of them name ``table``."""
    async with connect(url, max_size=None, subprotocols=[protocol.SUBPROTOCOL]) as connection:
        challenge = protocol.decode_server(await connection.recv())
        if token:
            proof = protocol.compute_token_proof(protocol.hash_token(token), challenge.club_id, challenge.nonce, "n")
            await connection.send(protocol.encode(protocol.Hello("Mallory", nonce="n", proof=proof)))
        reading = asyncio.create_task(read_replies(connection))
        with suppress(ConnectionClosed):
            for _ in range(frame_count):
                frame = rng.choice(FRAME_MAKERS if rng.random() > 0.001 else [make_too_long_frame])(rng)
                await connection.send(frame.replace('"t"', f'"{table}"') if isinstance(frame, str) else frame)
                await asyncio.sleep(0)
            await connection.send(protocol.encode(LAST_MESSAGE))
        if rng.random() < 0.1:
            connection.transport.abort()
        await reading


async def read_replies(connection):
    """Read until the last message is answered or the host closes the connection."""
    with suppress(ConnectionClosed):
        async for frame in connection:
            message = protocol.decode_server(frame)
            if isinstance(message, protocol.Talk) and message.text == LAST_MESSAGE.text:
                return


def count_memory_blocks():
    gc.collect()
    return sys.getallocatedblocks()


async def test_hostile_frames_leave_nothing_in_memory(caplog, monkeypatch, set_limit):
    rng, number, read, decode = Random("hostile"), get_trials("frames"), 0, protocol.decode_client

    def asked(frame):
        nonlocal read
        read += 1
        return decode(frame)

    monkeypatch.setattr(protocol, "decode_client", asked)
    set_limit("talk", number=1_000_000)
    set_limit("address_talk", number=1_000_000)
    async with AsyncExitStack() as stack:
        room, url = await stack.enter_async_context(club())
        anna, mallory = [await stack.enter_async_context(joined(url, nick)) for nick in ("Anna", "Mallory")]
        table = await mallory.open_table("rikiki", 4)
        await mallory.send(protocol.Start(table))
        before, hosted = 0, await stack.enter_async_context(hosted_listener(room, "Mallory"))
        while read < number:
            target = hosted if rng.random() < 0.8 else (url, None)
            await attack(*target, rng, FRAMES_PER_CONNECTION, table)
            if not before and read >= number / 4:
                before = count_memory_blocks()
        await anna.send(protocol.Say("Still here"), until=lambda: ("Anna", "Still here") in anna.talk)
        # Clients that the host has cut off are still leaving. An attacker may have logged out Mallory's other devices.
        await poll_until(lambda: len(room.clients) == (1 if mallory.link.end_reason else 2))
        heard = sum(len(guest.talk) + len(guest.refused) + len(guest.notes) for guest in (anna, mallory))
        grown = count_memory_blocks() - before
        assert grown < 20_000 + 20 * heard
    assert not caplog.records


def test_client_that_reads_nothing_is_disconnected():
    visit = ConnectedClient(make_person("Dora"), ConnectionOrigin())
    for number in range(10_000):
        visit.queue_answer(protocol.RequestFailed("no"))
        visit.queue_talk(protocol.Talk(f"{number}", "Anna"))
    assert visit.is_ending
    (last,) = iter(visit.take_frame, b"")
    assert protocol.decode_server(last) == protocol.Over("your connection is too slow to follow; join again")
    assert len(visit._talk) == MAX_TALK_MESSAGES
