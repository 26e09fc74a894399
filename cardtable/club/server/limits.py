"""Limits on shared resources for one person or network: frames, connections and chat."""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import ceil, inf
from ssl import SSLContext
from time import monotonic
from typing import ClassVar, Final

import msgspec

from cardtable.club.addresses import client_network
from cardtable.club.protocol import Missing
from cardtable.club.server.command_queue import run_uninterrupted
from cardtable.engine.game import Seat
from cardtable.engine.journal import Journal
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_count
from cardtable.store.seating import compute_nick_key

MOST_PENDING: Final = 128
"""Limit of pending connections of one endpoint, by which no client has been let in yet; fewer if few files may be open.
"""
NETWORK_PERCENT: Final = 75
"""Share of those that one network may have, in per cent."""
MOST_LINES: Final = 10
"""Lines of the host's log that one person can cause within a minute."""
MINUTE: Final = 60.0
HANDSHAKE: Final = 10.0
"""Seconds for the TLS handshake."""
GOODBYE: Final = 2.0
"""Seconds for closing a connection."""
MOST_TALK_BYTES: Final = 512 * 1024
"""Bytes of chat in a session: far less than a journal can hold, so that there is always room for play."""
TALK_OVERHEAD_BYTES: Final = 90
"""Bytes of a chat line in the journal besides the text."""
ONLOOKERS_TALK_BYTES: Final = MOST_TALK_BYTES // 4
"""Bytes of chat for all spectators; one network gets at most as many as are still free, so it never uses them up."""
ONLOOKER_TALK_BYTES: Final = ONLOOKERS_TALK_BYTES // 4
"""Bytes of chat for each spectator."""
FREE_TRIES: Final = 5
"""Wrong codes from one address, or wrong passwords from one address for one nick, before it has to wait."""
FREE_PASSWORDS: Final = 20
"""Wrong passwords from one address for all nicks together, before it has to wait."""
WAIT: Final = 10.0
"""Seconds until the next try once the free tries are used up."""
FORGET: Final = 3600.0
"""Seconds after the last wrong try until all wrong tries are forgotten."""
MOST_ADDRESSES: Final = 10_000
"""Number of addresses with remembered wrong tries."""
MOST_NICKS: Final = 64
"""Number of nicks for which the wrong passwords of one address are remembered."""
AT_ONCE: Final = 2
"""Number of passwords that are checked concurrently."""


class LoginError(Exception):
    """A login is refused; the text is a line for the client, `missing` the credential to send instead."""

    def __init__(self, why: str, missing: Missing = "", retry_after: int | None = None) -> None:
        """`retry_after`: seconds after which the same login may succeed; ``None`` if waiting does not help."""
        super().__init__(why)
        self.missing: Final = missing
        self.retry_after: Final = retry_after


class RateLimiter:
    """Token bucket: `a_second` tokens per second on average, and bursts of `most`."""

    def __init__(self, a_second: float, most: float) -> None:
        self._most = self._left = most
        self._a_second, self._at = a_second, monotonic()

    def take(self) -> bool:
        """Take a token; return False if there is none."""
        self._fill()
        if self._left < 1:
            return False
        self._left -= 1
        return True

    @property
    def is_full(self) -> bool:
        """True if the bucket has refilled completely."""
        self._fill()
        return self._left >= self._most

    def _fill(self) -> None:
        now = monotonic()
        self._left = min(self._left + (now - self._at) * self._a_second, self._most)
        self._at = now


class RateLimiters:
    """Token buckets by person or network, each shared by all their connections."""

    def __init__(self, a_second: float, most: float = 0) -> None:
        """`most`: size of bursts, by default three times `a_second`."""
        self._a_second, self._most = a_second, most or 3 * a_second
        self._paces: dict[str, RateLimiter] = {}

    def of(self, key: str) -> RateLimiter:
        """Return the bucket of a person or network; full ones of others are dropped."""
        if key not in self._paces:
            self._paces = {other: pace for other, pace in self._paces.items() if not pace.is_full}
            self._paces[key] = RateLimiter(self._a_second, self._most)
        return self._paces[key]


