"""Robots loaded from users' Python files, named ``path.py:name``.

The object ``name`` of the file is called with the ``Game``, once for each seat of each deal, and returns a ``Robot``; a
class will do. With the game a robot can imagine states from a view and play them on. A file can import other files of
its folder.
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
from cardtable.engine.plugin_guard import error_location
from cardtable.engine.text_format import sanitize, unknown_name_message
from cardtable.games import GAMES
from cardtable.robots.kit.robot import Robot, make

_importing = RLock()


@cache
def globals_in(folder: Path) -> dict[str, object]:
    """Return the initial globals of files in a folder, shared by all of them.

    ``import`` finds files of the folder, unless a module of the same name is already available, and ``print`` writes to
    standard error.
    """
    sys.path.append(str(folder))  # for packages of the folder; last, as all robots share the path
    return {"__builtins__": {**vars(builtins), "__import__": _Import(folder), "print": _print}}


class _Import:
    """Replacement of ``__import__`` for the files of a folder."""

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
_UNPACKING: Final = Lock()
"""Lock held while files are unpacked: of two unpackings of the same bundle only the last folder survives."""
_unpacked: ContextVar[Mapping[Path, Path]] = ContextVar("_unpacked")


class FileBundle(NamedTuple):
    """Robot file with the files that it imports from its folder."""

    path: Path
    """Path of the file on the machine that sends it."""
    texts: tuple[tuple[str, bytes], ...]
    """Name and content of each file, sorted by name."""


def read_bundle(path: Path) -> FileBundle:
    """Read a robot file and the files that it imports, for sending to another machine.

    Raises ``OSError`` if a file cannot be read, ``SyntaxError`` or ``ValueError`` if the text is not valid Python.
    """
    texts: dict[str, bytes] = {}
    missing = [path.name]
    while missing:
        name = missing.pop()
        texts[name] = (path.parent / name).read_bytes()
        imported = {f"{module.partition('.')[0]}{SUFFIX}" for module in _imported(texts[name])}
        missing += [each for each in sorted(imported - texts.keys() - {*missing}) if (path.parent / each).is_file()]
    return FileBundle(path, tuple(sorted(texts.items())))


def _imported(text: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def unpack(files: tuple[FileBundle, ...], where: Path) -> None:
    """Write the files to folders below ``where`` and use these copies for the rest of the current context."""
    with _UNPACKING:
        _unpacked.set({sent.path: Path(_folder(sent.texts, where).name) / sent.path.name for sent in files})


def resolve(path: Path) -> Path:
    """Return the unpacked copy of a file that was sent to this process, else ``path`` itself."""
    return _unpacked.get({}).get(path, path)


@cache
def _folder(texts: tuple[tuple[str, bytes], ...], where: Path) -> "TemporaryDirectory[str]":
    """Create a temporary folder with these files, which lives as long as the process."""
    folder = TemporaryDirectory(prefix=_PREFIX, dir=where)
    for name, text in texts:
        (Path(folder.name) / name).write_bytes(text)
    return folder


_MODULE: Final = "robots_from_a_file"
"""``__name__`` of such a file while it runs."""
_LONGEST_NAME: Final = 60


class RobotFailed(CardtableError):
    """Error of a robot from a file, which raised an exception or chose an illegal action.

    The message names the robot and the place in its file.
    """


def load_robot(robot: str, game: str) -> Robot:
    """Return the robot of a level, or of a file, for the game with key ``game``.

    Raises ``ValueError`` if the name or the file is unknown, ``RobotFailed`` if the file cannot be used.
    """
    path, name = _split_name(robot)
    if path is None:
        if any(sign in robot for sign in "/\\:"):
            raise ValueError(f"a robot from a file is path.py:name, not {sanitize(robot, _LONGEST_NAME)!r}")
        return make(robot, game)
    path = resolve(path)
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    if not name:
        raise ValueError(f"{path.name}: say which robot of the file, as {path.name}:NAME")
    factories = _factories(path.resolve())
    if name not in factories:
        raise ValueError(
            f"{path.name}: {unknown_name_message('robot', name, factories, 'nothing in the file has that name')}"
        )
    full_name = f"{path.name}:{name}"
    try:
        return _FromFile(factories[name](GAMES[game]), full_name)
    except (Exception, SystemExit) as error:
        raise _failed(full_name, error) from error


def bundles_of(robots: Iterable[str]) -> tuple[FileBundle, ...]:
    """Return the files that these robots need on another machine; levels need none."""
    return tuple([read_bundle(path) for path in {_split_name(robot)[0] for robot in robots} if path is not None])


def _split_name(robot: str) -> tuple[Path | None, str]:
    """Split a robot's name into the path and the name in that file; the path is ``None`` for a level."""
    before, suffix, name = robot.rpartition(SUFFIX)
    return (Path(before + suffix), name.removeprefix(":")) if suffix else (None, robot)


@cache
def _factories(path: Path) -> dict[str, Callable[[AnyGame], Robot]]:
    """Return the public callables of a file by name: each may make robots."""
    try:
        names = runpy.run_path(str(path), globals_in(path.parent), _MODULE)
    except (Exception, SystemExit) as error:
        raise _failed(path.name, error) from error
    return {name: each for name, each in names.items() if callable(each) and not name.startswith("_")}


class _FromFile:
    """Wrapper of a robot from a file that turns every failure into ``RobotFailed``."""

    def __init__(self, robot: Robot, name: str) -> None:
        self._robot, self._name = robot, name

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return the robot's choice; raises ``RobotFailed`` if the robot fails or the choice is not legal."""
        try:
            action = self._robot.choose(view, rng, stop)
        except (Exception, SystemExit) as error:
            raise _failed(self._name, error) from error
        if action not in view.legal:
            raise RobotFailed(f"{self._name} has chosen {action}, which is not legal")
        return action


def _failed(robot: str, error: BaseException) -> RobotFailed:
    place = error_location(error, _MODULE)
    return RobotFailed(f"{robot} has failed: {type(error).__name__}: {error}{f' ({place})' if place else ''}")
