"""Measured strength of the robot levels in Gurka, from ``benchmarks/ladder.py gurka``."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=1.19, error=0.03, deals=3000),
    expert=StrengthGap(points=0.38, error=0.06, deals=600),
)
