"""A club on this machine, with guests at the other end of real connections."""

import asyncio
from contextlib import asynccontextmanager, suppress
from random import Random

from cardtable.club import protocol
from cardtable.club.client.connection import ClubConnection, Login
from cardtable.club.protocol import decode_view
from cardtable.club.server.accounts import NEW_NICKS, AccountStore
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.websocket_server import WebSocketEndpoint
from cardtable.session.session_events import Stage
from tests.club.guests import at_random

PATIENCE = 60
"""Seconds."""


@asynccontextmanager
async def club(
    *, code="", think=at_random, a_second=1e6, new_nicks=NEW_NICKS, tell=lambda _line: None, ssl=None, **limits
):
    """An open club: its room, and the address."""
    room = ClubLobby("The club", AccountStore(code, new_nicks=new_nicks), think, tell=tell)
    await room.open()
    async with WebSocketEndpoint(room, a_second=a_second, **limits).serve("localhost", 0, ssl) as server:
        (port,) = {socket.getsockname()[1] for socket in server.sockets}
        try:
            yield room, f"{'wss' if ssl else 'ws'}://localhost:{port}"
        finally:
            await room.close("The club has closed.")


@asynccontextmanager
async def silent_connection(port, said=b"", **more):
    """A connection to this machine over which nothing more is said: its reader."""
    reader, writer = await asyncio.open_connection("localhost", port, **more)
    writer.write(said)
    try:
        yield reader
    finally:
        writer.transport.abort()


async def is_closed(reader):
    """Wait until the other end has closed a connection."""
    async with asyncio.timeout(PATIENCE):
        with suppress(ConnectionError):
            while await reader.read(1024):
                pass


class Guest:
    """Somebody at another machine, and all that she was told."""

    def __init__(self, url, nick, ssl=None, **login):
        self.nick, self.rng = nick, Random(nick)
        self.link = ClubConnection(url, Login(nick, **login), self.hear, self.wake, ssl=ssl, delays=(0.0, 0.01))
        self.news = asyncio.Event()
        self.people, self.rows, self.talk, self.refused, self.welcome = (), {}, [], [], None
        self.seated, self.now, self.view, self.notes, self.scores = None, None, None, [], []
        self.unread, self.guests, self.let_in, self.unfinished, self.places = False, (), None, None, ()

    async def __aenter__(self):
        self.task = asyncio.create_task(self.link.run())
        return self

    async def __aexit__(self, *_):
        while not self.task.done():  # a library may lose a cancellation that comes as the line is cut
            self.task.cancel()
            await asyncio.wait([self.task], timeout=1)

    def wake(self):
        self.news.set()

    def hear(self, message):
        match message:
            case protocol.Welcome():
                self.welcome, self.people = message, message.people
                self.rows, self.guests = {row.table: row for row in message.tables}, message.guests
            case protocol.LobbyNews():
                if message.people is not None:
                    self.people, self.guests = message.people, message.guests
                self.rows = {} if message.whole else self.rows
                self.rows |= {row.table: row for row in message.tables}
                for gone in message.gone:
                    del self.rows[gone]
            case protocol.AccountGranted():
                self.let_in = message
            case protocol.Unfinished():
                self.unfinished = message.sessions
            case protocol.Talk():
                self.talk.append((message.who, message.text))
            case protocol.RequestFailed() | protocol.Over():
                self.refused.append(message.why)
            case protocol.Seated():
                self.seated, self.now, self.view = message, None, None
            case protocol.Update():
                self.look(message)
        self.wake()

    def look(self, now):
        self.now, self.unread = now, True
        if now.whole:
            self.notes, self.scores = [], []
        self.places = now.places or self.places
        self.notes += now.notes
        self.scores += now.scores
        for step in now.steps:
            self.view = decode_view(self.seated.header.game, step.view)

    async def until(self, holds):
        """Wait until something holds."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    self.news.clear()
                    await self.news.wait()
        except TimeoutError:
            raise AssertionError(f"{self.nick} waits in vain: {self.refused} {self.link.refused!r}") from None

    async def say(self, message):
        await self.link.send(message)

    async def play(self, holds=lambda: False):
        """Play until something holds, or the session is over."""
        while not holds():
            await self.until(lambda: self.unread or holds())
            self.unread = False
            if self.now.stage is Stage.SESSION_END or holds():
                return
            if self.now.stage is Stage.ROUND_END:
                await self.say(protocol.Ready(self.now.table, self.view.round))
            elif self.view.legal and not holds():
                await self.say(protocol.Act(self.now.table, self.now.at, str(self.rng.choice(self.view.legal))))


async def play_on(holds, *guests):
    """All of them play until something holds."""
    playing = [asyncio.create_task(guest.play(holds)) for guest in guests]
    done, others = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
    for each in others:
        each.cancel()
    await asyncio.gather(*done)
