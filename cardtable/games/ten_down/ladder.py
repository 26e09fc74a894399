"""How far the levels of robots are apart: what ``benchmarks/ladder.py ten_down`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=1.07, error=0.05, deals=3000),
    expert=Ahead(points=0.59, error=0.12, deals=300),
)
