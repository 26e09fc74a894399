"""Checks whether folders can be read and written."""

import os
from contextlib import suppress
from pathlib import Path

from cardtable.store import atomic_io, paths
from cardtable.store.errors import FileError, format_os_error


def find_save_error() -> str | None:
    """Return the reason why nothing can be saved in the home; ``None`` if it seems possible.

    A file is written as a trial, into the home or the folder in which the home would be created.
    """
    home = paths.home()
    folder = next(place for place in (home, *home.absolute().parents) if os.path.lexists(place))
    trial = folder / f"trial.{os.getpid()}.new"
    try:
        atomic_io.write_new(trial, b"a trial\n")
        atomic_io.remove(trial)
    except OSError as error:
        return f"Nothing can be saved: {format_os_error(error)}. cardtable doctor tells more."
    return None


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
