"""The games of the card room, each in a folder of its own.  None imports another."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Final

from cardtable import __version__
from cardtable.engine.contract import About, AnyGame

KEYS: Final = ("rikiki", "king", "rifki", "gurka", "bridge", "ten_down", "rummy")
"""The games in the picker's order: the names of their folders."""
ABOUT: Final[Mapping[str, About]] = {key: import_module(f"{__name__}.{key}").ABOUT for key in KEYS}
"""What can be told of each without importing its rules."""


def key_of(name: str) -> str | None:
    """The key of a game that somebody calls so: ``Ten Down``, ``ten-down`` and ``tendown`` are ``ten_down``."""
    said = _letters(name)
    return next((key for key, about in ABOUT.items() if said in (_letters(key), _letters(about.title))), None)


def _letters(name: str) -> str:
    return "".join(name.casefold().replace("-", " ").replace("_", " ").split())


def packages() -> dict[str, str]:
    """What each game comes with, and the version of that."""
    return dict.fromkeys(KEYS, f"cardtable {__version__}")


def part(key: str, name: str) -> ModuleType | None:
    """A part of a game, imported when it is asked for; ``None`` where the game has none of that name."""
    module = f"{__name__}.{key}.{name}"
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
        return None


class _Games(Mapping[str, AnyGame]):
    """The games by key, each imported when it is first asked for."""

    def __getitem__(self, key: str) -> AnyGame:
        if key not in KEYS:
            raise KeyError(key)
        game: AnyGame = import_module(f"{__name__}.{key}.rules").GAME
        return game

    def __iter__(self) -> Iterator[str]:
        return iter(KEYS)

    def __len__(self) -> int:
        return len(KEYS)


GAMES: Final = _Games()
