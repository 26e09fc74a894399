"""Exclusive locks of open files, which exclude other programs from the lock and never from reading the file."""

import errno
import os
import sys
from contextlib import suppress
from typing import Final

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
