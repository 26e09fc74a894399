"""Measured strength of the robot levels in Rikiki, from ``benchmarks/ladder.py rikiki``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=1.75, error=0.08, deals=2800),
    expert=StrengthGap(points=1.72, error=0.26, deals=280),
)
