"""Removal of temporary files that were left by a program that was killed."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Final

from cardtable.store import atomic_io, paths

_MAX_AGE: Final = 3600.0
"""Age in seconds from which a temporary file on Windows is stale; a running program needs it for moments."""


def remove_stale_files() -> None:
    """Delete the temporary files of processes that have ended. Those of running processes are still in use."""
    drafts = [
        path
        for folder in (paths.home(), *paths.journal_folders())
        for path in paths.list_files(folder, atomic_io.TEMP_SUFFIX)
    ]
    for link in filter(Path.is_symlink, paths.linkable_files()):
        own = atomic_io.resolve_links(link)
        beside = paths.list_files(own.parent, atomic_io.TEMP_SUFFIX)
        drafts += [path for path in beside if path.name.startswith(f"{own.name}.")]  # all others are not ours
    for path in drafts:
        named = atomic_io.TEMP_NAME.fullmatch(path.name)
        with suppress(OSError):
            if named and _is_stale(path, int(named[1])):
                path.unlink()


def _is_stale(path: Path, process_id: int) -> bool:
    """Return True if the process that has written a temporary file has ended.

    On Windows, where ``os.kill`` would end the process and ids are soon used again, the age of the file decides.
    """
    if sys.platform == "win32":
        is_stale = time() - path.stat().st_mtime > _MAX_AGE
    else:
        is_stale = not _is_possibly_running(process_id)
    return is_stale


def _is_possibly_running(process_id: int) -> bool:
    """Return True if a process with this id exists, or if that cannot be determined. Not for Windows."""
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
