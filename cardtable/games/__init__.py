"""The games of the card room: seven in folders of their own, and those that other packages bring.

None imports another.  A package brings a game by an entry point in the group ``GROUP``, which names its module; looking
for them takes as long as the first picture, so that it is done when one of them is asked for, or all.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from cardtable import __version__
from cardtable.engine.errors import CardtableError, GameFailed
from cardtable.engine.game import CONTRACT, AnyGame, Game, GameInfo
from cardtable.engine.text_format import letters, unknown

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

KEYS: Final = ("rikiki", "king", "rifki", "gurka", "bridge", "ten_down", "rummy")
"""The games that come with the program, in the picker's order: the names of their folders."""
GROUP: Final = f"cardtable.games.{CONTRACT}"
"""Where packages name their games: by this contract."""
_ABOUT: Final = {key: import_module(f"{__name__}.{key}").ABOUT for key in KEYS}
KEY_FORM: Final = re.compile(r"[a-z][a-z0-9_]{1,19}")
"""What a key may be."""
T = TypeVar("T")


class PluginGame(NamedTuple):
    """A game that another package has brought."""

    module: str
    package: str
    """Its name and version: ``cardtable-hearts 1.0``."""
    game: AnyGame


class RejectedPlugin(NamedTuple):
    """What another package names as a game, and is left out."""

    key: str
    package: str
    why: str

    def __str__(self) -> str:
        return f"the game {self.key!r} of {self.package} is left out: {self.why}"


class Found(NamedTuple):
    """What other packages bring: games by key, by their titles, and what is left out."""

    games: Mapping[str, PluginGame]
    refused: tuple[RejectedPlugin, ...]


@cache
def outside() -> Found:
    """The games that other packages bring; looked for once, which takes some 100 ms."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - the first picture does without

    games: dict[str, PluginGame] = {}
    refused: list[RejectedPlugin] = []
    installed = entry_points()
    groups = [group for group in sorted(installed.groups) if group.startswith("cardtable.games.")]
    for entry in [entry for group in groups for entry in installed.select(group=group)]:
        package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
        try:
            games[entry.name] = _guarded(PluginGame(entry.value, package, _loaded(entry, games)))
        except (Exception, SystemExit) as error:
            refused.append(RejectedPlugin(entry.name, package, _told(error)))
    in_order = sorted(games, key=lambda key: games[key].game.about.title.casefold())
    return Found({key: games[key] for key in in_order}, tuple(refused))


class _Refusal(Exception):
    """Why a game is left out."""


def _told(error: BaseException) -> str:
    """An error in one line."""
    what = " ".join(str(error).split())
    return what if isinstance(error, _Refusal) else f"it cannot be loaded: {type(error).__name__}: {what}".rstrip(": ")


def _guarded(found: PluginGame) -> PluginGame:
    """The same; whatever the game raises is a ``GameFailed``."""
    from cardtable.engine.plugin_guard import guarded  # noqa: PLC0415 - the first picture does without

    return found._replace(game=guarded(found.game, lambda error: _failed(found, error)))


def _failed(found: PluginGame, error: Exception) -> GameFailed:
    from cardtable.engine.plugin_guard import failure  # noqa: PLC0415 - the first picture does without

    return failure(found.game.about.title, found.package, found.module, error)


def blamed(error: Exception) -> GameFailed | None:
    """What is said of an error for which the package of a game is to blame; ``None`` where none is."""
    from cardtable.engine.plugin_guard import lacking, where  # noqa: PLC0415 - seldom asked

    if isinstance(error, GameFailed):
        return error
    by = [found for found in outside().games.values() if where(error, found.module) or lacking(error, found.module)]
    return _failed(by[0], error) if by else None


@contextmanager
def blaming() -> Iterator[None]:
    """What fails in here and a package is to blame for, its options and actions too, is raised as ``GameFailed``."""
    try:
        yield
    except CardtableError:
        raise
    except Exception as error:
        if failed := blamed(error):
            raise failed from error
        raise


def _loaded(entry: "EntryPoint", games: Mapping[str, PluginGame]) -> AnyGame:
    """The game of an entry point; one made for another contract is not imported.  Raises anything."""
    if entry.group != GROUP:
        raise _Refusal(f"it is made for contract {entry.group.rpartition('.')[2]}, and this program has {CONTRACT}")
    if not KEY_FORM.fullmatch(entry.name):
        raise _Refusal("its key is not 2 to 20 small letters, digits and _")
    if entry.name in KEYS or entry.name in games:
        whose = games[entry.name].package if entry.name in games else "cardtable"
        raise _Refusal(f"there is another game with the key {entry.name}: that of {whose}")
    game = getattr(import_module(entry.module), "GAME", None)
    if not isinstance(game, Game):
        raise _Refusal(f"{entry.module} has no GAME")
    if game.about.key != entry.name:
        raise _Refusal(f"it calls itself {game.about.key}")
    return game


def all_keys() -> tuple[str, ...]:
    """The keys of all games: those that come with the program first."""
    return (*KEYS, *outside().games)


def key_of(name: str) -> str | None:
    """The key of a game that somebody calls so: ``Ten Down``, ``ten-down`` and ``tendown`` are ``ten_down``."""
    said = letters(name)
    for known in (_ABOUT, ABOUT):
        for key, about in known.items():
            if said in (letters(key), letters(about.title)):
                return key
    return None


def no_game(name: str) -> str:
    """What is said where no game is called so: why that of a package is left out, or which games there are."""
    left_out = [str(each) for each in outside().refused if each.key == name]
    return left_out[0] if left_out else unknown("game", name, all_keys())


def packages() -> dict[str, str]:
    """What each game comes with, and the version of that."""
    brought = {key: found.package for key, found in outside().games.items()}
    return dict.fromkeys(KEYS, f"cardtable {__version__}") | brought


def module_of(key: str) -> ModuleType:
    """The module that has the rules of a game, or the package of one from outside."""
    return import_module(f"{__name__}.{key}.rules" if key in KEYS else outside().games[key].module)


def package(key: str) -> str | None:
    """The package of a game from outside, with its version; ``None`` for one that comes with the program."""
    return None if key in KEYS else outside().games[key].package


def part(key: str, name: str) -> ModuleType | None:
    """A part of a game, imported when it is asked for; ``None`` where the game has none of that name."""
    where = f"{__name__}.{key}" if key in KEYS else outside().games[key].module
    if not hasattr(import_module(where), "__path__"):
        return None  # a game of one file
    module = f"{where}.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
        return None


class _Games(Mapping[str, T]):
    """Something of each game by its key; of a game from outside once it is asked for, or all are."""

    def __init__(self, built_in: Callable[[str], T], brought: Callable[[AnyGame], T]) -> None:
        self._built_in, self._brought = built_in, brought

    def __getitem__(self, key: str) -> T:
        return self._built_in(key) if key in KEYS else self._brought(outside().games[key].game)

    def __contains__(self, key: object) -> bool:
        return key in KEYS or key in outside().games

    def __iter__(self) -> Iterator[str]:
        return iter(all_keys())

    def __len__(self) -> int:
        return len(all_keys())


def _game(key: str) -> AnyGame:
    game: AnyGame = module_of(key).GAME
    return game


GAMES: Final[Mapping[str, AnyGame]] = _Games(_game, lambda game: game)
"""The games by key, each imported when it is first asked for."""
ABOUT: Final[Mapping[str, GameInfo]] = _Games(lambda key: _ABOUT[key], lambda game: game.about)
"""What can be told of each; of those that come with the program without importing their rules."""
