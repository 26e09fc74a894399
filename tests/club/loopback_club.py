"""A club on this machine, and guests over real connections."""

import asyncio
import os
import threading
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext, suppress
from functools import partial
from itertools import chain
from random import Random
from unittest.mock import patch

from cardtable.club import protocol
from cardtable.club.addresses import HostedOrigin
from cardtable.club.client.connection import ClubConnection, Login
from cardtable.club.server import club_file
from cardtable.club.server.connections import NO_PROXIES
from cardtable.club.server.host_events import EventStream, ignore_event
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.server_options import ServerOptions
from cardtable.club.server.websocket_endpoint import WebSocketEndpoint
from cardtable.engine import journal
from cardtable.engine.errors import CardtableError
from cardtable.engine.journal import Occupant
from cardtable.engine.value_checks import decode_view
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from cardtable.store import paths, profiles, sessions
from cardtable.store.session_setup import SessionSetup
from tests.club.guests import choose_randomly
from tests.session.session_player import NOW
from tests.waiting import TIMEOUT, describe_condition


@asynccontextmanager
async def club(
    *,
    code="",
    think=choose_randomly,
    max_new_nicks=LIMITS.new_nicks.number,
    log=lambda _line: None,
    listener=ignore_event,
    certificate=None,
    proxies=NO_PROXIES,
    **limits,
):
    """Open a club; yield its lobby and address. ``log`` gets the lines of its log, and ``listener`` all events."""
    events = EventStream(lambda event: log(str(event)))
    room = ClubLobby(ServerOptions("The club", code=code, max_new_nicks=max_new_nicks), think, events.emit)
    await room.open()
    endpoint = WebSocketEndpoint(room, **limits)
    async with endpoint.serve("localhost", 0, certificate, proxies) as server:
        (port,) = {socket.getsockname()[1] for socket in server.sockets}
        try:
            with events.listen(listener):
                yield room, f"{'wss' if certificate else 'ws'}://localhost:{port}"
        finally:
            await room.close("The club has closed.")
            events.close()


@asynccontextmanager
async def open_lobby(max_tables=100, emit=ignore_event, **options):
    """Open a lobby without endpoints."""
    room = ClubLobby(ServerOptions("The club", max_tables=max_tables, **options), choose_randomly, emit)
    await room.open()
    try:
        yield room
    finally:
        await room.close("")


@asynccontextmanager
async def hosted_listener(room, nick, address="192.0.2.1", *, is_private=True, credential=""):
    """Open the listener of a program that the host runs for a browser; yield its address and the program's token."""
    origin = HostedOrigin(address, is_private, "browser", credential)
    async with WebSocketEndpoint(room).serve("127.0.0.1", 0, hosted_origin=origin) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}", room.authenticator.issue_hosted_token(nick, origin)
        room.authenticator.revoke_hosted_token(origin)


@asynccontextmanager
async def hosted_guest(room, nick, *address, **origin):
    """Connect a guest as the program that the host runs for a browser, and wait until they are in the lobby."""
    async with hosted_listener(room, nick, *address, **origin) as (url, token), joined(url, nick, token=token) as guest:
        yield guest


def always_run(*command):
    """Return a function for ``HostedClients`` that lets each guest's program be this command."""
    return lambda _origin: nullcontext([*command])


@asynccontextmanager
async def silent_connection(port, data=b"", **options):
    """Open a TCP connection that sends ``data`` and nothing more; yield its reader."""
    reader, writer = await asyncio.open_connection("localhost", port, **options)
    writer.write(data)
    try:
        yield reader
    finally:
        writer.transport.abort()


async def wait_until_closed(reader):
    """Read until the other end closes the connection."""
    async with asyncio.timeout(TIMEOUT):
        with suppress(ConnectionError):
            while await reader.read(1024):
                pass


