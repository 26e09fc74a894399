"""How the open club stands, for another program of who keeps it: a file, written anew while a host runs."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import msgspec

from cardtable.club.shown import TableRow
from cardtable.engine.errors import CardtableError
from cardtable.store import disk, paths

EVERY: Final = 1.0
"""Seconds after which it is looked whether it has changed."""
MOST_BYTES: Final = 16 * 1024 * 1024


class Status(msgspec.Struct, frozen=True):
    """How a club stands."""

    name: str
    invitation: tuple[str, ...]
    """What others have to be told."""
    port: int
    """Where programs come in."""
    since: int
    """When it was opened, in seconds since 1970-01-01T00:00Z."""
    people: tuple[str, ...]
    tables: tuple[TableRow, ...]
    processes: int
    """In which robots think."""
    waiting: int
    """Decisions of robots that are not made yet."""


@contextmanager
def the_only_one() -> Iterator[None]:
    """Be the only host of these files.  Raises ``CardtableError`` where there is one already."""
    paths.make(paths.home())
    descriptor = disk.open_regular(paths.club_lock(), os.O_RDWR | os.O_CREAT)
    try:
        if not disk.lock(descriptor):
            raise CardtableError("a club is open here already; cardtable club shows it")
        yield
    finally:
        disk.let_go(descriptor)


async def keep(status: Callable[[], Status]) -> None:
    """Write it, now and whenever it has changed, until this is cancelled."""
    before = None
    try:
        while True:
            now = status()
            if now != before:
                before = now
                with suppress(OSError):  # sessions are what is to be kept
                    await asyncio.to_thread(disk.write_whole, paths.club_now_file(), msgspec.json.encode(now))
            await asyncio.sleep(EVERY)
    finally:
        paths.club_now_file().unlink(missing_ok=True)


def read() -> Status:
    """How the open club stands.  Raises ``CardtableError`` where none is open."""
    try:
        with the_only_one():
            pass
    except CardtableError:
        with suppress(OSError, msgspec.MsgspecError):
            return msgspec.json.decode(disk.read(paths.club_now_file(), MOST_BYTES), type=Status)
    raise CardtableError("no club is open here; cardtable host opens one")
