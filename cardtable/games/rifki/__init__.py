"""Rifki, the Turkish King: declare a contract, then avoid or collect tricks."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    key="rifki",
    title="Rifki",
    summary="Turkish King: declare, dodge, collect",
    length="20 rounds",
    seats=(4,),
    usual_seats=4,
    emblem="KH QD JS",
    aim="Dodge what a contract punishes; with trumps, win tricks.",
)
