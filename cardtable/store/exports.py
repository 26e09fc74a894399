"""The folder of what was exported from the screen."""

import os
from itertools import count
from pathlib import Path

from cardtable.store import disk, paths
from cardtable.store.errors import FileError, reason


def save(name: str, data: bytes) -> Path:
    """Write a file into the folder of exports, under a name that no file there has; its path.

    Raises ``FileError``.
    """
    stem, dot, ending = name.partition(".")
    names = (name if number == 1 else f"{stem}-{number}{dot}{ending}" for number in count(1))
    folder = paths.exports()
    try:
        paths.make(folder)
        path = folder / next(free for free in names if not os.path.lexists(folder / free))
        disk.write_new(path, data)
    except OSError as error:
        raise FileError(folder / name, f"it cannot be written: {reason(error)}") from None
    return path
