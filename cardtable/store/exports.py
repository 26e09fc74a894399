"""The folder of what was exported from the screen."""

import os
from itertools import count
from pathlib import Path

from cardtable.engine.errors import CardtableError
from cardtable.store import disk, paths
from cardtable.store.club_tokens import at_the_host
from cardtable.store.errors import FileError, reason


def save(name: str, data: bytes) -> Path:
    """Write a file into the folder of exports, under a name that no file there has; its path.

    Raises ``FileError``, and ``CardtableError`` in a guest's program that a host runs.
    """
    if at_the_host():
        raise CardtableError("no files can be saved here: this program runs on the club's machine")
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
