"""Removal of temporary files that were left by a program that was killed."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from cardtable.store import atomic_io, paths

_TEMP_NAME: Final = re.compile(r".+\.(\d{1,9})" + re.escape(atomic_io.TEMP_SUFFIX))


def remove_stale() -> None:
    """Delete the temporary files of processes that have ended. Those of running processes are still in use."""
    drafts = [
        path
        for folder in (paths.home(), paths.sessions_folder(), paths.archive_folder())
        for path in _list_temp_files(folder)
    ]
    for file in paths.linkable_files():
        if file.is_symlink():  # other files in the folder of a link's target are not ours
            own = atomic_io.resolve_links(file)
            drafts += [path for path in _list_temp_files(own.parent) if path.name.startswith(f"{own.name}.")]
    for path in drafts:
        named = _TEMP_NAME.fullmatch(path.name)
        if named and not _is_possibly_running(int(named[1])):
            with suppress(OSError):
                path.unlink()


def _list_temp_files(folder: Path) -> list[Path]:
    return paths.list_files(folder, atomic_io.TEMP_SUFFIX)


def _is_possibly_running(process_id: int) -> bool:
    """Return True if a process with this id exists, or if that cannot be determined."""
    if os.name == "nt":  # os.kill terminates the process on Windows
        return True
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
