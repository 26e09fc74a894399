"""A scripted table of a club: actions and outcomes of chance are given, and every frame is recorded."""

import asyncio
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server.club_file import KnownGuest
from cardtable.club.server.club_table import ClubTable, TableHost
from cardtable.club.server.host_events import Fault
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.requests import handle_request
from cardtable.club.server.server_options import ServerOptions
from cardtable.engine import journal
from cardtable.engine.game import CHANCE
from cardtable.engine.journal import ActionLine, ChanceLine, Occupant
from cardtable.session.session_events import AutoAdvance, RobotChoice
from cardtable.store import sessions

NOW = datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC)
NAMES = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn")
TABLE = "a-table"


class RecordingClient:
    """A client of the club that records the frames sent to it; a slow client collects them only on request."""

    def __init__(self, client, *, slow):
        self.client, self.frames = client, []
        self.task = None if slow else asyncio.create_task(self._collect())

    async def _collect(self):
        while frame := await self.client.wait_for_frame():
            self.frames.append(frame)

    def read_frames(self):
        """Collect the waiting frames and return all frames so far."""
        self.frames += iter(self.client.take_frame, b"")
        return self.frames


class World:
    """A club with one table, at which players, robots and chance follow a script.

    The journal is not written, and the clocks stand still.
    """

    def __init__(self, case, player_seats, past_events, events, *, seed):
        """Create the session. Seats that are not in ``player_seats`` have robots.

        ``past_events`` happened before the host was started; ``events`` follow while it runs.
        """
        seats = [Occupant(NAMES[seat], None if seat in player_seats else "random") for seat in range(case.seats)]
        begun = sessions.create(case.game, seats, case.options, seed, now=NOW, id_=TABLE)
        begun.close()
        lines = [
            ChanceLine(str(event)) if turn == CHANCE else ActionLine(turn, str(event)) for turn, event in past_events
        ]
        begun.path.write_bytes(journal.encode(begun.header, lines))
        self.session = sessions.resume(begun.path)
        self.table = self.session.referee
        self.table.record = self.session._apply_metadata
        self.table._draw_chance = self._draw
        self.session.clocks.set_time_source(lambda: 0.0)
        self._outcomes, self._robot_actions = [event for turn, event in events if turn == CHANCE], asyncio.Queue()
        self._clients = {}
        self._decisions = self.table.decisions

    def _draw(self):
        outcome = self._outcomes.pop(0)
        self.table._apply_chance(outcome, self.table._compute_next_state(outcome))

    def _note_fault(self, event):
        if isinstance(event, Fault):
            self._faults.append(event)

    @asynccontextmanager
    async def open(self):
        """Open the club and its table."""

        async def think(_):
            return RobotChoice(await self._robot_actions.get())

        self.room = ClubLobby(ServerOptions("The club"), think)
        self._faults = []
        registry = self.room.table_manager.registry
        host = TableHost(think, registry.save_or_raise, emit=self._note_fault)
        table = registry.tables[TABLE] = ClubTable(host, TABLE, NAMES[0], 0)
        self.hosted = await table.begin(lambda: self.session)
        self._all_clients = []
        try:
            yield self
        finally:
            for ear in self._all_clients:
                if ear.task:
                    ear.task.cancel()
                    with suppress(asyncio.CancelledError):
                        await ear.task
            await self.room.close("")

    async def join(self, seat, *, slow=False):
        """Connect a client that sits down at ``seat``, or watches if it is None."""
        nick = "Kay" if seat is None else NAMES[seat]
        ear = RecordingClient(self.room.add_client(KnownGuest(nick), "token", ConnectionOrigin()), slow=slow)
        self._all_clients.append(ear)
        self._clients.setdefault(seat, []).append(ear)
        await self._send(ear, protocol.Watch(TABLE) if seat is None else protocol.SitDown(TABLE))
        return ear

    async def leave(self, seat):
        """Let all clients at a seat leave the table."""
        for ear in self._clients.pop(seat):
            await self._send(ear, protocol.Leave(TABLE))

    async def stand_in(self, seat):
        """Let a robot stand in for a seat, at the request of all players present."""
        for ears in [*self._clients.values()]:
            if ears[0].client.subscriptions[TABLE].seat is not None:
                await self._send(ears[0], protocol.VoteSubstitute(TABLE, seat))

    async def run_events(self, events):
        """Carry out events in order, by the clients, the robots or chance."""
        for turn, event in events:
            if turn == CHANCE:  # within a round it has been drawn already
                for seat in set(self._clients) - {None} if self._outcomes else ():
                    await self._send(self._clients[seat][0], protocol.AcknowledgeRound(TABLE, self.table.round))
                continue
            self._decisions += 1
            if self.table.decisions == self._decisions:  # it went without saying
                continue
            if self.session.header.seats[turn].robot:
                self._robot_actions.put_nowait(event)
                await self._settle(self.table.decisions + 1)
            else:
                await self._send(self._clients[turn][0], protocol.Act(TABLE, self.table.decisions, str(event)))

    async def _send(self, client, message):
        await handle_request(self.room, client.client, message)
        await self._settle()

    async def _settle(self, decisions=0):
        """Wait until the table waits for a client and has made at least this number of decisions."""
        for _ in range(1000):
            await asyncio.sleep(0)
            assert not self._faults
            wants = self.hosted._runner.pending
            goes_on = (
                isinstance(wants, AutoAdvance)
                and self.hosted.people.present_seats
                and (self.table.turn != CHANCE or self._outcomes)
            )
            if not goes_on and self.table.decisions >= decisions:
                break
        for _ in range(6):
            await asyncio.sleep(0)
