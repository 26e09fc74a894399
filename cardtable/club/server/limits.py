"""Limits on what one person or network may use: connections, messages, chat, and login attempts."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from math import ceil
from time import monotonic
from typing import ClassVar, Final
from weakref import WeakValueDictionary

import msgspec

from cardtable.club.addresses import compute_client_network
from cardtable.club.protocol import MissingCredential
from cardtable.club.server.certificate import Certificate
from cardtable.club.server.trusted_proxies import TrustedProxies
from cardtable.engine.game import Seat
from cardtable.engine.journal import Journal, TalkLine
from cardtable.engine.log_entries import split_spectator_talk
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_count
from cardtable.store.seating import compute_nick_key
from cardtable.workers.tasks import run_uninterrupted, start_task

MAX_PENDING: Final = 128
"""Maximum number of pending connections of one endpoint; it is lower if the process may open few files.

A connection is pending until its client is let in.
"""
MAX_NETWORK_PERCENT: Final = 75
"""Share of an endpoint's pending connections that one network may have, in per cent."""
TLS_HANDSHAKE_TIMEOUT: Final = 10.0
"""Maximum duration of a TLS handshake, in seconds."""
CLOSE_TIMEOUT: Final = 2.0
"""Maximum time to close a connection, in seconds."""
MAX_TALK_BYTES: Final = 512 * 1024
"""Maximum size of the chat in a session, in bytes.

It is far less than a journal can hold, so that there is always room for play.
"""
TALK_OVERHEAD_BYTES: Final = 90
"""Size of a chat message in the journal besides its text, in bytes."""
MAX_SPECTATOR_TALK_TOTAL: Final = MAX_TALK_BYTES // 4
"""Maximum size of the chat of all spectators in a session, in bytes.

A network may use at most as much as is still free, so that no network can use up all of it.
"""
MAX_SPECTATOR_TALK_BYTES: Final = MAX_SPECTATOR_TALK_TOTAL // 4
"""Maximum size of one spectator's chat in a session, in bytes."""
FREE_TRIES: Final = 5
"""Number of wrong codes from an address, or of wrong passwords for one nick, after which the address has to wait."""
FREE_PASSWORDS: Final = 20
"""Number of wrong passwords from an address, for all nicks together, after which it has to wait."""
RETRY_DELAY: Final = 10.0
"""Seconds that an address has to wait after each wrong attempt, once its free attempts are used up."""
FORGET_SECONDS: Final = 3600.0
"""Seconds without a wrong attempt after which counting starts again."""
MAX_ADDRESSES: Final = 10_000
"""Maximum number of addresses whose wrong attempts are remembered."""
MAX_NICKS: Final = 64
"""Maximum number of nicks per address for which wrong passwords are remembered."""
MAX_CONCURRENT_CHECKS: Final = 2
"""Maximum number of passwords that are checked at the same time."""
MIN_READING_PAUSE: Final = 0.05
"""Minimum pause of a network after a request that reads files, in seconds."""
MAX_READING_PAUSE: Final = 1.0
"""Maximum pause of a network after a request that reads files, in seconds."""


class LoginError(Exception):
    """Refusal of a login, with a text for the client."""

    def __init__(self, reason: str, missing: MissingCredential = "", retry_after: int | None = None) -> None:
        """Create a refusal with a text for the client.

        ``missing`` is the credential that the client should send or change; it is empty if none would help.
        ``retry_after`` is the number of seconds after which the same login may succeed, or ``None`` if waiting does not
        help.
        """
        super().__init__(reason)
        self.missing: Final = missing
        self.retry_after: Final = retry_after


