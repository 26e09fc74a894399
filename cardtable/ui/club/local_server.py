"""A club that this program has open: in a thread with a loop of its own, so that neither waits for the other."""

import asyncio
import errno
from collections import deque
from collections.abc import Callable
from threading import Thread
from typing import Final

from cardtable.club.addresses import LOCAL
from cardtable.club.server import server
from cardtable.club.server.accounts import code_before, new_code
from cardtable.club.server.server import ClubServer, ServerOptions
from cardtable.engine.errors import CardtableError

MOST_TOLD: Final = 50
"""Happenings that are kept."""


class OwnClub:
    """It is there from ``begin`` to ``close``, which also the end of the program is; then it can be opened again."""

    def __init__(self) -> None:
        self.code: Final = code_before() or new_code()
        """Of a club for others on the network."""
        self.invitation: tuple[str, ...] = ()
        """What others have to be told, in lines; nothing while it is not open."""
        self.url = ""
        """Where the program itself comes in."""
        self.owner_token = ""
        """Proof for the open club that its files belong to who runs this program."""
        self.asked = ""
        """The code that everybody has to say."""
        self.told: Final[deque[str]] = deque(maxlen=MOST_TOLD)
        """What has happened, the last at the end."""
        self.changed: Callable[[], object] = lambda: None
        """Called when anything of this is another."""

    def begin(self, name: str, *, lan: bool, code: str, port: int, ssh: int | None, web: int | None) -> None:
        """Begin to open it; ``opened`` tells what comes of that, and ``close`` is needed from now on."""
        self.asked, self._main, self._closing = code, asyncio.get_running_loop(), False
        self._opened: asyncio.Future[ClubServer] = self._main.create_future()
        self._over: asyncio.Future[None] = self._main.create_future()
        offer = ServerOptions(name, "" if lan else LOCAL, port, code, ssh=ssh, web=web)
        try:
            Thread(target=self._run, args=(offer,), daemon=True).start()
        except RuntimeError as error:
            self._fail(OSError(str(error)))

    async def opened(self) -> None:
        """Wait until people are let in.  Raises ``CardtableError`` and ``ImportError`` where that cannot be."""
        await asyncio.wait([self._opened])  # which goes on also where nobody waits any more
        try:
            club = self._opened.result()
        except OSError as error:
            raise CardtableError(_why(error)) from None
        self.invitation, self.url = club.invitation, f"ws://localhost:{club.port}"
        self.owner_token = club.room.members.owner_token

    async def close(self) -> None:
        """Tell all guests, and wait until they are told; where it is just being opened, once it is."""
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
        """In its thread: be open."""
        try:
            asyncio.run(self._hold(offer))
        except Exception as error:
            self._main.call_soon_threadsafe(self._fail, error)
        else:
            self._main.call_soon_threadsafe(self._over.set_result, None)

    async def _hold(self, offer: ServerOptions) -> None:
        self._its_loop, self._asked_to_close = asyncio.get_running_loop(), asyncio.Event()
        async with server.opened(offer, tell=lambda line: self._main.call_soon_threadsafe(self._hear, line)) as club:
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
