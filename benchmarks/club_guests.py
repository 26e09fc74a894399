"""Guests of ``benchmarks/club.py`` in a process of their own: they play, and record when messages arrive."""

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from operator import attrgetter
from random import Random

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Data

from cardtable.club import protocol
from cardtable.club.client import connection as link
from cardtable.club.client.connection import ClubConnection, Login, NotConnectedError
from cardtable.club.protocol import TableInfo
from cardtable.engine.view_codec import decode_view
from cardtable.games import GAMES, KEYS
from cardtable.session.session_events import Stage

HERE, PLAYING = "here", "playing"
AT_ONCE = 20
"""Guests that connect at a time, and tables that start at a time."""
AFTER = 5.0
"""Seconds to wait for the last answers."""


class GameMeasured(msgspec.Struct):
    """Data received by guests at tables of one game."""

    line: int = 0
    """Bytes on the wire."""
    text: int = 0
    """Bytes of the frames after decompression."""
    longest: int = 0
    """Bytes of the longest frame."""
    decisions: int = 0
    """Decisions reported to the guests."""


class Measured(msgspec.Struct):
    """Measurements of all guests of a process."""

    seen: list[float] = []
    """Seconds until an action was on all screens of its table."""
    own: list[float] = []
    """Seconds until a guest received the result of their own action."""
    refused: int = 0
    games: dict[str, GameMeasured] = {}
    acknowledged: dict[str, dict[int, dict[int, str]]] = {}
    """By table and seat, the text of each acknowledged action by number of its decision."""
    at: dict[str, int] = {}
    """By table, the number of decisions in the last update received."""


class Counted(ClientConnection):
    """A connection that counts compressed bytes on the wire and bytes of frames."""

    line = text = longest = 0

    def data_received(self, data: bytes) -> None:
        """Count bytes on the wire."""
        self.line += len(data)
        super().data_received(data)

    async def recv(self, decode: bool | None = None) -> Data:  # type: ignore[override] # one form for all
        """Count and return the next frame."""
        frame = await super().recv(decode)
        self.text += len(frame)
        self.longest = max(self.longest, len(frame))
        return frame


class BenchTable:
    """A table with its guests; an action stays open until all of them have seen its result."""

    def __init__(self, number: int, measured: Measured) -> None:
        self.game = KEYS[number % len(KEYS)]
        self.measured, self.id = measured, ""
        self.guests: list[BenchGuest] = []
        self.open: dict[int, tuple[float, set[str]]] = {}
        """By number of the decision, the time of sending and the nicks of guests who have received the result."""

    def record_update(self, guest: "BenchGuest", at: int, came: float) -> None:
        """Record that a guest has received an update after ``at`` decisions."""
        for number in [number for number in self.open if number < at]:
            sent, seen = self.open[number]
            seen.add(guest.nick)
            if len(seen) == len(self.guests):
                del self.open[number]
                self.measured.seen.append(came - sent)


