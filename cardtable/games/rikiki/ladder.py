"""How far the levels of robots are apart: what ``benchmarks/ladder.py rikiki`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=2.04, error=0.14, deals=1000),
    expert=Ahead(points=1.62, error=0.43, deals=100),
)
