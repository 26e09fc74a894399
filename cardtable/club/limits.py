"""What one person or one network may use of what all share: frames, connections, room for talk."""

from collections import Counter
from collections.abc import Callable
from time import monotonic
from typing import Final

import msgspec

from cardtable.club.addresses import client_network, is_local
from cardtable.engine.contract import Seat
from cardtable.engine.journal import Journal
from cardtable.engine.table import IllegalAction
from cardtable.store.seating import nick_key

MOST_STRANGERS: Final = 16
"""Connections of one network at a time whose people have not been let in yet."""
MOST_TALK_BYTES: Final = 512 * 1024
"""Bytes of talk in a session: so much less than a journal can hold that there is always room to play."""
TALK_OVERHEAD_BYTES: Final = 90
"""Bytes of a line of talk besides the text."""
ONLOOKERS_TALK_BYTES: Final = MOST_TALK_BYTES // 4
"""Bytes of talk for all spectators; one network gets at most as many as are still free, so it never uses them up."""
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
    """Counter of the bytes of talk in a session, by seat, and by nick and network of spectators."""

    def __init__(self, read: Journal, network_of: Callable[[str], str]) -> None:
        """`network_of` returns the network from which a nick first came, "" if that is not known."""
        self._network_of = network_of
        self._seat_share = (MOST_TALK_BYTES - ONLOOKERS_TALK_BYTES) // len(read.header.seats)
        self._seats: Counter[Seat] = Counter()
        self._spectators: Counter[str] = Counter()
        """By key of the nick; "" for what the host wrote itself."""
        for entry in read.entries:
            if entry.line.say is not None:
                seat = entry.line.seat
                self.add(entry.line.say, _written_by(entry.line.say) if seat is None else seat)

    def refuse(self, text: str, speaker: Seat | str) -> None:
        """Raise ``IllegalAction`` if there is no room for `text`; `speaker`: a seat, or the nick of a spectator."""
        size = _talk_size(text)
        if isinstance(speaker, int):
            has_room = self._seats[speaker] + size <= self._seat_share
        else:
            network, key = self._network(nick_key(speaker)), nick_key(speaker)
            own = sum(used for each, used in self._spectators.items() if self._network(each) == network)
            free = ONLOOKERS_TALK_BYTES - self._spectators.total()
            has_room = self._spectators[key] + size <= ONLOOKER_TALK_BYTES and own + size <= free
        if not has_room:
            raise IllegalAction("there is no room for more of your talk in this session")

    def add(self, text: str, speaker: Seat | str) -> None:
        """Count talk that was written."""
        if isinstance(speaker, int):
            self._seats[speaker] += _talk_size(text)
        else:
            self._spectators[nick_key(speaker)] += _talk_size(text)

    def _network(self, key: str) -> str:
        """Return what has a share together: a network, or one person whose network is not known."""
        return self._network_of(key) or key


def _talk_size(text: str) -> int:
    """Return the bytes that talk takes in a journal, or a few more."""
    return len(msgspec.json.encode(text)) + TALK_OVERHEAD_BYTES


def _written_by(text: str) -> str:
    """Return the nick of the spectator who said a text of a journal, which begins with nick and colon."""
    nick, colon, _ = text.partition(": ")
    return nick if colon else ""
