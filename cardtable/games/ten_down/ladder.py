"""How far the levels of robots are apart: what ``benchmarks/ladder.py ten_down`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=1.06, error=0.08, deals=1000),
    expert=Ahead(points=0.11, error=0.21, deals=100),
)
