"""The clocks at the table: shown while a person is to act, whose time they end."""

import asyncio
from collections.abc import Callable
from typing import Final

from cardtable.engine.contract import Seat
from cardtable.store.sessions import Session
from cardtable.ui.table.model.sight import Sight
from cardtable.wording.clocks import minutes, run_out

TICK: Final = 1.0
"""Seconds from one look at the clocks to the next."""


class Clocks:
    """Shows the clocks of a session in a sight; ``end`` ends the wait for the person when one has run out."""

    def __init__(self, session: Session, sight: Sight, end: Callable[[], None], show: Callable[[], None]) -> None:
        self._session, self._sight, self._end, self._show = session, sight, end, show

    @property
    def are_there(self) -> bool:
        """Whether there is a clock at all."""
        return bool(self._sight.clock) or any(self._sight.clocks)

    def session_lost(self, seat: Seat) -> bool:
        """Whether the time of ``seat`` for the session is over."""
        return run_out(self._session.clocks.of_seat(seat))

    @property
    def round_void(self) -> bool:
        """Whether the time for the round is over."""
        return run_out(self._session.clocks.of_round)

    async def tick(self) -> None:
        """Show the clocks while a person is to act, and end the wait when one has run out."""
        while True:
            if self._sight.waiting:
                self.read()
                self._show()
                if self.session_lost(self._session.table.turn) or self.round_void:
                    self._end()
            await asyncio.sleep(TICK)

    def read(self) -> None:
        """Put what is left into the sight."""
        clocks, sight = self._session.clocks, self._sight
        sight.clock = minutes(clocks.of_round if sight.people else None)
        sight.clocks = tuple([minutes(clocks.of_seat(seat)) for seat in range(len(sight.names))])
