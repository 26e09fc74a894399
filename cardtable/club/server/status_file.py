"""How the open club stands, for another program of who keeps it: a file, written anew while a host runs."""

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated, Final, Literal

import msgspec

from cardtable.club.protocol import TableInfo
from cardtable.engine.errors import CardtableError
from cardtable.store import atomic_io, paths
from cardtable.store.json_file import JsonFile

EVERY: Final = 1.0
"""Seconds after which it is looked whether it has changed."""
TRIES: Final = 5
PAUSE: Final = 0.02
"""Seconds between two tries to become the host."""
FRESH: Final = 5.0
"""Seconds after which an unchanged file gets a new date, which shows that it is up to date."""
MOST_BYTES: Final = 16 * 1024 * 1024


class Status(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a club stands."""

    name: str
    invitation: tuple[str, ...]
    """What others have to be told."""
    port: int
    """Where programs come in."""
    since: Annotated[int, msgspec.Meta(ge=0, lt=10**11)]
    """When it was opened, in seconds since 1970-01-01T00:00Z."""
    people: tuple[str, ...]
    tables: tuple[TableInfo, ...]
    processes: int
    """In which robots think."""
    waiting: int
    """Decisions of robots that are not made yet."""
    saving_fails: str = ""
    """Why the host cannot save, in the words of the system; tables wait meanwhile."""
    club_now: Literal[1] = 1


_FILE: Final = JsonFile(Status, "club_now", 1, MOST_BYTES, personal=False)


@contextmanager
def the_only_one(refusal: str = "a club is open here already; cardtable club shows it") -> Iterator[None]:
    """Hold the lock of a host of these files.

    Waits for a moment if the lock is taken, as a program that only looks whether a club is open takes it, too; then
    raises ``CardtableError`` with ``refusal``.
    """
    with _lock_file() as descriptor:
        for _ in range(TRIES):
            if atomic_io.lock(descriptor):
                break
            time.sleep(PAUSE)
        else:
            raise CardtableError(refusal)
        yield


def is_open() -> bool:
    """Return True if a club is open here."""
    with _lock_file() as descriptor:
        return not atomic_io.lock(descriptor)


@contextmanager
def _lock_file() -> Iterator[int]:
    paths.make(paths.home())
    descriptor = atomic_io.open_regular(paths.club_lock(), os.O_RDWR | os.O_CREAT)
    try:
        yield descriptor
    finally:
        atomic_io.unlock_and_close(descriptor)


async def keep(status: Callable[[], Status]) -> None:
    """Write it, now and whenever it has changed, until this is cancelled."""
    before, written = None, 0.0
    try:
        while True:
            now = status()
            with suppress(OSError, CardtableError):  # sessions are what is to be kept
                if now != before:
                    await asyncio.to_thread(_FILE.write, paths.club_now_file(), now)
                    before, written = now, time.monotonic()
                elif time.monotonic() - written >= FRESH:
                    os.utime(paths.club_now_file())
                    written = time.monotonic()
            await asyncio.sleep(EVERY)
    finally:
        paths.club_now_file().unlink(missing_ok=True)


def is_stale() -> bool:
    """Return True if the host has not been able to write its file for a while."""
    try:
        return time.time() - paths.club_now_file().stat().st_mtime > 3 * FRESH
    except OSError:
        return False


def read() -> Status:
    """How the open club stands.  Raises ``CardtableError`` where none is open, or its file cannot be read."""
    if is_open():
        with suppress(FileNotFoundError):
            return _FILE.read(paths.club_now_file())
    raise CardtableError("no club is open here; cardtable host opens one")
