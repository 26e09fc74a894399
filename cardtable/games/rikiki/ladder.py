"""How far the levels of robots are apart: what ``benchmarks/ladder.py rikiki`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=2.0, error=0.08, deals=2800),
    expert=Ahead(points=1.57, error=0.27, deals=280),
)
