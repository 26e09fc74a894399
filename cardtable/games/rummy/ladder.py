"""How far the levels of robots are apart: what ``benchmarks/ladder.py rummy`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=37.49, error=1.88, deals=600),
    expert=Ahead(points=55.44, error=9.41, deals=60),
)
