"""Clocks: what people have used of the time for a round and for a session, from the journal's lines."""

from collections.abc import Sequence

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Line, SeatOf


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
