"""Interface between a front end and a session, which is played in this process or at a host."""

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
    """Session that is played at this front end, in this process or through a host.

    ``SessionRunner`` implements the interface for local sessions, ``RemoteSession`` in ``cardtable.club.client`` for
    sessions of a club. Each method that changes the session returns the resulting events and log entries, after the
    disk or the host has confirmed them. An instance may be used by one thread at a time.
    """

    @property
    def pending(self) -> PendingInput:
        """Input that the session waits for."""

    @property
    def session(self) -> Session | None:
        """Open session, if it is played in this process; else ``None``."""

    @property
    def journal_path(self) -> Path | None:
        """Path of the journal, if it is on this machine; else ``None``."""

    @property
    def header(self) -> Header:
        """Header of the journal, with the current occupants of the seats."""

    @property
    def game(self) -> AnyGame: ...

    @property
    def people(self) -> Sequence[Seat]:
        """Seats of the people who play at this front end."""

    @property
    def initial_seat(self) -> Seat:
        """Seat from which the table is shown first."""

    @property
    def hands_open(self) -> bool:
        """True if this front end may show the hands of all seats."""

    @property
    def robots_only(self) -> bool:
        """True if all seats are robots, so that the viewer sets the pace."""

    @property
    def public_only(self) -> bool:
        """True if only public information may be shown now.

        The keyboard is unattended, or a handover is pending.
        """

    @property
    def is_hidden(self) -> bool:
        """True if no player sits at the keyboard, so that no hand may be shown."""

    @property
    def spectator_reason(self) -> str:
        """Sentence that tells why this front end can only watch.

        It is empty if the player at this front end merely waits for another seat.
        """

    @property
    def data_available(self) -> "asyncio.Event | None":
        """Event that is set when the host has sent data; ``None`` if the front end has to call ``poll`` regularly."""

    @property
    def save_error(self) -> str | None:
        """Reason why the session cannot be saved; ``None`` if everything is saved."""

    @property
    def progress(self) -> tuple[int, int]:
        """Number of the round, and number of decisions made so far without undone ones."""

    @property
    def seconds_left(self) -> float | None:
        """Time in seconds until a clock of the player to act runs out, negative afterwards.

        It is ``None`` if no clock is running.
        """

    def load_recent_messages(self) -> None:
        """Fill the message log with the messages of the round that is resumed. Slow: reads the whole journal."""

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        """Return a snapshot of the session as ``seat`` sees it.

        Its view contains the hand of the seat even while ``public_only`` is True.
        """

    def get_time_left(self) -> tuple[float | None, tuple[float | None, ...]]:
        """Return the time left for the round, and the time left for each seat in the session, in seconds.

        A time is ``None`` if there is no such clock.
        """

    def get_messages(self, seat: Seat) -> tuple[Note, ...]:
        """Return the messages of ``seat``; only public messages while ``public_only`` is True."""

    def forget_messages(self, seat: Seat) -> None:
        """Remove all messages of ``seat`` from the message log."""

    def get_missed_messages(self, seat: Seat | None) -> MissedMessages:
        """Return the public messages since ``seat`` last acted; empty unless ``public_only`` is True.

        All public messages are returned if ``seat`` is ``None`` or has not acted.
        """

    def is_last_actor(self, seat: Seat) -> bool:
        """Return True if the last decision of ``seat`` can be undone, because the seat has seen no new card since."""

    def advance(self) -> Sequence[SessionEvent]:
        """Advance the session where no decision is needed: chance, a forced action, the end or the next round."""

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """Play ``action`` for the seat to act, which is a person or a robot.

        Raises ``IllegalAction`` if no decision is awaited or the action is not legal.
        """

    def create_robot_request(self) -> "worker.ChooseRequest":
        """Return the request that asks the worker process for the decision of the robot to act."""

    def create_hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """Return the request for a hint about ``view``, which must be current.

        ``to_another``: True if the hint is for a different seat from the one to act.
        """

    def take_back(self, choices: int) -> Sequence[SessionEvent]:
        """Undo the last choice of the only person, and all later decisions; return ``()`` if that is impossible.

        A choice is a decision with at least ``choices`` legal actions. The plays of a claim count as one decision.
        """

    def compute_undo_distance(self, choices: int) -> int:
        """Return the number of decisions that ``take_back(choices)`` would undo; 0 if it is impossible."""

    def explain_undo_refusal(self, choices: int) -> str:
        """Return the reason why ``take_back(choices)`` is impossible, as text for the player."""

    def check_claim(self, seat: Seat) -> Callable[[], ClaimVerdict]:
        """Return a function that judges the claim of ``seat`` to have the rest of the round played out.

        The function is slow and may be called from any thread.
        """

    def claim_rest(self) -> Sequence[SessionEvent]:
        """Play the rest of the round automatically, after a claim that was found to be decided."""

    def apply_timeout(self) -> Sequence[SessionEvent]:
        """Apply the rule for a clock that has run out: the session is lost, or the round is void.

        Returns ``()`` if no clock has run out.
        """

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        """Add a chat message of ``seat``. Raises ``CardtableError`` if it cannot be saved."""

    def submit_password(self, password: str) -> str:
        """Check the password of the player who takes over the keyboard.

        Returns the reason for a refusal, or an empty string if the password is right.
        """

    def confirm_handover(self) -> Sequence[SessionEvent]:
        """Confirm that the player called by ``AwaitingHandover`` sits at the keyboard.

        The call has no effect while a password is required.
        """

    def poll(self) -> None:
        """Read the lines that another program or the host has written, without applying them.

        Raises ``CardtableError`` if they cannot be read.
        """

    def apply_next(self) -> Sequence[SessionEvent]:
        """Apply the next line that ``poll`` has read. Raises ``IllegalAction`` if the line is not legal."""

    @property
    def undone(self) -> int:
        """Number of decisions undone so far."""

    def journal(self) -> Journal:
        """Return the journal so far, without what this front end may not know.

        Raises ``CardtableError`` if it cannot be read.
        """

    def request_substitute(self, seat: Seat) -> str:
        """Request that a robot takes the place of the disconnected player at ``seat``.

        Returns the reason for a refusal, or an empty string if the request was accepted. If several people wait, the
        host replaces the player once all of them have asked.
        """

    def add_message(self, note: Note) -> None:
        """Show a message at this front end only; the journal does not record it."""

    def close(self) -> None:
        pass
