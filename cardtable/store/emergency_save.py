"""Emergency folders for journals that cannot be saved in their place.

The folders are private. Their names contain a checksum of the path of the home that they belong to.
"""

import os
import stat
import sys
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final

from cardtable.store import atomic_io, paths
from cardtable.store.club_tokens import is_hosted_client

_SYSTEM_TEMP_FOLDERS: Final = () if sys.platform == "win32" else (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - in a folder for its owner
"""Temporary folders that most systems have."""


def save(name: str, data: bytes) -> Path | None:
    """Write a whole journal to an emergency folder. Return its path, or ``None`` if no folder is writable.

    Nothing is written by a program that a host runs for a guest.
    """
    if is_hosted_client():
        return None
    for folder in _list_candidate_folders():
        made = None
        try:
            if folder == paths.state_folder():
                paths.create_folder(folder)
            made = Path(tempfile.mkdtemp(prefix=_compute_prefix(), dir=folder))
            atomic_io.write_new(made / name, data)
            atomic_io.sync_folder(made)
            atomic_io.sync_folder(folder)
        except OSError:
            if made is not None:
                with suppress(OSError):
                    made.rmdir()
        else:
            return made / name
    return None


def list_saved(suffix: str) -> list[Path]:
    """Return the journals of this home in emergency folders to which no other user has access.

    ``suffix`` is the suffix of their names.
    """
    prefix, saved = _compute_prefix(), list[Path]()
    for folder in _list_candidate_folders():
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(prefix) and _is_private_folder(entry.stat(follow_symlinks=False)):
                    saved += paths.list_files(Path(entry.path), suffix)
    return saved


def delete(path: Path) -> None:
    """Delete a journal in an emergency folder, and the folder itself. Errors are ignored."""
    with suppress(OSError):
        atomic_io.remove(path)
        path.parent.rmdir()


def _is_private_folder(status: os.stat_result) -> bool:
    """Return True for a folder to which only its owner has access; on Windows the mode does not show this."""
    if sys.platform == "win32":
        is_private = True
    else:
        is_private = status.st_uid == os.getuid() and not status.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(status.st_mode) and is_private


def _list_candidate_folders() -> list[Path]:
    """Return the folders to try in order: the state folder, which survives a restart, then the temporary folders."""
    named = [Path(os.environ[name]) for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)]
    return list(dict.fromkeys(filter(None, [paths.state_folder(), *named, *_SYSTEM_TEMP_FOLDERS])))


def _compute_prefix() -> str:
    home = os.fsencode(paths.home().absolute())
    return f"cardtable-{zlib.crc32(home):08x}-"
