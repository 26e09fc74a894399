"""Players and spectators of a hosted session without a network; updates are encoded to frames all the same."""

import asyncio
from contextlib import asynccontextmanager, suppress
from random import Random

from cardtable.club.protocol import decode_server, encode
from cardtable.club.server.club_file import KnownGuest
from cardtable.club.server.host_events import ignore_event
from cardtable.club.server.hosted_session import HostedSession
from cardtable.club.server.table_access import find_present_owners
from cardtable.engine.referee import IllegalAction
from cardtable.engine.value_checks import decode_view
from cardtable.games import GAMES
from cardtable.robots.kit.robot import RandomRobot
from cardtable.session.session_events import RobotChoice, Stage
from cardtable.store import profiles
from tests.session.session_player import create_session
from tests.waiting import TIMEOUT, describe_condition


async def choose_randomly(request):
    """Choose a random action, without delay."""
    rng = Random(f"{request.seed} {request.decisions}")
    return RobotChoice(RandomRobot().choose(request.view, rng, lambda: False))


def make_person(nick):
    """Return the person who is in a club under a nick."""
    profile = profiles.find(nick)
    return KnownGuest(nick, profile.id if profile else "").person


class HostedTable:
    """A hosted session that runs while the context is entered."""

    def __init__(
        self,
        key,
        *,
        people=2,
        grace=60,
        clock=lambda: 0.0,
        think=choose_randomly,
        existing_session=None,
        find_hold=None,
        is_resumed=False,
        find_connected_network=lambda _nick: "",
        emit=ignore_event,
        **options,
    ):
        self.key = key
        self.session = existing_session or create_session(key, people=people, **options)
        owners = find_present_owners(self.session.journal())
        self.hosted = HostedSession(
            self.session,
            owners,
            think,
            grace,
            clock,
            find_hold=find_hold,
            is_resumed=is_resumed,
            find_connected_network=find_connected_network,
            emit=emit,
        )

    async def __aenter__(self):
        self._task = asyncio.create_task(self.hosted.run())
        return self

    async def __aexit__(self, *_):
        self._task.cancel()
        await asyncio.wait([self._task])
        self.hosted.close()
        if not self._task.cancelled() and (error := self._task.exception()):
            raise error

    @asynccontextmanager
    async def joined_by(self, *seats):
        """Run the session; yield this table and guests at these seats."""
        async with self:
            yield self, *[await self.join(seat) for seat in seats]

    async def join(self, seat):
        """Add a player at ``seat``, or a spectator if it is None."""
        guest = LocalGuest(self, seat)
        nick = "Kay" if seat is None else f"Seat {seat}"
        guest.subscriber = self.hosted.people.make_subscriber(make_person(nick), seat, guest.news.set)
        await self.hosted.people.subscribe([guest.subscriber])
        return guest


def hosted_table(key, *seats, **options):
    """Run a hosted session; yield it and guests at these seats."""
    return HostedTable(key, **options).joined_by(*seats)


class LocalGuest:
    """A player or spectator, with everything that the host has sent to it."""

    def __init__(self, table, seat):
        self.table, self.seat, self.rng = table, seat, Random(f"{table.key} {seat}")
        self.news = asyncio.Event()
        self.view, self.others, self.update = None, {}, None
        self.notes, self.scores, self.steps, self.frames = [], [], [], []

    def read_update(self):
        """Read the waiting update, if there is one."""
        self.news.clear()
        update = self.subscriber.drain()
        if update is None:
            return
        frame = encode(update)
        self.frames.append(frame)
        now = self.update = decode_server(frame)
        if now.whole:
            self.notes, self.scores = [], []
        self.notes += now.notes
        self.scores += now.scores
        for step in now.steps:
            self.view = decode_view(GAMES[self.table.key], step.view)
            self.others = {seat: decode_view(GAMES[self.table.key], view) for seat, view in step.others.items()}
            self.steps.append(step)

    async def wait_until(self, condition):
        """Read updates until a condition is true."""
        try:
            async with asyncio.timeout(TIMEOUT):
                while self.update is None or not condition():
                    await self.news.wait()
                    self.read_update()
        except TimeoutError:
            expected = describe_condition(condition)
            raise AssertionError(f"seat {self.seat} waited in vain for {expected}; it knows {self.update}") from None

    @property
    def is_on_turn(self):
        """True if this seat has to choose an action."""
        return self.view is not None and bool(self.view.legal)

    async def act(self, action=None):
        """Send an action, a random one by default."""
        await self.table.hosted.act(self.seat, self.update.at, str(action or self.rng.choice(self.view.legal)))

    async def play(self, rounds=None):
        """Play to the end of the session, or until this number of rounds is finished."""
        await self.wait_until(lambda: True)
        while True:
            if self.update.stage is Stage.SESSION_END or len(self.scores) == rounds:
                return
            if self.update.stage is Stage.ROUND_END:
                await self.table.hosted.people.acknowledge_round(self.seat, self.view.round)
            elif self.is_on_turn:
                with suppress(IllegalAction):  # the other's word came between
                    await self.act()
            await self.wait_until(lambda latest=self.update: self.update is not latest)

    async def leave(self):
        await self.table.hosted.people.unsubscribe(self.subscriber)
