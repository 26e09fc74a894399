"""Ten Down: bid tricks; each round has one card fewer."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    key="ten_down",
    title="Ten Down",
    summary="bid; each round has one card fewer",
    length="5-10 rounds",
    seats=(2, 3, 4),
    usual_seats=4,
    emblem="TS TS 9C",
    aim="Each trick is 1 point; exactly what you bid is 10 more.",
)
