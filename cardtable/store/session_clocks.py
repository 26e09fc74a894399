"""Clocks of open sessions, computed from the times of journal lines, so that they go on after a pause."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import repeat
from time import monotonic
from typing import Final, assert_never

from cardtable.engine import journal, replay
from cardtable.engine.game import Seat
from cardtable.engine.journal import Journal, Line, Occupant, RobotReason
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
        self._lost: set[Seat] = set()
        """Seats that have lost the session, in which robots decide without a clock."""
        self._undoable_seats: list[Seat] = []
        """Seats of the decisions that can still be undone, in order."""

    def get_time_used(self, seat: Seat) -> float | None:
        """Return the time in seconds that the player at ``seat`` has used in the session, or ``None`` for a robot."""
        return self._time_used.get(self._seats[seat], 0.0) if self.is_timed(seat) else None

    def is_timed(self, seat: Seat) -> bool:
        """Return True if a person in ``seat`` decides, who has not lost the session."""
        return self._seats[seat].robot is None and seat not in self._lost

    def add_line(self, line: Line) -> None:
        """Account for the next journal line."""
        self.latest_time = line.at or self.latest_time
        if isinstance(line, journal.TalkLine | journal.NameLine | journal.MarkLine):
            return
        if isinstance(line, journal.LostLine):
            self._lost.add(line.seat)
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
            case journal.ResultLine():
                pass
            case _:
                assert_never(line)

    def _charge(self, seat: Seat, step: float) -> None:
        if self.is_timed(seat):
            occupant = self._seats[seat]
            self.used_in_round += step
            self._time_used[occupant] = self._time_used.get(occupant, 0.0) + step


class Clocks:
    """Clocks of one session, which run while a human player is to act. All values are in seconds."""

    def __init__(self, referee: Referee, written: Journal) -> None:
        self._referee, self._usage = referee, TimeUsage(written.header.seats)
        self._rules = referee.options.to_dict()
        self._clock = referee.occupants.terms.clock if referee.occupants.terms else None
        self.late: dict[Seat, RobotReason] = {}
        """Seats in which a robot decides in place of the person: once, or to the end of the round."""
        self.late_in_row: Counter[Seat] = Counter()
        """Number of decisions by seat that robots have made because of the player's clock, since one of the person."""
        self._reserves_used = dict.fromkeys(range(referee.seats), 0.0)
        """Part of the reserve that the person in each seat has used."""
        self._due_since: dict[Seat, float] = {}
        """Time at which the decision of each seat that was to act before the last line became due."""
        self._changed_at = 0.0
        """The ``at`` value of the last line that changed the state of the game."""
        self._round_seats: set[Seat] = set()
        """Seats in which robots have decided in this round because its time was up."""
        games = {written.header.game: referee.game}
        positions = replay.iter_positions(written, games) if self._clock else repeat((0, referee))
        for entry, (_, position) in zip(written.entries, positions, strict=False):
            self._add_line(entry.line, position)
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
        """Account for a line that has been written to the journal; the referee applies it afterwards."""
        self._add_line(line, self._referee)

    def _add_line(self, line: Line, before: Referee) -> None:
        """Account for a line, given the referee before it."""
        self._usage.add_line(line)
        at, due = self._usage.latest_time, before.list_seats_to_act()
        self._due_since = {seat: self._due_since.get(seat, self._changed_at) for seat in due}
        match line:
            case journal.ActionLine():
                self._add_action(line, at, before)
            case journal.OccupantLine() | journal.LostLine():
                for mapping in (self.late, self.late_in_row):
                    mapping.pop(line.seat, None)
                if line.seat in due:
                    self._due_since[line.seat] = at
                return
            case journal.TalkLine() | journal.NameLine() | journal.MarkLine():
                return
            case journal.ChanceLine(is_deal=True) | journal.VoidLine():
                self.late.clear()
                self._round_seats.clear()
                self._due_since.clear()
            case _:
                self._due_since.clear()
        self._changed_at = at

    def _add_action(self, line: journal.ActionLine, at: float, before: Referee) -> None:
        seat = line.seat
        spent = at - self._due_since.pop(seat, at)
        if self._clock and self._usage.is_timed(seat):
            over = max(spent - self._clock.decision, 0)
            self._reserves_used[seat] = min(self._reserves_used[seat] + over, self._clock.reserve)
        if line.why == "round":
            if seat not in self._round_seats:  # the others have the whole time of the round again
                self._usage.used_in_round = 0.0
            self._round_seats.add(seat)
            self.late[seat] = "round"
            return
        self.late.pop(seat, None)
        if line.why == "clock":
            self.late_in_row[seat] += 1
        elif self.late_in_row[seat] and line.robot is None and not _is_automatic(line, before):
            self.late_in_row[seat] = 0

    def get_decision_time_left(self, seat: Seat) -> tuple[float, float] | None:
        """Return the time left to the person in ``seat`` for the decision, and the reserve.

        Both are 0 once they have run out. ``None`` for robots, and in a session without clocks of the players.
        """
        if self._clock is None or not self._usage.is_timed(seat):
            return None
        runs = seat in self._referee.list_seats_to_act()
        spent = self.now() - self._due_since.get(seat, self._changed_at) if runs else 0.0
        over = max(spent - self._clock.decision, 0)
        reserve = self._clock.reserve - self._reserves_used[seat] - over
        return max(self._clock.decision - spent, 0), max(reserve, 0)

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


def _is_automatic(line: journal.ActionLine, before: Referee) -> bool:
    """Return True if the program has played the only legal action without asking the person."""
    action = before.game.forced_silent_action(before.view(line.seat))
    return action is not None and str(action) == line.action
