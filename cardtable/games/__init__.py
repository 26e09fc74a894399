"""The games of the card room, each in a file of its own.  None imports another."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from cardtable.engine.contract import Game

KEYS: Final = ("rikiki", "bridge")
"""The games in the picker's order."""


class _Games(Mapping[str, Game[Any, Any]]):
    """The games by key, each imported when it is first asked for."""

    def __getitem__(self, key: str) -> Game[Any, Any]:
        if key not in KEYS:
            raise KeyError(key)
        game: Game[Any, Any] = import_module(f"cardtable.games.{key}").GAME
        return game

    def __iter__(self) -> Iterator[str]:
        return iter(KEYS)

    def __len__(self) -> int:
        return len(KEYS)


GAMES: Final = _Games()
