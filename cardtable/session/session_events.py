"""What a session waits for next: frozen values that who sits at it answers, each as it says.

They tell nothing that is hidden, so that any front end may have them.
"""

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

import msgspec

from cardtable.engine.game import Event, Note, Score, Seat, View
from cardtable.session.message_log import NOTHING_MISSED, MissedMessages


class AutoAdvance(msgspec.Struct, frozen=True):
    """For nobody: there is something to deal, a choice without a word in it, or the end to write; ``go_on``."""


class AwaitingNextRound(msgspec.Struct, frozen=True):
    """For those who look at the points of a round; ``go_on`` deals the next one."""


class AwaitingRobot(msgspec.Struct, frozen=True):
    """For a robot: ``play`` what it answers to ``request``."""

    seat: Seat


class AwaitingHandover(msgspec.Struct, frozen=True):
    """For a person to come to the keyboard before her hand is shown; ``sit_down``."""

    seat: Seat
    password: str = ""
    """The nick whose password has to be given first, by ``give``, if there is one."""


class AwaitingPlayer(msgspec.Struct, frozen=True):
    """For a person: ``play`` what she chooses, or ``take_back``, ``play_out``, or ``time_over``."""

    seat: Seat


class AwaitingRemote(msgspec.Struct, frozen=True):
    """For what another program writes, who plays the session: ``read_on``, and where there are lines ``take`` each."""

    lines: int
    """How many were read and have still to be taken."""


class SessionOver(msgspec.Struct, frozen=True):
    """For nothing any more: the session is over."""


PendingInput: TypeAlias = (
    AutoAdvance | AwaitingNextRound | AwaitingRobot | AwaitingHandover | AwaitingPlayer | AwaitingRemote | SessionOver
)


class ObservedEvent(msgspec.Struct, frozen=True):
    """An event of the game, as everybody saw it who is told of it."""

    event: Event
    before: Mapping[Seat, View]
    after: Mapping[Seat, View]


SessionEvent: TypeAlias = ObservedEvent | Note
"""Something that happened: in the game, or else what everybody is told."""


class Stage(Enum):
    """Where the session stands."""

    PLAY = "play"
    ROUND_END = "round end"
    CURTAIN = "curtain"
    SESSION_END = "session end"


class SessionSnapshot(msgspec.Struct, frozen=True):
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
    missed: MissedMessages = NOTHING_MISSED
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
