"""Rikiki: bid exactly the number of tricks that you will take."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    key="rikiki",
    title="Rikiki",
    summary="bid exactly the tricks you will make",
    length="28 rounds",
    seats=(4,),
    usual_seats=4,
    emblem="3S 3H 3D",
    aim="Bid how many tricks you will take: it must be exact.",
)
