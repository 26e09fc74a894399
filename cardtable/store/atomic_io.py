"""Low-level file operations: open, write, replace, move, delete, flush and lock.

Every function raises ``OSError`` on failure, unless its documentation says otherwise. The lock of an open file excludes
other programs from the lock and never from reading the file.
"""

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import sleep
from typing import BinaryIO, Final, TypeVar

T = TypeVar("T")
TEMP_SUFFIX: Final = ".new"
TEMP_NAME: Final = re.compile(r".+\.(\d{1,9})" + re.escape(TEMP_SUFFIX))
"""Name of a temporary file, with the process id of its writer as the group."""
_TEMP_NAME_LENGTH: Final = 70
"""Number of characters of a file's name in that of a temporary file, which may have 255 bytes."""
_OPEN_FLAGS: Final = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_CANNOT_SYNC_FOLDERS: Final = frozenset({errno.EINVAL, errno.ENOTSUP})
_CANNOT_SYNC_DRIVE: Final = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOTTY})
"""Errors of file systems that cannot empty the cache of the drive."""
_RETRY_DELAYS: Final = (0.01, 0.02, 0.05, 0.1, 0.3)
"""Seconds between the attempts to use a file that another program has open."""
_ACCESS_DENIED: Final = 5
_SHARING_VIOLATION: Final = 32
_LOCK_VIOLATION: Final = 33
"""Windows' errors for a file that another program has open: for a target, for the file itself, for locked bytes."""


def open_regular(path: Path, flags: int, *, follow_links: bool = False) -> int:
    """Open a regular file and return its descriptor. A new file is accessible to its owner only.

    ``flags`` is passed to ``os.open``. A symbolic link is an error unless ``follow_links`` is True, and so are folders,
    pipes and devices.
    """
    try:
        if not follow_links and path.is_symlink():
            raise OSError(errno.ELOOP, "it is a symbolic link")
        all_flags = flags | _OPEN_FLAGS | (0 if follow_links else _NO_LINK)
        descriptor = _retry_while_open(path, lambda: os.open(path, all_flags, 0o600))
    except ValueError:
        raise OSError(errno.EINVAL, "not a file name") from None
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "not a regular file")


def read(path: Path, max_bytes: int, *, follow_links: bool = False) -> bytes:
    """Return the first ``max_bytes + 1`` bytes of a regular file.

    From the additional byte the caller recognises a file that is too large. A symbolic link is an error unless
    ``follow_links`` is True.
    """
    descriptor = open_regular(path, os.O_RDONLY, follow_links=follow_links)
    try:
        return read_first(descriptor, max_bytes + 1)
    finally:
        os.close(descriptor)


