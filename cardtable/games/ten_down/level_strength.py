"""Measured strength of the robot levels in Ten Down, from ``benchmarks/ladder.py ten_down``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=0.99, error=0.05, deals=3000),
    expert=StrengthGap(points=0.53, error=0.12, deals=300),
)
