"""Measured strength of the robot levels in Rifki, from ``benchmarks/ladder.py rifki``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=36.51, error=1.03, deals=3000),
    expert=StrengthGap(points=16.63, error=2.73, deals=300),
)
