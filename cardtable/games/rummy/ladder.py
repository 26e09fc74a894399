"""How far the levels of robots are apart: what ``benchmarks/ladder.py rummy`` measured."""

from typing import Final

from cardtable.robots.kit.levels import Ahead, Ladder

LADDER: Final = Ladder(
    steady=Ahead(points=39.96, error=1.85, deals=600),
    expert=Ahead(points=58.46, error=11.23, deals=60),
)
