"""King, a trick-taking game for four players with ten contracts for each dealer.

Most contracts punish taking tricks or cards.
"""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    key="king",
    title="King",
    summary="ten contracts; most say what to avoid",
    length="40 rounds",
    seats=(4,),
    usual_seats=4,
    emblem="KH QH JH",
    aim="Most contracts punish what you take; a few reward it.",
)