def read_first(descriptor: int, size: int) -> bytes:
    """Return the first ``size`` bytes of an open file, or fewer if it is shorter. The file position changes."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    parts, room = [], size
    at_once = min(max(os.fstat(descriptor).st_size + 1, 1 << 12), 1 << 18)
    while room > 0 and (part := os.read(descriptor, min(room, at_once))):
        parts.append(part)
        room -= len(part)
    return b"".join(parts)


def must_close_before_change() -> bool:
    """Return True if an open file can be neither replaced, moved nor deleted, as on Windows."""
    return sys.platform == "win32"


def _retry_while_open(path: Path, action: Callable[[], T]) -> T:
    """Return the result of ``action``. On Windows, repeat it for half a second while another program has a file open.

    Other programs open a file for moments: to read a session, to back it up, or to look for viruses. ``path`` is a
    file that ``action`` uses.
    """
    for delay in _RETRY_DELAYS if must_close_before_change() else ():
        try:
            return action()
        except PermissionError:
            if path.is_dir():
                raise
        sleep(delay)
    try:
        return action()
    except PermissionError as error:
        if sys.platform == "win32" and error.winerror in (_SHARING_VIOLATION, _LOCK_VIOLATION):
            error.strerror = "another program has the file open"
        elif sys.platform == "win32" and error.winerror == _ACCESS_DENIED:
            error.strerror = "another program has the file open, or it is protected"
        raise


def flush(descriptor: int) -> None:
    """Flush the written data of an open file to the disk."""
    if sys.platform == "darwin":
        sync(descriptor)
    elif hasattr(os, "fdatasync"):
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)


def sync(descriptor: int) -> None:
    """Flush an open file to the disk, with its size and times.

    On macOS ``fsync`` leaves the data in the cache of the drive, which ``F_FULLFSYNC`` empties, too.
    """
    if sys.platform == "darwin":
        import fcntl  # noqa: PLC0415 - lazy: optional, POSIX only

        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC_DRIVE:
                raise
        else:
            return
    os.fsync(descriptor)


def append(path: Path, data: bytes) -> None:
    """Append bytes to a file without flushing it to the disk. This is meant for caches."""
    descriptor = open_regular(path, os.O_WRONLY | os.O_APPEND)
    try:
        _write_all(descriptor, data)
    finally:
        os.close(descriptor)


def append_whole(path: Path, data: bytes) -> None:
    """Append bytes to a file as ``append`` does, all of them or, if that fails, none."""
    size = path.stat().st_size
    try:
        append(path, data)
    except OSError:
        with suppress(OSError):
            os.truncate(path, size)
        raise


def sync_folder(folder: Path) -> None:
    """Flush the file names in a folder to the disk. Nothing happens on systems that do not support this."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            sync(descriptor)
        except OSError as error:
            if error.errno not in _CANNOT_SYNC_FOLDERS:
                raise
        finally:
            os.close(descriptor)


def write_new(path: Path, data: bytes) -> None:
    """Write and flush a new file. If this fails, the file is removed.

    Raises ``FileExistsError`` if the path exists.
    """
    descriptor = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        try:
            _write_all(descriptor, data)
            sync(descriptor)
        finally:
            os.close(descriptor)
    except OSError:
        with suppress(OSError):
            remove(path)
        raise


@contextmanager
def create(path: Path) -> Iterator[BinaryIO]:
    """Yield an empty file that gets the name ``path`` after the body, when it is whole and flushed to the disk.

    If an exception is raised, no file is left. Raises ``FileExistsError`` if the path exists before the body or then.
    """
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    name = f"{path.name[:_TEMP_NAME_LENGTH]}.{os.urandom(3).hex()}"
    temp_path = path.with_name(f"{name}.{os.getpid()}{TEMP_SUFFIX}")
    try:
        with os.fdopen(open_regular(temp_path, os.O_RDWR | os.O_CREAT | os.O_EXCL), "w+b") as file:
            yield file
            file.flush()
            sync(file.fileno())
        _publish(temp_path, path)
    except OSError as error:
        if error.filename == str(temp_path):
            error.filename = str(path)
        raise
    finally:
        with suppress(OSError):
            remove(temp_path, missing_ok=True)
    with suppress(PermissionError):  # a folder in which one may create files, but not list them
        sync_folder(path.parent)


def _publish(temp_path: Path, path: Path) -> None:
    """Give a temporary file its name. Raises ``FileExistsError`` if there is a file with that name."""
    try:
        path.hardlink_to(temp_path)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):  # no hard links here
        write_new(path, b"")
        try:
            replace(temp_path, path)
        except OSError:
            remove(path)
            raise


def write_beside(path: Path, suffix: str, data: bytes) -> Path:
    """Write bytes into a new file next to ``path``, and return its path.

    ``suffix`` replaces the suffix of ``path``. If that name is taken, a number from 2 precedes it.
    """
    number = 1
    while True:
        target = path.with_suffix(suffix if number == 1 else f".{number}{suffix}")
        try:
            write_new(target, data)
        except FileExistsError:
            number += 1
        else:
            sync_folder(path.parent)
            return target


def write_temp(path: Path, data: bytes) -> Path:
    """Write and flush a temporary file next to ``path``, and return its path for ``replace``."""
    target = _prepare_temp_path(path)
    write_new(target, data)
    return target


