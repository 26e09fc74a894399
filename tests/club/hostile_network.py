"""Guests that play on despite lost connections and restarts of the host, and record every view."""

import asyncio
from contextlib import suppress

from cardtable.club import protocol
from cardtable.club.client.connection import NotConnectedError
from cardtable.engine.game import OVER
from cardtable.engine.journal import ActionLine, OccupantLine, read
from cardtable.engine.replay import create_referee
from cardtable.engine.value_checks import decode_view
from cardtable.games import GAMES
from cardtable.session.session_events import Stage
from tests.club.loopback_club import Guest

RETRY_DELAY = 0.1
"""Seconds before a request without effect is repeated."""


class PersistentGuest(Guest):
    """A guest that returns to its table after every failure."""

    def __init__(self, url, nick, *, retry_delay=RETRY_DELAY, **login):
        super().__init__(url, nick, **login)
        self.retry_delay = retry_delay
        self.displayed_views, self.sent = [], {}
        self.unseated = False

    def receive(self, message):
        if isinstance(message, protocol.Welcome | protocol.RequestFailed):
            self.unseated = True
        super().receive(message)

    def apply_update(self, update):
        super().apply_update(update)
        self.displayed_views.append((update.at, update.steps[-1].view if update.steps else None))

    async def play(self, table, condition=lambda: False):
        """Play until a condition is true or the session is over."""
        while not condition() and not (self.update and self.update.stage is Stage.SESSION_END):
            with suppress(NotConnectedError):
                if self.unseated:
                    self.unseated = False
                    await self.send(protocol.SitDown(table))
                await self._respond(table)
            self.news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(self.retry_delay):
                    await self.news.wait()

    async def _respond(self, table):
        if self.update is None or self.view is None:
            return
        if self.update.stage is Stage.ROUND_END:
            await self.send(protocol.AcknowledgeRound(table, self.view.round))
        elif self.view.legal:
            action = str(self.rng.choice(self.view.legal))
            self.sent.setdefault(self.update.at, []).append(action)
            await self.send(protocol.Act(table, self.update.at, action))


def check_journal(path, guests):
    """Assert that the journal agrees with the guests; return True if the session is over.

    Every decision that a guest was shown is in the journal, once and as sent, and every view shown belongs to a
    position of the journal.
    """
    journal = read(path.read_bytes())
    table = create_referee(journal.header, GAMES)
    seats = {guest.seated.seat: guest for guest in guests if guest.seated}
    seen = {(0, seat): [table.view(seat)] for seat in seats}
    substituted = set()
    for entry in journal.entries:
        line = entry.line
        if isinstance(line, OccupantLine):
            (substituted.add if line.robot else substituted.discard)(line.seat)
        if isinstance(line, ActionLine) and line.seat in seats.keys() - substituted:
            by_itself = str(table.game.forced_silent_action(table.view(line.seat)))
            chosen = seats[line.seat].sent.get(table.decisions, ())
            assert line.action in (by_itself, *chosen), (
                f"an action in the journal was sent by no guest: {line.action} of seat {line.seat}, not {chosen}"
            )
        table.apply_line(line)
        for seat in seats:
            seen.setdefault((table.decisions, seat), []).append(table.view(seat))
    for seat, guest in seats.items():
        for at, view in guest.displayed_views:
            assert at <= table.decisions, "a decision that was shown is not in the journal"
            if view is not None:
                assert decode_view(GAMES[journal.header.game], view) in seen[at, seat], (
                    "a view that was shown is not in the journal"
                )
    return table.turn == OVER
