"""Rummy for two players: sequences, groups and an open discard pile."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "rummy",
    "Rummy",
    "sequences, groups, the face-up pile",
    "to 100",
    (2,),
    2,
    "AD 2D 3D",
    aim="Melds earn points; cards left in your hand cost theirs.",
)