class RateLimiter:
    """Token bucket that gains ``rate`` tokens per second and holds at most ``burst``; it starts full."""

    def __init__(self, rate: float, burst: float) -> None:
        self._burst = self._tokens = burst
        self._rate, self._updated_at = rate, monotonic()

    def take_token(self) -> bool:
        """Take a token; return False if none is left."""
        if self.tokens < 1:
            return False
        self._tokens -= 1
        return True

    def spend(self, tokens: float) -> None:
        """Take tokens, even more than are left, so that the bucket refills from below zero."""
        self._tokens = self.tokens - tokens

    @property
    def tokens(self) -> float:
        """Number of tokens that are left; below zero if too many were spent."""
        self._refill()
        return self._tokens

    async def wait_for_token(self) -> None:
        """Take a token as soon as there is one; whoever waits longest gets the next one."""
        self.spend(1)
        if self._tokens < 0:
            await asyncio.sleep(-self._tokens / self._rate)

    @property
    def is_full(self) -> bool:
        """True if the bucket has refilled completely."""
        return self.tokens >= self._burst

    def _refill(self) -> None:
        now = monotonic()
        self._tokens = min(self._tokens + (now - self._updated_at) * self._rate, self._burst)
        self._updated_at = now


class RateLimiters:
    """Token buckets by person or network; all connections of one person or network share a bucket."""

    def __init__(self, rate: float, burst: float = 0) -> None:
        """Set the ``rate``, in tokens per second, and the ``burst`` of all buckets.

        A ``burst`` of 0 stands for three times the rate.
        """
        self._rate, self._burst = rate, burst or 3 * rate
        self._limiters: dict[str, RateLimiter] = {}

    def get_limiter(self, key: str) -> RateLimiter:
        """Return the bucket of a person or network, creating it if necessary.

        Whenever a bucket is created, all full ones are dropped to bound the memory.
        """
        if key not in self._limiters:
            self._limiters = {other: limiter for other, limiter in self._limiters.items() if not limiter.is_full}
            self._limiters[key] = RateLimiter(self._rate, self._burst)
        return self._limiters[key]


class ReadingTurns:
    """Turns of networks for requests that read files, which may take long.

    Each network has one such request executed at a time, and then a pause as long as it took, so that no network needs
    more than half of the host's time.
    """

    def __init__(self) -> None:
        self._locks = WeakValueDictionary[str, asyncio.Lock]()

    @asynccontextmanager
    async def take(self, network: str) -> AsyncIterator[None]:
        """Return a context in which a request of a network is executed, once it is the network's turn."""
        lock, loop = self._locks.setdefault(network, asyncio.Lock()), asyncio.get_running_loop()
        await lock.acquire()
        begun_at = loop.time()
        try:
            yield
        finally:
            loop.call_later(min(max(loop.time() - begun_at, MIN_READING_PAUSE), MAX_READING_PAUSE), lock.release)


