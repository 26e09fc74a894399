"""A club whose guests are heard one after the other and told all together, so that the same is said each time."""

import asyncio
import re
from itertools import count
from random import Random

from cardtable.club import protocol
from cardtable.club.server import lobby
from cardtable.club.server.accounts import AccountStore
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.limits import PendingConnections
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.websocket_server import WebSocketEndpoint
from cardtable.session.session_events import AwaitingRobot
from cardtable.store import session_setup, sessions
from tests.club.guests import at_random

SEED = 7
_ID = re.compile(r"\d{8}-\d{6}-([a-z_]+)-[0-9a-f]{4}")
_FIXED = {
    r'("since":|\\"at\\":|\\"when\\":)[\d.]+': r"\g<1>0",
    r'("created\\?":\\?")[^"\\]*': r"\g<1>2026-11-20T09:00:00Z",
    r'(\\?"host\\?":\\?")[a-z0-9]{32}': r"\g<1>abcdefghjkmnpqrs",
    r'(\\"crc\\":\\")[0-9a-f]{8}': r"\g<1>00000000",
    r'("away":\{"\d+":|another )[1-9]\d*': r"\g<1>60",
    r"cardtable \d[\w.]*": "cardtable 1.0",
    r'("club_id":")[0-9a-f]{32}': r"\g<1>id-of-the-club",
    r'("to":"(\w+)".*"nonce":")[^"]*': r"\g<1>host-nonce-of-\2",
    r'("from":"(\w+)".*"nonce":")n"': r'\g<1>nonce-of-\2"',
    r'("from":"(\w+)".*"proof":")[0-9a-f]{64}': r"\g<1>proof-of-\2",
}
"""What is another thing each time: times, and what follows from them."""


class Line:
    """A connection without a network."""

    remote_address = ("127.0.0.1", 0)
    subprotocol = protocol.SUBPROTOCOL

    def __init__(self, club, name):
        self._club, self.name, self.transport = club, name, self
        self._frames = asyncio.Queue()
        self.idle = False
        """Whether the host has heard all, and waits for more."""
        self.token, self.update, self.view, self.seated = "", None, None, None

    def get_extra_info(self, _name):
        """It is not encrypted."""

    def says(self, frame):
        """What is said to the host."""
        self.idle = False
        self._frames.put_nowait(frame)

    async def recv(self):
        self.idle = self._frames.empty()
        return await self._frames.get()

    def __aiter__(self):
        return self

    __anext__ = recv

    async def send(self, frame):
        """What the host says."""
        self._club.lines.append(f'{{"to":"{self.name}","frame":{frame}}}')
        match message := protocol.decode_server(frame):
            case protocol.Challenge():
                self.challenge = message
            case protocol.Welcome() | protocol.AccountGranted() if message.token:
                self.token = message.token
                self._club.names[message.token] = f"token-of-{message.nick}"
            case protocol.Seated():
                self.seated = message
            case protocol.Update():
                self.update = message
                for step in message.steps:
                    self.view = protocol.decode_view(self.seated.header.game, step.view)


class Club:
    """The room, and all that is said in it, a line of JSON a frame."""

    def __init__(self, monkeypatch, code):
        monkeypatch.setattr(ConnectedClient, "notify", lambda _visit: None)
        monkeypatch.setattr(lobby, "SOON", 3600)
        monkeypatch.setattr(session_setup.SystemRandom, "randrange", lambda _random, _most: SEED)
        monkeypatch.setattr(sessions, "SystemRandom", lambda: Random(SEED))
        self.room = ClubLobby("The club", AccountStore(code), at_random)
        self._door = WebSocketEndpoint(self.room, a_second=1e6)
        self._open, self._pending = {}, PendingConnections()
        self.lines, self.names = [], {}

    async def comes(self, name, *, token="", **hello):
        """Somebody says who she is; with a token she proves that she has it."""
        line = Line(self, name)
        self._open[line] = asyncio.create_task(self._door._handle(line, self._pending.add("", lambda: None)))
        await self._is_quiet()
        if token:
            key, challenge = protocol.token_key(token), line.challenge
            hello = {"nonce": "n", "proof": protocol.proof_of_token(key, challenge.club_id, challenge.nonce, "n")}
        await self.hears(line, protocol.Hello(name, **hello))
        return line

    async def hears(self, line, message):
        """Somebody says something, and all are told what comes of it."""
        frame = protocol.encode(message)
        self.lines.append(f'{{"from":"{line.name}","frame":{frame}}}')
        line.says(frame)
        await self._is_quiet()
        if self.room._telling:
            self.room._send_news()
        await self.tells()

    async def tells(self):
        """All are told what there is to be told."""
        for visit in self.room._visits:
            visit._news.set()
        while any(visit._news.is_set() for visit in self.room._visits if not visit.over):
            await asyncio.sleep(0)

    async def closes(self):
        """The club closes, and all are told."""
        await self.room.close("The club has closed.")
        await self.tells()
        await asyncio.wait(self._open.values())

    async def _is_quiet(self):
        while not (self._is_heard() and all(map(_waits, self.room.table_manager.active_tables.values()))):
            await asyncio.sleep(0.001)

    def _is_heard(self):
        return all(line.idle or task.done() for line, task in self._open.items())

    @property
    def text(self):
        """All that was said, with fixed ids, tokens and times."""
        text = "".join(f"{line}\n" for line in self.lines)
        for token, name in self.names.items():
            text = text.replace(token, name)
        number = count(1)
        for found in dict.fromkeys(match[0] for match in _ID.finditer(text)):
            text = text.replace(found, f"20261120-090000-{_ID.fullmatch(found)[1]}-{next(number):04}")
        for pattern, fixed in _FIXED.items():
            text = re.sub(pattern, fixed, text)
        return text


def _waits(table):
    """Whether a table waits for its people."""
    playing = table.open_session
    if playing is None:
        return True
    news = playing._changes.news
    return bool(news._waiters) and not news.is_set() and not isinstance(playing._run.pending, AwaitingRobot)
