"""Guests without a wire: what they are told goes through frames all the same."""

import asyncio
from contextlib import suppress
from random import Random

from cardtable.club.protocol import decode_server, decode_view, encode
from cardtable.club.server.hosted_session import HostedSession
from cardtable.engine.referee import IllegalAction
from cardtable.robots.kit.rollouts import RandomRobot
from cardtable.session.session_events import Stage
from tests.session.session_player import session


async def at_random(request):
    """A robot that thinks no time."""
    return RandomRobot().choose(request.view, Random(f"{request.seed} {request.decisions}"), lambda: False)


class Table:
    """A table that is played, while this is entered."""

    def __init__(self, key, *, people=2, grace=60, clock=lambda: 0.0, think=at_random, opened=None, **options):
        self.key = key
        self.session = opened or session(key, people=people, **options)
        self.playing = HostedSession(self.session, think, grace, clock)

    async def __aenter__(self):
        self._task = asyncio.create_task(self.playing.play())
        return self

    async def __aexit__(self, *_):
        self._task.cancel()
        await asyncio.wait([self._task])
        self.playing.close()
        if not self._task.cancelled() and (error := self._task.exception()):
            raise error

    async def guest(self, seat):
        """Somebody comes to a seat, or with ``None`` looks on."""
        guest = Guest(self, seat)
        nick = "Kay" if seat is None else f"Seat {seat}"
        guest.listener = self.playing.make_subscriber(nick, seat, guest.news.set)
        await self.playing.subscribe([guest.listener])
        return guest


class Guest:
    """Somebody at a table, and all that she was told."""

    def __init__(self, table, seat):
        self.table, self.seat, self.rng = table, seat, Random(f"{table.key} {seat}")
        self.news = asyncio.Event()
        self.view, self.others, self.now = None, {}, None
        self.notes, self.scores, self.steps, self.frames = [], [], [], []

    def hear(self):
        """Read what there is to be read."""
        self.news.clear()
        update = self.listener.drain()
        if update is None:
            return
        frame = encode(update)
        self.frames.append(frame)
        now = self.now = decode_server(frame)
        if now.whole:
            self.notes, self.scores = [], []
        self.notes += now.notes
        self.scores += now.scores
        for step in now.steps:
            self.view = decode_view(self.table.key, step.view)
            self.others = {seat: decode_view(self.table.key, view) for seat, view in step.others.items()}
            self.steps.append(step)

    async def until(self, holds):
        """Hear until something holds."""
        while self.now is None or not holds():
            await self.news.wait()
            self.hear()

    @property
    def asked(self):
        """Whether she is to act."""
        return self.view is not None and bool(self.view.legal)

    async def act(self, action=None):
        """Choose."""
        await self.table.playing.act(self.seat, self.now.at, str(action or self.rng.choice(self.view.legal)))

    async def play(self, rounds=None):
        """Play to the end of the session, or of so many rounds."""
        while True:
            await self.until(lambda: True)
            if self.now.stage is Stage.SESSION_END or len(self.scores) == rounds:
                return
            if self.now.stage is Stage.ROUND_END:
                await self.table.playing.acknowledge_round(self.seat, self.view.round)
            elif self.asked:
                with suppress(IllegalAction):  # the other's word came between
                    await self.act()
            await self.news.wait()
            self.hear()

    async def leave(self):
        """Go."""
        await self.table.playing.leave(self.listener)
