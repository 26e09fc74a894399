"""How far the levels of robots are apart: what ``benchmarks/ladder.py ten_down`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=0.99, error=0.05, deals=3000),
    expert=Ahead(points=0.53, error=0.12, deals=300),
)
