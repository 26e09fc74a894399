"""Files in the export folder."""

import os
from itertools import count
from pathlib import Path

from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, paths
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.errors import FileError, format_os_error


def save_export(name: str, data: bytes) -> Path:
    """Write a new file into the export folder, and return its path. A number is added to the name if it is taken.

    Raises ``FileError`` if the file cannot be written, and ``CardtableError`` if this program runs on a host for a
    guest.
    """
    if is_hosted_client():
        raise CardtableError("no files can be saved here: this program runs on the club's machine")
    stem, dot, ending = name.partition(".")
    names = (name if number == 1 else f"{stem}-{number}{dot}{ending}" for number in count(1))
    folder = paths.exports_folder()
    try:
        paths.create_folder(folder)
        path = folder / next(free for free in names if not os.path.lexists(folder / free))
        with atomic_io.create(path) as file:
            file.write(data)
    except OSError as error:
        raise FileError(folder / name, f"it cannot be written: {format_os_error(error)}") from None
    return path
