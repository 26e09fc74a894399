"""King, a trick-taking game for four players with ten contracts for each dealer.

Most contracts punish taking tricks or cards.
"""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "king",
    "King",
    "ten contracts; most say what to avoid",
    "40 rounds",
    (4,),
    4,
    "KH QH JH",
    aim="Most contracts punish what you take; a few reward it.",
)
