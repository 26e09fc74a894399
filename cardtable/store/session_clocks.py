"""Clocks of open sessions, computed from the times of journal lines, so that they go on after a pause."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final, assert_never

from cardtable.engine import journal
from cardtable.engine.game import Seat
from cardtable.engine.journal import Journal, Line, Occupant
from cardtable.engine.referee import Referee

_MAX_TIME: Final = 10**14
"""Maximum value of ``at``, in seconds. Numbers in a journal have at most 15 digits."""


class TimeUsage:
    """Time that each human player has used, computed from the ``at`` values of journal lines, in seconds.

    A player is charged the time from the previous line to their decision, to its undo, or to their forfeit. Decisions
    of robots take no time. Table talk neither stops nor advances a clock.
    """

    def __init__(self, seats: Sequence[Occupant]) -> None:
        self.used_in_round = 0.0
        """Time that all human players together have used in the current round."""
        self.decision_start = 0.0
        """Start of the current decision: the ``at`` value of the last line that is no talk, table name or mark."""
        self.latest_time = 0.0
        """The ``at`` value of the last line."""
        self._seats = list(seats)
        self._time_used: dict[Occupant, float] = {}
        """Time that each human player has used in the session."""
        self._undoable_seats: list[Seat] = []
        """Seats of the decisions that can still be undone, in order."""

    def get_time_used(self, seat: Seat) -> float | None:
        """Return the time in seconds that the player at ``seat`` has used in the session, or ``None`` for a robot."""
        occupant = self._seats[seat]
        return self._time_used.get(occupant, 0.0) if occupant.robot is None else None

    def add_line(self, line: Line) -> None:
        """Account for the next journal line."""
        self.latest_time = line.at or self.latest_time
        if isinstance(line, journal.TalkLine | journal.NameLine | journal.MarkLine):
            return
        step = self.latest_time - self.decision_start
        self.decision_start = self.latest_time
        match line:
            case journal.ActionLine():
                self._undoable_seats.append(line.seat)
                self._charge(line.seat, step)
            case journal.UndoLine():
                index = len(self._undoable_seats) - line.decisions
                if line.seat is not None:  # its last choice, after which others may have chosen
                    index = max(index for index, seat in enumerate(self._undoable_seats) if seat == line.seat)
                seat = self._undoable_seats[index]
                del self._undoable_seats[index : index + 1 if line.seat is not None else None]
                self._charge(seat, step)
            case journal.OccupantLine():
                self._seats[line.seat] = line.occupant
            case journal.ForfeitLine():
                self._charge(line.seat, step)
            case journal.ChanceLine(is_deal=False):
                self._undoable_seats.clear()
            case journal.ChanceLine() | journal.VoidLine():
                self._undoable_seats.clear()
                self.used_in_round = 0.0
            case journal.LostLine() | journal.ResultLine():
                pass
            case _:
                assert_never(line)

    def _charge(self, seat: Seat, step: float) -> None:
        occupant = self._seats[seat]
        if occupant.robot is None:
            self.used_in_round += step
            self._time_used[occupant] = self._time_used.get(occupant, 0.0) + step


class Clocks:
    """Clocks of one session, which run while a human player is to act. All values are in seconds."""

    def __init__(self, referee: Referee, written: Journal) -> None:
        self._referee, self._usage = referee, TimeUsage(written.header.seats)
        self._rules = referee.options.to_dict()
        for entry in written.entries:
            self._usage.add_line(entry.line)
        self._time_before = self._usage.latest_time
        self._stop_time: float | None = None
        """Value of the time source when the clocks were stopped, or ``None`` while they run."""
        self.set_time_source(monotonic)

    def set_time_source(self, seconds: Callable[[], float]) -> None:
        """Use ``seconds`` as the time source.

        It returns seconds from any origin, as ``time.monotonic`` does.
        """
        self._seconds, self._start_time = seconds, seconds()

    def now(self) -> float:
        """Return the total time for which programs have had the session open, in seconds.

        The ``at`` of the next line.
        """
        seconds = self._seconds() if self._stop_time is None else self._stop_time
        return min(round(self._time_before + seconds - self._start_time, 3), _MAX_TIME)

    def stop(self) -> None:
        """Stop all clocks until ``start`` is called. Clocks that are stopped remain stopped."""
        if self._stop_time is None:
            self._stop_time = self._seconds()

    def start(self) -> None:
        """Resume the clocks after ``stop``. The time in between does not count."""
        if self._stop_time is not None:
            self._start_time += self._seconds() - self._stop_time
            self._stop_time = None

    def add_line(self, line: Line) -> None:
        """Account for a line that has been written to the journal."""
        self._usage.add_line(line)

    @property
    def round_time_left(self) -> float | None:
        """Time left for the round in seconds, negative once it has run out.

        ``None`` without the house rule ``round_clock``. The value is meaningful only while a human player is to act.
        """
        minutes = self._rules.get("round_clock")
        if not isinstance(minutes, int):
            return None
        return 60 * minutes - self._usage.used_in_round - (self.now() - self._usage.decision_start)

    def get_seat_time_left(self, seat: Seat) -> float | None:
        """Return the time left to the player at ``seat`` for the rest of the session, in seconds.

        It is negative once it has run out, and ``None`` for robots and without the house rule ``clock``.
        """
        minutes = self._rules.get("clock")
        spent = self._usage.get_time_used(seat)
        if not isinstance(minutes, int) or spent is None:
            return None
        runs = seat in self._referee.list_seats_to_act()
        running = self.now() - self._usage.decision_start if runs else 0.0
        return 60 * minutes - spent - running
