"""The few ways in which files are opened, written and flushed.  All raise ``OSError``."""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

DRAFT: Final = ".new"
"""How the name of a file ends that is still being written, after the number of the process that writes it."""
_CAREFUL: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_LOCKED: Final = frozenset({errno.EACCES, errno.EAGAIN})
_CANNOT_SYNC_FOLDERS: Final = frozenset({errno.EINVAL, errno.ENOTSUP})


def open_regular(path: Path, flags: int, *, links: bool = False) -> int:
    """A descriptor of a regular file; a symbolic link is followed only with ``links``."""
    try:
        if not links and path.is_symlink():
            raise OSError(errno.ELOOP, "it is a symbolic link")
        descriptor = os.open(path, flags | _CAREFUL | (0 if links else _NO_LINK), 0o600)
    except ValueError:
        raise OSError(errno.EINVAL, "not a file name") from None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file")


def read(path: Path, most: int, *, links: bool = False) -> bytes:
    """The bytes of a regular file, but no more than one beyond ``most``."""
    descriptor = open_regular(path, os.O_RDONLY, links=links)
    try:
        return read_open(descriptor, most)
    finally:
        os.close(descriptor)


def read_open(descriptor: int, most: int) -> bytes:
    """The bytes of an open file from its beginning, but no more than one beyond ``most``."""
    parts, room = [], most + 1
    at_once = min(max(os.fstat(descriptor).st_size + 1, 1 << 12), 1 << 18)
    while room > 0 and (part := os.read(descriptor, min(room, at_once))):
        parts.append(part)
        room -= len(part)
    return b"".join(parts)


def flush(descriptor: int) -> None:
    """Have what was written reach the disk."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)


def lock(descriptor: int) -> bool:
    """Lock an open file for this program until it is closed; ``False`` if another one has.

    Where a file system knows no locks the file counts as locked.
    """
    try:
        import fcntl  # noqa: PLC0415 - not everywhere
    except ImportError:
        return _lock_by_library(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _LOCKED
    return True


def let_go(descriptor: int) -> None:
    """Close an open file and free its lock, even while a process that was only just started has it open, too."""
    with suppress(ImportError, OSError):
        import fcntl  # noqa: PLC0415 - not everywhere

        fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _lock_by_library(descriptor: int) -> bool:
    """As ``lock`` does, by a library that knows the other systems; it takes long to import."""
    from portalocker import AlreadyLocked, LockException, LockFlags, lock  # noqa: PLC0415

    try:
        lock(descriptor, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
    except AlreadyLocked:
        return False
    except LockException:
        return True
    return True


def sync_folder(folder: Path) -> None:
    """Have the names in a folder reach the disk, where a system has a way to do so."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def write_new(path: Path, data: bytes) -> None:
    """Write a file that is not there yet, and flush it; nothing of it stays if that fails."""
    descriptor = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        try:
            left = data
            while left:
                left = left[os.write(descriptor, left) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        with suppress(OSError):
            path.unlink()
        raise


def write_beside(path: Path, ending: str, data: bytes) -> Path:
    """Keep bytes in a new file beside ``path``, with its name and another ending, numbered where that is taken."""
    number = 1
    while True:
        beside = path.with_suffix(ending if number == 1 else f".{number}{ending}")
        try:
            write_new(beside, data)
        except FileExistsError:
            number += 1
        else:
            sync_folder(path.parent)
            return beside


def draft(path: Path, data: bytes) -> Path:
    """A file beside ``path`` with what it shall be, flushed; ``publish`` puts it there."""
    beside = path.with_name(f"{path.name}.{os.getpid()}{DRAFT}")
    beside.unlink(missing_ok=True)
    write_new(beside, data)
    return beside


def publish(written: Path, path: Path) -> None:
    """Put a draft in the place of ``path`` in one step; ``sync_folder`` makes that last."""
    try:
        written.replace(path)
    except OSError:
        with suppress(OSError):
            written.unlink()
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a whole file, so that at any moment the old one or the new one is there."""
    publish(draft(path, data), path)
    sync_folder(path.parent)


def move(path: Path, folder: Path) -> Path:
    """Move a file into a folder that has none of its name; its new path."""
    there = folder / path.name
    if os.path.lexists(there):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(there))
    path.rename(there)
    with suppress(OSError):  # under one name or the other the file is there
        sync_folder(folder)
        sync_folder(path.parent)
    return there