def _prepare_temp_path(path: Path) -> Path:
    """Return the path of this process's temporary file for ``path``.

    A file left there by an earlier attempt is deleted.
    """
    target = path.with_name(f"{path.name}.{os.getpid()}{TEMP_SUFFIX}")
    remove(target, missing_ok=True)
    return target


def remove(path: Path, *, missing_ok: bool = False) -> None:
    _retry_while_open(path, lambda: path.unlink(missing_ok=missing_ok))


def replace(temp_path: Path, path: Path) -> None:
    """Replace the file at ``path`` atomically by a temporary file, which is deleted on failure.

    The replacement is durable only after ``sync_folder``.
    """
    try:
        _retry_while_open(path, lambda: temp_path.replace(path))
    except OSError:
        with suppress(OSError):
            remove(temp_path)
        raise


def write_atomically(path: Path, data: bytes, close_old: Callable[[], object] = lambda: None) -> None:
    """Replace the file at ``path`` atomically and durably. At any moment the old or the new version exists.

    ``close_old`` closes the old version, which the caller has open and locked; it is called as soon as the new one is
    on the disk, and only where an open file cannot be replaced.
    """
    written = write_temp(path, data)
    if must_close_before_change():
        close_old()
    replace(written, path)
    sync_folder(path.parent)


def resolve_links(path: Path) -> Path:
    return Path(os.path.realpath(path))


def get_backup_path(path: Path) -> Path:
    """Return the path of the backup that ``write_personal`` makes.

    It is ``NAME.bak`` next to the file, or next to its target if the file is a symbolic link.
    """
    return resolve_links(path).with_name(f"{resolve_links(path).name}.bak")


def write_personal(path: Path, data: bytes, max_bytes: int) -> None:
    """Replace a file that a person may edit, after copying the old version to its backup.

    The old version may have at most ``max_bytes`` bytes. If the file is a symbolic link, its target is replaced.
    """
    if resolve_links(path).exists():
        write_atomically(get_backup_path(path), read(resolve_links(path), max_bytes))
    write_atomically(resolve_links(path), data)


def move(path: Path, folder: Path, *, locked_descriptor: int | None = None) -> Path:
    """Move a file into a folder, which may be on another disk, and return its new path.

    ``locked_descriptor`` is the descriptor of the file if the caller holds its lock. If the folder already has a file
    of this name that contains the whole file, as an interrupted move leaves it, ``path`` is only deleted. After a move
    to another disk the new file is not locked.

    Raises ``FileExistsError`` if the folder has a different file of this name, and ``OSError`` if another program has
    the file open.
    """
    target = folder / path.name
    with ExitStack() as opened:
        if locked_descriptor is None and not must_close_before_change():
            locked_descriptor = open_locked(path, opened)
            flush(locked_descriptor)  # a program that was killed may not have done it
        if os.path.lexists(target):
            if not remove_copy(path, target, locked_descriptor=locked_descriptor):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
            return target
        try:
            _retry_while_open(path, lambda: path.rename(target))
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _move_across(path, target, locked_descriptor)
    with suppress(OSError):  # the file exists under one of the two names in any case
        sync_folder(folder)
        sync_folder(path.parent)
    return target


