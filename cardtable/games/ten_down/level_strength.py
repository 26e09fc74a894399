"""Measured strength of the robot levels in Ten Down, from ``benchmarks/ladder.py ten_down``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=2.21, error=0.11, deals=600),
    expert=StrengthGap(points=0.53, error=0.12, deals=300),
)