class HostLog:
    """Log of the host, limited to `MOST_LINES` per person and minute; further lines are counted."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = monotonic) -> None:
        self._write, self._clock = write, clock
        self._minutes: dict[str, tuple[float, int]] = {}
        """Start of the minute and number of lines since, by nick."""

    def write(self, line: str, nick: str = "") -> None:
        """Write a line caused by `nick` (empty: by the club), unless that person has caused too many."""
        now = self._clock()
        self._end_minutes(now - MINUTE)
        if nick:
            since, lines = self._minutes.get(nick, (now, 0))
            self._minutes[nick] = since, lines + 1
            if lines >= MOST_LINES:
                return
        self._write(line)

    def close(self) -> None:
        """Write how many lines were left out."""
        self._end_minutes(inf)

    def _end_minutes(self, before: float) -> None:
        """End minutes that began at or before a time, and write how many lines were left out of each."""
        for nick, (since, lines) in [*self._minutes.items()]:
            if since <= before:
                del self._minutes[nick]
                if lines > MOST_LINES:
                    self._write(f"{format_count(lines - MOST_LINES, 'more line')} about {nick} left out")


def network_share(most: int, others: int) -> int:
    """Return how many of `most` places one network may take while other networks have `others`.

    It is half of the places that the others leave, so that neither one network nor a few take all; at least two.
    """
    return max(2, (most - others) // 2)


class PendingConnection:
    """Connection to an endpoint, counted as pending until its client is let in."""

    def __init__(self, door: "PendingConnections", network: str, abort: Callable[[], object]) -> None:
        self.network: Final = network
        self.abort: Final = abort
        self._door, self._is_open = door, True

    def count(self) -> None:
        """Count the connection as pending, as the newest of its network; no effect after `close`."""
        if self._is_open:
            self._door.count(self)

    def close(self) -> None:
        """Stop counting the connection for good, as it has ended."""
        self._is_open = False
        self._door.discount(self)

    @contextmanager
    def exempt(self) -> Iterator[None]:
        """Do not count the connection inside the context: its client is let in, or its login is being checked."""
        self._door.discount(self)
        try:
            yield
        finally:
            self.count()


class PendingConnections:
    """Pending connections of one endpoint, by which no client has been let in yet.

    No connection is refused.  If a network has too many, its oldest is aborted; if there are too many in all, the
    oldest of the busiest network.  So silent connections keep no client out: a connection is aborted only after its
    network has brought as many newer ones as it may have.  Up to that many connections a second from one address leave
    every client there a full second to log in, which takes a program two round trips.
    """

    def __init__(self, most: int = 0) -> None:
        """`most`: limit for all networks together, by default `most_pending`."""
        self._most = most or most_pending()
        self._most_of_network = max(1, self._most * NETWORK_PERCENT // 100)
        self._networks: dict[str, dict[PendingConnection, None]] = {}
        """Connections by network, oldest first."""

    def add(self, address: str, abort: Callable[[], object]) -> PendingConnection:
        """Count a new connection; `abort` ends it at once if it has to make room."""
        added = PendingConnection(self, client_network(address), abort)
        added.count()
        return added

    def count(self, connection: PendingConnection) -> None:
        """Count a connection as the newest, and abort another if a limit is exceeded."""
        self.discount(connection)
        own = self._networks.setdefault(connection.network, {})
        own[connection] = None
        if len(own) > self._most_of_network:
            self._abort_oldest(own)
        elif self.total > self._most:
            self._abort_oldest(max(self._networks.values(), key=len))

    def discount(self, connection: PendingConnection) -> None:
        """Stop counting a connection."""
        own = self._networks.get(connection.network, {})
        own.pop(connection, None)
        if not own:
            self._networks.pop(connection.network, None)

    def _abort_oldest(self, connections: dict[PendingConnection, None]) -> None:
        oldest = next(iter(connections))
        oldest.close()
        oldest.abort()

    @property
    def total(self) -> int:
        """Number of pending connections of all networks."""
        return sum(map(len, self._networks.values()))


def most_pending() -> int:
    """Return the limit of pending connections of one endpoint: an eighth of the files that may be open, at most 128.

    It also serves as the backlog, since asyncio opens all connections it accepts in one turn before any can be aborted.
    """
    if sys.platform == "win32":
        return MOST_PENDING
    import resource  # noqa: PLC0415 - lazy: optional, not on Windows

    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_PENDING if files == resource.RLIM_INFINITY else max(4, min(MOST_PENDING, files // 8))


class PendingProtocol(asyncio.Protocol):
    """Mix-in for a library's server protocol: counts each connection as pending from its acceptance.

    It does the TLS handshake itself, since the library learns of a connection only after that.
    """

    door: ClassVar[PendingConnections]
    tls: ClassVar[SSLContext | None]
    pending: PendingConnection
    _handshake: asyncio.Task[None] | None = None
    _is_ready = False
    """True once the library has been given the connection."""
    _early = b""
    """Data that arrived with the end of the handshake."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection, and give it to the library; with TLS after the handshake."""
        assert isinstance(transport, asyncio.Transport)
        peer = transport.get_extra_info("peername")
        self.pending = self.door.add(peer[0] if peer else "", transport.abort)
        if self.tls:
            self._handshake = asyncio.create_task(self._start_tls(transport, self.tls))
        else:
            self._is_ready = True
            super().connection_made(transport)

    async def _start_tls(self, transport: asyncio.Transport, tls: SSLContext) -> None:
        encrypted = None
        with suppress(OSError):  # includes TLS errors and timeouts of the handshake
            encrypted = await asyncio.get_running_loop().start_tls(
                transport, self, tls, server_side=True, ssl_handshake_timeout=HANDSHAKE, ssl_shutdown_timeout=GOODBYE
            )
        if encrypted is None or encrypted.is_closing():
            self.pending.close()
            transport.abort()
            return
        self._is_ready = True
        super().connection_made(encrypted)
        if self._early:
            super().data_received(self._early)

    def data_received(self, data: bytes) -> None:
        """Give data to the library once it has the connection; buffer it before."""
        if self._is_ready:
            super().data_received(data)
        else:
            self._early += data

    def eof_received(self) -> None:
        if self._is_ready:
            super().eof_received()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.pending.close()
        if self._is_ready:
            super().connection_lost(exc if isinstance(exc, Exception) else None)


