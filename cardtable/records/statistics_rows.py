"""Parts of a player's statistics, which ``statistics --json`` prints as they are.

The docstrings of the types are their descriptions in the JSON schema.
"""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from cardtable.engine.options import Value


class RoundPoints(msgspec.Struct, frozen=True):
    """Best or worst round in ``statistics --json``."""

    points: int
    """Points by which the total increased."""
    round: int
    """Number of the round in its session."""
    session: str


class BidRow(msgspec.Struct):
    """Bids with one number of cards in ``statistics --json``."""

    number: int
    exact: int
    high: Annotated[int, Meta(description="Number of bids that were too high.")]

    @property
    def low(self) -> int:
        """Number of bids that were too low."""
        return self.number - self.exact - self.high


class PointsRow(msgspec.Struct):
    """Points in the rounds of one contract in ``statistics --json``."""

    rounds: int
    points: int

    @property
    def mean(self) -> float:
        """Mean points per round. Raises ``ZeroDivisionError`` if there is no round."""
        return self.points / self.rounds

    def add(self, points: int) -> None:
        self.rounds += 1
        self.points += points


class TotalsRow(msgspec.Struct):
    """Range of the totals with the same house rules and number of seats, in ``statistics --json``."""

    seat_count: int
    options: Mapping[str, Value]
    sessions: int
    best: int
    worst: int
    session: Annotated[str, Meta(description="Id of the session with the best total.")]
    """The earliest one of several."""
