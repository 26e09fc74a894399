"""Coach at a local table in plain text: its verdicts arrive while the main thread waits for input."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock, Thread
from typing import Final, get_args

from cardtable.plain import console
from cardtable.plain.commands import UnknownCommand
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import to_sentence, to_spoken
from cardtable.session.coach_client import CoachClient
from cardtable.session.session_runner import SessionRunner
from cardtable.store.settings import CoachLevel, Settings
from cardtable.wording.coach import NOT_RATED_FROM_NOW, list_sentences

_LEVELS: Final = {"off": "off", "big": "on for big mistakes", "all": "on for all mistakes"}


class PlainCoach:
    """Coach of one session, in a thread with an event loop of its own.

    A verdict is printed while a prompt waits for input. The main thread never waits for one.
    """

    def __init__(self, session: SessionRunner, settings: Settings) -> None:
        self._session, self._min_choices = session, settings.min_choices
        self._level: CoachLevel = settings.coach if session.can_be_coached else "off"
        self._client = CoachClient(session, self._on_verdict)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
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
        self._level = next((each for each in get_args(CoachLevel) if each == level), self._level)
        self._session.is_coached = self._level != "off"
        print_lines(f"The coach is {_LEVELS[self._level]}.")
        self.print_warning()

    def print_warning(self) -> None:
        """Print that the session will not be rated, if the coach ends its rating with the next move."""
        if self._session.is_coached and self._session.is_rated_so_far:
            print_lines(NOT_RATED_FROM_NOW)

    def follow_session(self) -> None:
        """Have the last decision judged, if the coach is on and the decision is a new one."""
        if self._loop is None:
            if self._session.coached_decision is None:
                return
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=self._loop.run_forever, daemon=True)
            self._thread.start()
        self._loop.call_soon_threadsafe(self._client.follow_session)

    def stop(self) -> None:
        """End the process and the thread of the coach."""
        if self._loop and self._thread:
            asyncio.run_coroutine_threadsafe(self._client.stop(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = None

    def read_line(self) -> str:
        """Read a line of input as ``console.read_line`` does; a verdict that arrives meanwhile is printed."""
        with self._prompting():
            return console.read_line()

    @contextmanager
    def _prompting(self) -> Iterator[None]:
        with self._lock:
            self._is_prompting = True
            self._print_verdict()
        try:
            yield
        finally:
            with self._lock:
                self._is_prompting = False

    def _on_verdict(self) -> None:
        with self._lock:  # the main thread changes the session only after this
            if self._is_prompting and self._print_verdict(begins_line=True):
                console.print_prompt()

    def _print_verdict(self, *, begins_line: bool = False) -> bool:
        """Print the verdict if there is one to show, and return True.

        ``begins_line``: True if a prompt is on the screen, below which the verdict has to begin.
        """
        found = self._client.take_verdict(self._level)
        if found is None:
            return False
        decision, verdict = found
        refusal = self._session.explain_coached_undo_refusal(decision, self._min_choices)
        offer = f"That cannot be taken back: {refusal}." if refusal else "Type undo to take it back."
        text = " ".join([to_sentence(to_spoken(sentence)) for sentence in list_sentences(verdict)])
        print_lines(*[""] * begins_line, text, offer)
        return True
