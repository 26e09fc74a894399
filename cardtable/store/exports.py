"""The folder of what was exported from the screen."""

from itertools import count
from pathlib import Path

from cardtable.store import disk, paths
from cardtable.store.errors import FileError, reason


def save(name: str, data: bytes) -> Path:
    """Write a file into the folder of exports, under a name that no file there has; its path.

    Raises ``FileError``.
    """
    folder = paths.exports()
    stem, dot, ending = name.partition(".")
    for number in count(1):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{ending}")
        try:
            paths.make(folder)
            disk.write_new(path, data)
        except FileExistsError:
            continue
        except OSError as error:
            raise FileError(path, f"it cannot be written: {reason(error)}") from None
        return path
    raise AssertionError("count never ends")
