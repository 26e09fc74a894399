"""The command palette: everything that can be done here and now, found by its words."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from cardtable.games import ABOUT
from cardtable.store import paths
from cardtable.ui.draw import themes
from cardtable.ui.keys.keymap import Keymap
from cardtable.ui.keys.scopes import MOVE, Key, Scope
from cardtable.ui.page.page import Page
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.table.screen import TableScreen

if TYPE_CHECKING:
    from cardtable.ui.app import CardtableApp

PAGES: Final = {
    "archive": "Archive",
    "statistics": "Statistics",
    "rankings": "Rankings",
    "score_table": "Score table for real cards",
    "players": "Players",
}
"""Pages that can be opened from every screen, by the names of their modules and of their keys."""


class Command(NamedTuple):
    """One thing that can be done."""

    name: str
    does: Callable[[], object]
    key: str = ""
    """The key that does it on the screen below."""


class Keyed(Protocol):
    """What takes keys on a screen."""

    @property
    def SCOPE(self) -> Scope:  # noqa: N802 - a constant of each screen
        """Its keys."""

    def works(self, key: Key) -> bool:
        """Whether the key does something now."""

    def word(self, key: Key) -> str:
        """What the key does here."""

    def press(self, key: Key) -> Awaitable[None]:
        """Do what the key does."""


def commands(app: "CardtableApp") -> list[Command]:
    """What can be done on the screen that is shown, first what its keys do."""
    screen = app.screen
    keyed = screen.page if isinstance(screen, PageScreen) else screen
    assert isinstance(keyed, Page | TableScreen)
    pages = [page for page in PAGES if page not in [key.name for key in keyed.SCOPE]]
    return [*here(keyed, app.preferences.look.keys), *[_page(app, page) for page in pages], *everywhere(app)]


def _page(app: "CardtableApp", page: str) -> Command:
    return Command(PAGES[page], partial(app.show_page, page))


def here(keyed: Keyed, keymap: Keymap) -> list[Command]:
    """What keys of this screen do now; moving a cursor is no command."""
    keys = [key for key in keyed.SCOPE if key.topic != MOVE and key.name != "palette" and keyed.works(key)]
    commands: dict[str, Command] = {}
    for key in keys:
        word = _capital(keyed.word(key))
        commands.setdefault(word, Command(word, partial(keyed.press, key), keymap.label(key.name)))
    return list(commands.values())


def everywhere(app: "CardtableApp") -> list[Command]:
    """What can be done on every screen."""
    each: list[tuple[str, Callable[[str], object]]] = [
        ("Play {}", app.begin),
        ("New table for {}", app.set_table),
        ("Rules of {}", app.show_rules),
    ]
    looks = [
        Command(f"Theme {name}", partial(app.preferences.change, theme=name))
        for name in sorted(themes.every(paths.theme_files())[0])
    ]
    return looks + [
        Command(words.format(about.title), partial(does, about.key)) for words, does in each for about in ABOUT.values()
    ]


def found(commands: Sequence[Command], text: str) -> list[Command]:
    """The commands in which each word of the text stands; first those that it begins, then those whose words do."""
    wanted, typed = text.casefold().split(), " ".join(text.casefold().split())

    def place(command: Command) -> int:
        name = command.name.casefold()
        if name.startswith(typed):
            return 0
        words = name.split()
        return 1 if all(any(word.startswith(each) for word in words) for each in wanted) else 2

    return sorted([each for each in commands if all(word in each.name.casefold() for word in wanted)], key=place)


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]
