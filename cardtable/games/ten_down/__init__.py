"""Ten Down: bid; each round has one card less."""

from typing import Final

from cardtable.engine.contract import About

ABOUT: Final = About(
    "ten_down", "Ten Down", "bid; each round has one card less", "5-10 rounds", (2, 3, 4), 4, "TS TS 9C"
)
