"""Drafts that a program has left behind which was killed while it wrote them."""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from cardtable.store import atomic_io, paths

_NAME: Final = re.compile(r".+\.(\d{1,9})" + re.escape(atomic_io.DRAFT))


def remove_stale() -> None:
    """Remove the drafts of processes that are gone; those of others are still being written."""
    drafts = [path for folder in (paths.home(), paths.sessions(), paths.archive()) for path in _drafts(folder)]
    for file in paths.linkable_files():
        if file.is_symlink():  # what lies beside the file itself is not ours
            own = atomic_io.real(file)
            drafts += [path for path in _drafts(own.parent) if path.name.startswith(f"{own.name}.")]
    for path in drafts:
        named = _NAME.fullmatch(path.name)
        if named and not _lives(int(named[1])):
            with suppress(OSError):
                path.unlink()


def _drafts(folder: Path) -> list[Path]:
    return paths.listed(folder, atomic_io.DRAFT)


def _lives(process: int) -> bool:
    """Whether there is, or may be, a process of this number."""
    if os.name == "nt":  # asking there would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
