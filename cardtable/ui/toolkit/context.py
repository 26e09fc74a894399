"""The room that pages are opened in: what they all share, and the ways from one to another."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from textual.app import App
from textual.screen import Screen

from cardtable.engine.errors import CardtableError
from cardtable.session.robot_client import RobotClient
from cardtable.store import profiles, seating
from cardtable.store.profiles import ProfileStore
from cardtable.store.session_setup import SessionSetup
from cardtable.store.sessions import Session
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.ui.toolkit.statistics_client import StatisticsWorker
from cardtable.ui.toolkit.unsaved_work import UnsavedWorkGuard


class CurrentPlayer:
    """The nick of who has signed in, or a guest's name."""

    def __init__(self) -> None:
        book, trouble = profiles.load()
        self.unread = [trouble] if trouble else []
        """What was wrong with the file of the players at first."""
        self.nick = book.signed_in or seating.GUEST
        self._id = self._id_in(book)

    def become(self, nick: str) -> None:
        """Somebody else plays from now on, or the same player by another nick."""
        self.nick = nick
        self._id = self._id_in(profiles.load()[0])

    def look_again(self) -> None:
        """Follow the player to the nick that she has by now; who is none any more is a guest."""
        book, trouble = profiles.load()
        if trouble or self.nick == seating.GUEST:
            return
        if self._id:
            found = next((player for player in book.players if player.id == self._id), None)
        else:  # in a file of the first version
            found = book.find(self.nick)
        self.nick = found.nick if found else seating.GUEST
        self._id = self._id_in(book)

    def _id_in(self, book: ProfileStore) -> str:
        profile = book.find(self.nick)
        return profile.id if profile else ""


T = TypeVar("T")


class PageContext(ABC):
    """What a page gets of the program.

    Ways are gone one after the other, once what was pressed before them is done: a page asks for one and returns.
    """

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        self.app, self.preferences = app, preferences
        self.player = CurrentPlayer()
        self.thinker = RobotClient()
        self.reckoner = StatisticsWorker()
        self.leaving = UnsavedWorkGuard(app, preferences)
        self.closing: Callable[[], Awaitable[None]] | None = None
        """Closes the club that this program has open, if it has."""
        self._kept: dict[type, object] = {}

    @property
    def me(self) -> str:
        """The nick of who has signed in, or a guest's name."""
        return self.player.nick

    def page_state(self, kind: type[T]) -> T:
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
    def begin(self, how: SessionSetup) -> None:
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
