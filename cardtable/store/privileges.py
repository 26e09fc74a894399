"""Rights of root over files of another user, which that user could turn against root by links."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from cardtable.store import atomic_io
from cardtable.store.errors import FileError


class Owner(NamedTuple):
    """User and group to which a file belongs, as numbers."""

    user: int
    group: int


def find_other_owner(path: Path) -> Owner | None:
    """Return the user who can change where a path leads, if this program runs as root and that user is another one.

    It is the owner of the first existing part of the path that does not belong to root.
    """
    if sys.platform != "win32" and os.geteuid() == 0:
        for whole in (path.absolute(), atomic_io.resolve_links(path)):
            for part in [*reversed(whole.parents), whole]:
                try:
                    status = part.lstat()
                except OSError:
                    break
                if status.st_uid != 0:
                    return Owner(status.st_uid, status.st_gid)
    return None


def check_owner(folder: Path) -> None:
    """Raise ``FileError`` if this program runs as root, and another user can change where a folder leads."""
    if find_other_owner(folder):
        raise FileError(folder, "it belongs to another user, for whom root writes no files; do this as that user")


@contextmanager
def act_for_owner(path: Path) -> Iterator[None]:
    """Return a context without the rights of root if another user can change where a path leads.

    Files are then used and created with the rights of that user. All modules that are needed must be imported before,
    since the user may not be able to read the program.
    """
    owner = find_other_owner(path)
    if sys.platform != "win32" and owner:
        groups, group = os.getgroups(), os.getegid()
        os.setgroups([])
        os.setegid(owner.group)
        os.seteuid(owner.user)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(group)
            os.setgroups(groups)
    else:
        yield
