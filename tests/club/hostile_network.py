"""Guests who play on whatever happens to the line and to the host, and remember all that they were shown."""

import asyncio
from contextlib import suppress

from cardtable.club import protocol
from cardtable.club.client.connection import NotConnectedError
from cardtable.club.protocol import decode_view
from cardtable.engine.game import OVER
from cardtable.engine.journal import read
from cardtable.engine.replay import create_referee
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from tests.club.over_loopback import Guest

AGAIN = 0.1
"""Seconds after which she says again what has led to nothing."""


class Stubborn(Guest):
    """Comes back to her table again and again."""

    def __init__(self, url, nick, *, again=AGAIN, **login):
        super().__init__(url, nick, **login)
        self.again = again
        self.shown, self.sent = [], {}
        self.unseated = False

    def hear(self, message):
        if isinstance(message, protocol.Welcome | protocol.RequestFailed):
            self.unseated = True
        super().hear(message)

    def look(self, now):
        super().look(now)
        self.shown.append((now.at, now.steps[-1].view if now.steps else None))

    async def play(self, table, holds=lambda: False):
        """Play to the end of the session, or until something holds."""
        while not holds() and not (self.now and self.now.stage is Stage.SESSION_END):
            with suppress(NotConnectedError):
                if self.unseated:
                    self.unseated = False
                    await self.say(protocol.SitDown(table))
                await self._answer(table)
            self.news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.again):
                    await self.news.wait()

    async def _answer(self, table):
        if self.now is None or self.view is None:
            return
        if self.now.stage is Stage.ROUND_END:
            await self.say(protocol.Ready(table, self.view.round))
        elif self.view.legal:
            action = str(self.rng.choice(self.view.legal))
            self.sent.setdefault(self.now.at, []).append(action)
            await self.say(protocol.Act(table, self.now.at, action))


def bear_out(path, guests):
    """The journal has all that guests were shown, each decision once, and nobody was shown anything else."""
    journal = read(path.read_bytes())
    table = create_referee(journal.header, GAMES)
    seats = {guest.seated.seat: guest for guest in guests if guest.seated}
    seen = {(0, seat): [table.view(seat)] for seat in seats}
    for entry in journal.entries:
        line = entry.line
        if line.action is not None and line.seat in seats:
            by_itself = str(table.game.forced_silent_action(table.view(line.seat)))
            chosen = seats[line.seat].sent.get(table.decisions, ())
            assert line.action in (by_itself, *chosen), "nobody has chosen that"
        table.apply_line(line)
        for seat in seats:
            seen.setdefault((table.decisions, seat), []).append(table.view(seat))
    for seat, guest in seats.items():
        for at, view in guest.shown:
            assert at <= table.decisions, "a decision that was shown is lost"
            if view is not None:
                assert decode_view(journal.header.game, view) in seen[at, seat], "something else was shown"
    return table.turn == OVER
