"""Being at a club: what comes from it is heard by a thread of its own, while lines are typed."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Event, Thread
from typing import Final

from cardtable.club.guest_run import CUT, PATIENCE, GuestRun
from cardtable.club.link import Login
from cardtable.club.visiting import Visiting
from cardtable.club.wire import FromGuest
from cardtable.plain.club.ears import Ears
from cardtable.plain.console import say
from cardtable.plain.speech import sentence
from cardtable.store import profiles
from cardtable.wording.words import YOU


class ClubOver(Exception):
    """She is not at the club any more; why, in words."""


class Presence:
    """One guest at one club, as long as lines are typed there."""

    visiting: Visiting
    """What she knows of the club; another thread keeps it, which puts new values in the place of old ones."""

    def __init__(self, url: str, ears: Ears) -> None:
        self._url, self.ears = url, ears
        self._loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[None] | None = None
        self._thread: Thread | None = None
        self.seated: Final[deque[GuestRun]] = deque()
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
            self.visiting = visiting = Visiting(self._url, login, profiles.me())
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
        while self.visiting.is_refused_for_now and not (self.visiting.there or self.visiting.over):
            told = self.visiting.trouble
            say(f"{sentence(told)} The program keeps trying.")
            self._wait_for_answer(told)
        self._there = self.visiting.there

    def _wait_for_answer(self, told: str) -> None:
        """Wait until she is in or refused, or there is other trouble than she was told of."""
        visiting = self.visiting
        self.ears.until(
            lambda: bool(visiting.there or visiting.over or visiting.trouble not in ("", told) or self._fault)
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

    def _sits_down(self, run: GuestRun) -> None:
        self.seated.append(run)
        self.ears.wake()

    def _let_in(self, nick: str, token: str) -> None:
        self.entry = nick, token
        self.ears.wake()

    # What comes

    def next(self, *, asked: bool) -> str | None:
        """The next line that is typed, or ``None`` once something has come.  Raises ``Left`` and ``ClubOver``."""
        typed = self.ears.next(asked=asked)
        if self._fault:
            raise self._fault
        if self.visiting.over:
            raise ClubOver(self.visiting.over)
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
        if visiting.refused and not visiting.over:
            why, visiting.refused = visiting.refused, ""
            yield sentence(why)

    # What she wants

    def say(self, message: FromGuest) -> None:
        """Ask the club for something; why it is not done comes later."""
        asyncio.run_coroutine_threadsafe(self.visiting.ask(message), self._loop).result()

    def ask(self, message: FromGuest, done: Callable[[], bool]) -> bool:
        """Ask the club for something, and wait until it is done; whether it is."""
        self.say(message)
        self.ears.until(lambda: bool(self.visiting.refused) or not self.visiting.there or done(), PATIENCE)
        return done()
