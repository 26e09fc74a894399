"""Registry of the games: seven built-in ones, and plug-ins from other packages.

Each game is a package of its own, and no game imports another. A plug-in registers its game by an entry point in the
group ``ENTRY_POINT_GROUP``, which names the module of the game. The search for entry points takes as long as drawing
the first screen. It is therefore done only when a plug-in, or the list of all games, is requested.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Final, NamedTuple, ParamSpec, TypeVar

from cardtable import __version__
from cardtable.engine.errors import (
    INTERRUPTIONS,
    CardtableError,
    EndedBySignal,
    GameFailed,
    GameFault,
    format_exception_text,
)
from cardtable.engine.game import INTERFACE_VERSION, AnyGame, Game, GameInfo
from cardtable.engine.game_lookup import MissingGame, RejectedPlugin, UnknownGame, find_game
from cardtable.engine.text_format import format_unknown_name, normalize_name, sanitize

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

    from cardtable.workers.time_limit import TimeLimit

KEYS: Final = ("rikiki", "king", "rifki", "gurka", "bridge", "ten_down", "rummy")
"""Keys of the built-in games in the order of the picker; a key is also the name of the game's package."""
ENTRY_POINT_GROUP: Final = f"cardtable.games.{INTERFACE_VERSION}"
"""Entry point group of plug-ins, which includes the version of the game interface."""
_ANY_ENTRY_POINT_GROUP: Final = "cardtable.games."
MAX_PACKAGE_LENGTH: Final = 100
"""Maximum length of the name and version of a package, in characters."""
_BUILT_IN_ABOUT: Final = {key: import_module(f"{__name__}.{key}").ABOUT for key in KEYS}
KEY_PATTERN: Final = re.compile(r"[a-z][a-z0-9_]{1,19}")
"""Pattern of a valid key."""
P = ParamSpec("P")
T = TypeVar("T")


class PluginGame(NamedTuple):
    """Game from another package."""

    module: str
    package: str
    """Printable name and version of the package: ``cardtable-hearts 1.0``."""
    game: AnyGame
    limit: "TimeLimit"
    """Time limit for the code of the package in this process."""


class PluginScan(NamedTuple):
    """Result of the search for plug-ins: the games by key, sorted by title, and the rejected entry points."""

    games: Mapping[str, PluginGame]
    rejected: tuple[RejectedPlugin, ...]


@cache
def find_plugins() -> PluginScan:
    """Load the games of all other packages, which takes about 100 ms the first time; the result is cached.

    An entry point that cannot be loaded is rejected with a reason; no exception is raised.
    """
    from cardtable.workers.time_limit import TimeLimit  # noqa: PLC0415 - lazy: startup

    games: dict[str, PluginGame] = {}
    entries, refused = _list_entry_points()
    for entry in entries:
        package = _format_package(entry)
        try:
            limit = TimeLimit()
            game = limit.call_silently(_load_plugin, entry, entries)
            game.package = package
            games[entry.name] = _wrap_plugin(PluginGame(entry.module, package, game, limit))
        except INTERRUPTIONS:
            raise
        except BaseException as error:
            refused.append(RejectedPlugin(entry.name, package, _format_error(error)))
    in_order = sorted(games, key=lambda key: games[key].game.about.title.casefold())
    return PluginScan({key: games[key] for key in in_order}, tuple(refused))


