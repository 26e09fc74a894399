"""Disk space of a club's sessions: its limit, and what the tables of one person and network may add to it in a day."""

import asyncio
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from cardtable.club.server.host_events import DiskFills, Emit
from cardtable.club.server.limits import LIMITS, Budget, RequestRefused
from cardtable.store import paths
from cardtable.store.seating import compute_nick_key

MEGABYTE: Final = 10**6
DISK_PERCENT: Final = 90
"""Share of the room on the disk that the sessions may take up, so that the tables in play can always be saved."""
WARNING_PERCENT: Final = 80
"""Share of the limit from which the host is warned."""
MEASURE_SECONDS: Final = 60.0
"""Interval at which the sessions are measured, in seconds."""
DiskStage: TypeAlias = Literal["warning", "error"]
"""``error`` if the sessions have reached their limit, ``warning`` shortly before it."""


class DiskUse(msgspec.Struct, frozen=True):
    """Size of a club's sessions and its limit, in bytes."""

    used: int
    limit: int

    @property
    def stage(self) -> DiskStage | None:
        """How near the limit is; ``None`` while there is enough room."""
        if self.used >= self.limit:
            return "error"
        return "warning" if self.used * 100 >= self.limit * WARNING_PERCENT else None

    def __str__(self) -> str:
        consequence = {"warning": "; at the limit no new table can begin", "error": "; no new table can begin"}
        used, limit = (f"{size / MEGABYTE:.0f}" for size in (self.used, self.limit))
        return f"the sessions take up {used} of {limit} MB{consequence[self.stage] if self.stage else ''}"


def measure_use(max_bytes: int) -> DiskUse:
    """Measure the sessions of the host; the limit is ``max_bytes``, or less if the disk has not so much room."""
    used, free = sum(_iterate_sizes()), list[int]()
    for folder in paths.journal_folders():
        with suppress(OSError):  # a missing folder is created with the first session
            free.append(shutil.disk_usage(folder).free)
    return DiskUse(used, min([max_bytes, *[(used + free_bytes) * DISK_PERCENT // 100 for free_bytes in free]]))


def _iterate_sizes() -> Iterator[int]:
    """Yield the sizes of the files in the folders of the sessions; those that vanish meanwhile are left out."""
    for folder in paths.journal_folders():
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    yield entry.stat().st_size


class DiskSpace:
    """Disk space of an open club: the size of its sessions, and what has been added to it.

    What the tables of a person or network have added is counted in per cent of the limit, and forgotten at the rate at
    which they may add to it.
    """

    def __init__(self, max_bytes: int, get_network: Callable[[str], str], emit: Emit) -> None:
        """Measure the sessions.

        ``max_bytes`` is their maximum size. ``get_network`` returns the network of a nick; all nicks without one count
        as one network. ``emit`` is called with each event.
        """
        self._max_bytes, self._get_network, self._emit = max_bytes, get_network, emit
        self._logged_stage: DiskStage | None = None
        self._set_use(measure_use(max_bytes))
        self._people, self._networks = Budget(LIMITS.growth), Budget(LIMITS.network_growth)

    async def watch(self) -> None:
        """Measure the sessions regularly until cancelled, since other programs change them and the disk, too."""
        while True:
            await asyncio.sleep(MEASURE_SECONDS)
            self._set_use(await asyncio.to_thread(measure_use, self._max_bytes))

    def add(self, nick: str, size: int) -> None:
        """Count bytes that a table has added; ``nick`` is that of the player who has opened it, or empty."""
        percent = size * 100 / max(self.use.limit, 1)
        self._people.spend(compute_nick_key(nick), percent)
        self._networks.spend(self._get_network(nick), percent)
        self._set_use(replace(self.use, used=self.use.used + size))

    def _set_use(self, use: DiskUse) -> None:
        self.use = use
        if use.stage != self._logged_stage:
            self._logged_stage = use.stage
            self._emit(DiskFills(str(use), use.stage))

    def check_growth(self, nick: str, *, is_new: bool) -> None:
        """Raise ``RequestRefused`` if a table opened by the player with a nick may add nothing to the disk.

        ``nick`` is empty for a table of a tournament. ``is_new`` is True for a table that is about to begin. A player
        may have added no more than is left to the network, so that few cannot use up what all of it may add.
        """
        if is_new and self.use.stage == "error":
            raise RequestRefused("the club has stored as much as it can; no new table can begin")
        own, left = self._people.count_left(compute_nick_key(nick)), self._networks.count_left(self._get_network(nick))
        if nick and own <= 0:
            raise RequestRefused(LIMITS.growth.format_refusal(nick=nick))
        if nick and LIMITS.growth.number - own >= left:
            raise RequestRefused(LIMITS.network_growth.format_refusal(nick=nick))
