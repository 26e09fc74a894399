"""Pips: the highest card takes the trick."""

from typing import Final

from cardtable.engine.game import About

ABOUT: Final = About("pips", "Pips", "the highest card takes the trick", "3 rounds", (2, 3, 4), 3)
