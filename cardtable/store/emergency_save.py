"""Where a journal goes that cannot be kept in its place: into a new folder of its own, which is its owner's only.

The name of the folder tells to which home the journal belongs.
"""

import os
import stat
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from cardtable.store import atomic_io, paths
from cardtable.store.club_tokens import at_the_host

_COMMON: Final = () if os.name == "nt" else (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - in a folder for its owner
"""Temporary folders of most systems."""


def keep(name: str, data: bytes) -> Path | None:
    """Write a whole journal where writing works; its path, or ``None`` where it works nowhere.

    A guest's program that a host runs leaves nothing behind on the host.
    """
    if at_the_host():
        return None
    for folder in _folders():
        made = None
        try:
            if folder == paths.state():
                paths.make(folder)
            made = Path(tempfile.mkdtemp(prefix=_prefix(), dir=folder))
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


def kept(ending: str) -> list[Path]:
    """The journals of this home that are kept elsewhere, and that nobody else can have laid there."""
    prefix = _prefix()
    folders = [Path(entry.path) for folder in _folders() for entry in _own(folder, prefix)]
    return [path for folder in folders for path in paths.listed(folder, ending)]


def forget(path: Path) -> None:
    """Remove a journal that is kept elsewhere, and its folder.  What cannot be removed stays."""
    with suppress(OSError):
        path.unlink()
        path.parent.rmdir()


def _own(folder: Path, prefix: str) -> Iterator[os.DirEntry[str]]:
    """The folders in there that are of a home, and that only their owner can write to."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith(prefix):
                    found = entry.stat(follow_symlinks=False)
                    if stat.S_ISDIR(found.st_mode) and (os.name == "nt" or _private(found)):
                        yield entry
    except OSError:
        return


def _private(found: os.stat_result) -> bool:
    return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)


def _folders() -> list[Path]:
    """First the folder of what lasts, then the temporary ones."""
    named = [Path(os.environ[name]) for name in ("TMPDIR", "TEMP", "TMP") if os.environ.get(name)]
    return list(dict.fromkeys([paths.state(), *named, *_COMMON]))


def _prefix() -> str:
    home = os.fsencode(paths.home().absolute())
    return f"cardtable-{zlib.crc32(home):08x}-"
