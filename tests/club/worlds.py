"""A club with one table in a world of one's choice: what is told to happen there happens, and each frame is kept."""

import asyncio
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from cardtable.club import protocol
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.server.accounts import AccountStore, KnownGuest
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.tables import ActiveTable
from cardtable.engine import journal
from cardtable.engine.game import CHANCE
from cardtable.engine.journal import Line, Occupant
from cardtable.session.session_events import AutoAdvance, AwaitingRobot
from cardtable.store import sessions

NOW = datetime(2026, 11, 20, 8, 37, 28, tzinfo=UTC)
NAMES = ("Anna", "Bob", "Cleo", "Dan", "Emil", "Finn")
TABLE = "a-table"


class Ear:
    """Somebody in the club, and what she was told, frame by frame; who is slow reads when she is asked to."""

    def __init__(self, visit, *, slow):
        self.visit, self.frames = visit, []
        self.task = None if slow else asyncio.create_task(self._hear())

    async def _hear(self):
        while True:
            self._keep(await self.visit.next_frames())

    def read(self):
        """All that there is for her by now."""
        self._keep(self.visit._waiting())
        return self.frames

    def _keep(self, frames):
        self.frames += frames


class World:
    """A club whose table stands somewhere; people and robots do what is told, and so does chance.

    Nothing of what happens is written, and no time goes by.
    """

    def __init__(self, case, people, before, happened, *, seed):
        """``people``: the seats of people; robots have the others.  The host was started between both pasts."""
        seats = [Occupant(NAMES[seat], None if seat in people else "random") for seat in range(case.seats)]
        begun = sessions.create(case.game, seats, case.options, seed, now=NOW, id_=TABLE)
        begun.close()
        lines = [Line(chance=str(it)) if turn == CHANCE else Line(seat=turn, action=str(it)) for turn, it in before]
        begun.path.write_bytes(journal.encode([begun.header, *lines]))
        self.session = sessions.resume(begun.path)
        self.table = self.session.referee
        self.table.record = self.session._apply_metadata
        self.table._draw_chance = self._draw
        self.session.clocks.set_time_source(lambda: 0.0)
        self._comes, self._chosen = [event for turn, event in happened if turn == CHANCE], asyncio.Queue()
        self._here = {}
        self._decided = self.table.decisions

    def _draw(self):
        outcome = self._comes.pop(0)
        self.table._apply_chance(outcome, self.table._compute_next_state(outcome))

    @asynccontextmanager
    async def open(self):
        """The club is open."""

        async def think(_):
            return await self._chosen.get()

        self.room = ClubLobby("The club", AccountStore(), think)
        self.played = self.room.table_manager.active_tables[TABLE] = ActiveTable(
            TABLE, NAMES[0], 0, think, lambda: None
        )
        self.playing = await self.played.begin(lambda: self.session)
        self._ears = []
        try:
            yield self
        finally:
            for ear in self._ears:
                if ear.task:
                    ear.task.cancel()
                    with suppress(asyncio.CancelledError):
                        await ear.task
            await self.room.close("")

    async def comes(self, seat, *, slow=False):
        """Somebody comes to her seat, or with ``None`` looks on."""
        nick = "Kay" if seat is None else NAMES[seat]
        ear = Ear(self.room.enter(KnownGuest(nick), "token", ConnectionOrigin()), slow=slow)
        self._ears.append(ear)
        self._here.setdefault(seat, []).append(ear)
        await self._says(ear, protocol.LookOn(TABLE) if seat is None else protocol.SitDown(TABLE))
        return ear

    async def leave(self, seat):
        """All who are at a seat leave the table."""
        for ear in self._here.pop(seat):
            await self._says(ear, protocol.Leave(TABLE))

    async def stand_in(self, seat):
        """A robot plays for a seat, since all others want it."""
        for ears in [*self._here.values()]:
            if ears[0].visit.subscriptions[TABLE].seat is not None:
                await self._says(ears[0], protocol.StandIn(TABLE, seat))

    async def happens(self, happened):
        """All this happens, one after the other."""
        for turn, event in happened:
            if turn == CHANCE:
                for seat in set(self._here) - {None}:
                    await self._says(self._here[seat][0], protocol.Ready(TABLE, self.table.round))
                continue
            self._decided += 1
            if self.table.decisions == self._decided:  # it went without saying
                continue
            if isinstance(self.playing._run.pending, AwaitingRobot):
                self._chosen.put_nowait(event)
                await self._quiet(self.table.decisions + 1)
            else:
                await self._says(self._here[turn][0], protocol.Act(TABLE, self.table.decisions, str(event)))

    async def _says(self, ear, message):
        await self.room.hear(ear.visit, message)
        await self._quiet()

    async def _quiet(self, decisions=0):
        """All has happened that happens by itself."""
        for _ in range(1000):
            await asyncio.sleep(0)
            if self.played._task.done():
                self.played._task.result()
            wants = self.playing._run.pending
            goes_on = (
                isinstance(wants, AutoAdvance) and self.playing._somebody and (self.table.turn != CHANCE or self._comes)
            )
            if not goes_on and self.table.decisions >= decisions:
                break
        for _ in range(6):
            await asyncio.sleep(0)
