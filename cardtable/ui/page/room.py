"""The room that pages are opened in: what they all share, and the ways from one to another."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from textual.app import App
from textual.screen import Screen

from cardtable.engine.errors import CardtableError
from cardtable.play.thinker import Thinker
from cardtable.store.sessions import Session
from cardtable.store.setup import Setup
from cardtable.ui.page.leaving import Leaving
from cardtable.ui.page.signed_in import SignedIn
from cardtable.ui.processes.reckoner import Reckoner
from cardtable.ui.settings.preferences import Preferences

T = TypeVar("T")


class Room(ABC):
    """What a page gets of the program.

    Ways are gone one after the other, once what was pressed before them is done: a page asks for one and returns.
    """

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        self.app, self.preferences = app, preferences
        self.player = SignedIn()
        self.thinker = Thinker()
        self.reckoner = Reckoner()
        self.leaving = Leaving(app, preferences)
        self.closing: Callable[[], Awaitable[None]] | None = None
        """Closes the club that this program has open, if it has."""
        self._kept: dict[type, object] = {}

    @property
    def me(self) -> str:
        """The nick of who has signed in, or a guest's name."""
        return self.player.nick

    def kept(self, kind: type[T]) -> T:
        """What a page keeps for the next time that it is opened."""
        found = self._kept.setdefault(kind, kind())
        assert isinstance(found, kind)
        return found

    @abstractmethod
    def show(self, page: str, *about: object) -> None:
        """Open the page of a name over what is shown; one of its kind that is open is left with all above it.

        ``about``: what its module's ``screen`` takes beside the room: ``show("replay", path)``.
        """

    @abstractmethod
    def leave(self, screen: Screen[Any]) -> None:
        """Leave a screen with all above it; what of that is not on the disk is asked about first."""

    @abstractmethod
    def begin(self, how: Setup) -> None:
        """Begin a session; whose credits are staked gives her password first."""

    @abstractmethod
    def go_on(self, path: Path) -> None:
        """Go on with a session; where it is played below the pages already, that is gone back to."""

    @abstractmethod
    def sit_down(self, how: Callable[[], Session]) -> None:
        """Leave all pages and the table for a session; if it cannot be opened, say why and stay."""

    @abstractmethod
    def complain(self, error: CardtableError) -> None:
        """Say what failed."""

    async def close_club(self) -> None:
        """Close the club that this program has open, if it has; all guests are told."""
        if self.closing:
            await self.closing()
            self.closing = None  # not before: the end of the program waits for what is being closed

    async def end(self) -> None:
        """Send guests away, and end the processes."""
        await self.close_club()
        await self.thinker.stop()
        await self.reckoner.stop()
