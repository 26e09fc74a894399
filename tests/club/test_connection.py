"""Connection of a client to a host: attempts to connect, and messages on a connection that is lost."""

import asyncio

import pytest
from websockets.exceptions import ConnectionClosedError

from cardtable.club.client.connection import ClubConnection, Ended, Login, NotConnectedError, Online
from cardtable.club.protocol import Say


@pytest.fixture
def link():
    return ClubConnection("ws://localhost:7036", Login("Anna"), lambda _message: None, lambda: None)


async def test_delays_between_attempts_grow_and_the_last_repeats(link, monkeypatch):
    waited = []

    async def note_delay(seconds):
        waited.append(seconds)

    async def refuse():
        if len(waited) == 9:
            link.state = Ended("that is enough")
        raise ConnectionRefusedError

    monkeypatch.setattr(link, "_connect", refuse)
    monkeypatch.setattr(asyncio, "sleep", note_delay)
    await link.run()
    assert waited == [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


async def test_message_without_a_connection(link):
    with pytest.raises(NotConnectedError, match="the program keeps trying"):
        await link.send(Say("hello"))


async def test_message_on_a_connection_that_breaks(link):
    class BreakingConnection:
        async def send(self, _frame):
            raise ConnectionClosedError(None, None)

    link.state = Online(BreakingConnection())
    with pytest.raises(NotConnectedError, match="the program reconnects by itself"):
        await link.send(Say("hello"))
