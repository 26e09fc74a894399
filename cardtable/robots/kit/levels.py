"""How good robots are, in words and as it was measured; what plays at a level is in ``robot.py``."""

from typing import Final, NamedTuple

LEVELS: Final = ("random", "novice", "steady", "expert")
"""The levels, weakest first.  ``random`` is for tests and simulation."""


class StrengthGap(NamedTuple):
    """How far one robot is ahead of those of the level below, on the same deals in every seating."""

    points: float
    """Points a round, as they stand on the score sheet."""
    error: float
    """The standard error of that."""
    deals: int


class StrengthLadder(NamedTuple):
    """How far the levels of a game are apart with its usual number of seats; ``benchmarks/ladder.py`` measures it."""

    steady: StrengthGap
    expert: StrengthGap
