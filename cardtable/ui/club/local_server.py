"""Club server inside this program: runs in a thread with an event loop of its own, so that neither blocks the other."""

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
"""Log lines that are stored at most."""


class OwnClub:
    """Controls the club server, from `begin` to `close`; afterwards it can be opened again."""

    def __init__(self) -> None:
        self.code: Final = last_code() or new_code()
        """Entry code for a club on the network."""
        self.invitation: tuple[str, ...] = ()
        """Lines of the invitation; empty while the club is closed."""
        self.url = ""
        """Address for this program's own client."""
        self.owner_token = ""
        """Token that identifies this program's user as the owner of the open club."""
        self.asked = ""
        """Entry code that clients must send; empty if none is required."""
        self.told: Final[deque[str]] = deque(maxlen=MOST_TOLD)
        """Log lines, the newest last."""
        self.changed: Callable[[], object] = lambda: None
        """Callback after any change of these attributes."""

    def begin(self, name: str, *, lan: bool, code: str, port: int, ssh: int | None, web: int | None) -> None:
        """Start the server in its thread; `opened` waits for the result. `close` must be called in the end."""
        self.asked, self._main, self._closing = code, asyncio.get_running_loop(), False
        self._opened: asyncio.Future[ClubServer] = self._main.create_future()
        self._over: asyncio.Future[None] = self._main.create_future()
        offer = ServerOptions(name, "" if lan else LOCAL, port, code, ssh=ssh, web=web)
        try:
            Thread(target=self._run, args=(offer,), daemon=True).start()
        except RuntimeError as error:
            self._fail(OSError(str(error)))

    async def opened(self) -> None:
        """Wait until the server accepts clients. Raises CardtableError or ImportError if it cannot start."""
        await asyncio.wait([self._opened])  # continues even if the caller is cancelled
        try:
            club = self._opened.result()
        except OSError as error:
            raise CardtableError(_why(error)) from None
        self.invitation, self.url = club.invitation, f"ws://localhost:{club.port}"
        self.owner_token = club.lobby.members.owner_token

    async def close(self) -> None:
        """Notify all guests and stop the server; waits for a start in progress, and for the notifications."""
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
        """Run the server in its thread."""
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
