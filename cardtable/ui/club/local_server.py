"""Club server inside this program.

It runs in a thread with an event loop of its own, so that screens and server cannot block each other.
"""

import asyncio
import errno
from collections import deque
from collections.abc import Callable
from threading import Thread
from typing import Final

from cardtable.club.addresses import LOCAL
from cardtable.club.server import server
from cardtable.club.server.accounts import last_code, new_code
from cardtable.club.server.server import ClubServer, ServerOptions
from cardtable.engine.errors import CardtableError

MOST_TOLD: Final = 50
"""Maximum number of log lines that are retained."""


class OwnClub:
    """Controller of the club server that runs inside this program; it can be started again after ``stop``."""

    def __init__(self) -> None:
        self.code: Final = last_code() or new_code()
        """Entry code for a club on the network: the code of the last club, or a new one."""
        self.invitation: tuple[str, ...] = ()
        """Lines of the invitation; empty while the club is closed."""
        self.url = ""
        """Address for the client in this program."""
        self.owner_token = ""
        """Token by which the club recognises the player at this program as its owner."""
        self.asked = ""
        """Entry code that clients of the open club must send; empty if none is required."""
        self.told: Final[deque[str]] = deque(maxlen=MOST_TOLD)
        """Log lines, the newest last."""
        self.changed: Callable[[], object] = lambda: None
        """Callback that is called in the screens' event loop after the log or the invitation has changed."""

    def begin(self, name: str, *, lan: bool, code: str, port: int, ssh: int | None, web: int | None) -> None:
        """Start the server in its thread and return at once; ``wait_until_open`` reports the outcome.

        ``lan`` opens the club to the network instead of this machine only. ``code`` is the required entry code, empty
        for none. ``port``, ``ssh`` and ``web`` are port numbers, 0 for any free port; without ``ssh`` or ``web`` the
        club does not offer that way in. Call ``stop`` before the program ends.
        """
        self.asked, self._main, self._closing = code, asyncio.get_running_loop(), False
        self._opened: asyncio.Future[ClubServer] = self._main.create_future()
        self._over: asyncio.Future[None] = self._main.create_future()
        offer = ServerOptions(name, "" if lan else LOCAL, port, code, ssh=ssh, web=web)
        try:
            Thread(target=self._run, args=(offer,), daemon=True).start()
        except RuntimeError as error:
            self._fail(OSError(str(error)))

    async def opened(self) -> None:
        """Wait until the server accepts clients, then set the invitation, the address and the owner's token.

        Raises CardtableError if a port cannot be opened, or ImportError if a library is missing.
        """
        await asyncio.wait([self._opened])  # continues even if the caller is cancelled
        try:
            club = self._opened.result()
        except OSError as error:
            raise CardtableError(_why(error)) from None
        self.invitation, self.url = club.invitation, f"ws://localhost:{club.port}"
        self.owner_token = club.lobby.members.owner_token

    async def close(self) -> None:
        """Notify the guests and stop the server; return once it has ended.

        A start in progress is awaited first. If it failed, nothing is done.
        """
        await asyncio.wait([self._opened])
        if self._opened.exception():
            return
        if not self._closing:
            self._closing = True
            self._its_loop.call_soon_threadsafe(self._asked_to_close.set)
        await asyncio.wait([self._over])
        self._over.result()
        self.invitation = ()
        self.told.clear()
        self.changed()

    def _run(self, offer: ServerOptions) -> None:
        """Run the server until it is stopped; called in the server's thread."""
        try:
            asyncio.run(self._hold(offer))
        except Exception as error:
            self._main.call_soon_threadsafe(self._fail, error)
        else:
            self._main.call_soon_threadsafe(self._over.set_result, None)

    async def _hold(self, offer: ServerOptions) -> None:
        self._its_loop, self._asked_to_close = asyncio.get_running_loop(), asyncio.Event()
        async with server.open_club(offer, tell=lambda line: self._main.call_soon_threadsafe(self._hear, line)) as club:
            self._main.call_soon_threadsafe(self._opened.set_result, club)
            await self._asked_to_close.wait()

    def _fail(self, error: Exception) -> None:
        (self._over if self._opened.done() else self._opened).set_exception(error)

    def _hear(self, line: str) -> None:
        self.told.append(line)
        self.changed()


def _why(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program of this machine listens at one of these ports; choose others"
    return f"no club can be opened: {error.strerror or error}"
