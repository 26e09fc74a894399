"""Measured strength of the robot levels in King, from ``benchmarks/ladder.py king``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=5.05, error=0.37, deals=1200),
    expert=StrengthGap(points=8.17, error=1.75, deals=120),
)
