"""Measured strength of the robot levels in Bridge, from ``benchmarks/ladder.py bridge``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=1.85, error=0.26, deals=1500),
    expert=StrengthGap(points=1.46, error=0.38, deals=600),
)
