"""Measured strength of the robot levels in King, from ``benchmarks/ladder.py king``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=10.24, error=0.91, deals=300),
    expert=StrengthGap(points=8.17, error=1.75, deals=120),
)
