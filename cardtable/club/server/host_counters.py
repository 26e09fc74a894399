"""Counters of this process as the host of a club, which the metrics endpoint publishes.

They contain no nicks and no text of guests, and every label has a fixed set of values.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final, Literal, TypeAlias

import msgspec

from cardtable.club.addresses import DOORS, Door
from cardtable.club.protocol import TableInfo
from cardtable.club.server.limits import LoginError
from cardtable.engine.referee import IllegalAction
from cardtable.store.errors import NotSaved

LoginMethod: TypeAlias = Literal["code", "password", "token", "key"]
SavedFile: TypeAlias = Literal["session", "club"]


class Histogram:
    """Histogram of durations in seconds."""

    def __init__(self, *bounds: float) -> None:
        """Create an empty histogram; ``bounds`` are the upper bounds of its buckets, in ascending order."""
        self._bounds, self._counts = bounds, [0] * (len(bounds) + 1)
        self.total = 0.0
        """Sum of all durations."""

    def observe(self, seconds: float) -> None:
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self.total += seconds

    def iterate_buckets(self) -> Iterator[tuple[str, int]]:
        """Yield the upper bound of each bucket, and the number of durations up to it; the last bound is ``+Inf``."""
        yield from zip([*map(str, self._bounds), "+Inf"], accumulate(self._counts), strict=True)


class HostCounters:
    """What a host has counted since its process began; it is changed in the event loop of the club only."""

    def __init__(self) -> None:
        self.logins: Final = Counter[tuple[Door, LoginMethod]]()
        self.login_failures: Final = Counter[tuple[Door, str]]()
        """Refused logins by door and by the credential that was missing or wrong.

        Instead of a credential the reason is ``wait`` if the client may try again later, and ``other`` otherwise.
        """
        self.refusals: Final = Counter[tuple[str, str]]()
        """Refused requests by the type of the message and the kind of refusal.

        Frames that are not read have the type ``frame`` and the kind ``invalid`` or ``rate``.
        """
        self.dropped: Final = Counter[Door](dict.fromkeys(DOORS, 0))
        """Connections that were ended because their login did not come in time or to make room for newer ones."""
        self.decisions: Final = Counter[tuple[str, str]]()
        """Saved decisions by game and by the kind of occupant, ``person`` or ``robot``."""
        self.save_errors: Final = Counter[SavedFile]({"session": 0, "club": 0})
        self.saving: Final = Histogram(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
        """Times to write the lines of a change to the disk, flushed."""
        self.robot_waits: Final = Histogram(0.001, 0.01, 0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
        """Times that robots' decisions waited for an idle process."""
        self.robot_thinking: Final = Histogram(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
        self.loop_delays: Final = Histogram(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
        """Times by which the event loop was late to run a task that was due, sampled once a second."""

    def count_login(self, door: Door, method: LoginMethod) -> None:
        self.logins[door, method] += 1

    def count_login_failure(self, door: Door, error: LoginError) -> None:
        reason = "wait" if error.retry_after is not None else error.missing or "other"
        self.login_failures[door, reason] += 1

    def count_refusal(self, request: str, error: Exception) -> None:
        """Count a request whose message has the tag ``request`` and that was refused with an error."""
        match error:
            case NotSaved() | OSError():
                kind = "disk"
            case IllegalAction():
                kind = "illegal"
            case LoginError():
                kind = "login"
            case _:
                kind = "refused"
        self.refusals[request, kind] += 1

    def count_dropped(self, door: Door) -> None:
        self.dropped[door] += 1


class LobbyLoad(msgspec.Struct, frozen=True):
    """People and tables of a club at one moment."""

    connections: Counter[Door]
    members: int
    """Number of people present who have a profile at the host."""
    guests: int
    """Number of people present without a profile."""
    tables: Counter[tuple[str, str]]
    """Number of tables by game and state: ``waiting``, ``playing`` or ``over``."""
    sleeping_tables: int
    """Number of tables in play that everybody has left, so that their session is closed."""


class HostLoad(msgspec.Struct, frozen=True):
    """Load of a host at one moment."""

    lobby: LobbyLoad
    robot_processes: int
    thinking_robots: int
    waiting_robots: int
    hosted_programs: int


def count_tables(tables: Iterable[TableInfo]) -> Counter[tuple[str, str]]:
    """Return the number of tables by game and state, as in ``LobbyLoad``."""
    return Counter((row.game, "over" if row.over else "playing" if row.playing else "waiting") for row in tables)


COUNTERS: Final = HostCounters()
"""Counters of this process, which hosts at most one club at a time."""
