"""Measured strength of the robot levels in King, from ``benchmarks/ladder.py king``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=7.93, error=0.74, deals=480),
    expert=StrengthGap(points=5.99, error=0.55, deals=480),
)
