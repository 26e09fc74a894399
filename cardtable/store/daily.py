"""The deal of the day: everybody who looks on the same day finds the same game and the same cards."""

from datetime import date
from typing import Final

from cardtable.games import KEYS

_FIRST: Final = date(1970, 1, 1)


def game_of(day: date) -> str:
    """The key of the game that this day is for; they take turns in the picker's order."""
    return KEYS[(day - _FIRST).days % len(KEYS)]


def seed_of(day: date) -> int:
    """The number of this day's deal: 20261120 on the 20th of November 2026."""
    return int(f"{day:%Y%m%d}")
