"""Programs that run on the host for guests who have nothing of their own: by ssh, or in a browser."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Final

from cardtable.club.members import GuestBook
from cardtable.club.whence import Whence
from cardtable.pipes.serving import environment
from cardtable.store import paths
from cardtable.store.club_tokens import ENTRY_VARIABLE, NICK_VARIABLE, TURN_VARIABLE

MOST: Final = 32
"""At a time: each is a process."""
_HANDED_DOWN: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "PYTHONPATH", "LD_LIBRARY_PATH")
"""What such a program gets of this one's environment."""


class NoPlace(Exception):
    """No more programs can run; says so in a line for her who comes."""


class GuestPrograms:
    """So many places for them, whichever door their guests have come by."""

    def __init__(
        self,
        members: GuestBook,
        words: Sequence[str],
        *,
        most: int = MOST,
        tell: Callable[[str], object] = lambda _line: None,
    ) -> None:
        """``words`` start one; it finds nick and token in its environment.  ``tell`` is for who keeps the club."""
        self.members: Final = members
        self.words: Final = words
        self._most, self._here, self._tell = most, 0, tell

    @contextmanager
    def place(self, nick: str, whence: Whence) -> Iterator[dict[str, str]]:
        """A place for the program of a guest who was let in from there: its environment.

        Its home is thrown away when this is left.  Raises ``NoPlace``, and ``OSError``.
        """
        if self._here >= self._most:
            full = f"{self._most} guests are here by ssh or in a browser, and no more can. Try again later."
            self._tell(f"{nick} cannot come in: {full}")
            raise NoPlace(full)
        self._here += 1
        token = self.members.admit(nick, whence)
        try:
            with TemporaryDirectory(prefix="cardtable-", ignore_cleanup_errors=True) as home:
                given = {name: os.environ[name] for name in _HANDED_DOWN if name in os.environ}
                own = {"CARDTABLE_HOME": home, "HOME": home, NICK_VARIABLE: nick, ENTRY_VARIABLE: token}
                yield environment(given | own | {TURN_VARIABLE: str(paths.club_turn())})
        finally:
            self.members.withdraw(token)
            self._here -= 1
