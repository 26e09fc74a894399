"""Gurka, a trick-taking game in which only the last trick counts, and costs points."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "gurka",
    "Gurka",
    "do not take the last trick",
    "to 30",
    (4, 6),
    4,
    "AD 9C 2S",
    aim="Do not take the last trick: its card counts against you.",
    grows=True,
)
