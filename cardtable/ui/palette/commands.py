"""The command palette: everything that can be done here and now, found by its words."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from textual.screen import Screen

from cardtable.games import ABOUT, GAMES
from cardtable.store import paths
from cardtable.store.club_tokens import at_the_host
from cardtable.store.setup import usual
from cardtable.ui.draw import themes
from cardtable.ui.keys.keymap import Keymap
from cardtable.ui.keys.scopes import LINE, MOVE, Key, Scope
from cardtable.ui.page.page import Page
from cardtable.ui.page.room import Room
from cardtable.ui.page.screen import PageScreen
from cardtable.ui.table.screen import TableScreen

PAGES: Final = {
    "archive": "Archive",
    "statistics": "Statistics",
    "rankings": "Rankings",
    "score_table": "Score table for real cards",
    "players": "Players",
    "open_to_others": "Open to others",
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


def commands(room: Room, screen: Screen[Any]) -> list[Command]:
    """What can be done on a screen, first what its keys do."""
    keyed = screen.page if isinstance(screen, PageScreen) else screen
    assert isinstance(keyed, Page | TableScreen)
    pages = [page for page in PAGES if page not in [key.name for key in keyed.SCOPE]]
    ways = [] if at_the_host() else [_page(room, page) for page in pages]  # what such pages keep goes with the guest
    if room.closing:
        ways.append(Command("Close the club", partial(room.app.call_later, room.app.run_worker, room.close_club)))
    return [*here(keyed, room.preferences.look.keys), *ways, *everywhere(room)]


def _page(room: Room, page: str) -> Command:
    return Command(PAGES[page], partial(room.show, page))


def here(keyed: Keyed, keymap: Keymap) -> list[Command]:
    """What keys of this screen do now; moving a cursor and editing a line are no commands."""
    keys = [key for key in keyed.SCOPE if key.topic not in (MOVE, LINE) and key.name != "palette" and keyed.works(key)]
    commands: dict[str, Command] = {}
    for key in keys:
        word = _capital(keyed.word(key))
        commands.setdefault(word, Command(word, partial(keyed.press, key), keymap.label(key.name)))
    return list(commands.values())


def everywhere(room: Room) -> list[Command]:
    """What can be done on every screen; who is a guest at the host's own machine has no tables and players here."""
    at_home: list[tuple[str, Callable[[str], object]]] = [
        ("Play {}", lambda key: room.begin(usual(GAMES[key], room.me))),
        ("New table for {}", partial(room.show, "new_table")),
    ]
    rules: tuple[str, Callable[[str], object]] = ("Rules of {}", partial(room.show, "rules"))
    each = [rules] if at_the_host() else [*at_home, rules]
    looks = [
        Command(f"Theme {name}", partial(room.preferences.change, theme=name))
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
