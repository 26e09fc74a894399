"""How far the levels of robots are apart: what ``benchmarks/ladder.py rifki`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=36.21, error=1.8, deals=1000),
    expert=Ahead(points=6.2, error=5.69, deals=100),
)
