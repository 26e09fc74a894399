"""Being at a club: what comes from it is heard by a thread of its own, while lines are typed."""

import asyncio
import io
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Condition, Event, Semaphore, Thread
from typing import Final

from cardtable.club.client.client import ClubClient
from cardtable.club.client.connection import Login
from cardtable.club.client.remote_session import CUT, PATIENCE, RemoteSession
from cardtable.club.protocol import ClientMessage
from cardtable.plain.console import QuitRequested, say, typed_text
from cardtable.plain.speech_text import sentence
from cardtable.store import profiles
from cardtable.wording.formatting import YOU

_MOST_TYPED: Final = 4096
"""Bytes of a line that are read at once."""
_ANSWERS: Final = 0.5
"""Seconds after which Ctrl+C is answered at the latest, on systems where waiting does not end for it."""


class InputMux:
    """Hears lines, which a thread of its own reads, and that something has come.

    At a terminal lines are read all the time; of a pipe each is meant for what is asked next, and read then.
    """

    def __init__(self) -> None:
        self._heard = Condition()
        self._lines: deque[str | None] = deque()
        self._news = self._reading = False
        self._asked = Semaphore(0)
        self._typed = bool(sys.stdin and sys.stdin.isatty())
        Thread(target=self._read, daemon=True).start()

    def wake(self) -> None:
        """Something has come.  Called from any thread."""
        with self._heard:
            self._news = True
            self._heard.notify_all()

    def next(self, *, asked: bool) -> str | None:
        """The next line that is typed, or ``None`` once something has come; ``asked``: whether one is waited for.

        Raises ``QuitRequested`` at the end of what can be read.
        """
        if asked or self._typed:
            self._want()
        self.until(lambda: self._news or bool(self._lines))
        if self._news:
            self._news = False
            return None
        return self._line()

    def line(self) -> str:
        """The next line that is typed, whatever comes meanwhile.  Raises ``QuitRequested``."""
        self._want()
        self.until(lambda: bool(self._lines))
        return self._line()

    def until(self, holds: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait until something holds, which what comes can change; whether it does within so many seconds."""
        with self._heard:
            if seconds is not None:
                return self._heard.wait_for(holds, seconds)
            while not self._heard.wait_for(holds, _ANSWERS):
                pass
        return True

    def _want(self) -> None:
        if not self._reading:
            self._reading = True
            self._asked.release()

    def _line(self) -> str:
        line, self._reading = self._lines.popleft(), False
        if line is None:
            raise QuitRequested
        return line

    def _read(self) -> None:
        """Read a line each time that one is wanted; past the buffer, which must not be held when the program ends."""
        with io.FileIO(sys.stdin.fileno(), closefd=False) if sys.stdin else io.BytesIO() as typed:
            while True:
                self._asked.acquire()
                try:
                    line = rest = typed.readline(_MOST_TYPED)
                    while rest and not rest.endswith(b"\n"):
                        rest = typed.readline(_MOST_TYPED)
                except OSError:  # the terminal has gone
                    line = b""
                with self._heard:
                    self._lines.append(typed_text(line.decode(errors="replace")).strip() if line else None)
                    self._heard.notify_all()


class ClubOver(Exception):
    """She is not at the club any more; why, in words."""


class ClientThread:
    """One guest at one club, as long as lines are typed there."""

    visiting: ClubClient
    """What she knows of the club; another thread keeps it, which puts new values in the place of old ones."""

    def __init__(self, url: str, ears: InputMux) -> None:
        self._url, self.ears = url, ears
        self._loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[None] | None = None
        self._thread: Thread | None = None
        self.seated: Final[deque[RemoteSession]] = deque()
        """Tables at which she is, and has not been yet."""
        self.entry: tuple[str, str] | None = None
        """Nick and token, once she has become a player of the club."""
        self._there = False
        self._fault: Exception | None = None
        """What has ended that thread, if the program is at fault."""

    # Coming and going

    def come(self, login: Login) -> None:
        """Come in as somebody; returns once she is in, or why she is not is known."""
        self.leave()
        begun = Event()

        async def be_there() -> None:
            self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
            self.visiting = visiting = ClubClient(self._url, login, profiles.me())
            visiting.changed = self.ears.wake
            visiting.seated, visiting.told = self._sits_down, lambda _run: self.ears.wake()
            visiting.let_in = self._let_in
            begun.set()
            try:
                await visiting.run()
            except asyncio.CancelledError:
                pass
            except Exception as error:
                self._fault = error
                self.ears.wake()

        self._thread = Thread(target=lambda: asyncio.run(be_there()), daemon=True)
        self._thread.start()
        begun.wait()
        self._wait_for_answer("")
        while self.visiting.is_refused_for_now and not (self.visiting.there or self.visiting.end_reason):
            told = self.visiting.connection_error
            say(f"{sentence(told)} The program keeps trying.")
            self._wait_for_answer(told)
        self._there = self.visiting.there

    def _wait_for_answer(self, told: str) -> None:
        """Wait until she is in or refused, or there is other trouble than she was told of."""
        visiting = self.visiting
        self.ears.until(
            lambda: bool(
                visiting.there or visiting.end_reason or visiting.connection_error not in ("", told) or self._fault
            )
        )
        if self._fault:
            raise self._fault

    def leave(self) -> None:
        """Go; her seats stay hers."""
        if self._thread is not None and self._task is not None:
            with suppress(RuntimeError):  # it has ended already
                self._loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(PATIENCE)
        self._thread = None

    def _sits_down(self, run: RemoteSession) -> None:
        self.seated.append(run)
        self.ears.wake()

    def _let_in(self, nick: str, token: str) -> None:
        self.entry = nick, token
        self.ears.wake()

    # What comes

    def next(self, *, asked: bool) -> str | None:
        """The next line that is typed, or ``None`` once something has come.

        Raises ``QuitRequested`` and ``ClubOver``.
        """
        typed = self.ears.next(asked=asked)
        if self._fault:
            raise self._fault
        if self.visiting.end_reason:
            raise ClubOver(self.visiting.end_reason)
        return typed

    def news(self, *, at_a_table: bool = False) -> Iterator[str]:
        """What has come for her wherever she is, in sentences; the club's own words are told at a table in any case."""
        visiting = self.visiting
        if visiting.there != self._there:
            self._there = visiting.there
            yield "You are at the club again." if self._there else sentence(CUT)
        while visiting.talk:
            talk = visiting.talk.popleft()
            who = YOU if talk.who == visiting.nick else talk.who
            if who:
                yield f"{'In the lobby, ' * at_a_table}{who}: {talk.text}"
            elif not at_a_table:
                yield sentence(talk.text)
        if visiting.refused and not visiting.end_reason:
            why, visiting.refused = visiting.refused, ""
            yield sentence(why)

    # What she wants

    def say(self, message: ClientMessage) -> None:
        """Ask the club for something; why it is not done comes later."""
        asyncio.run_coroutine_threadsafe(self.visiting.ask(message), self._loop).result()

    def ask(self, message: ClientMessage, done: Callable[[], bool]) -> bool:
        """Ask the club for something, and wait until it is done; whether it is."""
        self.say(message)
        self.ears.until(lambda: bool(self.visiting.refused) or not self.visiting.there or done(), PATIENCE)
        return done()
