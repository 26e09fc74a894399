"""What is left on the clocks of a session, by its journal and by the seconds that go by."""

from collections.abc import Callable
from time import monotonic
from typing import Final

from cardtable.engine.clock import Clock
from cardtable.engine.contract import Seat
from cardtable.engine.journal import Journal, Line
from cardtable.engine.table import Table

_LONGEST: Final = 10**14
"""Seconds; a journal holds no number with more than 15 digits."""


class Clocks:
    """The clocks at one table; they run while a person is to act."""

    def __init__(self, table: Table, written: Journal) -> None:
        self._table, self._used = table, Clock(written.header.seats)
        for entry in written.entries:
            self._used.add(entry.line)
        self._before = self._used.latest
        self.go_by(monotonic)

    def go_by(self, seconds: Callable[[], float]) -> None:
        """From now on these seconds count, which have gone since some moment."""
        self._seconds, self._opened = seconds, seconds()

    def now(self) -> float:
        """Seconds that the session has been open in a program."""
        return min(round(self._before + self._seconds() - self._opened, 3), _LONGEST)

    def hear(self, line: Line) -> None:
        """A line was written."""
        self._used.add(line)

    @property
    def of_round(self) -> float | None:
        """What is left of the time for the round while a person is to act; ``None`` without a round clock."""
        minutes = self._table.options.items().get("round_clock")
        if not isinstance(minutes, int):
            return None
        return 60 * minutes - self._used.used - (self.now() - self._used.last)

    def of_seat(self, seat: Seat) -> float | None:
        """What is left to a person of the time for the session; ``None`` for robots and without such clocks."""
        minutes = self._table.options.items().get("clock")
        spent = self._used.spent(seat)
        if not isinstance(minutes, int) or spent is None:
            return None
        running = self.now() - self._used.last if self._table.turn == seat else 0.0
        return 60 * minutes - spent - running
