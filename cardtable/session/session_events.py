"""Inputs that a session can wait for, the events it returns, and its snapshot for one seat.

All values are frozen. The pending inputs contain no hidden cards, so every front end may receive them; each names the
methods of ``PlayableSession``, or of its ``local`` member, that answer it.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Final, TypeAlias

import msgspec

from cardtable.engine.game import Action, Event, Note, Score, Seat, View
from cardtable.session.message_log import NOTHING_MISSED, MissedMessages

WATCHING: Final = "You are watching."
"""Reason why a spectator cannot act."""


class AutoAdvance(msgspec.Struct, frozen=True):
    """No player is needed: chance, a forced silent action or the end is due; answer with ``advance()``."""


class AwaitingNextRound(msgspec.Struct, frozen=True):
    """Waiting for the players to read the points of the round; ``advance()`` deals the next one."""


class AwaitingRobot(msgspec.Struct, frozen=True):
    """Waiting for a robot; pass the worker's answer to ``create_robot_request()`` to ``play()``."""

    seat: Seat


class AwaitingHandover(msgspec.Struct, frozen=True):
    """Waiting for the next hot-seat player; answer with ``confirm_handover()``."""

    seat: Seat
    password: str | None = None
    """Nick whose password ``submit_password()`` has to accept first; ``None`` if no password is required."""


class AwaitingPlayer(msgspec.Struct, frozen=True):
    """Waiting for a person; answer with ``play()``, ``take_back()`` or ``claim_rest()``.

    If a clock has run out, the answer is ``apply_timeout()``.
    """

    seat: Seat


class AwaitingRemote(msgspec.Struct, frozen=True):
    """Waiting for the program that plays the session.

    Answer with ``poll()``, then with ``apply_next()`` for each line.
    """

    lines: int
    """Number of lines that have been read but not applied."""


class AwaitingReader(msgspec.Struct, frozen=True):
    """Waiting for the player to read a text of a lesson or a puzzle; answer with ``advance()``."""


class AwaitingScript(msgspec.Struct, frozen=True):
    """Waiting for the next event of a lesson, such as a play of another seat; ``advance()`` applies it."""

    seat: Seat | None = None
    """Seat that acts; ``None`` for chance, and for a forced action that tells nothing."""


class SessionOver(msgspec.Struct, frozen=True):
    """The session has ended; no input is awaited."""


PendingInput: TypeAlias = (
    AutoAdvance
    | AwaitingNextRound
    | AwaitingRobot
    | AwaitingHandover
    | AwaitingPlayer
    | AwaitingRemote
    | AwaitingReader
    | AwaitingScript
    | SessionOver
)


class CoachedDecision(msgspec.Struct, frozen=True):
    """Decision of the only person at a table, made while the coach was on."""

    view: View
    """View of the seat just before the decision."""
    action: Action
    decisions: int
    """Number of earlier decisions in the session, by all seats."""


class ObservedEvent(msgspec.Struct, frozen=True):
    """Event of the game, with the views before and after it of all seats that this front end may show."""

    event: Event
    before: Mapping[Seat, View]
    after: Mapping[Seat, View]


SessionEvent: TypeAlias = ObservedEvent | Note
"""Result of a change: an event of the game, or a log entry for everyone at the table."""


class Stage(Enum):
    """Stage of a session, which decides what a front end shows."""

    PLAY = "play"
    ROUND_END = "round end"
    CURTAIN = "curtain"
    SESSION_END = "session end"


class SessionPrompt(msgspec.Struct, frozen=True):
    """Text and question of a lesson, or of a puzzle, at a moment."""

    title: str
    text: str
    """Text to read, in paragraphs separated by blank lines; empty while there is none. Cards are in notation."""
    question: str
    """Question in one line; empty unless the pupil is to choose."""
    step: int = 0
    """Number of the current step of a lesson, starting at 1."""
    steps: int = 0
    """Number of steps; 0 for a puzzle, which has none."""
    answer: Action | None = None
    """Right action, which is told after two wrong ones; ``None`` before."""
    right_actions: tuple[Action, ...] = ()
    """Right actions, on which the cursor must not begin; empty if any action counts."""
    origin: str = "the lessons"
    """Name of the list from which the player has come, and to which they return."""


class SessionSnapshot(msgspec.Struct, frozen=True):
    """Everything that one seat sees of a session at a moment.

    While only public information may be shown, ``messages`` has only public entries. ``view`` still contains the hand
    of the seat, which a front end must not show in the stage ``CURTAIN``.
    """

    view: View
    others: Mapping[Seat, View] = {}
    """Views of the other seats; empty unless all hands are open (house rule, practice or a table of robots)."""
    stage: Stage = Stage.PLAY
    handover_seat: Seat | None = None
    """Seat of the player whom the curtain calls to the keyboard; ``None`` if there is no curtain."""
    password_nick: str | None = None
    """Nick of the called player if their password is required, else ``None``."""
    scores: tuple[Score, ...] = ()
    """Scores of the finished rounds."""
    former_players: tuple[tuple[str, ...], ...] = ()
    """Names of others who made the finished rounds, for each seat; empty strings for rounds of the present player."""
    ranks: tuple[int, ...] | None = None
    results: tuple[int, ...] | None = None
    """Final totals; ``None`` until the session has ended."""
    messages: tuple[Note, ...] = ()
    missed: MissedMessages = NOTHING_MISSED
    """Public messages since the called player last acted; empty unless only public information is shown."""
    round_left: float | None = None
    """Time left for the round in seconds, negative once it has run out; ``None`` if the round has no clock."""
    seats_left: tuple[float | None, ...] = ()
    """Time left for each seat in seconds; ``None`` for a seat without a clock."""

    spectators: tuple[str, ...] = ()
    """Nicks of the spectators of a hosted session."""
    disconnected: Mapping[Seat, int] = {}
    """Seats of disconnected players of a hosted session, with the seconds for which the host still waits for each."""
    substitute_votes: frozenset[Seat] = frozenset()
    """Seats of disconnected players for whom the viewing player has asked for a robot."""

    prompt: SessionPrompt | None = None
    """Text and question, if the session is a lesson or a puzzle."""

    @property
    def seat(self) -> Seat:
        """Seat that sees this snapshot."""
        return self.view.seat
