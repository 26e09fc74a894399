"""The round clock: what people have used of the time for a round, from the journal's lines."""

from collections.abc import Collection

from cardtable.engine.contract import Seat
from cardtable.engine.journal import Line


class RoundClock:
    """Adds up the steps of ``at`` up to each line of a person; robots' lines cost nothing."""

    def __init__(self, people: Collection[Seat]) -> None:
        self.used = 0.0
        """Seconds that people have used in this round."""
        self.last = 0.0
        """``at`` of the last line."""
        self._people = people

    def add(self, line: Line) -> None:
        """Count a line."""
        step = (line.at or self.last) - self.last
        self.last += step
        if line.action is not None and line.seat in self._people:
            self.used += step
        elif line.void is not None or (line.chance or "").startswith("deal "):
            self.used = 0.0
