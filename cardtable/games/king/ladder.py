"""How far the levels of robots are apart: what ``benchmarks/ladder.py king`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=5.22, error=0.41, deals=1000),
    expert=Ahead(points=8.46, error=1.52, deals=100),
)
