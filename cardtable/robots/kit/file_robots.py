"""Robots from Python files of the user, named ``path.py:name``.

The object with this name in the file is called with the ``Game`` once for each seat of each deal, and must return a
``Robot``; a class will do. With the game, a robot can sample states that are consistent with a view and play them on. A
file can import other files of its folder.
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
from typing import Final, NamedTuple

from cardtable.engine.errors import INTERRUPTIONS, CardtableError, GameFault, format_exception_text
from cardtable.engine.game import Action, AnyGame, View
from cardtable.engine.plugin_guard import locate_error
from cardtable.engine.text_format import format_unknown_name, sanitize
from cardtable.games import GAMES, KEYS, format_plugin_name
from cardtable.robots.kit.levels import LEVELS
from cardtable.robots.kit.robot import Robot, add_deadline, make_robot
from cardtable.workers.time_limit import TimeLimit

_import_lock = RLock()


@cache
def make_globals(folder: Path) -> dict[str, object]:
    """Return the initial globals of the files in a folder; all of them share one dictionary.

    In it, ``import`` also finds files of the folder, unless a module of the same name is installed or already loaded.
    The folder is appended to ``sys.path``.
    """
    sys.path.append(str(folder))  # for packages of the folder; last, as all robots share the path
    return {"__builtins__": {**vars(builtins), "__import__": _FolderImport(folder)}}


class _FolderImport:
    """Replacement of ``__import__`` for the files of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._modules: dict[str, ModuleType] = {}

    def __call__(
        self,
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - as ``__import__`` calls it
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if name in self._modules and not level:
            return self._modules[name]
        path = self._folder / f"{name}.py"
        elsewhere = level or "." in name or name in sys.modules or name in sys.stdlib_module_names
        if elsewhere or not path.is_file():
            return __import__(name, globals, locals, fromlist, level)
        with _import_lock:
            return self._modules.get(name) or self._import_file(name, path)

    def _import_file(self, name: str, path: Path) -> ModuleType:
        spec = spec_from_file_location(f"{name} of {self._folder}", path)
        assert spec is not None
        assert spec.loader is not None
        module = self._modules[name] = sys.modules[spec.name] = module_from_spec(spec)
        vars(module).update(make_globals(self._folder))
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del self._modules[name], sys.modules[spec.name]
            raise
        return module


SUFFIX: Final = ".py"
_PREFIX: Final = "cardtable-robots-"
_UNPACK_LOCK: Final = Lock()
"""Lock held while files are unpacked.

If two threads unpacked the same bundle at the same time, the folder of one of them would be deleted while in use.
"""
_unpacked_paths: ContextVar[Mapping[Path, Path]] = ContextVar("_unpacked")


class FileBundle(NamedTuple):
    """Robot file together with the files that it imports from its folder, as sent to another machine."""

    path: Path
    """Path of the robot file on the sending machine."""
    files: tuple[tuple[str, bytes], ...]
    """Name and content of each file, sorted by name."""


def read_bundle(path: Path) -> FileBundle:
    """Read a robot file and, recursively, the files of its folder that it imports.

    Raises ``OSError`` if a file cannot be read, and ``SyntaxError`` or ``ValueError`` if a file is not valid Python.
    """
    texts: dict[str, bytes] = {}
    missing = [path.name]
    while missing:
        name = missing.pop()
        texts[name] = (path.parent / name).read_bytes()
        imported = {f"{module.partition('.')[0]}{SUFFIX}" for module in _iter_imports(texts[name])}
        missing += [file for file in sorted(imported - texts.keys() - {*missing}) if (path.parent / file).is_file()]
    return FileBundle(path, tuple(sorted(texts.items())))


def _iter_imports(text: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def unpack_bundles(bundles: tuple[FileBundle, ...], folder: Path) -> None:
    """Write the files to new folders below ``folder``, and let ``resolve_path`` return these copies in the current
    context.
    """
    with _UNPACK_LOCK:
        _unpacked_paths.set(
            {sent.path: Path(_write_folder(sent.files, folder).name) / sent.path.name for sent in bundles}
        )


def resolve_path(path: Path) -> Path:
    """Return the unpacked copy of a file that was sent to this process; ``path`` itself if it was not sent."""
    return _unpacked_paths.get({}).get(path, path)


@cache
def _write_folder(files: tuple[tuple[str, bytes], ...], parent: Path) -> "TemporaryDirectory[str]":
    """Create a temporary folder in ``parent`` with these files; it is deleted when the process ends."""
    folder = TemporaryDirectory(prefix=_PREFIX, dir=parent)
    for name, text in files:
        (Path(folder.name) / name).write_bytes(text)
    return folder


_RUN_NAME: Final = "robots_from_a_file"
"""``__name__`` of a robot file while it is executed."""
_MAX_NAME_LENGTH: Final = 60


class RobotFailed(CardtableError):
    """Error of a robot from a file, which raised an exception or chose an illegal action.

    The message names the robot and, if known, the place in its file.
    """


def load_robot(robot: str, game: str) -> Robot:
    """Return a robot for the game with key ``game``; ``robot`` is a level, or ``path.py:name`` for a robot from a file.

    Raises ``ValueError`` if the level, the file or the name in it is unknown, and ``RobotFailed`` if the file cannot be
    executed or the robot cannot be created.
    """
    path, name = check_robot(robot)
    if path is None:
        return make_robot(robot, game)
    factories, other_names = _load_names(path.resolve())
    if name in other_names:
        raise ValueError(f"{path.name}: {name} is no class or function, so it cannot create a robot")
    if name not in factories:
        public = [known for known in factories if not known.startswith("_")]
        unknown = format_unknown_name("robot", name, public, "nothing in the file has that name")
        raise ValueError(f"{path.name}: {unknown}")
    full_name = f"{path.name}:{name}"
    try:
        return _FileRobot(factories[name](GAMES[game]), full_name)
    except INTERRUPTIONS:
        raise
    except BaseException as error:
        raise _make_failure(full_name, error) from error


def check_robot(robot: str) -> tuple[Path | None, str]:
    """Return the path of the file with a robot, and its name there; the path is ``None`` for a level.

    Nothing of the file is executed. Raises ``ValueError`` if there is no such file or level.
    """
    path, name = _split_name(robot)
    if path is None:
        if any(sign in robot for sign in "/\\:"):
            raise ValueError(f"a robot from a file is path.py:name, not {sanitize(robot, _MAX_NAME_LENGTH)!r}")
        if robot not in LEVELS:
            raise ValueError(format_unknown_name("level", robot, LEVELS))
        return None, robot
    path = resolve_path(path)
    if not path.is_file():
        raise ValueError(f"there is no file {path}")
    if not name:
        raise ValueError(f"{path.name}: say which robot of the file, as {path.name}:NAME")
    return path, name


def list_strangers(game: str, robots: Iterable[str]) -> list[str]:
    """Return the names of the game, if it is of another package, and of the robots from files."""
    package = [] if game in KEYS else [format_plugin_name(game)]
    return package + [f"{path.name}:{name}" for path, name in map(_split_name, sorted(robots)) if path is not None]


def read_bundles(robots: Iterable[str]) -> tuple[FileBundle, ...]:
    """Return the files that another machine needs for these robots; a level needs none.

    Raises the exceptions of ``read_bundle``.
    """
    return tuple([read_bundle(path) for path in {_split_name(robot)[0] for robot in robots} if path is not None])


def _split_name(robot: str) -> tuple[Path | None, str]:
    """Split the name of a robot into the path of its file and the name in it; the path is ``None`` for a level."""
    before, found, name = robot.rpartition(f"{SUFFIX}:")
    if found:
        return Path(before + SUFFIX), name
    return (Path(robot), "") if robot.endswith(SUFFIX) else (None, robot)


@cache
def _load_names(path: Path) -> tuple[dict[str, Callable[[AnyGame], Robot]], set[str]]:
    """Execute a file, and return its callables by name, any of which may create robots, and its other names."""
    try:
        names = runpy.run_path(str(path), make_globals(path.parent), _RUN_NAME)
    except INTERRUPTIONS:
        raise
    except BaseException as error:
        raise _make_failure(path.name, error) from error
    factories = {name: value for name, value in names.items() if callable(value)}
    return factories, names.keys() - factories.keys()


class _FileRobot:
    """Wrapper of a robot from a file, which converts each of its failures to ``RobotFailed``."""

    def __init__(self, robot: Robot, name: str) -> None:
        self._robot, self._name, self._limit = robot, name, TimeLimit()

    def choose(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        """Return the action that the robot chooses.

        Raises ``RobotFailed`` if the robot raises an exception, exceeds the time limit, or chooses an illegal action.
        """
        try:
            return self._limit.call(self._choose_legal, view, rng, add_deadline(stop))
        except (RobotFailed, *INTERRUPTIONS):
            raise
        except BaseException as error:
            raise _make_failure(self._name, error) from error

    def _choose_legal(self, view: View, rng: Random, stop: Callable[[], bool]) -> Action:
        action = self._robot.choose(view, rng, stop)
        if action not in view.legal:
            raise RobotFailed(f"{self._name} has chosen {action}, which is not legal")
        return action


def _make_failure(robot: str, error: BaseException) -> RobotFailed:
    location = locate_error(error, _RUN_NAME)
    text = format_exception_text(error)
    fault = text if isinstance(error, GameFault) else f"{type(error).__name__}: {text}"
    return RobotFailed(f"{robot} has failed: {fault}{f' ({location})' if location else ''}")
