"""Messages at a local table in plain text: what players have not read yet, verdicts of the coach, and failed saving."""

from collections.abc import Sequence
from pathlib import Path
from threading import RLock, Thread
from typing import TYPE_CHECKING, Final, get_args

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Note, Seat
from cardtable.plain import console
from cardtable.plain.commands import UnknownCommand
from cardtable.plain.console import defer_signals, print_lines, read_line
from cardtable.plain.speech_text import format_log_entries, to_sentence, to_spoken
from cardtable.session.session_events import ObservedEvent, SessionEvent, derive_public_entries, narrate_event
from cardtable.session.session_runner import SessionRunner
from cardtable.store.score_tables import OpenScoreTable
from cardtable.store.sessions import Session
from cardtable.store.settings import CoachLevel, Settings
from cardtable.wording.log_entries import NOT_RATED_FROM_NOW, list_verdict_sentences
from cardtable.wording.missed import format_heading, format_missed_events, format_time_since

if TYPE_CHECKING:  # plain text at home needs no event loop unless the coach is on
    import asyncio

    from cardtable.session.robot_client import CoachClient


class UnreadMessages:
    """Unread messages of each human player, or of the spectator at a table of robots."""

    def __init__(self, runner: SessionRunner, names: Sequence[str]) -> None:
        self._runner, self._names = runner, names
        runner.load_recent_messages()
        self._unread = {seat: runner.message_log.messages_by_seat[seat][:] for seat in runner.people or (0,)}
        self._private: dict[Seat, list[Note]] = {seat: [] for seat in self._unread}
        """Unread messages that only this seat has received."""

    def add(self, events: Sequence[SessionEvent]) -> None:
        """Add the messages that result from events, for every seat."""
        for it in events:
            if isinstance(it, ObservedEvent):
                self._queue(it)
            else:
                for unheard in self._unread.values():
                    unheard.append(it)

    def _queue(self, observed: ObservedEvent) -> None:
        game = self._runner.referee.game
        heard = {
            seat: narrate_event(game, observed.event, observed.before[seat], observed.after[seat])
            for seat in self._unread
        }
        common = derive_public_entries(game, observed.event, observed.before, observed.after, self._unread)
        for seat, own in heard.items():
            self._unread[seat] += own
            self._private[seat] += [note for note in own if note not in common]

    def print_unread(self, seat: Seat) -> None:
        """Print the unread messages of ``seat``, which then count as read."""
        print_lines(*format_log_entries(self._unread[seat], self._names))
        self._unread[seat].clear()
        self._private[seat].clear()

    def print_public(self, seat: Seat) -> None:
        """Print the public events since ``seat`` last acted, for a curtain.

        Afterwards only messages for this seat alone count as unread.
        """
        missed = self._runner.get_missed_messages(seat)
        print_lines(f"{', '.join(filter(None, [format_heading(missed), format_time_since(missed)]))}:")
        entries = format_missed_events(missed.messages, self._names, winner_mark="takes it")
        lines = [f"{about}: {text}" if about else text for about, text in entries]
        print_lines(*[to_sentence(to_spoken(line)) for line in lines or ["nothing has happened yet"]])
        self._unread[seat] = self._private[seat][:]


_LEVELS: Final = {"off": "off", "big": "on for big mistakes", "all": "on for all mistakes"}


