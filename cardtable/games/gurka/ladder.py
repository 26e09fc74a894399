"""How far the levels of robots are apart: what ``benchmarks/ladder.py gurka`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=1.49, error=0.06, deals=1000),
    expert=Ahead(points=0.42, error=0.17, deals=100),
)
