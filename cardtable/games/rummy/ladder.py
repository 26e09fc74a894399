"""How far the levels of robots are apart: what ``benchmarks/ladder.py rummy`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=39.45, error=1.86, deals=600),
    expert=Ahead(points=69.17, error=11.43, deals=60),
)
