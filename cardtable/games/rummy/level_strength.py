"""Measured strength of the robot levels in Rummy, from ``benchmarks/ladder.py rummy``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=41.22, error=2.77, deals=300),
    expert=StrengthGap(points=50.8, error=8.97, deals=100),
)
