"""Interface between a front end and a session, which is played in this process or at a host, and its simplest part.

Lessons and puzzles derive from ``TransientSession``: nothing is recorded, and no other program takes part.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, AnyGame, Note, Seat, View
from cardtable.engine.journal import VERSION, Header, Journal, Occupant
from cardtable.engine.options import Options
from cardtable.session.session_events import (
    MessageLog,
    PendingInput,
    SessionEvent,
    SessionPrompt,
    SessionSnapshot,
    TimeLeft,
    create_talk_entry,
)
from cardtable.session.session_runner import SessionRunner

if TYPE_CHECKING:
    import asyncio

    from cardtable.robots import worker


class PlayableSession(Protocol):
    """Session that a front end shows and plays, in this process or through a host.

    ``SessionRunner`` implements the interface for local sessions, ``RemoteSession`` in ``cardtable.club.client`` for
    sessions of a club. Undo, claims, robots, clocks, the hot seat and the file exist only in this process: they are
    members of ``local``. Each method that changes the session returns the resulting events and log entries. They are on
    the disk, here or at the host; only a local session whose disk fails continues in memory. An instance may be used by
    one thread at a time.
    """

    @property
    def local(self) -> SessionRunner | None:
        """The session itself if it is played in this process; ``None`` if a host plays it."""

    @property
    def data_available(self) -> "asyncio.Event | None":
        """Event that is set when the host has sent data; ``None`` if the front end has to call ``poll`` regularly."""

    @property
    def pending(self) -> PendingInput:
        """Input that the session waits for."""

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
    def spectator_reason(self) -> str:
        """Sentence that tells why this front end can only watch.

        It is empty if the player at this front end merely waits for another seat.
        """

    @property
    def progress(self) -> tuple[int, int]:
        """Number of the round, and number of decisions made so far without undone ones."""

    @property
    def seconds_left(self) -> float | None:
        """Time in seconds until a clock of the player to act runs out, negative afterwards.

        It is ``None`` if no clock is running.
        """

    def snapshot(self, seat: Seat) -> SessionSnapshot:
        """Return a snapshot of the session as ``seat`` sees it.

        Its view contains the hand of the seat even while only public information may be shown.
        """

    def get_time_left(self) -> TimeLeft: ...

    def get_messages(self, seat: Seat) -> tuple[Note, ...]:
        """Return the messages of ``seat``; only public messages while only those may be shown."""

    def forget_messages(self, seat: Seat) -> None:
        """Remove all messages of ``seat`` from the message log."""

    def advance(self) -> Sequence[SessionEvent]:
        """Advance the session where no decision is needed: chance, a forced action, the end or the next round."""

    def play(self, action: Action) -> Sequence[SessionEvent]:
        """Play ``action`` for the seat to act, which is a person or a robot.

        A local session raises ``IllegalAction`` if no decision is awaited or the action is not legal. Nothing is
        raised if a host refuses the action or does not answer: the result is then empty.
        """

    def create_hint_request(self, view: View, *, to_another: bool = False) -> "worker.HintRequest":
        """Return the request for a hint about ``view``, which must be current.

        ``to_another``: True if the hint is for a different seat from the one to act.
        """

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        """Add a chat message of ``seat``. Raises ``CardtableError`` if it cannot be saved."""

    def poll(self) -> None:
        """Read the lines that another program or the host has written, without applying them.

        Raises ``CardtableError`` if they cannot be read.
        """

    def apply_next(self) -> Sequence[SessionEvent]:
        """Apply the next line that ``poll`` has read. Raises ``IllegalAction`` if the line is not legal."""

    def journal(self) -> Journal:
        """Return the journal so far, without what this front end may not know.

        Raises ``CardtableError`` if it cannot be read.
        """

    def close(self) -> None:
        pass


def play_choice(session: PlayableSession, action: Action) -> Sequence[SessionEvent]:
    """Play an action for the seat to act, or one after the other if it stands for several, and return the events.

    The rest is left out if the session, or its host, has not taken one of them.
    """
    events: list[SessionEvent] = []
    for step in action.steps:
        before = session.progress
        events += session.play(step)
        if session.progress == before:
            break
    return events


class PromptedSession(PlayableSession, Protocol):
    """Session that shows texts and asks questions: a lesson or a puzzle."""

    @property
    def prompt(self) -> SessionPrompt:
        """Text and question for the player now."""

    def read_again(self) -> Sequence[SessionEvent]:
        """Show the text of the question again, because the player has asked for it."""


def create_transient_header(
    id_: str, game: AnyGame, house_rules: Options, seats: Sequence[Occupant], seed: int = 0
) -> Header:
    """Return the header of a session that is not stored."""
    return Header(
        cardtable=VERSION,
        id=id_,
        game=game.about.key,
        created="2000-01-01T00:00:00Z",
        seed=seed,
        options=house_rules.to_dict(),
        seats=tuple(seats),
    )


class TransientSession:
    """Part of ``PlayableSession`` that is the same in all sessions of one player that are not stored."""

    local: None = None
    data_available: "asyncio.Event | None" = None
    journal_path: Path | None = None
    spectator_reason = ""
    seconds_left: float | None = None
    can_tell_answer: bool = False
    """True if ``tell_answer`` shows the answer; a puzzle keeps it until the player has chosen."""

    def __init__(self, seat: Seat) -> None:
        """Begin with an empty log for ``seat``, the seat of the player."""
        self._log = MessageLog([seat])

    def get_time_left(self) -> TimeLeft:
        return TimeLeft()

    def get_messages(self, seat: Seat) -> tuple[Note, ...]:
        return tuple(self._log.messages_by_seat[seat])

    def forget_messages(self, seat: Seat) -> None:
        self._log.messages_by_seat[seat].clear()

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        """Show a message to the player; it is not stored."""
        note = create_talk_entry(text, seat)
        self._log.log_note(note)
        return (note,)

    def tell_answer(self, _reason: str) -> Sequence[SessionEvent]:
        """Show the answer to the question, after the reason for which the rules have refused another one."""
        return ()

    def poll(self) -> None:
        pass

    def apply_next(self) -> Sequence[SessionEvent]:
        return ()

    def journal(self) -> Journal:
        raise CardtableError("this is not a session, so that it has no journal")

    def close(self) -> None:
        pass
