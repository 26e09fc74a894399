"""Coach at a local table in plain text: its verdicts arrive while the main thread waits for input."""

from threading import RLock, Thread
from typing import TYPE_CHECKING, Final, get_args

from cardtable.plain import console
from cardtable.plain.commands import UnknownCommand
from cardtable.plain.console import print_lines
from cardtable.plain.speech_text import to_sentence, to_spoken
from cardtable.session.session_runner import SessionRunner
from cardtable.store.settings import CoachLevel, Settings
from cardtable.wording.coach import NOT_RATED_FROM_NOW, list_verdict_sentences

if TYPE_CHECKING:  # plain text at home needs no event loop unless the coach is on
    import asyncio

    from cardtable.session.coach_client import CoachClient

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
        if self._running is None:
            if self._session.coached_decision is None:
                return
            self._running = self._start()
        client, loop, _ = self._running
        loop.call_soon_threadsafe(client.follow_session)

    def _start(self) -> "tuple[CoachClient, asyncio.AbstractEventLoop, Thread]":
        import asyncio  # noqa: PLC0415 - lazy: startup

        from cardtable.session.coach_client import CoachClient  # noqa: PLC0415 - lazy: startup

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
            self._print_verdict()
            console.print_prompt()
            self._is_prompting = True

    def _end_prompt(self) -> None:
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
        result = self._running and self._running[0].take_verdict(self._level)
        if result is None:
            return False
        decision, verdict = result
        refusal = self._session.explain_coached_undo_refusal(decision, self._min_choices)
        offer = f"That can't be undone: {refusal}." if refusal else "Type undo to take it back."
        text = " ".join([to_sentence(to_spoken(sentence)) for sentence in list_verdict_sentences(verdict)])
        print_lines(*[""] * begins_line, text, offer)
        return True
