"""Rifki, the Turkish King: declare a contract, then avoid or collect tricks."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "rifki",
    "Rifki",
    "Turkish King: declare, dodge, collect",
    "20 rounds",
    (4,),
    4,
    "KH QD JS",
    aim="Dodge what a contract punishes; with trumps, win tricks.",
)
