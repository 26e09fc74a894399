"""Robots that somebody keeps in a file of her own, named as ``path.py:name``.

What has that name in the file is called with the game, for each seat of each deal, and gives a robot: a class will
do.  With the game it can imagine states from a view and play them on.  The file can import those beside it.
"""

import ast
import builtins
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Lock, RLock
from types import ModuleType
from typing import Final, NamedTuple, TextIO

from cardtable.engine.errors import CardtableError
from cardtable.engine.game import Action, AnyGame, View
from cardtable.engine.plugin_guard import where
from cardtable.engine.text_format import sanitize, unknown
from cardtable.games import GAMES
from cardtable.robots.kit.robot import Robot, make

_importing = RLock()


@cache
def globals_in(folder: Path) -> dict[str, object]:
    """The globals with which a file of a folder begins, as all beside it do.

    Its ``import`` finds them, unless there is something of that name that all have, and what it prints goes where
    errors go.
    """
    sys.path.append(str(folder))  # for packages that lie there; last, as all robots share them
    return {"__builtins__": {**vars(builtins), "__import__": _Import(folder), "print": _print}}


class _Import:
    """Stands for ``__import__`` in the files of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, ModuleType] = {}

    def __call__(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - as ``__import__`` calls it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if name in self._known and not level:
            return self._known[name]
        path = self._folder / f"{name}.py"
        elsewhere = level or "." in name or name in sys.modules or name in sys.stdlib_module_names
        if elsewhere or not path.is_file():
            return __import__(name, globals, locals, fromlist, level)
        with _importing:
            return self._known.get(name) or self._import(name, path)

    def _import(self, name: str, path: Path) -> ModuleType:
        spec = spec_from_file_location(f"{name} of {self._folder}", path)
        assert spec is not None
        assert spec.loader is not None
        module = self._known[name] = sys.modules[spec.name] = module_from_spec(spec)
        vars(module).update(globals_in(self._folder))
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del self._known[name], sys.modules[spec.name]
            raise
        return module


def _print(
    *values: object, sep: str | None = None, end: str | None = None, file: TextIO | None = None, flush: bool = False
) -> None:
    print(*values, sep=sep, end=end, file=sys.stderr if file is None else file, flush=flush)


SUFFIX: Final = ".py"
_PREFIX: Final = "cardtable-robots-"
_LAYING: Final = Lock()
"""One thread at a time: what is laid twice is there for the last one only."""
_laid: ContextVar[Mapping[Path, Path]] = ContextVar("_laid")


class FileBundle(NamedTuple):
    """A file with what it needs."""

    path: Path
    """As it is named where it comes from."""
    texts: tuple[tuple[str, bytes], ...]
    """The text of each file by its name, sorted."""


def read(path: Path) -> FileBundle:
    """What is to be sent of a file.  Raises ``OSError`` where it cannot be read, ``SyntaxError`` and ``ValueError``."""
    texts: dict[str, bytes] = {}
    missing = [path.name]
    while missing:
        name = missing.pop()
        texts[name] = (path.parent / name).read_bytes()
        beside = {f"{module.partition('.')[0]}{SUFFIX}" for module in _imported(texts[name])}
        missing += [each for each in sorted(beside - texts.keys() - {*missing}) if (path.parent / each).is_file()]
    return FileBundle(path, tuple(sorted(texts.items())))


def _imported(text: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def unpack(files: tuple[FileBundle, ...], where: Path) -> None:
    """Have these files in a folder below ``where``, for what this thread does from now on."""
    with _LAYING:
        _laid.set({sent.path: Path(_folder(sent.texts, where).name) / sent.path.name for sent in files})


def resolve(path: Path) -> Path:
    """Where a file of this name lies: as it was sent, if it was."""
    return _laid.get({}).get(path, path)


@cache
def _folder(texts: tuple[tuple[str, bytes], ...], where: Path) -> "TemporaryDirectory[str]":
    """The folder that has these files as long as this process runs."""
    folder = TemporaryDirectory(prefix=_PREFIX, dir=where)
    for name, text in texts:
        (Path(folder.name) / name).write_bytes(text)
    return folder


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
            raise ValueError(f"a robot from a file is path.py:name, not {sanitize(robot, _MOST_TOLD)!r}")
        return make(robot, game)
    path = resolve(path)
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


def sent(robots: Iterable[str]) -> tuple[FileBundle, ...]:
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
