"""Dialog of a lesson or a puzzle in plain text: its texts and questions as lines that can be followed by ear."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from cardtable.plain import console
from cardtable.plain.console import print_lines, read_line
from cardtable.plain.info_text import to_paragraphs
from cardtable.plain.speech_text import format_log_entries, to_spoken
from cardtable.plain.table_dialog import TableDialog
from cardtable.session.message_log import narrate_event
from cardtable.session.session_events import AwaitingPlayer, AwaitingReader, ObservedEvent, SessionEvent, SessionOver
from cardtable.session.transient_session import PromptedSession
from cardtable.store.settings import Settings
from cardtable.wording.lessons import format_prompt_text, format_step
from cardtable.wording.players import list_seat_names

_SENTENCE_START: Final = re.compile(r"(?:^|(?<=[.!?] ))[a-z]")
"""First letter of a sentence, which is small where the sentence begins with a card."""
COMMANDS_HINT: Final = "Type help for what can be typed."


class _LeaveDialog(Exception):
    """Raised if the player goes back to the list."""


class PromptedDialog(TableDialog):
    """Dialog that reads texts out, asks questions and prints the events of the table."""

    def __init__(self, session: PromptedSession, settings: Settings) -> None:
        super().__init__(session, settings, list_seat_names(session.header))
        self._prompted, self._seat = session, session.initial_seat
        self._text_lines: list[str] = []
        """Lines of the text that was printed last."""
        self._announced_step = 0
        """Number of the step that was announced last."""
        self._view = session.snapshot(self._seat).view

    def _run_steps(self) -> bool:
        """Run the session to its end. Return False if the player goes back to the list before.

        Raises ``QuitRequested`` if the player quits.
        """
        try:
            while not isinstance(self._prompted.pending, SessionOver):
                self._execute_step()
        except _LeaveDialog:
            return False
        return True

    def _execute_step(self) -> None:
        match self._prompted.pending:
            case AwaitingReader():
                self._read_text()
            case AwaitingPlayer():
                self._ask()
            case _:
                self._change(self._prompted.advance)

    def _read_text(self) -> None:
        """Print the text, and wait for Enter on a terminal, unless a question follows at once."""
        prompt = self._prompted.prompt
        lines = filter(None, to_paragraphs(to_spoken(format_prompt_text(prompt))))
        self._text_lines = [_SENTENCE_START.sub(lambda start: start[0].upper(), line) for line in lines]
        print_lines(" ".join([*self._announce_step(), self._text_lines[0]]), *self._text_lines[1:])
        self._change(self._prompted.advance)
        if not isinstance(self._prompted.pending, AwaitingPlayer) and console.is_on_terminal():
            print_lines("Press Enter to continue.")
            while typed := read_line():
                if not self._execute_command(typed, self._view):
                    print_lines("Press Enter to continue.")

    def _announce_step(self) -> list[str]:
        """Return the number of the step in a sentence; empty if there is none, or it has been announced."""
        prompt = self._prompted.prompt
        step = format_step(prompt)
        if not step or prompt.step == self._announced_step:
            return []
        self._announced_step = prompt.step
        return [f"{step.capitalize()}."]

    def _ask(self) -> None:
        """Ask the question, or for an action of a round that is played freely, until the position has changed."""
        session = self._prompted
        view = self._view = session.snapshot(self._seat).view
        print_lines(*self._announce_step())
        self._print_prompt(view, whole=self._needs_full_position)
        print_lines(*filter(None, [to_spoken(session.prompt.question)]))
        while isinstance(session.pending, AwaitingPlayer) and session.snapshot(self._seat).view is view:
            typed = read_line()
            if not typed:
                self._print_prompt(view, whole=True)
                print_lines(*filter(None, [to_spoken(session.prompt.question)]))
            elif not self._execute_command(typed, self._view):
                self._execute_action(typed, view)

    def _change(self, change: Callable[[], Sequence[SessionEvent]]) -> None:
        for it in change():
            if isinstance(it, ObservedEvent):
                notes = narrate_event(self._prompted.game, it.event, it.before[self._seat], it.after[self._seat])
                print_lines(*format_log_entries(notes, self._names))

    # Commands

    def _read_again(self) -> None:
        """Read the text of the question again, or the last text while no question is asked."""
        if isinstance(self._prompted.pending, AwaitingPlayer):
            self._prompted.read_again()
        else:
            print_lines(*self._text_lines)

    def _leave(self) -> None:
        raise _LeaveDialog
