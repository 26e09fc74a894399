"""Ten Down: bid tricks; each round has one card fewer."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "ten_down",
    "Ten Down",
    "bid; each round has one card fewer",
    "5-10 rounds",
    (2, 3, 4),
    4,
    "TS TS 9C",
    aim="Each trick is 1 point; exactly what you bid is 10 more.",
)
