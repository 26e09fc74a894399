"""King, a trick-taking game for four with ten contracts for each dealer, most of which punish taking tricks or
cards.
"""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "king",
    "King",
    "ten contracts each, most to be dodged",
    "40 rounds",
    (4,),
    4,
    "KH QH JH",
    aim="Most contracts punish what you take; a few reward it.",
)
