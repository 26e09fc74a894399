"""Command palette: a searchable list of the commands of the current screen, pages to open, and the whole program's."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Any, Final, NamedTuple, Protocol

from textual import events
from textual.screen import Screen

from cardtable.engine.text_format import capitalize_first, fold, sanitize
from cardtable.games import ABOUT, GAMES
from cardtable.session.lessons import has_lessons
from cardtable.store import profiles, summaries
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.profiles import MAX_NAME_LENGTH
from cardtable.store.session_setup import create_default_setup
from cardtable.store.settings import KEYS, SETTINGS
from cardtable.ui.keys.bindings import LINE_TOPIC, MOVE_TOPIC, PALETTE, AnyKeyBinding, AnyKeyBindings
from cardtable.ui.keys.input_guard import find_clicked_widget
from cardtable.ui.keys.keymap import USUAL_KEYS, Keymap
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.context import PageContext
from cardtable.ui.toolkit.dialog import BoxScreen
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.painting import themes
from cardtable.ui.toolkit.painting.canvas import Canvas, wrap
from cardtable.ui.toolkit.painting.layout import WHEEL_ROWS
from cardtable.ui.toolkit.preferences import Preferences, list_themes
from cardtable.ui.toolkit.scroll_list import INDENT, Block, BlockArea, paint_column
from cardtable.ui.toolkit.text_input import TextInput, paint_text_input
from cardtable.wording import tables


class Command(NamedTuple):
    """Entry of the palette."""

    name: str
    run: Callable[[], object]
    key: str = ""
    """Label of the key that executes the command on the screen below the palette; empty if there is none."""
    synonyms: str = ""
    """Other words by which the command is found, separated by blanks."""


class HasKeyBindings(Protocol):
    """Screen or page with key bindings."""

    @property
    def SCOPE(self) -> AnyKeyBindings:  # noqa: N802 - a constant of each screen
        ...

    def is_enabled(self, key: AnyKeyBinding) -> bool:
        """Return True if pressing the key would have an effect now."""

    def label_for(self, key: AnyKeyBinding) -> str:
        """Return the label of the key's command on this screen, such as "undo"."""

    def press(self, key: AnyKeyBinding) -> Awaitable[None]:
        """Run the key's command if it is enabled."""


def list_screen_commands(owner: HasKeyBindings, keymap: Keymap) -> list[Command]:
    """Return a command for each enabled key of a screen, except keys that move the cursor or edit text.

    Of several keys with the same label only the first is listed.
    """
    keys = [
        key
        for key in owner.SCOPE.keys
        if key.topic not in (MOVE_TOPIC, LINE_TOPIC) and key.name != "palette" and owner.is_enabled(key)
    ]
    commands: dict[str, Command] = {}
    for key in keys:
        word = capitalize_first(owner.label_for(key))
        label, others = keymap.format_label(key.name), USUAL_KEYS[key.name].words
        commands.setdefault(word, Command(word, partial(owner.press, key), label, others))
    return list(commands.values())


def search_commands(commands: Sequence[Command], text: str) -> list[Command]:
    """Return the commands that have every word of ``text``, ignoring case.

    Names that begin with the whole text come first, then names in which every word of the text begins a word, then
    other names that contain the words, then commands for which some words begin synonyms. Each group has the order of
    ``commands``.
    """
    search_words = fold(text).split()
    typed = " ".join(search_words)

    def rank(command: Command) -> int | None:
        name = fold(command.name)
        if name.startswith(typed):
            return 0
        words, synonyms = name.split(), command.synonyms.split()
        if all(any(word.startswith(part) for word in words) for part in search_words):
            return 1
        if all(part in name for part in search_words):
            return 2
        if all(part in name or any(word.startswith(part) for word in synonyms) for part in search_words):
            return 3
        return None

    ranked = [(number, command) for command in commands if (number := rank(command)) is not None]
    return [command for _, command in sorted(ranked, key=itemgetter(0))]


TOP: Final = 2
"""Height of the area above the list, in rows."""
EDGE: Final = 2
"""Width of the margin at each side of the list, in columns."""
MAX_TYPED: Final = 40
"""Maximum length of the search text, in characters."""


