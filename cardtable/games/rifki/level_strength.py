"""How far the levels of robots are apart: what ``benchmarks/ladder.py rifki`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=35.77, error=1.03, deals=3000),
    expert=Ahead(points=17.49, error=2.77, deals=300),
)
