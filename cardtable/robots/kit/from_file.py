"""Robots that somebody keeps in a file of her own, named as ``path.py:name``.

What has that name in the file is called with the game, for each seat of each deal, and gives a robot: a class will
do.  With the game it can imagine states from a view and play them on.  The file can import those beside it.
"""

import runpy
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from random import Random
from typing import Final

from cardtable.engine.contract import Action, AnyGame, View
from cardtable.engine.errors import CardtableError
from cardtable.engine.guarded import where
from cardtable.engine.text import clean
from cardtable.engine.words import unknown
from cardtable.games import GAMES
from cardtable.robots.kit.beside import globals_in
from cardtable.robots.kit.robot import Robot, make
from cardtable.robots.kit.sent_files import SUFFIX, Sent, lies, read

_MODULE: Final = "robots_from_a_file"
"""What such a file is called while it runs."""
_MOST_TOLD: Final = 60


class RobotFailed(CardtableError):
    """A robot from a file has raised an error, or done what is not legal: which, and where."""


def found(robot: str, game: str) -> Robot:
    """The robot of a level, or of a file, for the game of a key.

    Raises ``ValueError`` where there is none, ``RobotFailed`` where the file cannot be used.
    """
    path, name = _named(robot)
    if path is None:
        if any(sign in robot for sign in "/\\:"):
            raise ValueError(f"a robot from a file is path.py:name, not {clean(robot, _MOST_TOLD)!r}")
        return make(robot, game)
    path = lies(path)
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    if not name:
        raise ValueError(f"{path.name}: say which robot of the file, as {path.name}:NAME")
    known = _known(path.resolve())
    if name not in known:
        raise ValueError(f"{path.name}: {unknown('robot', name, known, 'nothing in the file has that name')}")
    told = f"{path.name}:{name}"
    try:
        return _FromFile(known[name](GAMES[game]), told)
    except (Exception, SystemExit) as error:
        raise _failed(told, error) from error


def sent(robots: Iterable[str]) -> tuple[Sent, ...]:
    """What those of these robots that are from files need at another machine."""
    return tuple([read(path) for path in {_named(robot)[0] for robot in robots} if path is not None])


def _named(robot: str) -> tuple[Path | None, str]:
    """The path and what is called so in its file; no path where it is a level."""
    before, suffix, name = robot.rpartition(SUFFIX)
    return (Path(before + suffix), name.removeprefix(":")) if suffix else (None, robot)


@cache
def _known(path: Path) -> dict[str, Callable[[AnyGame], Robot]]:
    """What in a file may make robots, by name."""
    try:
        names = runpy.run_path(str(path), globals_in(path.parent), _MODULE)
    except (Exception, SystemExit) as error:
        raise _failed(path.name, error) from error
    return {name: each for name, each in names.items() if callable(each) and not name.startswith("_")}


class _FromFile:
    """Such a robot: whatever goes wrong with it is a ``RobotFailed``."""

    def __init__(self, robot: Robot, name: str) -> None:
        self._robot, self._name = robot, name

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """What the robot chooses."""
        try:
            action = self._robot.choose(view, rng, stop)
        except (Exception, SystemExit) as error:
            raise _failed(self._name, error) from error
        if action not in view.legal:
            raise RobotFailed(f"{self._name} has chosen {action}, which is not legal")
        return action


def _failed(robot: str, error: BaseException) -> RobotFailed:
    place = where(error, _MODULE)
    return RobotFailed(f"{robot} has failed: {type(error).__name__}: {error}{f' ({place})' if place else ''}")
