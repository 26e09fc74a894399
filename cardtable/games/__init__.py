"""The games of the card room, each in a module or package of its own.  None imports another."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Final

from cardtable.engine.contract import About, Game

ABOUT: Final = {
    about.key: about
    for about in (
        About("rikiki", "Rikiki", "bid exactly the tricks you will make", "28 rounds", (4,), 4),
        About("king", "King", "ten contracts each, most to be dodged", "40 rounds", (4,), 4),
        About("rifki", "Rifki", "Turkish King: declare, dodge, collect", "20 rounds", (4,), 4),
        About("gurka", "Gurka", "do not take the last trick", "to 30", (4, 6), 4),
        About("bridge", "Bridge", "shed your cards; jacks name the suit", "to 125", (2, 3, 4), 4),
        About("ten_down", "Ten Down", "bid; each round has one card less", "5-10 rounds", (2, 3, 4), 4),
        About("rummy", "Rummy", "melds, runs and the open pile", "to 100", (2,), 2),
    )
}
"""The games by key in the picker's order; known without importing any of them."""
KEYS: Final = tuple(ABOUT)


def key_of(name: str) -> str | None:
    """The key of a game that somebody calls so: ``Ten Down``, ``ten-down`` and ``tendown`` are ``ten_down``."""
    said = _letters(name)
    return next((key for key, about in ABOUT.items() if said in (_letters(key), _letters(about.title))), None)


def _letters(name: str) -> str:
    return "".join(name.casefold().replace("-", " ").replace("_", " ").split())


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