def _list_entry_points() -> "tuple[list[EntryPoint], list[RejectedPlugin]]":
    """Return the entry points of all games, sorted by group, and the packages whose entry points cannot be read."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - lazy: startup

    try:
        installed = entry_points()
        groups = sorted(group for group in installed.groups if group.startswith(_ANY_ENTRY_POINT_GROUP))
        return [entry for group in groups for entry in installed.select(group=group)], []
    except Exception:
        return _read_entry_points_separately()


def _read_entry_points_separately() -> "tuple[list[EntryPoint], list[RejectedPlugin]]":
    """Return the entry points of all packages but damaged ones, and those damaged ones that may have a game."""
    from importlib.metadata import distributions  # noqa: PLC0415 - lazy: startup

    entry_points: dict[str, list[EntryPoint]] = {}
    refused = []
    for number, package in enumerate(distributions()):
        name = _format_distribution(package, f"package {number}")
        try:
            text = package.read_text("entry_points.txt") or ""
            if _ANY_ENTRY_POINT_GROUP in text:
                entry_points.setdefault(normalize_name(name.rpartition(" ")[0]), list(package.entry_points))
        except Exception as error:
            refused.append(RejectedPlugin("", name, _format_error(error)))
    games = [
        entry
        for entries in entry_points.values()
        for entry in entries
        if entry.group.startswith(_ANY_ENTRY_POINT_GROUP)
    ]
    return sorted(games, key=lambda entry: entry.group), refused


def _format_package(entry: "EntryPoint") -> str:
    return _format_distribution(entry.dist, entry.value) if entry.dist else sanitize(entry.value)


def _format_distribution(package: "Distribution", fallback: str) -> str:
    """Return name and version of a package in one printable line; ``fallback`` if its metadata cannot be read."""
    try:
        metadata = package.metadata
        text = f"{metadata['Name'] or fallback} {metadata['Version'] or '?'}"
    except Exception:
        text = f"{fallback} ?"
    return sanitize(text, MAX_PACKAGE_LENGTH)


class _PluginRejected(Exception):
    """Raised if a plug-in is rejected; the message is shown to the user."""


def _format_error(error: BaseException) -> str:
    """Return the reason of a rejection in one line.

    The message of the error, with its type unless it is an error about the game.
    """
    text = " ".join(format_exception_text(error).split())
    return text if isinstance(error, _PluginRejected | GameFault) else f"{type(error).__name__}: {text}".rstrip(": ")


def _wrap_plugin(plugin: PluginGame) -> PluginGame:
    """Return the plug-in with a game whose functions have the time limit and raise no errors but ``GameFailed``."""
    from cardtable.engine.plugin_guard import guard_game  # noqa: PLC0415 - lazy: startup

    return plugin._replace(
        game=guard_game(plugin.game, lambda error: _make_plugin_failure(plugin, error), plugin.limit.call_silently)
    )


def limit_time(key: str, function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that runs code of a game outside ``GAME``, such as a policy, with the time limit of a plug-in.

    What the code prints is discarded. The function raises ``GameFailed`` if the limit is exceeded. The function of a
    built-in game is returned unchanged.
    """
    if key in KEYS:
        return function
    plugin = find_plugins().games[key]

    def wrapper(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return plugin.limit.call_silently(function, *args, **kwargs)
        except GameFault as error:
            raise _make_plugin_failure(plugin, error) from error
        except (Exception, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise _make_plugin_failure(plugin, error) from error

    return wrapper


def guard_part(key: str, name: str, part: T, kind: object) -> T:
    """Return an optional part of a game, of which ``kind`` is the annotated type and ``name`` the name in its module.

    Its functions have the time limit of a plug-in, and raise ``GameFailed`` if they fail or return a value of another
    type. Raises ``GameFailed`` if the part is of another type. The part of a built-in game is returned unchanged.
    """
    if key in KEYS:
        return part
    from cardtable.engine import plugin_guard  # noqa: PLC0415 - lazy: startup

    plugin = find_plugins().games[key]
    return plugin_guard.guard_part(
        name, part, kind, lambda error: _make_plugin_failure(plugin, error), plugin.limit.call_silently
    )


def _make_plugin_failure(plugin: PluginGame, error: BaseException, *, with_text: bool = False) -> GameFailed:
    from cardtable.engine.plugin_guard import create_game_failure  # noqa: PLC0415 - lazy: startup

    return create_game_failure(plugin.game.about.title, plugin.package, plugin.module, error, with_text=with_text)


def find_plugin_failure(error: BaseException, *, with_text: bool = False) -> GameFailed | None:
    """Return a ``GameFailed`` for an error that the code of a plug-in has caused; ``None`` for any other error.

    A ``GameFailed`` is returned unchanged. ``with_text``: True if the text of the error may be shown, since no player
    has cards that it could reveal.
    """
    from cardtable.engine.plugin_guard import describe_missing_attribute, locate_error  # noqa: PLC0415 - lazy: startup

    if isinstance(error, GameFailed):
        return error
    culprits = [
        plugin
        for plugin in find_plugins().games.values()
        if locate_error(error, plugin.module) or describe_missing_attribute(error, plugin.module)
    ]
    return _make_plugin_failure(culprits[0], error, with_text=with_text) if culprits else None


@contextmanager
def convert_plugin_errors() -> Iterator[None]:
    """Convert errors of plug-ins in the body of the ``with`` statement to ``GameFailed``.

    This includes errors in the options and actions of a plug-in, which are not wrapped. Other errors pass unchanged.
    """
    try:
        yield
    except (CardtableError, EndedBySignal):
        raise
    except (Exception, SystemExit) as error:
        if failed := find_plugin_failure(error):
            raise failed from error
        raise


def _load_plugin(entry: "EntryPoint", entries: "Sequence[EntryPoint]") -> AnyGame:
    """Load the game of an entry point; ``entries`` are those of all packages.

    Two packages with the same key are both rejected: it is not known to which of them the sessions belong.

    Raises ``_PluginRejected`` if the entry point is not valid, and any exception of the module that it imports. A
    plug-in for another version of the interface is rejected without being imported.
    """
    if entry.group != ENTRY_POINT_GROUP:
        raise _PluginRejected(
            f"it is made for contract {entry.group.rpartition('.')[2]}, and this program has {INTERFACE_VERSION}: see "
            '"Publishing and upgrading" in the documentation'
        )
    if not entry.pattern.match(entry.value):
        raise _PluginRejected(f"its entry point names no module: {entry.value!r}")
    if not KEY_PATTERN.fullmatch(entry.name):
        raise _PluginRejected("its key is not 2 to 20 lower-case letters, digits and _")
    if entry.name in KEYS:
        raise _PluginRejected(f"there is another game with the key {entry.name}: that of cardtable")
    for other in entries:
        if (other.group, other.name) == (entry.group, entry.name) and other is not entry:
            raise _PluginRejected(f"{_format_package(other)} has a game with the same key; uninstall one of them")
    game = getattr(import_module(entry.module), "GAME", None)
    if not isinstance(game, Game):
        hint = f"; end it with GAME = {game.__name__}()" if isinstance(game, type) else ""
        raise _PluginRejected(f"{entry.module} has no GAME{hint}")
    from cardtable.engine.plugin_guard import check_game  # noqa: PLC0415 - lazy: startup

    checked = check_game(game)
    if checked.about.key != entry.name:
        raise _PluginRejected(f"it calls itself {checked.about.key}")
    return checked


def list_keys() -> tuple[str, ...]:
    """Return the keys of all games, the built-in ones first."""
    return (*KEYS, *find_plugins().games)


def find_key(name: str) -> str | None:
    """Return the key of the game with this key or title; ``None`` if there is none.

    Case, blanks, hyphens and underscores are ignored: ``Ten Down``, ``ten-down`` and ``tendown`` all mean ``ten_down``.
    """
    spelling = normalize_name(name)
    for known in (_BUILT_IN_ABOUT, ABOUT):
        for key, about in known.items():
            if spelling in (normalize_name(key), normalize_name(about.title)):
                return key
    return None


def format_unknown_game(name: str) -> str:
    """Return the error message for an unknown game: the reason of its rejection, or suggestions of similar names."""
    spelling = normalize_name(name)
    rejected = [str(one) for one in find_plugins().rejected if one.key and normalize_name(one.key) == spelling]
    return rejected[0] if rejected else format_unknown_name("game", name, list_keys())


def find_missing_game(key: str, package: str | None) -> MissingGame | None:
    """Return the error for a game that a file names if it cannot be used, or ``None`` if it can.

    ``package``: name and version of the game's package when the file was written, or ``None`` if the file names none.
    """
    if key in KEYS:
        return None
    try:
        find_game(key, package, GAMES)
    except MissingGame as error:
        return error
    return None


def list_packages() -> dict[str, str]:
    """Return, by key, the name and version of the package that provides each game."""
    plugins = {key: plugin.package for key, plugin in find_plugins().games.items()}
    return dict.fromkeys(KEYS, f"cardtable {__version__}") | plugins


def import_rules(key: str) -> ModuleType:
    """Import and return the module with the rules of a game, which defines ``GAME``.

    Raises ``KeyError`` if the key is unknown.
    """
    return import_module(f"{__name__}.{key}.rules" if key in KEYS else find_plugins().games[key].module)


def get_plugin_package(key: str) -> str | None:
    """Return the name and version of the package of a plug-in; ``None`` for a built-in game.

    Raises ``KeyError`` if the key is unknown.
    """
    return None if key in KEYS else find_plugins().games[key].package


def format_plugin_name(key: str) -> str:
    """Return title and package of a plug-in: ``Hearts (cardtable-hearts 1.0)``. Raises ``KeyError`` for others."""
    plugin = find_plugins().games[key]
    return f"{plugin.game.about.title} ({plugin.package})"


def import_submodule(key: str, name: str) -> ModuleType | None:
    """Import and return the submodule ``name`` of a game; ``None`` if the game has no such submodule.

    Raises ``KeyError`` if the key is unknown, and ``GameFailed`` if the submodule of a plug-in is no valid Python.
    """
    game_module = f"{__name__}.{key}" if key in KEYS else find_plugins().games[key].module
    if not hasattr(import_module(game_module), "__path__"):
        return None  # single-file game
    module = f"{game_module}.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
        return None
    except SyntaxError as error:  # its traceback has no frame of the package
        if key in KEYS:
            raise
        raise _make_plugin_failure(find_plugins().games[key], error) from error


class _GameMapping(Mapping[str, T]):
    """Mapping from the keys of all games to values.

    Plug-ins are searched only if a key is not that of a built-in game, or if all keys are requested.
    """

    def __init__(self, from_built_in: Callable[[str], T], from_plugin: Callable[[AnyGame], T]) -> None:
        self._from_built_in, self._from_plugin = from_built_in, from_plugin

    def __getitem__(self, key: str) -> T:
        if key in KEYS:
            return self._from_built_in(key)
        plugins = find_plugins()
        if key not in plugins.games:
            raise UnknownGame(key, plugins.rejected)
        return self._from_plugin(plugins.games[key].game)

    def __contains__(self, key: object) -> bool:
        return key in KEYS or key in find_plugins().games

    def __iter__(self) -> Iterator[str]:
        return iter(list_keys())

    def __len__(self) -> int:
        return len(list_keys())


GAMES: Final[Mapping[str, AnyGame]] = _GameMapping(lambda key: import_rules(key).GAME, lambda game: game)
"""Games by key. A built-in game is imported when it is first used."""
ABOUT: Final[Mapping[str, GameInfo]] = _GameMapping(lambda key: _BUILT_IN_ABOUT[key], lambda game: game.about)
"""Facts about the games, by key. Those of a built-in game are available without importing its rules."""