class BenchGuest:
    """A guest that plays at human pace."""

    def __init__(self, url: str, nick: str, pace: float, table: BenchTable) -> None:
        self.nick, self.pace, self.table, self.rng = nick, pace, table, Random(nick)
        self.link = ClubConnection(url, Login(nick), self.hear, lambda: None)
        self.news = asyncio.Event()
        self.rows: dict[str, TableInfo] = {}
        self.seat: int | None = None
        self.is_logged_in = self.plays = False
        self.at = 0
        self.acts: asyncio.Task[None] | None = None
        self.sent: tuple[int, str, float] | None = None
        self.before = GameMeasured()
        self.ended = False

    def hear(self, message: protocol.AnyServerMessage) -> None:
        """Handle a message of the host."""
        came = time.monotonic()
        match message:
            case protocol.Welcome():
                self.is_logged_in = True
                self.rows = {row.table: row for row in message.tables}
            case protocol.LobbyNews():
                self.rows |= {row.table: row for row in message.tables}
            case protocol.Seated():
                self.seat = message.seat
            case protocol.RequestFailed() | protocol.Over():
                self.table.measured.refused += 1
                self.sent = None
            case protocol.Update():
                self.look(message, came)
        self.news.set()

    def look(self, update: protocol.Update, came: float) -> None:
        """Handle an update of the table that arrived at the time ``came``."""
        measured, table = self.table.measured, self.table
        self.plays, self.at = True, update.at
        measured.at[update.table] = update.at
        if self.sent and self.sent[0] < update.at:
            at, text, sent = self.sent
            measured.own.append(came - sent)
            self.acknowledge(update.table, at, text)
            self.sent = None
        table.record_update(self, update.at, came)
        if not update.steps or self.seat is None or self.sent:
            return
        if self.acts:
            self.acts.cancel()
        view = decode_view(GAMES[table.game], update.steps[-1].view)
        if update.stage is Stage.ROUND_END and self.seat in update.waits_for:
            self.acts = asyncio.create_task(self.later(protocol.Ready(update.table, view.round)))
        elif view.legal and GAMES[table.game].forced_silent_action(view) is None:  # the host makes forced ones
            self.acts = asyncio.create_task(
                self.later(protocol.Act(update.table, update.at, str(self.rng.choice(view.legal))))
            )

    def acknowledge(self, table: str, at: int, text: str) -> None:
        """Record that the host has executed the guest's action with the number ``at``."""
        assert self.seat is not None
        self.table.measured.acknowledged.setdefault(table, {}).setdefault(self.seat, {})[at] = text

    async def later(self, message: protocol.Act | protocol.Ready) -> None:
        """Send a message after a thinking time."""
        await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.pace)
        if self.ended:
            return
        if isinstance(message, protocol.Act):
            now = time.monotonic()
            self.sent = message.at, message.action, now
            self.table.open[message.at] = now, set()
        with suppress(NotConnectedError):
            await self.link.send(message)

    @property
    def counted(self) -> GameMeasured:
        """Return the data received so far."""
        connection = self.link._connection
        assert isinstance(connection, Counted)
        return GameMeasured(connection.line, connection.text, connection.longest, self.at)

    def measure(self) -> None:
        """Start counting."""
        connection = self.link._connection
        assert isinstance(connection, Counted)
        connection.longest = 0
        self.before = self.counted

    def end(self) -> None:
        """Stop acting."""
        self.ended = True

    def count(self) -> None:
        """Add the data received since counting began to the measurements of the game."""
        counted, before = self.counted, self.before
        all_of = self.table.measured.games.setdefault(self.table.game, GameMeasured())
        all_of.line += counted.line - before.line
        all_of.text += counted.text - before.text
        all_of.longest = max(all_of.longest, counted.longest)
        all_of.decisions += counted.decisions - before.decisions

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until a condition is true.  Raises ``TimeoutError`` after two minutes."""
        async with asyncio.timeout(120):
            while not holds():
                self.news.clear()
                await self.news.wait()


async def guests(url: str, tables: Sequence[int], each: int, robots: int, pace: float) -> None:
    """Run the guests of a process: connect, begin, play, stop at a line of input, and print the measurements."""
    gc.disable()  # the host is to be measured
    measured = Measured()
    vars(link)["connect"] = partial(connect, create_connection=Counted)
    all_tables = [BenchTable(number, measured) for number in tables]
    for number, table in zip(tables, all_tables, strict=True):
        table.guests = [BenchGuest(url, nick(number, place), pace, table) for place in range(each)]
    everybody = [guest for table in all_tables for guest in table.guests]
    tasks = []
    for at in range(0, len(everybody), AT_ONCE):
        coming = everybody[at : at + AT_ONCE]
        tasks += [asyncio.create_task(guest.link.run()) for guest in coming]
        for guest in coming:
            await guest.until(partial(attrgetter("is_logged_in"), guest))
    await report(HERE)
    for at in range(0, len(all_tables), AT_ONCE):
        await asyncio.gather(*[begin(table, robots) for table in all_tables[at : at + AT_ONCE]])
    await report(PLAYING)
    for guest in everybody:
        guest.measure()
    measured.seen.clear()
    measured.own.clear()
    await report(HERE)
    for guest in everybody:
        guest.end()
    await asyncio.sleep(AFTER)
    for guest in everybody:
        guest.count()
    print(msgspec.json.encode(measured).decode(), flush=True)
    await asyncio.wait(tasks)


def nick(table: int, place: int) -> str:
    """Return a unique nick of letters only."""
    return "".join([chr(ord("a") + int(digit)) for digit in f"{table:04}{place}"]).title()


async def report(line: str) -> None:
    """Print a status line, and wait for a line of input."""
    print(line, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def begin(table: BenchTable, robots: int) -> None:
    """Open a table with its guests, and robots in the other seats."""
    seats = max(GAMES[table.game].about.seats)
    master, *others = table.guests
    people, watching = others[: seats - robots - 1], others[seats - robots - 1 :]
    await master.link.send(protocol.OpenTable(table.game, seats, name=master.nick, lot=False))

    def its() -> list[TableInfo]:
        return [row for row in master.rows.values() if row.name == master.nick and not row.playing]

    await master.until(lambda: bool(its()))
    id_ = its()[0].table
    for guest in people:
        await guest.link.send(protocol.SitDown(id_))
    nicks = {guest.nick for guest in people}
    await master.until(lambda: nicks <= {place.name for place in its()[0].places})
    await master.link.send(protocol.Start(id_))
    await master.until(lambda: master.plays)
    for guest in watching:
        await guest.link.send(protocol.LookOn(id_))
    for guest in others:
        await guest.until(partial(attrgetter("plays"), guest))
