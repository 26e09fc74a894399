"""Measured strength of the robot levels in Rifki, from ``benchmarks/ladder.py rifki``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=49.34, error=3.12, deals=300),
    expert=StrengthGap(points=16.63, error=2.73, deals=300),
)
