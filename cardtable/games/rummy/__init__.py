"""Rummy for two players: sequences, groups and an open discard pile."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    key="rummy",
    title="Rummy",
    summary="sequences, groups, the face-up pile",
    length="to 100",
    seats=(2,),
    usual_seats=2,
    emblem="AD 2D 3D",
    aim="Melds earn points; cards left in your hand cost theirs.",
)
