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
from websockets.asyncio.client import ClientConnection
from websockets.typing import Data

from cardtable.club import protocol
from cardtable.club.client import connection as link
from cardtable.club.client.connection import ClubConnection, Login, NotConnectedError
from cardtable.club.protocol import TableInfo
from cardtable.engine.value_checks import decode_view
from cardtable.games import GAMES, KEYS
from cardtable.session.session_events import Stage

CONNECTED, PLAYING = "here", "playing"
BATCH_SIZE = 20
"""Guests that connect at a time, and tables that start at a time."""
ANSWER_SECONDS = 5.0
"""Seconds to wait for the last answers."""


class GameTraffic(msgspec.Struct):
    """Data received by guests at tables of one game."""

    wire_bytes: int = 0
    """Bytes on the wire."""
    frame_bytes: int = 0
    """Bytes of the frames after decompression."""
    longest_frame: int = 0
    """Bytes of the longest frame."""
    decisions: int = 0
    """Decisions reported to the guests."""


class Measurements(msgspec.Struct):
    """Measurements of all guests of a process."""

    screen_times: list[float] = []
    """Seconds until an action was on all screens of its table."""
    own_times: list[float] = []
    """Seconds until a guest received the result of their own action."""
    refused: int = 0
    games: dict[str, GameTraffic] = {}
    acknowledged: dict[str, dict[int, dict[int, str]]] = {}
    """By table and seat, the text of each acknowledged action by number of its decision."""
    decision_counts: dict[str, int] = {}
    """By table, the number of decisions in the last update received."""


class CountingConnection(ClientConnection):
    """A connection that counts compressed bytes on the wire and bytes of frames."""

    wire_bytes = frame_bytes = longest_frame = 0

    def data_received(self, data: bytes) -> None:
        """Count bytes on the wire."""
        self.wire_bytes += len(data)
        super().data_received(data)

    async def recv(self, decode: bool | None = None) -> Data:  # type: ignore[override] # one form for all
        """Count and return the next frame."""
        frame = await super().recv(decode)
        self.frame_bytes += len(frame)
        self.longest_frame = max(self.longest_frame, len(frame))
        return frame


class BenchTable:
    """A table with its guests; an action stays open until all of them have seen its result."""

    def __init__(self, number: int, measurements: Measurements) -> None:
        self.game = KEYS[number % len(KEYS)]
        self.measurements, self.id = measurements, ""
        self.guests: list[BenchGuest] = []
        self.open: dict[int, tuple[float, set[str]]] = {}
        """By number of the decision, the time of sending and the nicks of guests who have received the result."""

    def record_update(self, guest: "BenchGuest", at: int, arrived_at: float) -> None:
        """Record that a guest has received an update after ``at`` decisions."""
        for number in [number for number in self.open if number < at]:
            sent, receivers = self.open[number]
            receivers.add(guest.nick)
            if len(receivers) == len(self.guests):
                del self.open[number]
                self.measurements.screen_times.append(arrived_at - sent)