@contextmanager
def paused_session_setup(monkeypatch):
    """Let the next session begin only at the end of the block; yield a function that waits until that is tried."""
    tried, proceed, begin = threading.Event(), threading.Event(), SessionSetup.begin

    def begin_later(*arguments, **options):
        tried.set()
        assert proceed.wait(TIMEOUT)
        return begin(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(SessionSetup, "begin", begin_later)
        try:
            yield partial(asyncio.to_thread, tried.wait, TIMEOUT)
        finally:
            proceed.set()


def repeat_random_ids(monkeypatch):
    """Let each random part of a session's id be drawn twice."""
    draw = os.urandom
    parts = chain.from_iterable((bytes([0, number]),) * 2 for number in range(256))
    monkeypatch.setattr(os, "urandom", lambda size: next(parts) if size == 2 else draw(size))


async def poll_until(condition):
    """Wait until a condition is true that has no event to wait for."""
    try:
        async with asyncio.timeout(TIMEOUT):
            while not condition():
                await asyncio.sleep(0.002)
    except TimeoutError:
        raise AssertionError(f"this never became true: {describe_condition(condition)}") from None


class Guest:
    """A guest over a connection, with everything that the host has sent to it."""

    def __init__(self, url, nick, ssl=None, delays=(0.0, 0.01), **login):
        self.nick, self.rng = nick, Random(nick)
        self.link = ClubConnection(url, Login(nick, **login), self.receive, self.wake, ssl=ssl, delays=delays)
        self.news = asyncio.Event()
        self.people, self.tables, self.talk, self.refused, self.welcome = (), {}, [], [], None
        self.seated, self.update, self.view, self.notes, self.scores = None, None, None, [], []
        self.unread, self.guests, self.account, self.unfinished, self.seats = False, (), None, None, ()
        self.answered = self.device_word = self.round_call = None
        self.password_changes, self.messages = [], []

    async def __aenter__(self):
        self.task = asyncio.create_task(self.link.run())
        return self

    async def __aexit__(self, *_):
        while not self.task.done():  # a library may lose a cancellation that comes as the line is cut
            self.task.cancel()
            await asyncio.wait([self.task], timeout=1)

    def wake(self):
        self.news.set()

    def receive(self, message):
        self.messages.append(message)
        match message:
            case protocol.Welcome():
                self.welcome, self.people = message, message.people
                self.tables, self.guests = {row.table: row for row in message.tables}, message.guests
            case protocol.LobbyNews():
                if message.people is not None:
                    self.people, self.guests = message.people, message.guests
                self.tables = {} if message.whole else self.tables
                self.tables |= {row.table: row for row in message.tables}
                for gone in message.gone:
                    del self.tables[gone]
            case protocol.AccountGranted():
                self.account = message
            case protocol.DeviceWord():
                self.device_word = message
            case protocol.PasswordChanged():
                self.password_changes.append(message)
            case protocol.Unfinished():
                self.unfinished = message.sessions
            case protocol.Talk():
                self.talk.append((message.who, message.text))
            case protocol.RoundCall():
                self.round_call = message
            case protocol.RequestFailed() | protocol.Over():
                self.refused.append(message.why)
                self.answered = None
            case protocol.Seated():
                self.seated, self.update, self.view = message, None, None
            case protocol.Update():
                self.apply_update(message)
        self.wake()

    def apply_update(self, update):
        self.update, self.unread = update, True
        if update.whole:
            self.notes, self.scores, self.answered = [], [], None
        self.seats = update.seats or self.seats
        self.notes += update.notes
        self.scores += update.scores
        for step in update.steps:
            self.view = decode_view(GAMES[self.seated.header.game], step.view)

    async def wait_until(self, condition):
        """Wait until a condition is true, which may be about others, too."""
        try:
            async with asyncio.timeout(TIMEOUT):
                while not condition():
                    self.news.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(0.005):  # what others hear does not wake this guest
                            await self.news.wait()
        except TimeoutError:
            awaited = f"{self.nick} waited for {describe_condition(condition)}"
            raise AssertionError(f"{awaited}: {self.refused} {self.link.end_reason!r}") from None

    async def send(self, message, *, until=lambda: True):
        """Send a message, and wait until a condition is true."""
        await self.link.send(message)
        await self.wait_until(until)

    async def open_table(self, *arguments, **options):
        """Open a table that waits for players, and return its id."""
        known = {*self.tables}
        await self.send(protocol.OpenTable(*arguments, **options), until=lambda: {*self.tables} - known)
        (table,) = {*self.tables} - known
        return table

    async def sit_down(self, table, seat=None):
        """Sit down at a table in play, and wait until it is shown."""
        self.update = None
        await self.send(protocol.SitDown(table, seat), until=lambda: self.update)

    async def list_unfinished(self):
        """Ask for the own unfinished sessions, and return them."""
        self.unfinished = None
        await self.send(protocol.AskUnfinished(), until=lambda: self.unfinished is not None)
        return self.unfinished

    async def get_refusal(self, message):
        """Send a request that the host refuses, and return the reason."""
        known = len(self.refused)
        await self.send(message)
        await self.wait_until(lambda: len(self.refused) > known)
        return self.refused[known]

    async def disconnect(self, *, abort=False):
        """Close or abort the connection, and wait until the guest is connected anew or refused."""
        ended = self.link.socket
        if abort:
            ended.transport.abort()
        else:
            await ended.close()
        await self.wait_until(lambda: self.link.end_reason or self.link.socket not in (None, ended))

    async def play(self, condition=lambda: False):
        """Play random actions until a condition is true or the session is over."""
        while not condition():
            await self.wait_until(lambda: self.unread or condition())
            self.unread = False
            if self.update.stage is Stage.SESSION_END or condition():
                return
            position = self.update.stage, self.update.at
            if position == self.answered:  # each answer is followed by an update, and so is what others do
                continue
            if self.update.stage is Stage.ROUND_END:
                self.answered = position
                await self.send(protocol.AcknowledgeRound(self.update.table, self.view.round))
            elif self.view.legal:
                self.answered = position
                await self.send(protocol.Act(self.update.table, self.update.at, str(self.rng.choice(self.view.legal))))


@asynccontextmanager
async def joined(url, nick, **login):
    """Connect a guest and wait until they are in the lobby."""
    async with Guest(url, nick, **login) as guest:
        await guest.wait_until(lambda: guest.welcome)
        yield guest


async def wait_for_all(guests, condition):
    """Wait until a condition is true of every guest."""
    for guest in guests:
        await guest.wait_until(partial(condition, guest))


PASSWORD = "sesame77"
"""Password of every player in the tests."""


@asynccontextmanager
async def connected_guests(url, *nicks):
    """Connect guests and wait until they are in the lobby; players of the club use `PASSWORD`."""
    async with AsyncExitStack() as stack:
        logins = [(nick, PASSWORD if profiles.find(nick) else "") for nick in nicks]
        yield [await stack.enter_async_context(joined(url, nick, password=word)) for nick, word in logins]


async def enter_once(url, nick, **login):
    """Let a guest come in and leave again; return the guest."""
    async with joined(url, nick, **login) as guest:
        return guest


async def read_refusal(url, nick, **login):
    """Return the reason why the club refuses a login."""
    async with Guest(url, nick, **login) as guest:
        await guest.wait_until(lambda: guest.link.end_reason or guest.welcome)
        return guest.link.end_reason


def create_host_session(*people, robots=("Ada", "Bo"), game="rikiki"):
    """Create a session at the host's own machine and return its id."""
    seats = [*[Occupant(nick) for nick in people], *[Occupant(name, "random") for name in robots]]
    session = sessions.create(GAMES[game], seats, GAMES[game].options(), 7, now=NOW)
    session.close()
    return session.header.id


def list_seat_changes(path):
    """Return the seat changes in an unfinished journal: seat, name and level of the robot, or None for a person."""
    assert path.parent == paths.sessions_folder()
    changes = journal.list_later_occupants(journal.read(path.read_bytes()))
    return [(seat, occupant.name, occupant.robot) for seat, occupant in changes]


async def start_table(host, *players, game="rikiki", seats=4, private=False, **options):
    """Open a table as one guest, seat the others, begin the session, and return its id.

    A ``private`` table is for these guests only.
    """
    await wait_for_all((host, *players), lambda guest: guest.welcome)
    invited = tuple([player.nick for player in players]) if private else ()
    table = await host.open_table(game, seats, options, draws_seats=False, private=private, invited=invited)
    for seat, player in enumerate(players, 1):
        await player.wait_until(lambda player=player: table in player.tables)
        await player.send(protocol.SitDown(table))
        await host.wait_until(lambda seat=seat, nick=player.nick: host.tables[table].seats[seat].name == nick)
    await host.send(protocol.Start(table))
    await wait_for_all((host, *players), lambda guest: guest.view)
    return table


@asynccontextmanager
async def table_of(url, *nicks, **options):
    """Connect guests who play at a table of the first one; yield its id and the guests."""
    async with connected_guests(url, *nicks) as guests:
        yield await start_table(*guests, **options), *guests


async def leave_table(table, *guests):
    """Let the last guests leave a table, and wait until it is closed."""
    for guest in guests:
        await guest.send(protocol.Leave(table))
    await wait_for_all(guests, lambda guest: table not in guest.tables)


@contextmanager
def full_disk():
    """Let no change of the club's file be saved."""

    def refuse(_change):
        raise CardtableError("the disk is full")

    with patch.object(club_file, "update_club_file", refuse):
        yield


async def play_until(condition, *guests):
    """Let all guests play until a condition is true."""
    playing = [asyncio.create_task(guest.play(condition)) for guest in guests]
    done, others = await asyncio.wait(playing, return_when=asyncio.FIRST_COMPLETED)
    for each in others:
        each.cancel()
    await asyncio.gather(*done)


async def play_round_with_substitute(master, table, seat):
    """Let the game master begin the next round with a robot for an absent player, and play it to its end."""
    await master.send(protocol.EndWait(table))
    await master.wait_until(lambda: master.update.stage is Stage.PLAY)
    await master.send(protocol.VoteSubstitute(table, seat))
    await master.play(lambda: master.update.stage is Stage.ROUND_END)
