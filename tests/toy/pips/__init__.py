"""Pips: the highest card wins the trick."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo("pips", "Pips", "the highest card takes the trick", "3 rounds", (2, 3, 4), 3)
