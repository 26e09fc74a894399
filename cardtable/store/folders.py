"""Whether folders can be used, found out by doing what they are there for."""

import os
from contextlib import suppress
from pathlib import Path

from cardtable.store import disk, paths
from cardtable.store.errors import FileError, reason


def try_to_read(folder: Path) -> None:
    """Raise ``FileError`` where there is something that cannot be read as a folder."""
    try:
        os.scandir(folder).close()
    except OSError as error:
        if os.path.lexists(folder):
            raise FileError(folder, reason(error)) from None


def try_to_write(folder: Path) -> None:
    """Raise ``FileError`` where no file can be kept in a folder; what is made to find out is taken away again."""
    missing = [place for place in (folder, *folder.parents) if not os.path.lexists(place)]
    trial = folder / f"trial.{os.getpid()}.new"
    try:
        paths.make(folder)
        disk.write_new(trial, b"a trial\n")
        trial.unlink()
    except OSError as error:
        raise FileError(Path(error.filename or folder), reason(error)) from None
    finally:
        for made in missing:
            with suppress(OSError):
                made.rmdir()
