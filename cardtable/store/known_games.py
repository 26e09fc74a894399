"""Which games have been started in this home: who starts one for the first time is told its aim."""

from contextlib import suppress
from typing import Final

from cardtable.engine.about import About
from cardtable.store import disk, paths

_MOST_BYTES: Final = 64 * 1024


def first_start(game: About) -> str:
    """The aim of a game that is started for the first time here, else nothing; from now on it is known."""
    known = _known()
    if game.key in known:
        return ""
    with suppress(OSError):  # then it is told once more
        paths.make(paths.home())
        disk.write_whole(disk.real(paths.known_games_file()), "\n".join([*known, game.key, ""]).encode())
    return game.aim


def _known() -> list[str]:
    try:
        return disk.read(paths.known_games_file(), _MOST_BYTES, links=True).decode().split()
    except (OSError, UnicodeError):
        return []
