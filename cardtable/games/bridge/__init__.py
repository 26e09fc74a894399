"""Bridge, a shedding game in which a jack names the suit (not contract bridge)."""

from typing import Final

from cardtable.engine.game import GameInfo

ABOUT: Final = GameInfo(
    key="bridge",
    title="Bridge",
    summary="shed your cards; jacks name the suit",
    length="to 125",
    seats=(2, 3, 4),
    usual_seats=4,
    emblem="JC 6H 8S",
    aim="Get rid of your cards: those you keep count against you.",
)
