"""What a guest's program brings home: the sessions at which she sat, once they are over."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from cardtable.club.wire import AskJournal, FromGuest, PastJournal
from cardtable.engine.errors import CardtableError
from cardtable.engine.text import clean
from cardtable.play.news import MOST_SAID
from cardtable.store import from_club

MOST: Final = 50
"""Sessions that are brought at one visit, so that no host fills a disk; others come at the next."""


class Fetching:
    """Asks for one session after the other, and keeps what comes in the archive."""

    def __init__(
        self,
        me: str,
        ask: Callable[[FromGuest], None],
        kept: Callable[[str, Path], None],
        failed: Callable[[str], None],
    ) -> None:
        """``me``: whose program it is; ``kept`` is called with each session that is here.

        ``failed`` is called once, with why one could not be kept.
        """
        self._me, self._ask, self._kept, self._failed = me, ask, kept, failed
        self._wanted: deque[str] = deque()
        self._asked = ""
        self._left = MOST
        self._has_failed = False

    def begin(self) -> None:
        """What was asked before is not answered any more."""
        self._wanted.clear()
        self._asked = ""

    def want(self, sessions: Iterable[str]) -> None:
        """Bring these home, but for those that are there."""
        self._wanted += [session for session in sessions if session not in self._wanted]
        self._next()

    def _next(self) -> None:
        while self._wanted and not self._asked and self._left:
            session = self._wanted.popleft()
            if from_club.lacks(session):
                self._asked, self._left = session, self._left - 1
                self._ask(AskJournal(session))
            elif (path := from_club.place(session)).exists():
                self._kept(session, path)

    async def hear(self, told: PastJournal, club: str, nick: str) -> None:
        """A session comes; one that was not asked for is let be."""
        if told.session != self._asked:
            return
        try:
            if told.journal:
                path = await asyncio.to_thread(from_club.keep, told.session, told.journal, club, nick, self._me)
                self._kept(told.session, path)
        except CardtableError as error:
            if not self._has_failed:
                self._failed(clean(f"A session of yours could not be saved here: {error.why}", MOST_SAID))
            self._has_failed = True
        if told.session == self._asked:
            self._asked = ""
            self._next()