class TalkBudget:
    """Counter of the bytes of chat in a session, by seat, and by nick and network of spectators."""

    def __init__(self, read: Journal, network_of: Callable[[str], str]) -> None:
        """`network_of` returns the network of a nick, or an empty string if the nick counts alone."""
        self._network_of = network_of
        self._seat_share = (MOST_TALK_BYTES - ONLOOKERS_TALK_BYTES) // len(read.header.seats)
        self._seats: Counter[Seat] = Counter()
        self._spectators: Counter[str] = Counter()
        """Bytes by key of the nick; the empty key is for lines of the host itself."""
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
            key = compute_nick_key(speaker)
            network = self._network(key)
            own = sum(used for each, used in self._spectators.items() if self._network(each) == network)
            free = ONLOOKERS_TALK_BYTES - self._spectators.total()
            has_room = self._spectators[key] + size <= ONLOOKER_TALK_BYTES and own + size <= free
        if not has_room:
            raise IllegalAction("there is no room for more of your talk in this session")

    def add(self, text: str, speaker: Seat | str) -> None:
        """Count a line of chat that was written."""
        if isinstance(speaker, int):
            self._seats[speaker] += _talk_size(text)
        else:
            self._spectators[compute_nick_key(speaker)] += _talk_size(text)

    def _network(self, key: str) -> str:
        """Return the key for summing usage: the network of a nick, or the nick itself if it counts alone."""
        return self._network_of(key) or key


def _talk_size(text: str) -> int:
    """Return the bytes that a line of chat takes in a journal, rounded up."""
    return len(msgspec.json.encode(text)) + TALK_OVERHEAD_BYTES


def _written_by(text: str) -> str:
    """Return the nick of the spectator who wrote a line of chat in a journal: the text begins with nick and colon."""
    nick, colon, _ = text.partition(": ")
    return nick if colon else ""


class _WrongTries(msgspec.Struct):
    """Counter of wrong tries, with the time of the last one."""

    number: int = 0
    last: float = 0.0

    def add(self, now: float) -> None:
        self.number = 1 if now - self.last > FORGET else self.number + 1
        self.last = now

    def seconds_left(self, free: int, now: float) -> float:
        """Return the seconds until the next try is allowed; 0 or less if it is allowed now."""
        return self.last + WAIT - now if self.number >= free else 0.0


