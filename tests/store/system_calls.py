"""Record of the system calls that the store makes, each with the functions of ``cardtable.store`` that make it."""

import fcntl
import os
from contextlib import contextmanager
from inspect import currentframe
from typing import NamedTuple

import pytest

from cardtable.store import paths

_NAMES = {name: name for name in ("open", "read", "write", "rename", "unlink", "mkdir", "stat", "kill")} | {
    "fsync": "flush",
    "fdatasync": "flush",
    "ftruncate": "truncate",
    "replace": "rename",
    "lstat": "stat",
    "scandir": "list",
    "listdir": "list",
}
"""Functions of ``os`` by the names that the model gives to their system calls."""


class SystemCall(NamedTuple):
    """System call."""

    functions: tuple[str, ...]
    """Functions of ``cardtable.store`` that were running, the innermost first: ``module.function``."""
    name: str
    path: str
    """Path in the home, or of an open file as it was opened; of a rename also the new one."""


class Recorder:
    """Wraps the functions of ``os`` and ``fcntl``, and records the calls for files of the home.

    The process id in the names of temporary files becomes 0, and ``names`` maps other parts of paths to shorter ones.
    """

    def __init__(self, patch, names):
        self.calls = []
        self._opened = {}
        self._names = {str(os.getpid()): "0", **names}
        for function, name in _NAMES.items():
            patch.setattr(os, function, self._wrap(name, getattr(os, function)))
        patch.setattr(fcntl, "flock", self._wrap_flock(fcntl.flock))

    def _wrap(self, name, function):
        def wrapped(target=".", *args, **kwargs):
            path = self._get_path(name, target)
            if name == "rename":
                path += f" -> {self._get_path(name, args[0])}"
            self._add(name, path)
            result = function(target, *args, **kwargs)
            if name == "open":
                self._opened[result] = path
            return result

        return wrapped

    def _wrap_flock(self, function):
        def flock(descriptor, operation):
            self._add("unlock" if operation == fcntl.LOCK_UN else "lock", self._opened.get(descriptor, "?"))
            return function(descriptor, operation)

        return flock

    def _get_path(self, name, target):
        if name == "kill":
            path = str(target)
        elif isinstance(target, int):
            return self._opened.get(target, "?")
        else:
            path, home = os.fspath(target), str(paths.home())
            if path != home and not path.startswith(f"{home}/"):
                return "outside"
            path = path.removeprefix(home).strip("/") or "home"
        for long, short in self._names.items():
            path = path.replace(long, short)
        return path

    def _add(self, name, path):
        functions = _find_functions()
        if functions and path != "outside":
            self.calls.append(SystemCall(functions, name, path))

    def note(self):
        """Record that something is acknowledged."""
        self.calls.append(SystemCall((), "note", ""))


def _find_functions():
    """Return the running functions of ``cardtable.store``, the innermost first."""
    functions, frame = [], currentframe().f_back.f_back.f_back
    while frame:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("cardtable.store."):
            functions.append(f"{module.removeprefix('cardtable.store.')}.{frame.f_code.co_qualname}")
        frame = frame.f_back
    return tuple(functions)


@contextmanager
def recording(**names):
    """Record system calls as those of a program that has just been started.

    Each of ``names`` stands for its value in paths.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "_synced_folders", set())
        yield Recorder(patch, {value: name for name, value in names.items()})
