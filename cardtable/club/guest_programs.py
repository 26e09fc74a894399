"""Programs that run on the host for guests who have nothing of their own: by ssh, or in a browser."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Final

from cardtable.club.addresses import client_network
from cardtable.club.limits import HostLog, network_share
from cardtable.club.members import GuestBook
from cardtable.club.whence import Whence
from cardtable.pipes.serving import environment
from cardtable.store import paths
from cardtable.store.club_tokens import ENTRY_VARIABLE, NICK_VARIABLE, TURN_VARIABLE
from cardtable.store.errors import reason

MOST: Final = 32
"""At a time: each is a process."""
MOST_OF_GUEST: Final = 2
"""Of those at a time for one guest."""
_HOME_PREFIX: Final = "guest-"
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
        self._most, self._log = most, HostLog(tell)
        self._nicks: Counter[str] = Counter()
        self._networks: Counter[str] = Counter()
        """Programs that run now, by nick and by network."""

    @contextmanager
    def place(self, nick: str, whence: Whence) -> Iterator[dict[str, str]]:
        """A place for the program of a guest who was let in from there: its environment.

        Its home is thrown away when this is left.  Raises ``NoPlace``.
        """
        network = client_network(whence.address)
        if why := self._refusal(nick, network):
            self._log.tell(f"{nick} cannot come in: {why}", nick)
            raise NoPlace(why)
        self._nicks[nick] += 1
        self._networks[network] += 1
        token = self.members.admit(nick, whence)
        try:
            with _temporary_home() as home:
                given = {name: os.environ[name] for name in _HANDED_DOWN if name in os.environ}
                own = {"CARDTABLE_HOME": home, "HOME": home, "TMPDIR": home, NICK_VARIABLE: nick, ENTRY_VARIABLE: token}
                yield environment(given | own | {TURN_VARIABLE: str(paths.club_turn())})
        finally:
            self.members.withdraw(token)
            for counter, key in ((self._nicks, nick), (self._networks, network)):
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]

    def _refusal(self, nick: str, network: str) -> str:
        """Return why no program can run for a guest of a network; the empty string if one can."""
        if self._nicks.total() >= self._most:
            return f"{self._most} guests are here by ssh or in a browser, and no more can. Try again later."
        if self._nicks[nick] >= MOST_OF_GUEST:
            return f"you are here {MOST_OF_GUEST} times by ssh or in a browser. Close one of them first."
        own = self._networks[network]
        if own >= network_share(self._most, self._networks.total() - own):
            return f"{own} guests are here from your address by ssh or in a browser. Try again later."
        return ""


@contextmanager
def _temporary_home() -> Iterator[str]:
    """Make a home for a guest's program, which is removed when this is left.  Raises ``NoPlace``."""
    folder = paths.club_guests()
    try:
        paths.make(folder)
        home = TemporaryDirectory(prefix=_HOME_PREFIX, dir=folder, ignore_cleanup_errors=True)
    except OSError as error:
        raise NoPlace(f"the club cannot start your program: {reason(error)}. Try again later.") from None
    with home as path:
        yield path


def remove_left_homes() -> None:
    """Remove the homes of guests' programs that a killed host has left.

    Only for the one host of these files.  Links are left alone, and so is what has another name.
    """
    folder = paths.club_guests()
    if folder.is_symlink():
        return
    with suppress(OSError), os.scandir(folder) as entries:
        left = [Path(entry.path) for entry in entries if entry.name.startswith(_HOME_PREFIX) and _is_folder(entry)]
        for home in left:
            rmtree(home, ignore_errors=True)


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)
