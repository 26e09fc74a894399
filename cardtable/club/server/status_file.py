"""Status file of an open club, kept up to date by the host so that other programs of its home know its state."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Final

import msgspec

from cardtable.club.protocol import TableInfo
from cardtable.club.server.disk_space import DiskUse
from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, paths
from cardtable.store.json_file import JsonFile
from cardtable.store.paths import check_owner

POLL_SECONDS: Final = 1.0
"""Interval at which the host checks whether its status has changed, in seconds."""
LOCK_TRIES: Final = 5
LOCK_RETRY_SECONDS: Final = 0.02
"""Seconds between two attempts to take the lock."""
TOUCH_SECONDS: Final = 5.0
"""Seconds after which an unchanged file gets a new modification time, to show that the host still maintains it."""
MAX_FILE_BYTES: Final = 16 * 1024 * 1024


class Status(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="club_now", tag=2):
    """Status of an open club."""

    name: str
    invitation: tuple[str, ...]
    """Lines that the host passes on to players: address, commands and code."""
    port: int
    """Port for client programs."""
    since: Annotated[int, msgspec.Meta(ge=0, lt=10**10)]
    """Opening time, in seconds since 1970-01-01T00:00Z."""
    people: tuple[str, ...]
    tables: tuple[TableInfo, ...]
    processes: int
    """Number of robot processes."""
    waiting: int
    """Number of robot decisions that have been requested and not been made yet."""
    saving_fails: str
    """Reason given by the operating system why the host cannot save; empty while it can."""
    disk: DiskUse
    """Size of the sessions and its limit."""
    administration_port: int
    """Port for the administrator's programs on the loopback interface."""


_FILE: Final = JsonFile(Status, MAX_FILE_BYTES, personal=False)


@contextmanager
def hold_host_lock(
    message: str = "a club is open here already; cardtable club shows it", home: Path | None = None
) -> Iterator[None]:
    """Hold the lock that only one host of a home can have; without ``home`` it is the home of this program.

    If the lock is taken, a few more attempts follow within a fraction of a second, since ``is_club_open`` in another
    program takes it for a moment. Raises ``CardtableError`` with ``message`` if they all fail, and also if this program
    runs as root and the home is another user's.
    """
    home = home or paths.home()
    check_owner(home)
    paths.create_folder(home)
    with _open_lock_file(home, os.O_CREAT) as descriptor:
        for _ in range(LOCK_TRIES):
            if atomic_io.lock(descriptor):
                break
            time.sleep(LOCK_RETRY_SECONDS)
        else:
            raise CardtableError(message)
        yield


def is_club_open() -> bool:
    """Return True if a club of this home is open."""
    try:
        with _open_lock_file(paths.home()) as descriptor:
            return not atomic_io.lock(descriptor)
    except FileNotFoundError:
        return False


@contextmanager
def _open_lock_file(home: Path, flags: int = 0) -> Iterator[int]:
    descriptor = atomic_io.open_regular(home / paths.club_lock_file().name, os.O_RDWR | flags)
    try:
        yield descriptor
    finally:
        atomic_io.unlock_and_close(descriptor)


async def write_periodically(get_status: Callable[[], Status]) -> None:
    """Write the status now and after each change until cancelled, then delete the file.

    ``get_status`` returns the present status. Failures to write are ignored, since a club works without its status
    file.
    """
    previous, written_at = None, 0.0
    try:
        while True:
            current = get_status()
            with suppress(OSError, CardtableError):  # a club without its status file still works
                if current != previous:
                    await asyncio.to_thread(_FILE.write, paths.club_status_file(), current)
                    previous, written_at = current, time.monotonic()
                elif time.monotonic() - written_at >= TOUCH_SECONDS:
                    os.utime(paths.club_status_file())
                    written_at = time.monotonic()
            await asyncio.sleep(POLL_SECONDS)
    finally:
        with suppress(OSError):  # another program may read it; without its host it counts for nothing
            atomic_io.remove(paths.club_status_file(), missing_ok=True)


def is_stale() -> bool:
    """Return True if the host has not updated the status file for ``3 * TOUCH_SECONDS``; False if there is no file."""
    try:
        return time.time() - paths.club_status_file().stat().st_mtime > 3 * TOUCH_SECONDS
    except OSError:
        return False


def read_status() -> Status:
    """Read the status of the open club.

    Raises ``CardtableError`` if no club is open, or if the file is missing or cannot be read.
    """
    if is_club_open():
        with suppress(FileNotFoundError):
            return _FILE.read(paths.club_status_file())
    raise CardtableError("no club is open here; cardtable host opens one")