class BenchGuest:
    """A guest that plays at human pace."""

    def __init__(self, url: str, nick: str, pace: float, table: BenchTable) -> None:
        self.nick, self.pace, self.table, self.rng = nick, pace, table, Random(nick)
        self.link = ClubConnection(url, Login(nick), self.handle_message, lambda: None)
        self.changed = asyncio.Event()
        self.rows: dict[str, TableInfo] = {}
        self.seat: int | None = None
        self.is_logged_in = self.plays = False
        self.at = 0
        self.action_task: asyncio.Task[None] | None = None
        self.sent: tuple[int, str, float] | None = None
        self.before = GameTraffic()
        self.has_ended = False

    def handle_message(self, message: protocol.AnyServerMessage) -> None:
        """Handle a message of the host."""
        arrived_at = time.monotonic()
        match message:
            case protocol.Welcome():
                self.is_logged_in = True
                self.rows = {row.table: row for row in message.tables}
            case protocol.LobbyNews():
                self.rows |= {row.table: row for row in message.tables}
            case protocol.Seated():
                self.seat = message.seat
            case protocol.RequestFailed() | protocol.Over():
                self.table.measurements.refused += 1
                self.sent = None
            case protocol.Update():
                self.handle_update(message, arrived_at)
            case _:
                pass
        self.changed.set()

    def handle_update(self, update: protocol.Update, arrived_at: float) -> None:
        """Handle an update of the table that arrived at the time ``arrived_at``."""
        measurements, table = self.table.measurements, self.table
        self.plays, self.at = True, update.at
        measurements.decision_counts[update.table] = update.at
        if self.sent and self.sent[0] < update.at:
            at, text, sent = self.sent
            measurements.own_times.append(arrived_at - sent)
            self.acknowledge(update.table, at, text)
            self.sent = None
        table.record_update(self, update.at, arrived_at)
        if not update.steps or self.seat is None or self.sent:
            return
        if self.action_task:
            self.action_task.cancel()
        view = decode_view(GAMES[table.game], update.steps[-1].view)
        if update.stage is Stage.ROUND_END and self.seat in update.waits_for:
            self.action_task = asyncio.create_task(self.send_later(protocol.AcknowledgeRound(update.table, view.round)))
        elif view.legal and GAMES[table.game].forced_silent_action(view) is None:  # the host makes forced ones
            self.action_task = asyncio.create_task(
                self.send_later(protocol.Act(update.table, update.at, str(self.rng.choice(view.legal))))
            )

    def acknowledge(self, table: str, at: int, text: str) -> None:
        """Record that the host has executed the guest's action with the number ``at``."""
        assert self.seat is not None
        self.table.measurements.acknowledged.setdefault(table, {}).setdefault(self.seat, {})[at] = text

    async def send_later(self, message: protocol.Act | protocol.AcknowledgeRound) -> None:
        """Send a message after a thinking time."""
        await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.pace)
        if self.has_ended:
            return
        if isinstance(message, protocol.Act):
            now = time.monotonic()
            self.sent = message.at, message.action, now
            self.table.open[message.at] = now, set()
        with suppress(NotConnectedError):
            await self.link.send(message)

    @property
    def traffic(self) -> GameTraffic:
        """Return the data received so far."""
        connection = self.link.socket
        assert isinstance(connection, CountingConnection)
        return GameTraffic(connection.wire_bytes, connection.frame_bytes, connection.longest_frame, self.at)

    def measure(self) -> None:
        """Start counting."""
        connection = self.link.socket
        assert isinstance(connection, CountingConnection)
        connection.longest_frame = 0
        self.before = self.traffic

    def end(self) -> None:
        """Stop acting."""
        self.has_ended = True

    def count(self) -> None:
        """Add the data received since counting began to the measurements of the game."""
        traffic, before = self.traffic, self.before
        total = self.table.measurements.games.setdefault(self.table.game, GameTraffic())
        total.wire_bytes += traffic.wire_bytes - before.wire_bytes
        total.frame_bytes += traffic.frame_bytes - before.frame_bytes
        total.longest_frame = max(total.longest_frame, traffic.longest_frame)
        total.decisions += traffic.decisions - before.decisions

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until a condition is true.  Raises ``TimeoutError`` after two minutes."""
        async with asyncio.timeout(120):
            while not condition():
                self.changed.clear()
                await self.changed.wait()


async def run_guests(url: str, tables: Sequence[int], guests_per_table: int, robots: int, pace: float) -> None:
    """Run the guests of a process: connect, begin, play, stop at a line of input, and print the measurements."""
    gc.disable()  # the host is to be measured
    measurements = Measurements()
    vars(link)["_Connect"] = partial(vars(link)["_Connect"], create_connection=CountingConnection)
    all_tables = [BenchTable(number, measurements) for number in tables]
    for number, table in zip(tables, all_tables, strict=True):
        table.guests = [BenchGuest(url, create_nick(number, place), pace, table) for place in range(guests_per_table)]
    all_guests = [guest for table in all_tables for guest in table.guests]
    tasks = []
    for start in range(0, len(all_guests), BATCH_SIZE):
        batch = all_guests[start : start + BATCH_SIZE]
        tasks += [asyncio.create_task(guest.link.run()) for guest in batch]
        for guest in batch:
            await guest.wait_until(partial(attrgetter("is_logged_in"), guest))
    await report_and_wait(CONNECTED)
    for start in range(0, len(all_tables), BATCH_SIZE):
        await asyncio.gather(*[begin_session(table, robots) for table in all_tables[start : start + BATCH_SIZE]])
    await report_and_wait(PLAYING)
    for guest in all_guests:
        guest.measure()
    measurements.screen_times.clear()
    measurements.own_times.clear()
    await report_and_wait(CONNECTED)
    for guest in all_guests:
        guest.end()
    await asyncio.sleep(ANSWER_SECONDS)
    for guest in all_guests:
        guest.count()
    print(msgspec.json.encode(measurements).decode(), flush=True)
    await asyncio.wait(tasks)


def create_nick(table: int, place: int) -> str:
    """Return a unique nick of letters only."""
    return "".join([chr(ord("a") + int(digit)) for digit in f"{table:04}{place}"]).title()


async def report_and_wait(line: str) -> None:
    """Print a status line, and wait for a line of input."""
    print(line, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def begin_session(table: BenchTable, robots: int) -> None:
    """Open a table with its guests, and robots in the other seats."""
    seats = max(GAMES[table.game].about.seats)
    master, *other_guests = table.guests
    players, spectators = other_guests[: seats - robots - 1], other_guests[seats - robots - 1 :]
    await master.link.send(protocol.OpenTable(table.game, seats, name=master.nick, draws_seats=False))

    def list_own_rows() -> list[TableInfo]:
        return [row for row in master.rows.values() if row.name == master.nick and not row.playing]

    await master.wait_until(lambda: bool(list_own_rows()))
    id_ = list_own_rows()[0].table
    for guest in players:
        await guest.link.send(protocol.SitDown(id_))
    nicks = {guest.nick for guest in players}
    await master.wait_until(lambda: nicks <= {info.name for info in list_own_rows()[0].seats})
    await master.link.send(protocol.Start(id_))
    await master.wait_until(lambda: master.plays)
    for guest in spectators:
        await guest.link.send(protocol.Watch(id_))
    for guest in other_guests:
        await guest.wait_until(partial(attrgetter("plays"), guest))
