"""Interface between a front end and a session, whether its journal is written here or at a host."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cardtable.engine.claim import ClaimVerdict
from cardtable.engine.game import Action, AnyGame, Note, Seat, View
from cardtable.engine.journal import Header, Journal
from cardtable.session.message_log import MissedMessages
from cardtable.session.session_events import PendingInput, SessionEvent, SessionSnapshot
from cardtable.store.sessions import Session

if TYPE_CHECKING:  # plain text at home needs no event loop
    import asyncio

    from cardtable.robots import worker


class PlayableSession(Protocol):
    """A session that is played at this front end: in this process, or through a host.

    ``SessionRunner`` implements the interface for local sessions, ``cardtable.club.client`` for sessions of a club.
    Each method that changes the session returns the events and notes that resulted, after the disk or the host has
    confirmed them. An instance is used by one thread at a time.
    """

    @property
    def pending(self) -> PendingInput:
        """The input that the session waits for."""

    @property
    def session(self) -> Session | None:
        """The open session if it is played in this process, else ``None``."""

    @property
    def journal_path(self) -> Path | None:
        """Path of the journal if it is on this machine, else ``None``."""

    @property
    def header(self) -> Header:
        """The journal's header, with the current occupants of the seats."""

    @property
    def game(self) -> AnyGame: ...

    @property
    def people(self) -> Sequence[Seat]:
        """Seats of the people who play at this front end."""

    @property
    def initial_seat(self) -> Seat:
        """The seat from which the table is shown first."""

    @property
    def hands_open(self) -> bool:
        """True if this front end may show the hands of all seats."""

    @property
    def robots_only(self) -> bool:
        """True if all seats are robots, and the viewer sets the pace."""

    @property
    def public_only(self) -> bool:
        """True if only public information may be shown now: the keyboard is unattended, or a hand-over is pending."""

    @property
    def is_hidden(self) -> bool:
        """True if no player sits at the keyboard, so that no hand may be shown."""

    @property
    def spectator_reason(self) -> str:
        """The reason, in words, for which this front end can only watch.

        It is ``""`` if the player at this front end merely waits for another seat.
        """

    @property
    def data_available(self) -> "asyncio.Event | None":
        """Event that is set when data from the host is available; ``None`` if the caller has to ``poll``."""

    @property
    def save_error(self) -> str | None:
        """Description of the failure to save; ``None`` if everything is saved."""

    @property
    def progress(self) -> tuple[int, int]:
        """Number of the round, and number of decisions that have not been undone."""

    @property
    def seconds_left(self) -> float | None:
        """Seconds until a clock of the person to act runs out; negative afterwards.

        It is ``None`` if no clock is running.
        """

    def load_recent_messages(self) -> None:
        """Fill the message log with the messages of the round that is resumed.  Reads the whole journal."""

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        """Return a snapshot of the session for ``seat``."""

    def clocks(self) -> tuple[float | None, tuple[float | None, ...]]:
        """Return the seconds left for the round, and for each seat in the session; ``None`` without such a clock."""

    def messages(self, seat: Seat) -> tuple[Note, ...]:
        """Return the messages of ``seat``, or the public ones while ``public_only``."""

    def forget_messages(self, seat: Seat) -> None:
        """Remove the messages of ``seat`` so far."""

    def missed(self, seat: Seat | None) -> MissedMessages:
        """Return the public messages since ``seat`` last acted."""

    def is_last_actor(self, seat: Seat) -> bool:
        """Return True if the last decision of ``seat`` can be undone by the rules: no new card has been seen since."""

    def advance(self) -> Sequence[SessionEvent]:
        """Advance the session where no decision is needed: chance, a forced action, the end, the next round."""

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """Play ``action`` for the seat to act, a person or a robot.  Raises ``IllegalAction``."""

    def robot_request(self) -> "worker.ChooseRequest":
        """Return the request that asks the worker for the action of the robot to act."""

    def hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """Return the request for a hint about ``view``, which must be current.

        ``to_another``: True if the hint is for a different seat than the one to act.
        """

    def take_back(self, choices: int) -> Sequence[SessionEvent]:
        """Undo the only person's last decision with at least ``choices`` legal actions, and all later ones.

        Returns ``()`` if that is impossible. A rest of a round that was played out counts as one decision.
        """

    def undo_distance(self, choices: int) -> int:
        """Return the number of decisions that ``take_back(choices)`` would undo; 0 if that is impossible."""

    def undo_refusal(self, choices: int) -> str:
        """Return the reason, in words, for which ``take_back(choices)`` is impossible."""

    def check_claim(self, seat: Seat) -> Callable[[], ClaimVerdict]:
        """Return a function that judges the claim of ``seat`` to have the rest of the round played out.

        It takes a while and may be called from any thread.
        """

    def claim_rest(self) -> Sequence[SessionEvent]:
        """Play the rest of the round automatically, after a claim that cannot change its points."""

    def apply_timeout(self) -> Sequence[SessionEvent]:
        """Apply the rule for an expired clock: the session is lost, or the round is void.

        Returns ``()`` if no clock has expired.
        """

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        """Add table talk of ``seat``.  Raises ``CardtableError`` if it cannot be saved."""

    def submit_password(self, password: str) -> str:
        """Check the password of the player who takes over the keyboard.

        Returns the refusal in words, ``""`` if the password is right.
        """

    def confirm_handover(self) -> Sequence[SessionEvent]:
        """Confirm that the player called by ``AwaitingHandover`` sits at the keyboard.

        The call has no effect while a password is required.
        """

    def poll(self) -> None:
        """Read the lines that another program or the host has written.

        Raises ``CardtableError`` if they cannot be read.
        """

    def apply_next(self) -> Sequence[SessionEvent]:
        """Apply the next line that ``poll`` has read.  Raises ``IllegalAction``."""

    @property
    def undone(self) -> int:
        """Number of decisions that were undone so far."""

    def journal(self) -> Journal:
        """Return the journal so far, as far as this front end may know it.

        Raises ``CardtableError`` if it cannot be read.
        """

    def request_substitute(self, seat: Seat) -> str:
        """Request that a robot takes the place of the absent player at ``seat``.

        Returns the refusal in words, ``""`` if the request was accepted. If other people wait as well, the host
        replaces the player once all of them have asked.
        """

    def add_message(self, note: Note) -> None:
        """Show a message at this front end only; the journal does not record it."""

    def close(self) -> None:
        """Close the session."""
