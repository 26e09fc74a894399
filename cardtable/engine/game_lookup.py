"""Lookup of the game that a file names by its key and its package."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from cardtable.engine.game import AnyGame


class RejectedPlugin(NamedTuple):
    """Entry point of an installed package that was rejected, with the reason."""

    key: str
    """Name of the entry point; empty for all entry points of a package that cannot be read."""
    package: str
    """Printable name and version of the package: ``cardtable-hearts 1.0``."""
    reason: str

    def __str__(self) -> str:
        if self.key:
            return f"the game {self.key!r} of {self.package} cannot be loaded: {self.reason}"
        return f"no game of {self.package} can be loaded: {self.reason}"


class UnknownGame(KeyError):
    """Raised by the registry of the games for a key without a game."""

    def __init__(self, key: str, rejected: Sequence[RejectedPlugin]) -> None:
        super().__init__(key)
        self.rejected = rejected


class MissingGame(ValueError):
    """The game of a file is not installed, or cannot be loaded. The message has the reason in one line."""

    def __init__(self, reason: str, *, is_installed: bool = False) -> None:
        super().__init__(reason)
        self.is_installed = is_installed

    @property
    def state(self) -> str:
        """End of a short sentence whose subject is the game."""
        return "cannot be loaded" if self.is_installed else "is not installed"


def find_game(key: str, package: str | None, games: Mapping[str, AnyGame]) -> AnyGame:
    """Return the game with this key.

    ``package``: name and version of its package when the file was written; empty or ``None`` if the file names none.
    Raises ``MissingGame`` if the game is not installed or cannot be loaded, or if another package has its key.
    """
    try:
        game = games[key]
    except UnknownGame as error:
        raise _explain_unknown_game(key, package, error.rejected) from None
    except KeyError:
        raise _explain_unknown_game(key, package, ()) from None
    if package and not is_from_package(package, game.package):
        raise MissingGame(f"it was played with {package[:60]!r}, and {key!r} is now a game of {game.package[:60]!r}")
    return game


def _explain_unknown_game(key: str, package: str | None, rejected: Sequence[RejectedPlugin]) -> MissingGame:
    for plugin in rejected:
        may_have_game = plugin.key == key or (package and not plugin.key)
        if may_have_game and is_from_package(package, plugin.package):
            return MissingGame(str(plugin), is_installed=True)
    origin = f"; it comes with {package[:60]!r}" if package else ""
    return MissingGame(f"the game {key[:30]!r} is not installed{origin}")


def is_from_package(package: str | None, installed: str | None) -> bool:
    """Return True if a file that names ``package`` was written with any version of the package ``installed``.

    Both are names and versions. A file that names none, and a game that is part of the program, fit everything.
    """
    return not package or not installed or split_package(package)[0] == split_package(installed)[0]


def split_package(package: str) -> tuple[str, str]:
    """Return the normalized name, and the version, of a package such as ``cardtable-hearts 1.0``."""
    name, _, version = package.rpartition(" ")
    return re.sub(r"[-_.]+", "-", name).lower(), version
