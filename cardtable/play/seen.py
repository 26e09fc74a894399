"""What is to be seen of a session at one moment: a frozen value, made of views only."""

from collections.abc import Mapping
from enum import Enum

import msgspec

from cardtable.engine.contract import Note, Score, Seat, View
from cardtable.play.news import NOTHING_MISSED, Missed


class Stage(Enum):
    """Where the session stands."""

    PLAY = "play"
    ROUND_END = "round end"
    CURTAIN = "curtain"
    SESSION_END = "session end"


class Seen(msgspec.Struct, frozen=True):
    """A session as one seat sees it; as anybody may see it while nobody sits at the keyboard."""

    view: View
    others: Mapping[Seat, View] = {}
    """What the other seats see: where all hands are open, in practice and at a table of robots, and nowhere else."""
    stage: Stage = Stage.PLAY
    called: Seat | None = None
    """Who is to come to the keyboard, while the curtain hides the table; ``None`` while only robots act."""
    asked: str = ""
    """Her nick, if she has to give her password there."""
    scores: tuple[Score, ...] = ()
    """The finished rounds."""
    ranks: tuple[int, ...] | None = None
    results: tuple[int, ...] | None = None
    """What the totals come to at the end of the session."""
    messages: tuple[Note, ...] = ()
    missed: Missed = NOTHING_MISSED
    """What happened since she sat there; everybody may read it."""
    round_left: float | None = None
    """Seconds that are left for the round, if it has a clock."""
    seats_left: tuple[float | None, ...] = ()
    """The same for each seat and the session."""

    looking_on: tuple[str, ...] = ()
    """Who looks on from other machines."""
    away: Mapping[Seat, int] = {}
    """Seats whose people are away from a table at a host, with the seconds for which they are still waited for."""

    @property
    def me(self) -> Seat:
        """The seat that is looked from."""
        return self.view.seat
