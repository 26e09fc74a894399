"""How far the levels of robots are apart: what ``benchmarks/ladder.py bridge`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=4.16, error=0.36, deals=1000),
    expert=Ahead(points=0.56, error=0.76, deals=100),
)
