"""Frames that no program of ours sends: the host refuses them or closes, stays up, and keeps nothing of them."""

import asyncio
import gc
import json
import sys
from contextlib import suppress
from random import Random

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server import lobby as club_room
from cardtable.club.server import websocket_server
from cardtable.club.server.client_outbox import MOST_TALK, ConnectedClient
from tests.budgets import tried
from tests.club.messages import ASKED
from tests.club.over_loopback import PATIENCE, Guest, club

AT_ONCE = 200
"""Frames of one connection."""
LAST = protocol.Say("That was all")
WORDS = (
    "",
    "t",
    "play AS",
    "bid 0",
    "rikiki",
    "king",
    "\0",
    "\x1b[2J",
    "\u202e",
    "ä" * 64,
    "a" * 65,
    "a" * 60_000,
    "../../etc",
)
NUMBERS = (-1, 0, 1, 2, 10**9, 10**19, 1e308, -0.5, True, None)
OTHERS = ([], {}, [[]], {"a": {"a": 1}}, ["a"] * 1000)


def value(rng):
    return rng.choice([*WORDS, *NUMBERS, *OTHERS])


def garbage(rng):
    return rng.randbytes(rng.choice((0, 1, 10, 1000)))


def deep(rng):
    begin = rng.choice(("[", '{"a":', '{"type":', '{"type":"say","text":['))
    return begin * (protocol.MAX_CLIENT_FRAME_BYTES // len(begin) // rng.choice((1, 10, 1000)))


def torn(rng):
    frame = protocol.encode(rng.choice(ASKED))
    return frame[: rng.randrange(len(frame))] + frame[rng.randrange(len(frame)) :]


def scribbled(rng):
    frame = bytearray(protocol.encode(rng.choice(ASKED)).encode())
    for _ in range(rng.randint(1, 4)):
        frame[rng.randrange(len(frame))] = rng.randrange(256)
    return bytes(frame)


def changed(rng):
    """A message in which something is of another kind, missing or too much."""
    members = json.loads(protocol.encode(rng.choice(ASKED)))
    for _ in range(rng.randint(1, 3)):
        name = rng.choice([*members, "type", "seed"])
        if rng.random() < 0.2:
            members.pop(name, None)
        else:
            members[name] = value(rng)
    return json.dumps(members)


def right(rng):
    """A message that is read, at a moment that may be any."""
    return protocol.encode(rng.choice([each for each in ASKED if not isinstance(each, protocol.Disconnect)]))


def too_long(rng):
    return "x" * (protocol.MAX_CLIENT_FRAME_BYTES + rng.choice((1, 1000)))


KINDS = [garbage, deep, torn, scribbled, *[changed] * 6, *[right] * 2]


async def attack(url, rng, number, known, table):
    """One connection that sends so many frames, after it has come in, or without; many are about a table."""
    async with connect(url, max_size=None, subprotocols=[protocol.SUBPROTOCOL]) as connection:
        challenge = protocol.decode_server(await connection.recv())
        if known:
            proof = protocol.proof_of_token(protocol.token_key(known), challenge.club_id, challenge.nonce, "n")
            await connection.send(protocol.encode(protocol.Hello("Mallory", nonce="n", proof=proof)))
        reading = asyncio.create_task(read(connection))
        with suppress(ConnectionClosed):
            for _ in range(number):
                frame = rng.choice(KINDS if rng.random() > 0.001 else [too_long])(rng)
                await connection.send(frame.replace('"t"', f'"{table}"') if isinstance(frame, str) else frame)
                await asyncio.sleep(0)
            await connection.send(protocol.encode(LAST))
        if rng.random() < 0.1:
            connection.transport.abort()
        await reading


async def read(connection):
    """Read until the last word is answered, or the host closes."""
    with suppress(ConnectionClosed):
        async for frame in connection:
            message = protocol.decode_server(frame)
            if isinstance(message, protocol.Talk) and message.text == LAST.text:
                return


def kept():
    gc.collect()
    return sys.getallocatedblocks()


@pytest.mark.promise("The club", "Hostile frames are refused and leave nothing in memory.")
@pytest.mark.asyncio
async def test_hostile_frames_are_refused_and_nothing_of_them_is_kept(caplog, monkeypatch):
    rng, number, read = Random("hostile"), tried("frames"), 0

    def asked(frame):
        nonlocal read
        read += 1
        return protocol.decode_client(frame)

    monkeypatch.setattr(websocket_server, "decode_client", asked)
    monkeypatch.setattr(club_room, "TALK_A_SECOND", 1e6)
    async with club() as (room, url), Guest(url, "Anna") as anna, Guest(url, "Mallory") as mallory:
        await mallory.until(lambda: mallory.welcome)
        await anna.until(lambda: anna.welcome)
        await mallory.say(protocol.OpenTable("rikiki", 4))
        await anna.until(lambda: anna.rows)
        (table,) = anna.rows
        await mallory.say(protocol.Start(table))
        before, token = 0, room.members.issue_temporary_token("Mallory", ConnectionOrigin("192.0.2.1"))
        while read < number:
            await attack(url, rng, AT_ONCE, token if rng.random() < 0.8 else None, table)
            if not before and read >= number / 4:
                before = kept()
        await anna.say(protocol.Say("Still here"))
        await anna.until(lambda: ("Anna", "Still here") in anna.talk)
        async with asyncio.timeout(PATIENCE):
            while len(room._visits) > 2:  # whom the host has cut off is just leaving
                await asyncio.sleep(0.01)
        heard = sum(len(guest.talk) + len(guest.refused) + len(guest.notes) for guest in (anna, mallory))
        grown = kept() - before
        print(grown, heard, len(anna.talk), number)
        assert grown < 20_000 + 20 * heard
    assert not caplog.records


def test_who_reads_nothing_is_sent_away_and_costs_no_memory():
    visit = ConnectedClient("Dora", ConnectionOrigin())
    for number in range(10_000):
        visit.answer(protocol.RequestFailed("no"))
        visit.talk(protocol.Talk(f"{number}", "Anna"))
    assert visit.over
    (last,) = visit._waiting()
    assert protocol.decode_server(last) == protocol.Over("your connection is too slow to follow; come in again")
    assert len(visit._talk) == MOST_TALK
