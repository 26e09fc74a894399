"""Files of robots that are sent to a machine where they do not lie: each with those beside it that it imports."""

import ast
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Final, NamedTuple

SUFFIX: Final = ".py"
_PREFIX: Final = "cardtable-robots-"
_LAYING: Final = Lock()
"""One thread at a time: what is laid twice is there for the last one only."""
_laid: ContextVar[Mapping[Path, Path]] = ContextVar("_laid")


class Sent(NamedTuple):
    """A file with what it needs."""

    path: Path
    """As it is named where it comes from."""
    texts: tuple[tuple[str, bytes], ...]
    """The text of each file by its name, sorted."""


def read(path: Path) -> Sent:
    """What is to be sent of a file.  Raises ``OSError`` where it cannot be read, ``SyntaxError`` and ``ValueError``."""
    texts: dict[str, bytes] = {}
    missing = [path.name]
    while missing:
        name = missing.pop()
        texts[name] = (path.parent / name).read_bytes()
        beside = {f"{module.partition('.')[0]}{SUFFIX}" for module in _imported(texts[name])}
        missing += [each for each in sorted(beside - texts.keys() - {*missing}) if (path.parent / each).is_file()]
    return Sent(path, tuple(sorted(texts.items())))


def _imported(text: bytes) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def lay(files: tuple[Sent, ...], where: Path) -> None:
    """Have these files in a folder below ``where``, for what this thread does from now on."""
    with _LAYING:
        _laid.set({sent.path: Path(_folder(sent.texts, where).name) / sent.path.name for sent in files})


def lies(path: Path) -> Path:
    """Where a file of this name lies: as it was sent, if it was."""
    return _laid.get({}).get(path, path)


@cache
def _folder(texts: tuple[tuple[str, bytes], ...], where: Path) -> "TemporaryDirectory[str]":
    """The folder that has these files as long as this process runs."""
    folder = TemporaryDirectory(prefix=_PREFIX, dir=where)
    for name, text in texts:
        (Path(folder.name) / name).write_bytes(text)
    return folder
