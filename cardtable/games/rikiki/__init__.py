"""Rikiki: bid exactly the number of tricks that you will take."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "rikiki",
    "Rikiki",
    "bid exactly the tricks you will make",
    "28 rounds",
    (4,),
    4,
    "3S 3H 3D",
    aim="Bid how many tricks you will take: it must be exact.",
)
