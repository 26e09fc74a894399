"""What a front end needs of a session at which somebody sits, wherever its journal is written."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.game import Action, AnyGame, Note, Seat, View
from cardtable.engine.journal import Header, Journal
from cardtable.session.message_log import MissedMessages
from cardtable.session.session_events import PendingInput, SessionEvent, SessionSnapshot
from cardtable.store.sessions import Session

if TYPE_CHECKING:  # plain lines at home do without loops
    import asyncio

    from cardtable.robots import worker


class PlayableSession(Protocol):
    """A session as those see it who sit here.

    Each method that changes it returns what happened, once that is written: it waits for a disk, or for a host.
    Used by one thread at a time.
    """

    @property
    def pending(self) -> PendingInput:
        """What it waits for."""

    @property
    def session(self) -> Session | None:
        """The session itself, where it is played here."""

    @property
    def record(self) -> Path | None:
        """Where its journal lies, if that is at this machine."""

    @property
    def header(self) -> Header:
        """What it was begun with, and who sits where."""

    @property
    def game(self) -> AnyGame:
        """What is played."""

    @property
    def people(self) -> Sequence[Seat]:
        """The seats of those who play here."""

    @property
    def initial_seat(self) -> Seat:
        """Whose seat is looked from first."""

    @property
    def hands_open(self) -> bool:
        """Whether everybody here may see all hands."""

    @property
    def robots_only(self) -> bool:
        """Whether only robots play, at the pace of who watches them."""

    @property
    def public_only(self) -> bool:
        """Whether nothing may be seen but what all may see."""

    @property
    def is_hidden(self) -> bool:
        """Whether nobody sits at the keyboard."""

    @property
    def spectator_reason(self) -> str:
        """Why nobody here can act, in words, where it is played elsewhere; nothing where who is here only waits."""

    @property
    def data_available(self) -> "asyncio.Event | None":
        """Set once something has come from elsewhere; ``None`` where one has to look for it."""

    @property
    def save_error(self) -> str | None:
        """Why saving fails."""

    @property
    def progress(self) -> tuple[int, int]:
        """Which round it is, and how many decisions stand."""

    @property
    def seconds_left(self) -> float | None:
        """How long the person to choose has until a clock has run out."""

    def load_recent_messages(self) -> None:
        """Have those who play here know what happened before."""

    def seen(self, seat: Seat) -> SessionSnapshot:
        """All that there is to be seen from a seat now."""

    def clocks(self) -> tuple[float | None, tuple[float | None, ...]]:
        """What is left of the time for the round, and to each seat of that for the session."""

    def messages(self, seat: Seat) -> tuple[Note, ...]:
        """What a seat was told."""

    def forget_messages(self, seat: Seat) -> None:
        """Show no messages that were told so far."""

    def missed(self, seat: Seat | None) -> MissedMessages:
        """What happened since a seat last acted."""

    def is_last_actor(self, seat: Seat) -> bool:
        """Whether a seat has a decision that nothing new has followed."""

    def go_on(self) -> Sequence[SessionEvent]:
        """What goes on by itself, or from the points of a round to the next."""

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """What the person or robot chooses who is to."""

    def request(self) -> "worker.ChooseRequest":
        """What the robot to choose is asked."""

    def question(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """What the expert is asked about a view of now."""

    def take_back(self, choices: int) -> Sequence[SessionEvent]:
        """Back to the last decision of the only person among so many choices, or more."""

    def undo_distance(self, choices: int) -> int:
        """How many decisions that would take back."""

    def undo_refusal(self, choices: int) -> str:
        """Why there is none, in words."""

    def rest(self, seat: Seat) -> Callable[[], ClaimVerdict]:
        """Whether a seat may have the rest of the round played out."""

    def play_out(self) -> Sequence[SessionEvent]:
        """The rest of the round, where it cannot change the points any more."""

    def apply_timeout(self) -> Sequence[SessionEvent]:
        """What follows from a clock that has run out."""

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        """Table talk."""

    def submit_password(self, password: str) -> str:
        """Try the password of who is called."""

    def confirm_handover(self) -> Sequence[SessionEvent]:
        """Who is called has come."""

    def poll(self) -> None:
        """Read what was written elsewhere."""

    def apply_next(self) -> Sequence[SessionEvent]:
        """Let what was read happen here, too."""

    @property
    def undone(self) -> int:
        """Decisions taken back so far."""

    def journal(self) -> Journal:
        """What happened so far, all or as much as may be known.  Raises ``CardtableError`` where it cannot be had."""

    def stand_in(self, seat: Seat) -> str:
        """Have a robot play for who is away, where others wait too once all of them want it; why not, in words."""

    def add_message(self, note: Note) -> None:
        """Everybody here is told something that is no part of the session."""

    def close(self) -> None:
        """Let it go."""