class PalettePage(Page):
    """Page with a search field and the list of matching commands."""

    DEFAULT_CSS = "PalettePage { width: 72; max-width: 92%; height: 70%; margin-top: 2; }"
    SCOPE = PALETTE

    def __init__(
        self, context: PageContext, commands: Sequence[Command], list_more: Callable[[], Sequence[Command]]
    ) -> None:
        """Create the page; ``list_more`` returns commands that are found by their words, but not listed before.

        It is called when something is typed for the first time, since it may read files.
        """
        super().__init__(context)
        self._commands, self._matches = commands, [*commands]
        self._list_more, self._all_commands = list_more, list[Command]()
        self._entry = TextInput(MAX_TYPED)
        self._cursor = self._offset = 0
        self._follow = True

    def paint(self, width: int, height: int) -> Canvas:
        """Paint the search field and the matching commands; there is no footer."""
        canvas = Canvas(width, height, self.appearance)
        inks, grounds = canvas.theme.inks, canvas.theme.grounds
        canvas.fill(0, 0, width, height, grounds.mat)
        blocks = [Block(1, partial(_paint_command, command), number) for number, command in enumerate(self._matches)]
        self._offset = paint_column(
            canvas, blocks, EDGE, width - 2 * EDGE,
            cursor=self._cursor, offset=self._offset, follow_cursor=self._follow, top=TOP,
        )  # fmt: skip
        canvas.fill(0, 0, width, TOP + 1, grounds.mat)
        room = max(width - 2 * (EDGE + INDENT), 2)
        paint_text_input(canvas, EDGE + INDENT, 1, room, self._entry, "What would you like to do?")
        if not self._matches:
            keys = self.appearance.keys.format_keys("{rub_out} deletes, {clear} clears, {leave} closes.")
            message = f'No command matches "{sanitize(self._entry.text)}". {keys}'
            for row, line in enumerate(wrap(message, room), TOP + 1):
                canvas.write(EDGE + INDENT, row, line, inks.muted)
        return canvas

    @property
    def text_input(self) -> TextInput:
        return self._entry

    def on_edited(self, _before: str) -> None:
        """Search again; if the matches have changed, the cursor moves to the first of them."""
        before, self._matches = self._matches, self.find_commands(self._entry.text)
        self._go_to(0 if self._matches != before else self._cursor)

    def find_commands(self, text: str) -> list[Command]:
        """Return the commands that are shown once ``text`` is typed."""
        if not text.strip():
            return [*self._commands]
        self._all_commands = self._all_commands or [*self._commands, *self._list_more()]
        return search_commands(self._all_commands, text)

    def _go_to(self, line: int) -> None:
        self._cursor, self._follow = line, True
        self.repaint()

    def action_move(self, step: int) -> None:
        self._go_to((self._cursor + step) % max(len(self._matches), 1))

    def action_end(self, line: int) -> None:
        self._go_to(line % max(len(self._matches), 1))

    def action_page(self, step: int) -> None:
        """Move the cursor by the height of the list, up (-1) or down (1), stopping at the ends."""
        rows = max(self.size.height - TOP - 2, 1)
        self._go_to(max(0, min(self._cursor + step * rows, len(self._matches) - 1)))

    def action_use(self) -> None:
        """Close the palette, then run the command under the cursor on the screen below."""
        if not self._matches:
            return
        command = self._matches[self._cursor]
        self.screen.dismiss()
        self.app.call_later(command.run)

    def on_target_clicked(self, target: Hashable | None) -> None:
        """Run the clicked command."""
        if isinstance(target, int):
            self._cursor = target
            self.action_use()

    def on_wheel(self, step: int, _x: int) -> None:
        self._offset, self._follow = self._offset + step * WHEEL_ROWS, False
        self.repaint()


def _paint_command(command: Command, area: BlockArea) -> None:
    inks = area.canvas.theme.inks
    end = area.write_right(0, command.key, area.muted_ink)
    area.write(INDENT, 0, command.name, inks.text, max_width=end - INDENT - 1, bold=area.has_cursor)


class PaletteScreen(PageScreen, BoxScreen[Any]):
    """Modal screen of the palette; a click outside the palette closes it."""

    DEFAULT_CSS = "PaletteScreen { align: center top; background: #081c15 62%; }"

    async def on_click(self, event: events.Click) -> None:
        if find_clicked_widget(event, self) is self:
            await self.page.action_leave()


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
        for page in PAGES:
            if page not in own_keys:
                words = _WORDS_OF_PAGES_WITHOUT_KEY.get(page) or USUAL_KEYS[page].words
                commands.append(Command(PAGES[page], partial(context.show, page), synonyms=words))
    if context.close_hosted_club:
        close = partial(context.app.call_later, context.app.run_worker, context.close_club)
        commands.append(Command("Close the club", close))
    return [*commands, *list_global_commands(context)]


def list_more_commands(context: PageContext) -> list[Command]:
    """Return the commands that are found by their words only: values of settings, unfinished tables and players."""
    at_home = [] if is_hosted_client() else [*_list_table_commands(context), *_list_player_commands(context)]
    return [*_list_setting_commands(context.preferences), *at_home]


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
            f"Theme: {theme.title}",
            partial(context.preferences.change, theme=name),
            "now" if context.preferences.theme_name == name else "",
            f"{name} {_describe_theme(theme)}",
        )
        for name, theme in list_themes().items()
    ]
    rules = create_for_games("Rules of", USUAL_KEYS["rules"].words, partial(context.show, "rules"))
    if is_hosted_client():
        return [*commands, *rules]
    learn, words = partial(context.show, "game_lessons"), USUAL_KEYS["learn"].words
    return [
        *commands,
        *create_for_games("Play", "start new deal", begin),
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
