"""How far the levels of robots are apart: what ``benchmarks/ladder.py bridge`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=4.34, error=0.21, deals=3000),
    expert=Ahead(points=1.26, error=0.53, deals=300),
)
