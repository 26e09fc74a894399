"""Names of the robot levels and their measured strength; ``robot.py`` makes the robots."""

from typing import Final, NamedTuple

LEVELS: Final = ("random", "novice", "steady", "expert")
"""Levels, weakest first; ``random`` is for tests and simulation."""


class StrengthGap(NamedTuple):
    """Measured advantage of one robot over robots of the level below, on the same deals in every seating."""

    points: float
    """Mean advantage in points a round, with the sign of the score sheet."""
    error: float
    """Standard error of ``points``."""
    deals: int


class StrengthLadder(NamedTuple):
    """Advantage of each level of a game over the level below, at its usual number of seats.

    Measured by ``benchmarks/ladder.py``.
    """

    steady: StrengthGap
    expert: StrengthGap