class PlainCoach:
    """Coach of one session, in a thread with an event loop of its own.

    A verdict is printed while a prompt waits for input. The main thread never waits for one.
    """

    def __init__(self, session: SessionRunner, settings: Settings) -> None:
        self._session, self._min_choices = session, settings.min_choices
        self._level: CoachLevel = settings.coach if session.can_be_coached else "off"
        self._running: tuple[CoachClient, asyncio.AbstractEventLoop, Thread] | None = None
        """Client, event loop and thread, from the first decision on that is made while the coach is on."""
        self._lock, self._is_prompting = RLock(), False
        session.is_coached = self._level != "off"

    def execute(self, level: str) -> None:
        """Set the level at this table, or print it if ``level`` is empty.

        Raises ``UnknownCommand`` if there is no such level.
        """
        if not self._session.can_be_coached:
            print_lines("The coach is for one player against robots.")
            return
        if level and level not in get_args(CoachLevel):
            raise UnknownCommand
        self._level = next((known for known in get_args(CoachLevel) if known == level), self._level)
        self._session.is_coached = self._level != "off"
        print_lines(f"The coach is {_LEVELS[self._level]}.")
        self.print_warning()

    def print_warning(self) -> None:
        """Print that the session will not be rated, if the coach ends its rating with the next move."""
        if self._session.is_coached and self._session.is_rated_so_far:
            print_lines(NOT_RATED_FROM_NOW)

    def follow_session(self) -> None:
        """Have the last decision judged, if the coach is on and the decision is a new one."""
        if self._running is None:
            if self._session.coached_decision is None:
                return
            self._running = self._start()
        client, loop, _ = self._running
        loop.call_soon_threadsafe(client.follow_session)

    def _start(self) -> "tuple[CoachClient, asyncio.AbstractEventLoop, Thread]":
        import asyncio  # noqa: PLC0415 - lazy: startup

        from cardtable.session.robot_client import CoachClient  # noqa: PLC0415 - lazy: startup

        client, loop = CoachClient(self._session, self._on_verdict), asyncio.new_event_loop()
        thread = Thread(target=loop.run_forever, daemon=True)
        thread.start()
        return client, loop, thread

    def stop(self) -> None:
        """End the process and the thread of the coach."""
        if self._running:
            import asyncio  # noqa: PLC0415 - lazy: startup

            client, loop, thread = self._running
            asyncio.run_coroutine_threadsafe(client.stop(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()
            self._running = None

    def read_line(self) -> str:
        """Read a line of input as ``console.read_line`` does; a verdict that arrives meanwhile is printed."""
        return console.read_line(self._begin_prompt, self._end_prompt)

    def _begin_prompt(self) -> None:
        with self._lock:
            print_lines(*self._take_verdict())
            console.print_prompt()
            self._is_prompting = True

    def _end_prompt(self) -> None:
        with self._lock:
            self._is_prompting = False

    def _on_verdict(self) -> None:
        with self._lock:  # the main thread changes the session only after this
            if self._is_prompting and (lines := self._take_verdict()):
                print_lines("", *lines)  # below the prompt
                console.print_prompt()

    def _take_verdict(self) -> list[str]:
        """Return the lines of a verdict that has not been shown; empty if there is none."""
        result = self._running[0].take_verdict(self._level) if self._running else None
        if result is None:
            return []
        decision, verdict = result
        refusal = self._session.explain_coached_undo_refusal(decision, self._min_choices)
        offer = f"That can't be undone: {refusal}." if refusal else "Type undo to take it back."
        return [" ".join([to_sentence(to_spoken(sentence)) for sentence in list_verdict_sentences(verdict)]), offer]


class SavePrompts:
    """Prompts and reports about the saving of one session or score table."""

    def __init__(self, opened: Session | OpenScoreTable) -> None:
        self._opened = opened
        self._reported_error: str | None = None

    def execute_save(self, folder: str) -> None:
        """Save into another folder, as ``save FOLDER`` requests. Raises ``UnknownCommand`` unless saving fails."""
        if not folder or not self._opened.save_error:
            raise UnknownCommand
        self.save_into(Path(folder))

    def save_into(self, folder: Path) -> None:
        """Save into another folder from now on; an error is printed."""
        try:
            with defer_signals():
                self._opened.save_into(folder)
        except CardtableError as error:
            print_lines(to_sentence(str(error)))
        self.report_error()

    def confirm_staying(self) -> bool:
        """Ask before unsaved changes are left behind; return True if the user stays.

        Returns False at once if everything is saved. Raises ``QuitRequested`` at the end of input.
        """
        while unsaved := self._save():
            print_lines(
                to_sentence(f"not on the disk yet: {unsaved}; {self._opened.save_error}"),
                "Type save FOLDER to save the whole session there and leave, leave to leave without saving, or "
                "anything else to stay.",
            )
            word, _, folder = read_line().partition(" ")
            if word.lower() == "leave":
                self._opened.file.accept_loss = True
                return False
            if word.lower() != "save" or not folder.strip():
                return True
            self.save_into(Path(folder.strip()))
        return False

    def _save(self) -> str:
        with defer_signals():
            return self._opened.save()

    def report_error(self) -> None:
        """Print an error once when saving begins to fail, and a notice once when it works again."""
        if self._opened.save_error != self._reported_error:
            self._reported_error = self._opened.save_error
            again = "type save FOLDER to save the session in another folder"
            print_lines(
                to_sentence(f"{self._reported_error}; {again}" if self._reported_error else "saving works again")
            )
