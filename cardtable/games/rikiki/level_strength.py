"""Measured strength of the robot levels in Rikiki, from ``benchmarks/ladder.py rikiki``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=3.73, error=0.2, deals=500),
    expert=StrengthGap(points=1.72, error=0.26, deals=280),
)
