"""How far the levels of robots are apart: what ``benchmarks/ladder.py gurka`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=1.46, error=0.03, deals=4000),
    expert=Ahead(points=0.19, error=0.07, deals=400),
)
