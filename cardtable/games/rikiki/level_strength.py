"""How far the levels of robots are apart: what ``benchmarks/ladder.py rikiki`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=1.75, error=0.08, deals=2800),
    expert=Ahead(points=1.69, error=0.26, deals=280),
)
