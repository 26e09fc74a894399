"""A club without network and timers: requests are handled one by one, so that the transcript is reproducible."""

import asyncio
import re
from itertools import count
from random import Random

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server import lobby, session_people
from cardtable.club.server.client_outbox import ConnectedClient
from cardtable.club.server.connections import PendingConnections
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.server_options import ServerOptions
from cardtable.club.server.websocket_endpoint import WebSocketEndpoint
from cardtable.engine.value_checks import decode_view
from cardtable.games import GAMES
from cardtable.session.session_events import AwaitingRobot
from cardtable.store import session_setup, sessions
from tests.club.guests import choose_randomly

SEED = 7
_ID = re.compile(r"\d{8}-\d{6}-([a-z_]+)-[0-9a-f]{4}")
_NORMALIZATIONS = {
    r'("since":|\\"at\\":|\\"when\\":)[\d.]+': r"\g<1>0",
    r'("type":"talk"[^}]*"at":)\d+': r"\g<1>0",
    r'("created\\?":\\?")[^"\\]*': r"\g<1>2026-11-20T09:00:00Z",
    r'(\\?"host\\?":\\?")[a-z0-9]{32}': r"\g<1>abcdefghjkmnpqrs",
    r'(\\"crc\\":\\")[0-9a-f]{8}': r"\g<1>00000000",
    r'("type":"round_call".*"seconds":)[1-9]\d*': r"\g<1>180",
    r'("absences":\{"\d+":|another )[1-9]\d*': r"\g<1>60",
    r"cardtable \d[\w.]*": "cardtable 1.0",
    r'("club_id":")[0-9a-f]{32}': r"\g<1>id-of-the-club",
    r'("to":"(\w+)".*"nonce":")[^"]*': r"\g<1>host-nonce-of-\2",
    r'("from":"(\w+)".*"nonce":")n"': r'\g<1>nonce-of-\2"',
    r'("from":"(\w+)".*"proof":")[0-9a-f]{64}': r"\g<1>proof-of-\2",
    r'("word":")[a-z2-9-]{19}': r"\g<1>abcd-efgh-jkmn-pqrs",
    r'("id":")[0-9a-f]{6}("[^}]*"seen":)\d+': r"\g<1>4567cd\g<2>0",
    r'("type":"password_changed","token":")[^"]*': r"\g<1>token-of-Cleo",
}
"""Patterns of times, ids, nonces and checksums that differ in each run, and their replacements."""


class ScriptedConnection:
    """A WebSocket connection without a network."""

    subprotocol = protocol.SUBPROTOCOL

    def __init__(self, club, name):
        self._club, self.name = club, name
        self._frames = asyncio.Queue()
        self.idle = False
        """True if the host has read every frame and waits for more."""
        self.token, self.update, self.view, self.seated = "", None, None, None

    def feed(self, frame):
        """Pass a frame to the host."""
        self.idle = False
        self._frames.put_nowait(frame)

    async def recv(self):
        self.idle = self._frames.empty()
        return await self._frames.get()

    def __aiter__(self):
        return self

    __anext__ = recv

    async def send(self, frame, text=None):
        """Receive a frame from the host and record it."""
        frame = frame.decode() if text else frame
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
                    self.view = decode_view(GAMES[self.seated.header.game], step.view)


class ScriptedClub:
    """A lobby and a transcript of all frames, one line of JSON each."""

    def __init__(self, monkeypatch, code):
        monkeypatch.setattr(ConnectedClient, "notify", lambda _visit: None)
        monkeypatch.setattr(lobby, "NEWS_DELAY", 1e9)
        monkeypatch.setattr(session_people, "SPECTATOR_NEWS_DELAY", 1e6)
        monkeypatch.setattr(session_setup.SystemRandom, "randrange", lambda _random, _most: SEED)
        monkeypatch.setattr(sessions, "SystemRandom", lambda: Random(SEED))
        self.room = ClubLobby(ServerOptions("The club", code=code), choose_randomly)
        self._endpoint = WebSocketEndpoint(self.room)
        self._open, self._pending = {}, PendingConnections()
        self.lines, self.names = [], {}

    async def connect(self, name, *, token="", **hello):
        """Connect a client and send its Hello; with ``token``, prove that the client has it."""
        line = ScriptedConnection(self, name)
        self._open[line] = asyncio.create_task(
            self._endpoint._handle_connection(line, self._pending.add("", lambda: None), ConnectionOrigin("127.0.0.1"))
        )
        await self._wait_until_idle()
        if token:
            key, challenge = protocol.hash_token(token), line.challenge
            hello = {"nonce": "n", "proof": protocol.compute_token_proof(key, challenge.club_id, challenge.nonce, "n")}
        await self.send(line, protocol.Hello(name, **hello))
        return line

    async def send(self, line, message):
        """Send a message from a client and deliver everything that follows from it."""
        frame = protocol.encode(message)
        self.lines.append(f'{{"from":"{line.name}","frame":{frame}}}')
        line.feed(frame)
        await self._wait_until_idle()
        if self.room._news_timer:
            self.room._send_news()
        await self.deliver()

    async def deliver(self):
        """Deliver all waiting frames."""
        for visit in self.room.clients:
            visit._wakeup.set()
        while any(visit._wakeup.is_set() for visit in self.room.clients if not visit.is_ending):
            await asyncio.sleep(0)

    async def close(self):
        """Close the club and deliver its last frames."""
        await self.room.close("The club has closed.")
        await self.deliver()
        await asyncio.wait(self._open.values())

    async def _wait_until_idle(self):
        while not (
            self._has_read_all_frames()
            and all(map(_is_waiting_for_players, self.room.table_manager.registry.tables.values()))
        ):
            await asyncio.sleep(0.001)

    def _has_read_all_frames(self):
        return all(line.idle or task.done() for line, task in self._open.items())

    @property
    def text(self):
        """The transcript, with fixed ids, tokens and times."""
        text = "".join(f"{line}\n" for line in self.lines)
        for token, name in self.names.items():
            text = text.replace(token, name)
        number = count(1)
        for session_id in dict.fromkeys(match[0] for match in _ID.finditer(text)):
            text = text.replace(session_id, f"20261120-090000-{_ID.fullmatch(session_id)[1]}-{next(number):04}")
        for pattern, fixed in _NORMALIZATIONS.items():
            text = re.sub(pattern, fixed, text)
        return text


def _is_waiting_for_players(table):
    """True if the table waits for a player, or has no open session."""
    playing = table.hosted_session
    if playing is None:
        return True
    news = playing.changes.not_empty
    return bool(news._waiters) and not news.is_set() and not isinstance(playing._runner.pending, AwaitingRobot)
