"""Inputs that a session can wait for, the events it returns, and its snapshot for one seat.

The values are frozen. The pending inputs contain no hidden cards, so that every front end may have them; each names
the methods of ``PlayableSession`` that answer it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import TypeAlias

import msgspec

from cardtable.engine.game import Event, Note, Score, Seat, View
from cardtable.session.message_log import NOTHING_MISSED, MissedMessages


class AutoAdvance(msgspec.Struct, frozen=True):
    """No player is needed: a deal, a forced silent action or the end is due; answer with ``go_on()``."""


class AwaitingNextRound(msgspec.Struct, frozen=True):
    """Waiting for the players to read the points of the round; ``go_on()`` deals the next one."""


class AwaitingRobot(msgspec.Struct, frozen=True):
    """Waiting for a robot; ``play()`` the worker's answer to ``request()``."""

    seat: Seat


class AwaitingHandover(msgspec.Struct, frozen=True):
    """Waiting for the next hot-seat player; answer with ``confirm_handover()``."""

    seat: Seat
    password: str = ""
    """Nick whose password ``submit_password()`` has to accept first; ``""`` if no password is required."""


class AwaitingPlayer(msgspec.Struct, frozen=True):
    """Waiting for a person; answer with ``play()``, ``take_back()`` or ``play_out()``.

    If a clock has run out, the answer is ``apply_timeout()``.
    """

    seat: Seat


class AwaitingRemote(msgspec.Struct, frozen=True):
    """Waiting for the program that plays the session; answer with ``poll()``, and ``apply_next()`` for each line."""

    lines: int
    """Number of lines that were read and not applied yet."""


class SessionOver(msgspec.Struct, frozen=True):
    """The session has ended; no input is awaited."""


PendingInput: TypeAlias = (
    AutoAdvance | AwaitingNextRound | AwaitingRobot | AwaitingHandover | AwaitingPlayer | AwaitingRemote | SessionOver
)


class ObservedEvent(msgspec.Struct, frozen=True):
    """A game event with every subscriber's view before and after it."""

    event: Event
    before: Mapping[Seat, View]
    after: Mapping[Seat, View]


SessionEvent: TypeAlias = ObservedEvent | Note
"""A change in the game, or a note that every player at the table gets."""


class Stage(Enum):
    """Stage of a session, as a front end shows it."""

    PLAY = "play"
    ROUND_END = "round end"
    CURTAIN = "curtain"
    SESSION_END = "session end"


class SessionSnapshot(msgspec.Struct, frozen=True):
    """Snapshot of a session as one seat sees it.

    It contains public information only while no player sits at the keyboard.
    """

    view: View
    others: Mapping[Seat, View] = {}
    """Views of the other seats; empty unless all hands are open (house rule, practice, or a table of robots)."""
    stage: Stage = Stage.PLAY
    handover_seat: Seat | None = None
    """Seat of the player whom the curtain asks to the keyboard; ``None`` without a curtain."""
    password_nick: str = ""
    """Nick of that player if their password is required; else ``""``."""
    scores: tuple[Score, ...] = ()
    """Finished rounds."""
    ranks: tuple[int, ...] | None = None
    results: tuple[int, ...] | None = None
    """Final results, once the session has ended."""
    messages: tuple[Note, ...] = ()
    missed: MissedMessages = NOTHING_MISSED
    """Public messages since the called player last acted."""
    round_left: float | None = None
    """Seconds left for the round, if it has a clock; negative once it has run out."""
    seats_left: tuple[float | None, ...] = ()
    """Seconds left in the session by seat, if it has clocks."""

    spectators: tuple[str, ...] = ()
    """Nicks of the spectators at other machines."""
    disconnected: Mapping[Seat, int] = {}
    """Seats of disconnected players of a hosted session, each with the seconds for which the host still waits."""

    @property
    def seat(self) -> Seat:
        """The seat whose snapshot this is."""
        return self.view.seat
