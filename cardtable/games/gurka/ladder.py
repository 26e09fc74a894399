"""How far the levels of robots are apart: what ``benchmarks/ladder.py gurka`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=1.48, error=0.03, deals=3000),
    expert=Ahead(points=0.29, error=0.11, deals=300),
)
