"""The program on the screen: begins with the picker, and holds what lasts as long as it does."""

import asyncio
import gc
import sys
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO
from typing import ClassVar, Final

from textual import constants
from textual.actions import SkipAction
from textual.app import App
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.theme import Theme as LibraryTheme
from textual.worker import WorkerFailed

from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import MOST_PATH, sanitize
from cardtable.games import blamed
from cardtable.store import credit_ledger
from cardtable.store.club_tokens import at_the_host
from cardtable.store.errors import UnsavedDataError
from cardtable.store.sessions import Session
from cardtable.store.settings import TerminalFlags
from cardtable.ui.navigator import Navigator
from cardtable.ui.picker.screen import Picker
from cardtable.ui.picker.table_actions import RecoveryPrompts
from cardtable.ui.terminal import capabilities, signals
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import PageScreen
from cardtable.ui.toolkit.painting.canvas import CanvasWidget, ErrorBoundary, GameFailedMessage
from cardtable.ui.toolkit.painting.themes import Theme
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.workers.threads import reuse_threads

CSS: Final = """
Toast { border: none; padding: 0 1; background: $surface; color: $foreground; }
"""
"""Blocks on the ground of the mat, without frames."""


class _PlainBar(ScrollBarRender):
    """A scroll bar of plain grounds, without pieces of blocks at its ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


ScrollBar.renderer = _PlainBar


def library_theme(theme: Theme) -> LibraryTheme:
    """The theme in the words of the terminal library."""
    grounds, inks = theme.grounds, theme.inks
    return LibraryTheme(
        name=theme.title,
        primary=inks.gold,
        warning=inks.warn,
        error=inks.loss,
        foreground=inks.text,
        background=grounds.felt,
        surface=grounds.mat,
        panel=grounds.panel,
        dark=Color.parse(grounds.felt).brightness < Color.parse(inks.text).brightness,
        variables={
            "block-cursor-background": grounds.row,
            "block-cursor-foreground": inks.text,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": grounds.row,
            "block-cursor-blurred-foreground": inks.text,
            "block-cursor-blurred-text-style": "bold",
            "input-cursor-background": inks.gold,
            "input-cursor-foreground": grounds.panel,
            "scrollbar": grounds.bonus,
            "scrollbar-hover": grounds.bonus,
            "scrollbar-active": grounds.bonus,
            "scrollbar-background": grounds.panel,
            "scrollbar-background-hover": grounds.panel,
            "scrollbar-background-active": grounds.panel,
            "scrollbar-corner-color": grounds.panel,
        },
    )


class SettingsSync:
    """Wakes up where the preferences change, and tells each thing that is wrong with files once."""

    def __init__(self, room: PageContext) -> None:
        self._app, self._room, self._preferences = room.app, room, room.preferences
        self._told: set[str] = set()
        room.preferences.on_apply, room.preferences.on_change = self._wear, self._keep

    def tell_complaints(self) -> None:
        """What is wrong with settings, theme and keys, as far as it was not told yet; it stays until it is closed.

        It lies over what tells that play is not saved, and so tells that first.
        """
        found = [*self._preferences.complaints, *self._room.player.unread]
        new = [each for each in found if each not in self._told]
        self._told.update(new)
        if new:
            from cardtable.ui.toolkit.file_problems import ComplaintsPage  # noqa: PLC0415 - seldom there

            self._app.push_screen(PageScreen(ComplaintsPage(self._room, [*self._room.leaving.troubles(), *new])))

    def _wear(self) -> None:
        """Other settings are in force: every screen is painted anew."""
        self._repaint()
        self._app.refresh_css(animate=False)
        self.tell_complaints()

    def _repaint(self) -> None:
        for screen in self._app.screen_stack:
            for painting in screen.query(CanvasWidget):
                painting.set_appearance(self._preferences.look)
            for widget in screen.walk_children():
                widget.refresh()

    def _keep(self) -> None:
        """Something was chosen: the file is written."""
        saved = asyncio.get_running_loop().run_in_executor(None, self._preferences.save)
        self._app.run_worker(self._tell_trouble(saved), group="settings")

    async def _tell_trouble(self, saved: asyncio.Future[str]) -> None:
        """That settings cannot be saved is said once; they are in force all the same."""
        trouble = await asyncio.shield(saved)  # also where the program is left meanwhile
        new = trouble != self._preferences.trouble
        self._preferences.saved(trouble)
        self._repaint()
        if new and trouble:
            self._app.notify(trouble, markup=False, severity="error")


ROBOTS_START: Final = 0.3
"""Seconds after the first picture, in which the robots' process would only be in the way."""
ASKS_TO_QUIT: Final = "ctrl+c"
"""The key that asks whether to quit, unless the settings have something else for it."""
_PATIENCE: Final = 0.5
"""Seconds that quitting waits for what was pressed before."""


