"""Measured strength of the robot levels in Rifki, from ``benchmarks/ladder.py rifki``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=35.77, error=1.03, deals=3000),
    expert=StrengthGap(points=17.49, error=2.77, deals=300),
)