def compute_network_share(total: int, used_by_others: int) -> int:
    """Return how many of ``total`` places one network may take.

    ``used_by_others`` is the number of places that other networks have taken. The result is half of the places left by
    them, so that neither one network nor a few can take all, but at least two.
    """
    return max(2, (total - used_by_others) // 2)


class PendingConnection:
    """Connection to an endpoint, which counts as pending until its client is let in."""

    def __init__(self, registry: "PendingConnections", network: str, abort: Callable[[], object]) -> None:
        self.network = network
        """Network of the client; empty while it is unknown because a proxy has not yet sent a request."""
        self.abort: Final = abort
        self._registry, self._is_open = registry, True

    def count(self) -> None:
        """Count the connection as pending, as the newest of its network; do nothing after ``close``."""
        if self._is_open:
            self._registry.count(self)

    def count_for(self, address: str) -> None:
        """Count the connection as the newest of the network of ``address``, where a request has come from."""
        self._registry.remove(self)
        self.network = compute_client_network(address)
        self.count()

    def close(self) -> None:
        """Stop counting the connection permanently, because it has ended."""
        self._is_open = False
        self._registry.remove(self)

    @contextmanager
    def suspend_counting(self) -> Iterator[None]:
        """Return a context in which the connection does not count, while its client is in or its login is checked.

        After the context the connection counts as the newest of its network.
        """
        self._registry.remove(self)
        try:
            yield
        finally:
            self.count()


class PendingConnections:
    """Connections of one endpoint whose clients have not been let in yet.

    New connections are never refused. If a network has too many, its oldest one is aborted; if there are too many in
    total, the oldest one of the network with the most is aborted. Silent connections therefore cannot keep other
    clients out. Even if one address opens as many connections per second as its network may have, each of its clients
    has a full second to log in, which takes two round trips.
    """

    def __init__(self, max_pending: int = 0, on_drop: Callable[[], object] = lambda: None) -> None:
        """Set the maximum for all networks together; 0 stands for ``compute_max_pending()``.

        ``on_drop`` is called for each connection that is aborted to make room.
        """
        self._on_drop = on_drop
        self._max_pending = max_pending or compute_max_pending()
        self._max_per_network = max(1, self._max_pending * MAX_NETWORK_PERCENT // 100)
        self._networks: dict[str, dict[PendingConnection, None]] = {}
        """Connections by network, oldest first."""

    def add(self, address: str, abort: Callable[[], object]) -> PendingConnection:
        """Count a new connection from an address, which is empty if the address of the client is not known yet.

        ``abort`` is called to end the connection at once if it has to make room for a newer one.
        """
        added = PendingConnection(self, compute_client_network(address), abort)
        added.count()
        return added

    def count(self, connection: PendingConnection) -> None:
        """Count a connection as the newest of its network.

        If that exceeds the maximum of the network or of all networks together, the oldest connection of this network or
        of the network with the most connections is aborted.
        """
        self.remove(connection)
        own = self._networks.setdefault(connection.network, {})
        own[connection] = None
        if connection.network and len(own) > self._max_per_network:
            self._abort_oldest(own)
        elif self.total > self._max_pending:
            self._abort_oldest(max(self._networks.values(), key=len))

    def remove(self, connection: PendingConnection) -> None:
        """Stop counting a connection; do nothing if it is not counted."""
        own = self._networks.get(connection.network, {})
        own.pop(connection, None)
        if not own:
            self._networks.pop(connection.network, None)

    def _abort_oldest(self, connections: dict[PendingConnection, None]) -> None:
        oldest = next(iter(connections))
        oldest.close()
        oldest.abort()
        self._on_drop()

    @property
    def total(self) -> int:
        """Number of pending connections of all networks together."""
        return sum(map(len, self._networks.values()))


def compute_max_pending() -> int:
    """Return the maximum number of pending connections of one endpoint.

    It is an eighth of the number of files that the process may open, but at least 4 and at most ``MAX_PENDING``; on
    Windows it is always ``MAX_PENDING``. It also serves as the backlog of the listening socket, since asyncio accepts
    as many connections in one turn of the loop, before any can be aborted.
    """
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - lazy: optional, not on Windows

        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files != resource.RLIM_INFINITY:
            return max(4, min(MAX_PENDING, files // 8))
    return MAX_PENDING


class PendingProtocol(asyncio.Protocol):
    """Mix-in for a library's server protocol that counts each connection as pending from its acceptance.

    Subclasses set ``pending_connections``, and ``tls``, which is ``None`` for an endpoint without TLS. The mix-in does
    the TLS handshake itself, since the library learns of a connection only after the handshake. The client of a
    connection from a proxy is unknown until the endpoint has read a request, and calls ``pending.count_for``.
    """

    pending_connections: ClassVar[PendingConnections]
    tls: ClassVar[Certificate | None]
    proxies: ClassVar[TrustedProxies]
    pending: PendingConnection
    _handshake_task: asyncio.Task[None] | None = None
    _is_ready = False
    """True once the connection has been passed to the library."""
    _early_data = b""
    """Data received before the connection was passed to the library."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count the connection, and pass it to the library, with TLS after the handshake."""
        assert isinstance(transport, asyncio.Transport)
        peername = transport.get_extra_info("peername")
        peer = peername[0] if peername else ""
        self.pending = self.pending_connections.add("" if self.proxies.contains(peer) else peer, transport.abort)
        if self.tls:
            self._handshake_task = start_task(self._start_tls(transport, self.tls))
        else:
            self._is_ready = True
            super().connection_made(transport)

    async def _start_tls(self, transport: asyncio.Transport, certificate: Certificate) -> None:
        encrypted = None
        with suppress(OSError):  # includes TLS errors and timeouts of the handshake
            encrypted = await asyncio.get_running_loop().start_tls(
                transport,
                self,
                certificate.context,
                server_side=True,
                ssl_handshake_timeout=TLS_HANDSHAKE_TIMEOUT,
                ssl_shutdown_timeout=CLOSE_TIMEOUT,
            )
        if encrypted is None or encrypted.is_closing():
            self.pending.close()
            transport.abort()
            return
        self._is_ready = True
        super().connection_made(encrypted)
        if self._early_data:
            super().data_received(self._early_data)

    def data_received(self, data: bytes) -> None:
        """Pass data to the library; buffer it while the library does not have the connection yet."""
        if self._is_ready:
            super().data_received(data)
        else:
            self._early_data += data

    def eof_received(self) -> None:
        if self._is_ready:
            super().eof_received()

    def connection_lost(self, exc: BaseException | None) -> None:
        self.pending.close()
        if self._is_ready:
            super().connection_lost(exc if isinstance(exc, Exception) else None)


class TalkBudget:
    """Budget for the chat of a session, in bytes: for each seat, each spectator, and each network of spectators."""

    def __init__(self, journal: Journal, get_network: Callable[[str], str]) -> None:
        """Count the chat that is already in the journal.

        ``get_network`` returns the network of a nick, or an empty string if the nick counts alone.
        """
        self._get_network = get_network
        self._seat_share = (MAX_TALK_BYTES - MAX_SPECTATOR_TALK_TOTAL) // len(journal.header.seats)
        self._seat_bytes: Counter[Seat] = Counter()
        self._spectator_bytes: Counter[str] = Counter()
        """Bytes by key of the spectator's nick; the empty key stands for messages of the host itself."""
        for entry in journal.entries:
            if isinstance(line := entry.line, TalkLine):
                self.add(line.text, split_spectator_talk(line.text)[0] if line.seat is None else line.seat)

    def check_room(self, text: str, speaker: Seat | str) -> None:
        """Raise ``IllegalAction`` if there is no room for a chat message.

        ``speaker`` is a seat, or the nick of a spectator.
        """
        size = _compute_talk_bytes(text)
        if isinstance(speaker, int):
            has_room = self._seat_bytes[speaker] + size <= self._seat_share
        else:
            key = compute_nick_key(speaker)
            network = self._get_usage_key(key)
            own = sum(used for each, used in self._spectator_bytes.items() if self._get_usage_key(each) == network)
            free = MAX_SPECTATOR_TALK_TOTAL - self._spectator_bytes.total()
            has_room = self._spectator_bytes[key] + size <= MAX_SPECTATOR_TALK_BYTES and own + size <= free
        if not has_room:
            raise IllegalAction("you have said as much as this session can hold")

    def add(self, text: str, speaker: Seat | str) -> None:
        """Count a chat message that has been written; ``speaker`` is a seat, or the nick of a spectator."""
        if isinstance(speaker, int):
            self._seat_bytes[speaker] += _compute_talk_bytes(text)
        else:
            self._spectator_bytes[compute_nick_key(speaker)] += _compute_talk_bytes(text)

    def _get_usage_key(self, key: str) -> str:
        """Return the key for summing spectators' chat: the network, or ``key`` itself if the nick counts alone."""
        return self._get_network(key) or key


def _compute_talk_bytes(text: str) -> int:
    """Return the size of a chat message in a journal, in bytes, rounded up."""
    return len(msgspec.json.encode(text)) + TALK_OVERHEAD_BYTES


class _WrongTries(msgspec.Struct):
    """Number of wrong attempts, and the time of the last one."""

    count: int = 0
    last_time: float = 0.0

    def add(self, now: float) -> None:
        self.count = 1 if now - self.last_time > FORGET_SECONDS else self.count + 1
        self.last_time = now

    def compute_seconds_left(self, free_tries: int, now: float) -> float:
        """Return the seconds until the next attempt is allowed; 0 or less if it is allowed now.

        ``free_tries`` is the number of wrong attempts that cause no wait.
        """
        return self.last_time + RETRY_DELAY - now if self.count >= free_tries else 0.0


class _AddressTries(msgspec.Struct):
    """Wrong codes and passwords from one address, with the passwords also counted by nick."""

    codes: _WrongTries = msgspec.field(default_factory=_WrongTries)
    passwords: _WrongTries = msgspec.field(default_factory=_WrongTries)
    by_nick: dict[str, _WrongTries] = {}


class LoginThrottle:
    """Limiter of login attempts with wrong codes or passwords.

    Wrong codes are counted by address, wrong passwords by address and also by address and nick. An address is an IPv4
    address or a /64 network of IPv6. If there are more than ``MAX_ADDRESSES``, one is forgotten: the address with the
    longest time since its last wrong attempt, within the network (/24 of IPv4, /48 of IPv6) that has the most
    addresses. A network with many addresses thus displaces only its own.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._networks: dict[str, dict[str, _AddressTries]] = {}
        self._address_count = 0

    def check_code_delay(self, address: str) -> None:
        """Raise ``LoginError`` if an address has to wait before it may try a code."""
        if record := self._find_tries(address):
            self._check_delay(record.codes.compute_seconds_left(FREE_TRIES, self._clock()))

    def check_password_delay(self, address: str, nick: str) -> None:
        """Raise ``LoginError`` if an address has to wait before it may try a password for a nick."""
        if record := self._find_tries(address):
            now, nick_tries = self._clock(), record.by_nick.get(compute_nick_key(nick), _WrongTries())
            seconds = (
                record.passwords.compute_seconds_left(FREE_PASSWORDS, now),
                nick_tries.compute_seconds_left(FREE_TRIES, now),
            )
            self._check_delay(max(seconds))

    def add_wrong_code(self, address: str) -> None:
        self._get_tries(address).codes.add(self._clock())

    def add_wrong_password(self, address: str, nick: str) -> None:
        record, key, now = self._get_tries(address), compute_nick_key(nick), self._clock()
        record.passwords.add(now)
        tries = record.by_nick.pop(key, _WrongTries())
        tries.add(now)
        record.by_nick[key] = tries
        if len(record.by_nick) > MAX_NICKS:
            del record.by_nick[next(iter(record.by_nick))]

    def forgive_password(self, address: str, nick: str) -> None:
        """Forget the wrong passwords from an address for a nick, after the right one.

        They still count towards ``FREE_PASSWORDS``.
        """
        if record := self._find_tries(address):
            record.by_nick.pop(compute_nick_key(nick), None)

    def _find_tries(self, address: str) -> _AddressTries | None:
        return self._networks.get(compute_wide_network(address), {}).get(compute_client_network(address))

    def _get_tries(self, address: str) -> _AddressTries:
        """Return the attempts of an address, created if necessary, and mark them as the newest of their network."""
        network, client = compute_wide_network(address), compute_client_network(address)
        known = self._networks.setdefault(network, {})
        self._address_count += client not in known
        record = known[client] = known.pop(client, _AddressTries())
        if self._address_count > MAX_ADDRESSES:
            largest = max(self._networks, key=lambda each: len(self._networks[each]))
            del self._networks[largest][next(iter(self._networks[largest]))]
            self._address_count -= 1
            if not self._networks[largest]:
                del self._networks[largest]
        return record

    def _check_delay(self, seconds: float) -> None:
        if seconds > 0:
            raise create_retry_error("too many wrong tries", ceil(seconds))


def compute_wide_network(address: str) -> str:
    """Return the network of an address that a single stranger may own: a /24 of IPv4 or a /48 of IPv6."""
    return compute_client_network(address, ipv4_bits=24, ipv6_bits=48)


def create_retry_error(reason: str, seconds: int) -> LoginError:
    return LoginError(f"{reason}; try again in {format_count(seconds, 'second')}", retry_after=seconds)


class PasswordQueue:
    """Queue of password checks.

    At most ``MAX_CONCURRENT_CHECKS`` run at the same time, only one of them for each address, for which one more may
    wait.
    """

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_CHECKS)
        self._locks: dict[str, asyncio.Lock] = {}
        self._pending = Counter[str]()

    async def run(self, address: str, check: Callable[[], bool]) -> bool:
        """Run ``check`` in a thread when the address's turn comes, and return its result.

        The check completes even if the caller is cancelled. Raises ``LoginError`` if two checks for this address are
        already running or waiting.
        """
        client = compute_client_network(address)
        if self._pending[client] > 1:
            raise create_retry_error("other passwords from your address are being checked", 1)
        self._pending[client] += 1
        try:
            async with self._locks.setdefault(client, asyncio.Lock()), self._slots:
                return await run_uninterrupted(asyncio.to_thread(check))
        finally:
            self._pending[client] -= 1
            if not self._pending[client]:
                del self._pending[client], self._locks[client]
