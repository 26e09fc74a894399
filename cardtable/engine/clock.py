"""Clocks: what people have used of the time for a round and for a session, from the journal's lines."""

from collections.abc import Collection

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Line


class Clock:
    """Adds up the steps of ``at`` up to each decision of a person; robots' decisions cost nothing."""

    def __init__(self, people: Collection[Seat]) -> None:
        self.used = 0.0
        """Seconds that people have used in this round."""
        self.spent = dict.fromkeys(people, 0.0)
        """Seconds that each person has used in the session."""
        self.last = 0.0
        """``at`` of the last line."""

    def add(self, line: Line) -> None:
        """Count a line."""
        step = (line.at or self.last) - self.last
        self.last += step
        if line.action is not None and line.seat in self.spent:
            self.used += step
            self.spent[line.seat] += step
        elif line.void is not None or (line.chance or "").startswith("deal "):
            self.used = 0.0
