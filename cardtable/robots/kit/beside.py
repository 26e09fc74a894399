"""What a robot's file imports of those beside it: its own folder's, since others may have files of the same names."""

import builtins
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import TextIO

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
