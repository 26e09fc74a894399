"""Checks whether folders can be read and written, and export of files."""

import os
from contextlib import suppress
from itertools import count
from pathlib import Path

from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, paths
from cardtable.store.club_tokens import is_hosted_client
from cardtable.store.errors import FileError, format_os_error


def check_readable(folder: Path) -> None:
    """Raise ``FileError`` if ``folder`` exists but cannot be listed."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        if os.path.lexists(folder):
            raise FileError(folder, format_os_error(error)) from None


def check_writable(folder: Path) -> None:
    """Raise ``FileError`` if no file can be written into ``folder``.

    A file is written as a trial. It is removed again, and so are folders that were missing before.
    """
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    trial = folder / f"trial.{os.getpid()}.new"
    try:
        paths.create_folder(folder)
        atomic_io.write_new(trial, b"a trial\n")
        atomic_io.remove(trial)
    except OSError as error:
        raise FileError(Path(error.filename or folder), format_os_error(error)) from None
    finally:
        for made in missing:
            with suppress(OSError):
                made.rmdir()


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
        atomic_io.write_new(path, data)
    except OSError as error:
        raise FileError(folder / name, f"it cannot be written: {format_os_error(error)}") from None
    return path