def _move_across(path: Path, target: Path, locked_descriptor: int | None) -> None:
    """Move a file to another disk. After a crash at any step, the whole file exists at one of the two paths or at both.

    The copy remains locked until the original is deleted, so that no other program removes either of them.
    """
    with ExitStack() as opened:
        source = open_locked(path, opened) if locked_descriptor is None else locked_descriptor
        written = _prepare_temp_path(target)
        copy = open_regular(written, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        opened.callback(unlock_and_close, copy)
        published = False
        try:
            lock(copy)
            for part in _iter_blocks(source):
                _write_all(copy, part)
            sync(copy)
            if must_close_before_change():
                opened.close()
            replace(written, target)
            published = True
            sync_folder(target.parent)
            remove(path)
        except OSError:
            with suppress(OSError):
                if not published:
                    opened.close()
                    remove(written, missing_ok=True)
                elif path.exists():
                    remove(target)
            raise


def remove_copy(path: Path, other: Path, *, locked_descriptor: int | None = None) -> bool:
    """Delete ``path`` if ``other`` begins with the same bytes. Otherwise return False and leave both files.

    ``locked_descriptor`` is the descriptor of ``path`` if the caller holds its lock. Two names of the same file are
    left as well. Raises ``OSError`` if another program has one of the files open.
    """
    if os.path.samestat(path.lstat(), other.lstat()):
        return False
    with ExitStack() as opened:
        first = open_locked(path, opened) if locked_descriptor is None else locked_descriptor
        second = open_locked(other, opened)
        both = zip(_iter_blocks(first), _iter_blocks(second), strict=False)
        if os.fstat(first).st_size > os.fstat(second).st_size or any(one != two[: len(one)] for one, two in both):
            return False
        if must_close_before_change():  # Windows can neither flush a file that is only read nor delete an open one
            opened.close()
        else:
            flush(second)
        sync_folder(other.parent)  # a program that was killed may not have done it
        remove(path)
    with suppress(OSError):
        sync_folder(path.parent)
    return True


def open_locked(path: Path, stack: ExitStack, flags: int = os.O_RDONLY) -> int:
    """Open and lock a file, and return its descriptor. Closing ``stack`` unlocks and closes it.

    Raises ``BlockingIOError`` if another program has the file open, and ``OSError`` if another program has just moved
    or replaced it.
    """
    descriptor = open_regular(path, flags)
    stack.callback(unlock_and_close, descriptor)
    if not lock(descriptor):
        raise OSError(errno.EAGAIN, "it is open in another program")
    if not os.path.samestat(path.stat(), os.fstat(descriptor)):
        raise OSError(errno.EBUSY, "another program has moved or replaced the file")
    return descriptor


def _iter_blocks(descriptor: int) -> Iterator[bytes]:
    """Yield the bytes of an open file from its beginning, in blocks of at most 1 MiB."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    while part := os.read(descriptor, 1 << 20):
        yield part


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


LOCKED_BYTE: Final = 1 << 30
"""Position of the byte that is locked on Windows, beyond the end of every file of the program.

Windows denies other programs the bytes that are locked; the bytes of the file itself must stay readable.
"""
_TAKEN_ERRORS: Final = frozenset({errno.EACCES, errno.EAGAIN})
"""Errors of ``flock`` if another process holds the lock; others come from file systems without locks."""


def lock(descriptor: int) -> bool:
    """Lock an open file for this process until it is closed. Return False if another process holds the lock.

    The call does not block. On a file system without locks it returns True.
    """
    is_taken = False
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - lazy: optional, Windows only

        try:
            _change_byte_lock(descriptor, msvcrt.LK_NBLCK)
        except OSError as error:
            is_taken = error.errno != errno.EINVAL  # the error of file systems without locks
    else:
        import fcntl  # noqa: PLC0415 - lazy: optional, POSIX only

        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            is_taken = error.errno in _TAKEN_ERRORS
    return not is_taken


def unlock_and_close(descriptor: int) -> None:
    """Release the lock of an open file and close it.

    The lock is released even if a child process has inherited the descriptor.
    """
    with suppress(OSError):
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415 - lazy: optional, Windows only

            _change_byte_lock(descriptor, msvcrt.LK_UNLCK)
        else:
            import fcntl  # noqa: PLC0415 - lazy: optional, POSIX only

            fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _change_byte_lock(descriptor: int, mode: int) -> None:
    """Lock or unlock ``LOCKED_BYTE`` of an open file. The file position does not change."""
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - lazy: optional, Windows only

        position = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, mode, 1)
        finally:
            os.lseek(descriptor, position, os.SEEK_SET)