class _Address(msgspec.Struct):
    """Wrong tries of one address."""

    codes: _WrongTries = msgspec.field(default_factory=_WrongTries)
    passwords: _WrongTries = msgspec.field(default_factory=_WrongTries)
    by_nick: dict[str, _WrongTries] = {}


class LoginThrottle:
    """Limiter of wrong codes by address, and of wrong passwords by address and by address and nick.

    An address is an IPv4 address or a /64 of IPv6.  If too many are remembered, the oldest one of the network with the
    most of them is forgotten (/24 of IPv4, /48 of IPv6), so that a network with many addresses pushes out its own.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._networks: dict[str, dict[str, _Address]] = {}
        self._number = 0

    def refuse_code(self, address: str) -> None:
        """Raise ``LoginError`` if the address has to wait before it tries a code."""
        if record := self._find(address):
            self._refuse(record.codes.seconds_left(FREE_TRIES, self._clock()))

    def refuse_password(self, address: str, nick: str) -> None:
        """Raise ``LoginError`` if the address has to wait before it tries a password for this nick."""
        if record := self._find(address):
            now, of_nick = self._clock(), record.by_nick.get(compute_nick_key(nick), _WrongTries())
            seconds = record.passwords.seconds_left(FREE_PASSWORDS, now), of_nick.seconds_left(FREE_TRIES, now)
            self._refuse(max(seconds))

    def add_wrong_code(self, address: str) -> None:
        self._record(address).codes.add(self._clock())

    def add_wrong_password(self, address: str, nick: str) -> None:
        record, key, now = self._record(address), compute_nick_key(nick), self._clock()
        record.passwords.add(now)
        tries = record.by_nick.pop(key, _WrongTries())
        tries.add(now)
        record.by_nick[key] = tries
        if len(record.by_nick) > MOST_NICKS:
            del record.by_nick[next(iter(record.by_nick))]

    def forgive_password(self, address: str, nick: str) -> None:
        """Forget the wrong passwords of an address for a nick, after the right one."""
        if record := self._find(address):
            record.by_nick.pop(compute_nick_key(nick), None)

    def _find(self, address: str) -> _Address | None:
        return self._networks.get(wide_network(address), {}).get(client_network(address))

    def _record(self, address: str) -> _Address:
        """Return the record of an address, moved to the end of its network's records."""
        network, client = wide_network(address), client_network(address)
        known = self._networks.setdefault(network, {})
        self._number += client not in known
        record = known[client] = known.pop(client, _Address())
        if self._number > MOST_ADDRESSES:
            largest = max(self._networks, key=lambda each: len(self._networks[each]))
            del self._networks[largest][next(iter(self._networks[largest]))]
            self._number -= 1
            if not self._networks[largest]:
                del self._networks[largest]
        return record

    def _refuse(self, seconds: float) -> None:
        if seconds > 0:
            raise too_soon("too many wrong tries", ceil(seconds))


def wide_network(address: str) -> str:
    """Return the network whose addresses may all belong to one stranger."""
    return client_network(address, ipv4_bits=24, ipv6_bits=48)


def too_soon(why: str, seconds: int) -> LoginError:
    return LoginError(f"{why}; try again in {format_count(seconds, 'second')}", retry_after=seconds)


class PasswordQueue:
    """Queue of password checks: `AT_ONCE` run concurrently, one per address, with one more of the address waiting."""

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._locks: dict[str, asyncio.Lock] = {}
        self._pending = Counter[str]()

    async def run(self, address: str, check: Callable[[], bool]) -> bool:
        """Run `check` in a thread when it is this address's turn, and return its result.  Raises ``LoginError``."""
        client = client_network(address)
        if self._pending[client] > 1:
            raise too_soon("other passwords from your address are being checked", 1)
        self._pending[client] += 1
        try:
            async with self._locks.setdefault(client, asyncio.Lock()), self._slots:
                return await run_uninterrupted(asyncio.to_thread(check))
        finally:
            self._pending[client] -= 1
            if not self._pending[client]:
                del self._pending[client], self._locks[client]
