"""What people at a table do beside the game: they talk, and sit down."""

from typing import Final

from cardtable.engine.contract import Seat
from cardtable.engine.journal import SeatOf
from cardtable.engine.notes import Said, SatDown
from cardtable.store.text import clean

MOST_SAID: Final = 200
"""Characters of table talk that can be said at once."""


def said(text: str, seat: Seat | None) -> Said:
    """Table talk as it may be shown: on one line, and not too long."""
    return Said(seat, clean(" ".join(text.split()), MOST_SAID))


def sits_down(who: SeatOf, left: SeatOf) -> SatDown:
    """What everybody is told of who sits down where ``left`` sat."""
    return SatDown(None, who.name, who.robot, left.name)
