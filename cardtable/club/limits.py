"""What one person or one network may use of what all share: frames, connections, room for talk."""

from collections import Counter
from time import monotonic
from typing import Final

import msgspec

from cardtable.club.addresses import client_network, is_local
from cardtable.engine.contract import Seat
from cardtable.engine.journal import Journal
from cardtable.engine.table import IllegalAction

MOST_STRANGERS: Final = 16
"""Connections of one network at a time whose people have not been let in yet."""
MOST_TALK_BYTES: Final = 512 * 1024
"""Bytes of talk in a session: so much less than a journal can hold that there is always room to play."""
TALK_OVERHEAD_BYTES: Final = 90
"""Bytes of a line of talk besides the text."""
ONLOOKERS_TALK_BYTES: Final = MOST_TALK_BYTES // 4
"""Bytes of talk for all spectators together; seats have equal shares of the rest."""
ONLOOKER_TALK_BYTES: Final = ONLOOKERS_TALK_BYTES // 4
"""Bytes of talk for each spectator."""


class Pace:
    """Token bucket of the frames that a guest may send."""

    def __init__(self, a_second: float) -> None:
        self._most = self._left = 3 * a_second
        self._a_second, self._at = a_second, monotonic()

    def one(self) -> bool:
        """Count a frame; return False if it is one too many."""
        self._fill()
        self._left -= 1
        return self._left >= 0

    @property
    def is_full(self) -> bool:
        """True if nothing has been sent for so long that as many as at first may come."""
        self._fill()
        return self._left >= self._most

    def _fill(self) -> None:
        now = monotonic()
        self._left = min(self._left + (now - self._at) * self._a_second, self._most)
        self._at = now


class Paces:
    """Token buckets by person or network; each holds for all connections together."""

    def __init__(self, a_second: float) -> None:
        self._a_second = a_second
        self._paces: dict[str, Pace] = {}

    def of(self, key: str) -> Pace:
        """Return the bucket of a person or network, the same one for each of their connections."""
        if key not in self._paces:
            self._paces = {other: pace for other, pace in self._paces.items() if not pace.is_full}
            self._paces[key] = Pace(self._a_second)
        return self._paces[key]


class Strangers:
    """Counts the connections whose people have not been let in yet, by network."""

    def __init__(self, most: int = 0, *, limits_local: bool = True) -> None:
        """`limits_local`: False where a proxy or guests' programs may be at the other end of local connections."""
        self._most, self._limits_local = most or MOST_STRANGERS, limits_local
        self._open: Counter[str] = Counter()

    def add(self, address: str) -> bool:
        """Count a connection; return False if its network has too many, which is not counted."""
        network = client_network(address)
        if self._open[network] >= self._most and (self._limits_local or not is_local(address)):
            return False
        self._open[network] += 1
        return True

    def remove(self, address: str) -> None:
        """Forget a connection, which has ended or whose person was let in."""
        network = client_network(address)
        self._open[network] -= 1
        if not self._open[network]:
            del self._open[network]

    @property
    def total(self) -> int:
        """Connections of all networks."""
        return self._open.total()


class TalkBudget:
    """Counts the bytes of talk in a session: each seat, and each person who looks on, has a share of its own."""

    def __init__(self, read: Journal) -> None:
        self._seat_share = (MOST_TALK_BYTES - ONLOOKERS_TALK_BYTES) // len(read.header.seats)
        self._used: Counter[Seat | str] = Counter()
        """By seat, and by nick of those who look on."""
        for entry in read.entries:
            if entry.line.say is not None:
                self.add(entry.line.say, entry.line.seat)

    def refuse(self, text: str, seat: Seat | None) -> None:
        """Raise ``IllegalAction`` if talk of a seat, or of somebody who looks on, does not fit into its share."""
        size, speaker = _talk_size(text), _speaker(text, seat)
        onlookers = sum(used for who, used in self._used.items() if isinstance(who, str))
        fits = self._used[speaker] + size <= (ONLOOKER_TALK_BYTES if seat is None else self._seat_share)
        if not fits or (seat is None and onlookers + size > ONLOOKERS_TALK_BYTES):
            raise IllegalAction("there is no room for more of your talk in this session")

    def add(self, text: str, seat: Seat | None) -> None:
        """Count talk that was written."""
        self._used[_speaker(text, seat)] += _talk_size(text)


def _talk_size(text: str) -> int:
    """Return the bytes that talk takes in a journal, or a few more."""
    return len(msgspec.json.encode(text)) + TALK_OVERHEAD_BYTES


def _speaker(text: str, seat: Seat | None) -> Seat | str:
    """Return the seat of a speaker, or the nick of a spectator: the text of a spectator begins with nick and colon."""
    return text.partition(":")[0] if seat is None else seat
