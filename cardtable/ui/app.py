"""The program on the screen: begins with the picker, and holds what lasts as long as it does."""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from typing import ClassVar, Final

from textual import constants
from textual.actions import SkipAction
from textual.app import App
from textual.binding import Binding, BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen
from textual.theme import Theme
from textual.worker import WorkerFailed

from cardtable.engine.errors import CardtableError
from cardtable.engine.text import MOST_PATH, clean
from cardtable.games import blamed
from cardtable.store import ledgers
from cardtable.store.club_tokens import at_the_host
from cardtable.store.sessions import Session
from cardtable.ui.draw.outlasting import GameBroke, Outlasting
from cardtable.ui.navigator import Navigator
from cardtable.ui.page import library_colours
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.picker.screen import Picker
from cardtable.ui.picker.strays import StrayOffers
from cardtable.ui.settings.preferences import Preferences
from cardtable.ui.settings_page.keeper import SettingsKeeper
from cardtable.ui.terminal import signals

ROBOTS_START: Final = 0.3
"""Seconds after the first picture, in which the robots' process would only be in the way."""
ASKS_TO_QUIT: Final = "ctrl+c"
"""The key that asks whether to quit, unless the settings have something else for it."""
_PATIENCE: Final = 0.5
"""Seconds that quitting waits for what was pressed before."""


class CardtableApp(Outlasting, App[None]):
    """Holds what lasts as long as the program: the room that pages are opened in, and what its keys do everywhere."""

    TITLE = "The Table"
    ENABLE_COMMAND_PALETTE = False
    CSS = library_colours.CSS
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", id="quit", priority=True),
        Binding(ASKS_TO_QUIT, "help_quit", priority=True),
    ]

    def __init__(
        self,
        preferences: Preferences,
        session: Session | None = None,
        page: tuple[str, *tuple[object, ...]] | None = None,
    ) -> None:
        """``page``: which is opened over the picker, and what it is about."""
        self.preferences = preferences
        super().__init__()
        self.room = Navigator(self, preferences)
        self._keeper = SettingsKeeper(self.room)
        self._opens = [("table", session)] if session is not None else [page] if page is not None else []

    def get_default_screen(self) -> Screen[None]:
        """The picker, below all else."""
        return PageScreen(Picker(self.room, below=bool(self._opens)))

    def on_mount(self) -> None:
        """Over the picker the session or the page that was asked for."""
        signals.answer_in_turn()
        self.app_resume_signal.subscribe(self, lambda _: signals.tell_size())
        for page in self._opens:
            self.room.show(*page)
        self.set_timer(ROBOTS_START, self._call_robots)
        self._keeper.tell_complaints()
        StrayOffers(self.room).begin()

    async def _call_robots(self) -> None:
        """Have the robots' process ready before anybody needs it, and files as the last run should have left them."""
        from cardtable.store import drafts  # noqa: PLC0415 - after the first picture

        await self.room.thinker.start()
        await asyncio.to_thread(ledgers.settle)
        await asyncio.to_thread(drafts.sweep)

    async def on_unmount(self) -> None:
        """Send the robots home, and end what is reckoned."""
        await self.room.end()

    @property
    def fault(self) -> Exception | None:
        """The first exception that nobody has handled."""
        return _cause(self._exception) if self._exception else None

    def _handle_exception(self, error: Exception) -> None:
        """A game of another package that fails is left; any other fault ends the program in order."""
        failed = blamed(_cause(error))
        if failed is None:
            super()._handle_exception(error)
        else:
            self.post_message(GameBroke(failed))

    def on_game_broke(self, broke: GameBroke) -> None:
        """Back to the picker, which tells it."""
        self.room.leave_broken(broke.failed)

    def _fatal_error(self) -> None:
        """End in order; the report of the terminal library would tell all hands, among whatever else it holds."""
        self._close_messages_no_wait()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What the preferences ask for; the variable ``NO_COLOR`` is among them."""
        if not any(self.preferences.needed):
            return ()
        from cardtable.ui.draw.filters import filters  # noqa: PLC0415 - not for everybody

        return filters(self.preferences.needed)

    def get_driver_class(self) -> type[Driver]:
        """What the program is shown with."""
        return _driver() or super().get_driver_class()

    @property
    def current_theme(self) -> Theme:
        """The theme in force, for what the terminal library brings along."""
        return library_colours.library_theme(self.preferences.look.theme)

    def on_app_focus(self) -> None:
        """The person has come from another window: what was set there holds here, too."""
        self.preferences.look_again()

    def action_show(self, page: str) -> None:
        """A page that is about nothing in particular, from a key; the same key leads back."""
        self.room.toggle(page)

    async def action_picture(self) -> None:
        """Keep a picture of the screen as it is."""
        from cardtable.store import exports  # noqa: PLC0415 - seldom asked

        svg = self.export_screenshot(title=self.TITLE)
        if at_the_host() and self.is_web:
            self.deliver_binary(BytesIO(svg.encode()), save_filename="cardtable.svg", mime_type="image/svg+xml")
            return
        try:
            path = await asyncio.to_thread(exports.save, "cardtable.svg", svg.encode())
        except CardtableError as error:
            self.room.complain(error)
        else:
            self.notify(f"Saved as {clean(str(path), MOST_PATH)}", markup=False)

    async def action_quit(self) -> None:
        """End the program, once what was pressed before has been done, unless that takes long."""
        done = asyncio.Event()
        (self.focused or self.screen).call_later(done.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), _PATIENCE)

        async def end() -> None:
            self.exit()

        await self.room.leaving.then(end)

    def action_help_quit(self) -> None:
        """Ask whether to quit."""
        if self.preferences.look.keys.has(ASKS_TO_QUIT):
            raise SkipAction
        from cardtable.ui.page import quitting  # noqa: PLC0415 - seldom asked

        quitting.ask(self, self.preferences.look, self.action_quit)


def _cause(error: Exception) -> Exception:
    """What was raised in a task that has failed with it."""
    return error.error if isinstance(error, WorkerFailed) and isinstance(error.error, Exception) else error


def _driver() -> type[Driver] | None:
    """What the program is shown with, where that is not what is usual."""
    if constants.DRIVER is not None:
        from cardtable.ui.terminal.in_browser import BrowserDriver  # noqa: PLC0415 - seldom there

        return BrowserDriver
    if sys.platform == "win32":
        return None
    from cardtable.ui.terminal.in_terminal import TerminalDriver  # noqa: PLC0415 - not everywhere

    return TerminalDriver
