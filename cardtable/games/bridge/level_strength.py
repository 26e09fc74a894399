"""How far the levels of robots are apart: what ``benchmarks/ladder.py bridge`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=4.02, error=0.15, deals=6000),
    expert=Ahead(points=1.49, error=0.38, deals=600),
)
