"""Clocks: what people have used of the time for a round and for a session, from the journal's lines."""

from collections.abc import Collection

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Line


class Clock:
    """Adds up the steps of ``at`` up to each decision of a person, or to its being taken back.

    What robots decide costs nothing, and talk neither stops a clock nor moves it.
    """

    def __init__(self, people: Collection[Seat]) -> None:
        self.used = 0.0
        """Seconds that people have used in this round."""
        self.spent = dict.fromkeys(people, 0.0)
        """Seconds that each person has used in the session."""
        self.last = 0.0
        """``at`` of the last line that is not talk or a name: from there a decision takes its time."""
        self.latest = 0.0
        """``at`` of the last line."""
        self._decided: list[Seat] = []
        """Who made the decisions that can be taken back."""

    def add(self, line: Line) -> None:
        """Count a line."""
        self.latest = line.at or self.latest
        if line.say is not None or line.name is not None:
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
        elif line.chance is not None or line.void is not None:
            self._decided.clear()
            if not line.chance or line.chance.startswith("deal "):
                self.used = 0.0

    def _charge(self, seat: Seat, step: float) -> None:
        if seat in self.spent:
            self.used += step
            self.spent[seat] += step
