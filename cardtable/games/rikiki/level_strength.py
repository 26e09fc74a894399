"""How far the levels of robots are apart: what ``benchmarks/ladder.py rikiki`` measured."""

from typing import Final

from cardtable.robots.kit.levels import StrengthGap, StrengthLadder

LADDER: Final = StrengthLadder(
    steady=StrengthGap(points=1.75, error=0.08, deals=2800),
    expert=StrengthGap(points=1.69, error=0.26, deals=280),
)
