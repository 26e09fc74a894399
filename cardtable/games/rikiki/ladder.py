"""How far the levels of robots are apart: what ``benchmarks/ladder.py rikiki`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=2.04, error=0.12, deals=1200),
    expert=Ahead(points=1.22, error=0.39, deals=120),
)
