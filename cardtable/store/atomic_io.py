"""The few ways in which files are opened, written and flushed.  All raise ``OSError``."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, suppress
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
        return read_first(descriptor, most + 1)
    finally:
        os.close(descriptor)


def read_first(descriptor: int, size: int) -> bytes:
    """Return the first `size` bytes of an open file, or all if it has fewer."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts, room = [], size
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


def unlock_and_close(descriptor: int) -> None:
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


def append(path: Path, data: bytes) -> None:
    """Write bytes at the end of a file that is a cache: they need not reach the disk."""
    descriptor = open_regular(path, os.O_WRONLY | os.O_APPEND)
    try:
        _write_all(descriptor, data)
    finally:
        os.close(descriptor)


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
            _write_all(descriptor, data)
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


def write_temp(path: Path, data: bytes) -> Path:
    """A file beside ``path`` with what it shall be, flushed; ``replace`` puts it there."""
    beside = _free_draft(path)
    write_new(beside, data)
    return beside


def _free_draft(path: Path) -> Path:
    """Return the path of this program's draft of a file, which is not there any more."""
    beside = path.with_name(f"{path.name}.{os.getpid()}{DRAFT}")
    beside.unlink(missing_ok=True)
    return beside


def replace(written: Path, path: Path) -> None:
    """Put a draft in the place of ``path`` in one step; ``sync_folder`` makes that last."""
    try:
        written.replace(path)
    except OSError:
        with suppress(OSError):
            written.unlink()
        raise


def write_whole(path: Path, data: bytes) -> None:
    """Write a whole file, so that at any moment the old one or the new one is there."""
    replace(write_temp(path, data), path)
    sync_folder(path.parent)


def real(path: Path) -> Path:
    """Return the path of the file that a symbolic link leads to, or the path of any other file, there or not."""
    return Path(os.path.realpath(path))


def backup(path: Path) -> Path:
    """Return where `write_personal` keeps a file as it was: beside it, or beside the file that a link leads to."""
    return real(path).with_name(f"{real(path).name}.bak")


def write_personal(path: Path, data: bytes, most: int) -> None:
    """Write a whole file of at most `most` bytes that a person keeps; the file as it was becomes its backup.

    A symbolic link stays, and the file that it leads to is written.
    """
    if real(path).exists():
        write_whole(backup(path), read(real(path), most))
    write_whole(real(path), data)


def move(path: Path, folder: Path, *, locked: int | None = None) -> Path:
    """Move a file into a folder, which may be on another disk and has none of its name; return its new path.

    `locked`: descriptor of the file where the caller has it locked.  A copy that an interrupted move has left in
    the folder takes the file's place.  On another disk the file becomes another one, which is not locked.
    """
    there = folder / path.name
    if os.path.lexists(there):
        if not remove_copy(path, there, locked=locked):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(there))
        return there
    try:
        path.rename(there)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _move_across(path, there, locked)
    with suppress(OSError):  # under one name or the other the file is there
        sync_folder(folder)
        sync_folder(path.parent)
    return there


def _move_across(path: Path, there: Path, locked: int | None) -> None:
    """Move a file to another disk: whatever step is the last one, the whole file is in one place or in both.

    The copy is locked until the original is gone, so that meanwhile no program removes either of them.
    """
    with ExitStack() as opened:
        source = _opened_alone(path, opened) if locked is None else locked
        written = _free_draft(there)
        copy = open_regular(written, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        opened.callback(unlock_and_close, copy)
        published = False
        try:
            lock(copy)
            for part in _parts(source):
                _write_all(copy, part)
            os.fsync(copy)
            if os.name == "nt":  # there open files can be neither moved nor removed
                opened.close()
            replace(written, there)
            published = True
            sync_folder(there.parent)
            path.unlink()
        except OSError:
            with suppress(OSError):
                if not published:
                    written.unlink(missing_ok=True)
                elif path.exists():
                    there.unlink()
            raise


def remove_copy(path: Path, other: Path, *, locked: int | None = None) -> bool:
    """Remove a file if `other` begins with the same bytes; return False if it does not, and leave both alone then.

    `locked`: descriptor of the file where the caller has it locked.  Raises ``OSError`` where another program has
    one of them open.
    """
    if os.path.samestat(path.lstat(), other.lstat()):
        return False
    with ExitStack() as opened:
        first = _opened_alone(path, opened) if locked is None else locked
        second = _opened_alone(other, opened)
        both = zip(_parts(first), _parts(second), strict=False)
        if os.fstat(first).st_size > os.fstat(second).st_size or any(one != two[: len(one)] for one, two in both):
            return False
        if os.name == "nt":
            opened.close()
        path.unlink()
    with suppress(OSError):
        sync_folder(path.parent)
    return True


def _opened_alone(path: Path, until: ExitStack) -> int:
    """Return a descriptor of a file that no other program has open, locked until the stack is left."""
    descriptor = open_regular(path, os.O_RDONLY)
    until.callback(unlock_and_close, descriptor)
    if not lock(descriptor):
        raise OSError(errno.EAGAIN, "it is open in another program")
    return descriptor


def _parts(descriptor: int) -> Iterator[bytes]:
    """Yield the bytes of an open file from its beginning, a piece at a time."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    while part := os.read(descriptor, 1 << 20):
        yield part


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
