"""What people have used of the time of a session, by its journal, and what is left of it as seconds go by."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Journal, Line, SeatOf
from cardtable.engine.table import Table

_LONGEST: Final = 10**14
"""Seconds; a journal holds no number with more than 15 digits."""


class Clock:
    """Adds up the steps of ``at`` up to each decision of a person, to its being taken back, or to the end of her time.

    What robots decide costs nothing, and talk neither stops a clock nor moves it.
    """

    def __init__(self, seats: Sequence[SeatOf]) -> None:
        self.used = 0.0
        """Seconds that people have used in this round."""
        self.last = 0.0
        """``at`` of the last line that is not talk or a name: from there a decision takes its time."""
        self.latest = 0.0
        """``at`` of the last line."""
        self._seats = list(seats)
        self._spent: dict[SeatOf, float] = {}
        """Seconds that each person has used in the session."""
        self._decided: list[Seat] = []
        """The seats of the decisions that can be taken back."""

    def spent(self, seat: Seat) -> float | None:
        """Seconds that the person who sits at ``seat`` has used in the session; ``None`` of a robot."""
        who = self._seats[seat]
        return self._spent.get(who, 0.0) if who.robot is None else None

    def add(self, line: Line) -> None:
        """Count a line."""
        self.latest = line.at or self.latest
        if line.talk:
            return
        step = self.latest - self.last
        self.last = self.latest
        if line.action is not None and line.seat is not None:
            self._decided.append(line.seat)
            self._charge(line.seat, step)
        elif line.undo is not None:
            seat = self._decided[-line.undo]
            del self._decided[-line.undo :]
            self._charge(seat, step)
        elif line.sit is not None:
            self._seats[line.sit] = line.sitter
        elif line.forfeit is not None:
            self._charge(line.forfeit, step)
        elif line.chance is not None or line.void is not None:
            self._decided.clear()
            if not line.chance or line.chance.startswith("deal "):
                self.used = 0.0

    def _charge(self, seat: Seat, step: float) -> None:
        who = self._seats[seat]
        if who.robot is None:
            self.used += step
            self._spent[who] = self._spent.get(who, 0.0) + step


class Clocks:
    """The clocks at one table; they run while a person is to act."""

    def __init__(self, table: Table, written: Journal) -> None:
        self._table, self._used = table, Clock(written.header.seats)
        for entry in written.entries:
            self._used.add(entry.line)
        self._before = self._used.latest
        self._stopped: float | None = None
        """When the clocks were stopped."""
        self.go_by(monotonic)

    def go_by(self, seconds: Callable[[], float]) -> None:
        """From now on these seconds count, which have gone since some moment."""
        self._seconds, self._opened = seconds, seconds()

    def now(self) -> float:
        """Seconds that the session has been open in a program."""
        seconds = self._seconds() if self._stopped is None else self._stopped
        return min(round(self._before + seconds - self._opened, 3), _LONGEST)

    def stop(self) -> None:
        """Stop all clocks until ``start``; of no effect while they are stopped."""
        if self._stopped is None:
            self._stopped = self._seconds()

    def start(self) -> None:
        """Have the clocks go on from where they were stopped."""
        if self._stopped is not None:
            self._opened += self._seconds() - self._stopped
            self._stopped = None

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
