"""Robot levels in words, and the type of their measured strength."""

from types import MappingProxyType
from typing import Final, NamedTuple

LEVEL_STYLES: Final = MappingProxyType(
    {
        "random": "plays at random",
        "novice": "is hasty and forgetful",
        "steady": "plays by rules of thumb",
        "expert": "looks ahead",
    }
)
"""How the robots of each level play, weakest first."""
LEVELS: Final = tuple(LEVEL_STYLES)
"""Levels, weakest first. ``random`` serves tests and simulations."""


class StrengthGap(NamedTuple):
    """Measured advantage of a robot over robots of the level below, from a duplicate match."""

    points: float
    """Mean advantage in points per round; positive if the stronger robot is ahead, whatever total wins the game."""
    error: float
    """Standard error of ``points``."""
    deals: int


class StrengthLadder(NamedTuple):
    """Advantage of the two upper levels of a game over the level below each, at the usual number of seats.

    ``benchmarks/ladder.py`` measures it.
    """

    steady: StrengthGap
    expert: StrengthGap
