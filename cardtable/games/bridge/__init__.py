"""Bridge, a shedding game in which a jack names the suit (not contract bridge)."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    "bridge",
    "Bridge",
    "shed your cards; jacks name the suit",
    "to 125",
    (2, 3, 4),
    4,
    "JC 6H 8S",
    aim="Get rid of your cards: those you keep count against you.",
)
