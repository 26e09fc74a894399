"""Gurka, a trick-taking game in which only the last trick counts, and costs points."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    key="gurka",
    title="Gurka",
    summary="do not take the last trick",
    length="to 30",
    seats=(4, 6),
    usual_seats=4,
    emblem="AD 9C 2S",
    aim="Do not take the last trick: its card counts against you.",
    grows=True,
)