class CardtableApp(ErrorBoundary, App[None]):
    """Holds what lasts as long as the program: the room that pages are opened in, and what its keys do everywhere."""

    TITLE = "The Table"
    ENABLE_COMMAND_PALETTE = False
    CSS = CSS
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
        self._keeper = SettingsSync(self.room)
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
        RecoveryPrompts(self.room).begin()

    async def _call_robots(self) -> None:
        """Have the robots' process ready before anybody needs it, and files as the last run should have left them."""
        from cardtable.store import temp_cleanup  # noqa: PLC0415 - after the first picture

        await self.room.thinker.start()
        await asyncio.to_thread(credit_ledger.pay_out)
        await asyncio.to_thread(temp_cleanup.remove_stale)

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
            self.post_message(GameFailedMessage(failed))

    def on_game_failed_message(self, broke: GameFailedMessage) -> None:
        """Back to the picker, which tells it."""
        self.room.leave_broken(broke.failed)

    def _fatal_error(self) -> None:
        """End in order; the report of the terminal library would tell all hands, among whatever else it holds."""
        self._close_messages_no_wait()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What the preferences ask for; the variable ``NO_COLOR`` is among them."""
        if not any(self.preferences.needed):
            return ()
        from cardtable.ui.toolkit.painting.line_filters import filters  # noqa: PLC0415 - not for everybody

        return filters(self.preferences.needed)

    def get_driver_class(self) -> type[Driver]:
        """What the program is shown with."""
        return _driver() or super().get_driver_class()

    @property
    def current_theme(self) -> LibraryTheme:
        """The theme in force, for what the terminal library brings along."""
        return library_theme(self.preferences.look.theme)

    def on_app_focus(self) -> None:
        """The person has come from another window: what was set there holds here, too."""
        self.preferences.reload()

    def action_show(self, page: str) -> None:
        """A page that is about nothing in particular, from a key; the same key leads back."""
        self.room.toggle(page)

    async def action_picture(self) -> None:
        """Keep a picture of the screen as it is."""
        from cardtable.store import folder_checks  # noqa: PLC0415 - seldom asked

        svg = self.export_screenshot(title=self.TITLE)
        if at_the_host() and self.is_web:
            self.deliver_binary(BytesIO(svg.encode()), save_filename="cardtable.svg", mime_type="image/svg+xml")
            return
        try:
            path = await asyncio.to_thread(folder_checks.save, "cardtable.svg", svg.encode())
        except CardtableError as error:
            self.room.complain(error)
        else:
            self.notify(f"Saved as {sanitize(str(path), MOST_PATH)}", markup=False)

    async def action_quit(self) -> None:
        """End the program, once what was pressed before has been done, unless that takes long."""
        done = asyncio.Event()
        (self.focused or self.screen).call_later(done.set)
        with suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), _PATIENCE)

        async def end() -> None:
            self.exit()

        await self.room.leaving.confirm_then(end)

    def action_help_quit(self) -> None:
        """Ask whether to quit."""
        if self.preferences.look.keys.has(ASKS_TO_QUIT):
            raise SkipAction
        from cardtable.ui.toolkit import unsaved_work  # noqa: PLC0415 - seldom asked

        unsaved_work.ask(self, self.preferences.look, self.action_quit)


def _cause(error: Exception) -> Exception:
    """What was raised in a task that has failed with it."""
    return error.error if isinstance(error, WorkerFailed) and isinstance(error.error, Exception) else error


def _driver() -> type[Driver] | None:
    """What the program is shown with, where that is not what is usual."""
    if constants.DRIVER is not None:
        from cardtable.ui.terminal.browser_driver import BrowserDriver  # noqa: PLC0415 - seldom there

        return BrowserDriver
    if sys.platform == "win32":
        return None
    from cardtable.ui.terminal.terminal_driver import TerminalDriver  # noqa: PLC0415 - not everywhere

    return TerminalDriver


def run(
    session: Session | None = None,
    flags: TerminalFlags | None = None,
    page: tuple[str, *tuple[object, ...]] | None = None,
) -> None:
    """Open the program: at the picker, at the table of ``session``, or at a page with what it is about.

    Raises ``SystemExit`` if it ended in any other way than by leaving it, ``UnsavedDataError``, and what was a fault
    of it.
    """
    flags = flags or TerminalFlags()
    flags = flags._replace(ascii=flags.ascii or capabilities.ascii_only())
    app = CardtableApp(Preferences.load(flags, few_colours=capabilities.few_colours()), session, page)
    fault = None
    try:
        asyncio.run(_run(app))
    except Exception as error:
        fault = error
    fault = app.fault or fault
    if not_kept := [line for line in (*app.room.leaving.end(), app.preferences.save_rest()) if line]:
        raise UnsavedDataError(not_kept) from fault
    if fault:
        raise fault
    if app.return_code:
        raise SystemExit(app.return_code)


async def _run(app: CardtableApp) -> None:
    signals.end_when_asked(lambda code: app.exit(return_code=code), app.room.leaving.keep_elsewhere)
    reuse_threads()
    asyncio.get_running_loop().call_later(ROBOTS_START, gc.enable)
    await app.run_async(mouse=app.preferences.mouse)
