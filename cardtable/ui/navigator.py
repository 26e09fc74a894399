"""Navigation between pages, which are opened by name."""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from textual.app import App
from textual.screen import ModalScreen, Screen

from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.store import credit_ledger, profiles, sessions
from cardtable.store.errors import DamagedJournal
from cardtable.store.session_setup import SessionSetup
from cardtable.store.sessions import Session
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.preferences import Preferences

_PAGES: Final = {
    "archive": "archive.screen:ArchivePage",
    "club": "club.lobby:create_screen",
    "export": "archive.screen:ExportPage",
    "game_lessons": "learning:LessonListPage",
    "join_club": "club.join_page:create_screen",
    "learn": "learning:LessonGamesPage",
    "lesson": "learning:create_lesson_table",
    "new_table": "new_table:create_screen",
    "open_to_others": "club.host_page:create_screen",
    "palette": "command_palette:create_screen",
    "players": "players:PlayersPage",
    "puzzle": "learning:create_puzzle_table",
    "puzzles": "learning:PuzzlesPage",
    "rankings": "records.rankings_page:RankingsPage",
    "replay": "replay:ReplayPage",
    "review": "review:ReviewPage",
    "rules": "rules:create_screen",
    "score_table": "score_table.screen:create_screen",
    "settings": "settings:SettingsPage",
    "statistics": "records.statistics_page:StatisticsPage",
    "table": "table.screen:create_screen",
    "welcome": "welcome:WelcomePage",
}
"""Modules below ``cardtable.ui``, each with its class, or its function that creates the screen, by name of the page."""
_ABOVE_PICKER: Final = ("new_table", "table")
"""Names of pages that always lie directly above the picker: any other page is left before they are opened."""


class Navigator(PageContext):
    """Page context that manages the stack of screens above the picker."""

    def __init__(self, app: App[Any], preferences: Preferences) -> None:
        super().__init__(app, preferences)
        self._page_names: WeakKeyDictionary[Screen[Any], str] = WeakKeyDictionary()
        """Page names of the screens that this navigator has opened."""
        self._failed_game: GameFailed | None = None
        """Error of the failed game whose page is being left; ``None`` otherwise."""

    def show(self, page: str, *arguments: object) -> None:
        """Open a page by name.

        If no screen has to be closed, the page is opened before this method returns, so that the next key press reaches
        it. While a modal screen is open, the call is ignored.
        """
        stack = self.app.screen_stack
        if isinstance(stack[-1], ModalScreen):
            return
        page_names = [self._page_names.get(screen) for screen in stack]
        below = stack[-1]
        if page in _ABOVE_PICKER:
            below = stack[0]
        elif page in page_names:
            below = stack[page_names.index(page) - 1]
        if below is stack[-1]:
            self._open(page, arguments)
        else:
            self.run_later(self._return_to, below, partial(self._open, page, arguments))

    def toggle(self, page: str) -> None:
        """Open a page without arguments, or leave it if it is the current screen."""
        if self._page_names.get(self.app.screen) == page:
            self.app.screen.dismiss()
        else:
            self.show(page)

    def _open(self, page: str, arguments: tuple[object, ...]) -> None:
        module, function = _PAGES[page].split(":")
        create: Callable[..., Screen[object] | Page] = getattr(import_module(f"cardtable.ui.{module}"), function)
        try:
            created = create(self, *arguments)
        except CardtableError as error:
            self.show_error(error)
        else:
            opened = created if isinstance(created, Screen) else PageScreen(created)
            self._page_names[opened] = page
            self.app.push_screen(opened)

    def leave(self, screen: Screen[Any]) -> None:
        stack = self.app.screen_stack
        if screen in stack:
            self.run_later(self._return_to, stack[stack.index(screen) - 1])

    async def _return_to(self, below: Screen[Any], then: Callable[[], object] = lambda: None) -> None:
        """Close all screens above ``below``, then call ``then``.

        The player is asked first if work on one of those screens is unsaved, and may refuse.
        """
        stack = self.app.screen_stack
        if (
            below in stack
            and await self.unsaved_work.confirm_closing(stack[stack.index(below) + 1 :])
            and await self._pop_to(below)
        ):
            then()

    async def _pop_to(self, below: Screen[Any]) -> bool:
        """Close screens until ``below`` is the current one, including a screen that a key press opens meanwhile.

        Returns False if the program is ending and no screen is left.
        """
        while self.app.screen_stack and self.app.screen is not below:
            await self.app.pop_screen()
        return bool(self.app.screen_stack)

    def leave_failed_game(self, error: GameFailed) -> None:
        """Return to the picker after a game of another package has failed, and report the error there.

        Further errors that arrive before the picker is reached are ignored.
        """
        stack = self.app.screen_stack
        if self._failed_game is None and len(stack) > 1:
            self._failed_game = error
            self.run_later(self._return_to, stack[0], self._report_failed_game)

    def _report_failed_game(self) -> None:
        failed, self._failed_game = self._failed_game, None
        assert failed is not None
        self.app.notify(failed.full_message, markup=False, severity="error")

    def open_session(self, opener: Callable[[], Session]) -> None:
        self.run_later(self._open_table, opener)

    async def _open_table(self, opener: Callable[[], Session]) -> None:
        if not await self.unsaved_work.confirm_closing():
            return
        try:
            session = opener()
        except CardtableError as error:
            self.unsaved_work.withdraw_accepted_losses()
            if isinstance(error, DamagedJournal) and error.good:
                await self._offer_copy(error)
            else:
                self.show_error(error)
        else:
            if await self._pop_to(self.app.screen_stack[0]):
                self.show("table", session)

    def resume_session(self, path: Path) -> None:
        self.run_later(self._resume, path)

    async def _resume(self, path: Path) -> None:
        from cardtable.ui.table.screen import TableScreen  # noqa: PLC0415 - lazy: startup, after the picker

        tables = [screen for screen in self.app.screen_stack if isinstance(screen, TableScreen)]
        for table in tables:
            local = table.controller.playable.local
            if local and local.session.path == path and not local.session.view_only:
                await self._return_to(table)
                return
        await self._open_table(partial(sessions.resume, path))

    def begin(self, setup: SessionSetup) -> None:
        self.run_later(self._begin, setup)

    async def _begin(self, setup: SessionSetup) -> None:
        while needed := credit_ledger.list_nicks_requiring_password(setup.seats, setup.options.stake):
            nick = needed[0]
            text = f"{nick} stakes {setup.options.stake} credits."
            verify = partial(profiles.verify_password, nick)
            if not await self.ask_until_accepted(f"The password of {nick}", text, "stake them", "go back", verify):
                return
        await self._open_table(setup.begin)

    async def _offer_copy(self, damage: DamagedJournal) -> None:
        """Offer to continue from the valid lines of a damaged journal in a copy; the damaged file is not changed."""
        title = "The session's file is damaged"
        text = f"{damage}. Everything before it is intact: you can continue from there in a copy."
        if await self.confirm(title, text, "continue in a copy", "go back"):
            await self._open_table(partial(sessions.fork, damage.path, damage.good))

    def show_error(self, error: CardtableError) -> None:
        self.app.notify(error.full_message, markup=False, severity="error")
        if isinstance(self.app.screen, PageScreen):
            self.app.screen.page.on_resumed()
