"""Base class of sessions that are not stored: nothing is recorded, and no other program takes part."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Note, Seat
from cardtable.engine.journal import Journal
from cardtable.session.message_log import MessageLog, create_talk_entry
from cardtable.session.session_events import SessionEvent, SessionPrompt
from cardtable.session.session_protocol import PlayableSession

if TYPE_CHECKING:  # plain text at home needs no event loop
    import asyncio


class PromptedSession(PlayableSession, Protocol):
    """Session that shows texts and asks questions: a lesson or a puzzle."""

    @property
    def prompt(self) -> SessionPrompt:
        """Text and question for the player now."""

    def read_again(self) -> Sequence[SessionEvent]:
        """Show the text of the question again, because the player has asked for it."""


class TransientSession:
    """Part of ``PlayableSession`` that is the same in all sessions of one player that are not stored."""

    local: None = None
    data_available: "asyncio.Event | None" = None
    journal_path: Path | None = None
    spectator_reason = ""
    seconds_left: float | None = None

    def __init__(self, seat: Seat) -> None:
        """Begin with an empty log for ``seat``, the seat of the player."""
        self._log = MessageLog([seat])

    def get_time_left(self) -> tuple[float | None, tuple[float | None, ...]]:
        return None, ()

    def get_messages(self, seat: Seat) -> tuple[Note, ...]:
        return tuple(self._log.messages_by_seat[seat])

    def forget_messages(self, seat: Seat) -> None:
        self._log.messages_by_seat[seat].clear()

    def say(self, text: str, seat: Seat) -> Sequence[SessionEvent]:
        """Show a message to the player; it is not stored."""
        note = create_talk_entry(text, seat)
        self._log.log_note(note)
        return (note,)

    def poll(self) -> None:
        pass

    def apply_next(self) -> Sequence[SessionEvent]:
        return ()

    def journal(self) -> Journal:
        raise CardtableError("this is not a session, so that it has no journal")

    def close(self) -> None:
        pass
