"""How far the levels of robots are apart: what ``benchmarks/ladder.py rummy`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=33.78, error=1.4, deals=1000),
    expert=Ahead(points=56.95, error=10.01, deals=100),
)
