"""Commands in the palette: those of the current screen, pages to open, and those of the whole program."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from textual.screen import Screen

from cardtable.games import ABOUT, GAMES
from cardtable.store import paths
from cardtable.store.club_tokens import is_guest_program
from cardtable.store.session_setup import create_default_setup
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.palette import Command, PalettePage, PaletteScreen, list_screen_commands

PAGES: Final = {
    "archive": "Archive",
    "statistics": "Statistics",
    "rankings": "Rankings",
    "score_table": "Score table for real cards",
    "players": "Players",
    "open_to_others": "Open to others",
}
"""Titles of the pages that can be opened from every screen, by their names in the navigator and in the key bindings."""


def list_commands(context: PageContext, screen: Screen[Any]) -> list[Command]:
    """Return the commands available on a screen: its own keys first, then pages to open, then global commands."""
    owner = screen.page if isinstance(screen, PageScreen) else screen
    assert isinstance(owner, Page | TableScreen)
    pages = [page for page in PAGES if page not in [key.name for key in owner.SCOPE.keys]]
    ways = (
        [] if is_guest_program() else [_create_page_command(context, page) for page in pages]
    )  # a guest's data on such pages is discarded
    if context.close_hosted_club:
        ways.append(
            Command("Close the club", partial(context.app.call_later, context.app.run_worker, context.close_club))
        )
    return [*list_screen_commands(owner, context.preferences.appearance.keys), *ways, *list_global_commands(context)]


def _create_page_command(context: PageContext, page: str) -> Command:
    return Command(PAGES[page], partial(context.show, page))


def list_global_commands(context: PageContext) -> list[Command]:
    """Return the commands that are available on every screen: themes, and actions for each game.

    A guest whose program runs at the host has no tables of their own, so only the rules of each game are offered.
    """
    at_home: list[tuple[str, Callable[[str], object]]] = [
        ("Play {}", lambda key: context.begin(create_default_setup(GAMES[key], context.nick))),
        ("New table for {}", partial(context.show, "new_table")),
    ]
    rules: tuple[str, Callable[[str], object]] = ("Rules of {}", partial(context.show, "rules"))
    each = [rules] if is_guest_program() else [*at_home, rules]
    looks = [
        Command(f"Theme {name}", partial(context.preferences.change, theme=name))
        for name in sorted(themes.load_themes(paths.theme_files())[0])
    ]
    return looks + [
        Command(words.format(about.title), partial(does, about.key)) for words, does in each for about in ABOUT.values()
    ]


def create_screen(context: PageContext) -> PaletteScreen:
    """Return the palette for the current screen."""
    return PaletteScreen(PalettePage(context, list_commands(context, context.app.screen)))
