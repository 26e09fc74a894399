"""Dialog that starts a new session at a position of a finished one."""

from pathlib import Path
from typing import NamedTuple

from cardtable.engine.game import Seat
from cardtable.engine.journal import Header
from cardtable.store import seating, sessions
from cardtable.ui.toolkit.context import PageContext


class ForkPosition(NamedTuple):
    """Position of a session at which a new one starts, and the player's seat in the new one."""

    path: Path
    header: Header
    lines: int
    """Number of lines of the journal that are copied into the new session."""
    when: str
    """Position in words, such as "at this moment of round 3"."""
    seat: Seat
    place: str
    """Player's seat in words, such as "Ada's seat"."""


async def fork_session(context: PageContext, position: ForkPosition) -> None:
    """Start a new session at a position, with robots in all seats but the player's.

    The player is asked for confirmation if the settings require it.
    """
    seats = seating.replace_other_people(position.header.seats, position.seat, context.nick)
    text = (
        f"A new session starts {position.when}, with you in {position.place} and robots in all other seats. "
        "It does not count in the rankings, and this session stays as it is."
    )
    asks = context.preferences.settings.confirm
    if not asks or await context.confirm("Play from here", text, "start it", "go back"):
        context.open_session(lambda: sessions.fork(position.path, position.lines, seats))
