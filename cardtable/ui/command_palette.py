"""Commands in the palette: those of the current screen, pages to open, and those of the whole program."""

from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import Any, Final

from textual.screen import Screen

from cardtable.engine.text_format import sanitize
from cardtable.games import ABOUT, GAMES
from cardtable.session.lessons import has_lessons
from cardtable.store import paths, profiles, summaries
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.profiles import MAX_NAME_LENGTH
from cardtable.store.session_setup import create_default_setup
from cardtable.store.settings import KEYS, SETTINGS
from cardtable.ui.keys.keymap import USUAL_KEYS
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.palette import Command, PalettePage, PaletteScreen, list_screen_commands
from cardtable.ui.toolkit.preferences import Preferences
from cardtable.wording import tables

PAGES: Final = {
    "learn": "Lessons",
    "puzzles": "Puzzles",
    "archive": "Archive",
    "statistics": "Statistics",
    "rankings": "Rankings",
    "score_table": "Score table for real cards",
    "players": "Players",
    "join_club": "Join a club",
    "open_to_others": "Open to others",
}
"""Titles of the pages that can be opened from every screen, by their names in the navigator and in the key bindings."""


_WORDS_OF_PAGES_WITHOUT_KEY: Final = {"open_to_others": "club host multiplayer online network friends internet"}
"""Other words for pages that no key opens."""
_MIDDLE_LUMINANCE: Final = 0.18
"""Relative luminance of middle grey."""
MAX_TABLES: Final = 30
"""Maximum number of unfinished sessions that the palette offers."""


def list_commands(context: PageContext, screen: Screen[Any]) -> list[Command]:
    """Return the commands available on a screen: its own keys first, then pages to open, then global commands."""
    owner = screen.page if isinstance(screen, PageScreen) else screen
    assert isinstance(owner, Page | TableScreen)
    commands = list_screen_commands(owner, context.preferences.appearance.keys)
    if not is_hosted_client():  # a guest's data on such pages is discarded
        own_keys = [key.name for key in owner.SCOPE.keys]
        commands += [_create_page_command(context, page) for page in PAGES if page not in own_keys]
    if context.close_hosted_club:
        close = partial(context.app.call_later, context.app.run_worker, context.close_club)
        commands.append(Command("Close the club", close))
    return [*commands, *list_global_commands(context)]


def list_more_commands(context: PageContext) -> list[Command]:
    """Return the commands that are found by their words only: values of settings, unfinished tables and players."""
    at_home = [] if is_hosted_client() else [*_list_table_commands(context), *_list_player_commands(context)]
    return [*_list_setting_commands(context.preferences), *at_home]


def _create_page_command(context: PageContext, page: str) -> Command:
    words = _WORDS_OF_PAGES_WITHOUT_KEY.get(page) or USUAL_KEYS[page].words
    return Command(PAGES[page], partial(context.show, page), synonyms=words)


def list_global_commands(context: PageContext) -> list[Command]:
    """Return the commands that are available on every screen: themes, and actions for each game.

    A guest whose program runs at the host has no tables of their own, so only the rules of each game are offered.
    """

    def create_for_games(title: str, synonyms: str, run: Callable[[str], object]) -> list[Command]:
        return [
            Command(f"{title} {about.title}", partial(run, about.key), synonyms=synonyms) for about in ABOUT.values()
        ]

    def begin(key: str) -> None:
        context.begin(create_default_setup(GAMES[key], context.nick))

    commands = [
        Command(
            f"Theme: {name}",
            partial(context.preferences.change, theme=name),
            "now" if context.preferences.theme_name == name else "",
            _describe_theme(theme),
        )
        for name, theme in sorted(themes.load_themes(paths.theme_files())[0].items())
    ]
    rules = create_for_games("Rules of", USUAL_KEYS["rules"].words, partial(context.show, "rules"))
    if is_hosted_client():
        return [*commands, *rules]
    learn, words = partial(context.show, "game_lessons"), USUAL_KEYS["learn"].words
    return [
        *commands,
        *create_for_games("Play", "start new", begin),
        *create_for_games("New table for", "start options players", partial(context.show, "new_table")),
        *rules,
        *[
            Command(f"Learn {about.title}", partial(learn, about.key), synonyms=words)
            for about in ABOUT.values()
            if has_lessons(about.key)
        ],
    ]


def _describe_theme(theme: themes.Theme) -> str:
    """Return words by which a theme is found; a light one has a table brighter than middle grey."""
    is_light = themes.compute_luminance(theme.grounds.mat) > _MIDDLE_LUMINANCE
    return "color colour look appearance skin " + ("light bright white day" if is_light else "dark black night")


def _list_setting_commands(preferences: Preferences) -> list[Command]:
    """Return a command for each value of each setting with few values; the present value is marked."""
    return [
        Command(
            f"{setting.label}: {setting.format_value(value)}",
            partial(preferences.change, **{setting.name: value}),
            "now" if getattr(preferences.chosen, setting.name) == value else "",
            f"{setting.help_text} {USUAL_KEYS[setting.name].words if setting.name in USUAL_KEYS else ''}",
        )
        for setting in SETTINGS.values()
        if setting.topic != KEYS
        for value in setting.values
    ]


def _list_table_commands(context: PageContext) -> list[Command]:
    """Return a command that continues each of the unfinished sessions played last, found by table name and players."""
    return [
        Command(
            f"Continue {tables.get_game_title(summary)}{f', {summary.name}' if summary.name else ''}"
            f" with {', '.join([sanitize(occupant.name, MAX_NAME_LENGTH) for occupant in summary.header.seats])}",
            partial(context.show, "score_table", summary.path)
            if summary.real_cards
            else partial(context.resume_session, summary.path),
            synonyms="resume go load table session",
        )
        for summary in islice(summaries.iter_unfinished(), MAX_TABLES)
        if summary.header
    ]


def _list_player_commands(context: PageContext) -> list[Command]:
    """Return a command for each player of this home that opens their statistics."""
    return [
        Command(
            f"Statistics of {player.nick}",
            partial(context.show, "statistics", player.nick),
            synonyms="player profile figures",
        )
        for player in profiles.load()[0].players
    ]


def create_screen(context: PageContext) -> PaletteScreen:
    """Return the palette for the current screen."""
    commands = list_commands(context, context.app.screen)
    return PaletteScreen(PalettePage(context, commands, partial(list_more_commands, context)))
