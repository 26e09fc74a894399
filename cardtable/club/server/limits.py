"""Limits on what one person, address or network may use of a club, and the budgets that enforce them."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from math import ceil
from time import monotonic
from typing import ClassVar, Final, Literal, TypeAlias
from weakref import WeakValueDictionary

import msgspec

from cardtable.club.addresses import compute_client_network
from cardtable.club.protocol import MAX_INVITED, MissingCredential
from cardtable.club.server.certificate import Certificate
from cardtable.club.server.table_access import RequestRefused
from cardtable.club.server.trusted_proxies import TrustedProxies
from cardtable.engine.game import Seat
from cardtable.engine.journal import Journal, TalkLine
from cardtable.engine.log_entries import split_spectator_talk
from cardtable.engine.referee import IllegalAction
from cardtable.engine.text_format import format_count
from cardtable.store import profiles
from cardtable.store.seating import compute_nick_key
from cardtable.workers.tasks import run_uninterrupted, start_task

Consumer: TypeAlias = Literal["person", "address", "network", "session", "seat", "connection", "port"]
"""Whose use a limit counts: an address is an IPv4 address or an IPv6 /64, a network is an IPv4 /24 or an IPv6 /48."""
KIB: Final = 1024
HOUR: Final = 3600
DAY: Final = 24 * HOUR
_UNITS: Final = {"second": 1, "minute": 60, "hour": HOUR, "day": DAY}
"""Units of time in seconds, in ascending order."""
TLS_HANDSHAKE_TIMEOUT: Final = 10.0
"""Maximum duration of a TLS handshake, in seconds."""
CLOSE_TIMEOUT: Final = 2.0
"""Maximum time to close a connection, in seconds."""
TALK_OVERHEAD_BYTES: Final = 90
"""Size of a chat message in the journal besides its text, in bytes."""
MIN_READING_PAUSE: Final = 0.05
"""Minimum pause of an address after a request that reads files, in seconds."""
MAX_READING_PAUSE: Final = 1.0
"""Maximum pause of an address after a request that reads files, in seconds."""
MAX_CONCURRENT_CHECKS: Final = 2
"""Maximum number of passwords that are checked at the same time."""
_PRUNE_SIZE: Final = 64
"""Number of consumers of a budget from which those who have all of it are forgotten."""


class Limit(msgspec.Struct, frozen=True):
    """How much of one thing a person, address or network may use, and what happens beyond it."""

    what: str
    per: Consumer
    number: int
    """Maximum at a time; with ``every`` at once."""
    refusal: str = ""
    """Text for whoever wants more, in which ``{number}`` and other names stand for figures and nicks."""
    every: float = 0
    """Time in seconds after which one more is allowed; 0 if nothing comes back."""
    within: float = 0
    """Time in seconds for which each use counts; 0 if only what is in use counts."""
    share_refusal: str = ""
    """Text for whoever has used their share of a ``number`` that is for all; see ``compute_share``."""
    effect: str = ""
    """What happens in place of a refusal, in words."""

    @property
    def extent(self) -> str:
        """How much is allowed, in words."""
        if self.share_refusal:
            return f"half of what others leave of {self.number}"
        unit, seconds = next(each for each in _UNITS.items() if each[1] >= (self.within or self.every))
        if self.within:
            return f"{self.number} per {unit}"
        return f"{self.number} at once, then {seconds / self.every:g} per {unit}" if self.every else str(self.number)

    @property
    def consequence(self) -> str:
        """What the refused one is told, and what happens, in words."""
        texts = [each.format(number=self.number, nick="NICK", own="N") for each in (self.refusal, self.share_refusal)]
        return "; ".join([*[f'"{each}"' for each in texts if each], *([self.effect] if self.effect else [])])

    def check(self, used: int, **names: str) -> None:
        """Raise ``RequestRefused`` if as much is used as is allowed; ``names`` are those of the text."""
        if used >= self.number:
            raise RequestRefused(self.format_refusal(**names))

    def format_refusal(self, **names: str) -> str:
        return self.refusal.format(number=self.number, **names)

    def compute_share(self, used_by_others: int) -> int:
        """Return how much of what is for all one address or network may use.

        It is half of what the others leave, so that neither one nor a few can use up all, but at least two.
        """
        return max(2, (self.number - used_by_others) // 2)

    def is_used_up(self, own: int, used_by_all: int) -> bool:
        """Return True if an address or network has as much of what is stored for all as is still free."""
        return own >= self.number - used_by_all


_TOO_MUCH_TALK: Final = "you are talking too fast; wait a few seconds"
_SESSION_FULL_OF_TALK: Final = "you have said as much as this session can hold"
_TOO_MANY_TRIES: Final = "too many wrong tries"


class Limits(msgspec.Struct):
    """All limits on guests of a club, in the order in which they are listed."""

    messages: Limit = Limit(
        "messages",
        "person",
        60,
        "too many messages came at once: 20 a second are allowed",
        every=1 / 20,
        effect="the connection ends",
    )
    address_messages: Limit = Limit("messages", "address", 300, every=1 / 100, effect="further ones wait")
    answers: Limit = Limit(
        "unread answers", "connection", 100, "your connection is too slow to follow; join again", effect="it ends"
    )
    unread: Limit = Limit(
        "MiB of unread answers", "network", 16, effect="the connection ends of the person for whom most waits"
    )
    log_lines: Limit = Limit(
        "lines in the host's log", "person", 10, within=60, effect="further ones are counted in one line"
    )
    talk: Limit = Limit("chat messages", "person", 6, _TOO_MUCH_TALK, every=1 / 2)
    address_talk: Limit = Limit("chat messages", "address", 18, _TOO_MUCH_TALK, every=1 / 6)
    seats_talk: Limit = Limit("KiB of chat for the seats", "session", 384, _SESSION_FULL_OF_TALK)
    spectator_talk: Limit = Limit("KiB of chat in a session as a spectator", "person", 32, _SESSION_FULL_OF_TALK)
    spectators_talk: Limit = Limit(
        "KiB of chat in a session as spectators", "network", 128, share_refusal=_SESSION_FULL_OF_TALK
    )
    substitutions: Limit = Limit(
        "robots for players", "session", 1000, "robots have stood in too often in this session; wait for the players"
    )
    """Each robot that stands in takes room in the journal."""
    invitations: Limit = Limit(
        "invitations and offers", "network", MAX_INVITED, "you are inviting too many people; wait a minute", every=10
    )
    invitations_of_one: Limit = Limit(
        "invitations and offers to one person",
        "network",
        5,
        "you have asked {nick} often enough; wait a minute",
        every=60,
    )
    waiting_tables: Limit = Limit(
        "waiting tables", "person", 3, "{number} of your tables are already waiting for players; start one first"
    )
    joined_tables: Limit = Limit("tables at a time", "person", 8, "you are already at {number} tables; leave one first")
    reopened_tables: Limit = Limit(
        "sessions opened again", "person", 8, "you are opening tables too fast; wait a few seconds", every=1
    )
    watched_tables: Limit = Limit(
        "tables watched", "address", 24, "too many people on your network come to watch; wait a few seconds", every=2
    )
    unfinished: Limit = Limit(
        "unfinished sessions", "person", 50, "{number} of your sessions are not over yet; finish one of them first"
    )
    all_unfinished: Limit = Limit(
        "unfinished sessions",
        "network",
        2000,
        share_refusal="too many sessions of people on your network are not over yet; finish one of yours first",
    )
    tables: Limit = Limit(
        "tables",
        "address",
        100,
        "{number} tables are open, and the club has room for no more; try again later",
        share_refusal="there is no room for more tables from your address; try later",
    )
    growth: Limit = Limit(
        "hundredths of the disk space",
        "person",
        1,
        "the tables of {nick} have filled their part of the club's disk for today; try again later",
        every=DAY,
    )
    network_growth: Limit = Limit(
        "hundredths of the disk space",
        "network",
        10,
        "the tables of people on the network of {nick} have filled their part of the club's disk for today; "
        "try again later",
        every=DAY / 10,
    )
    pending: Limit = Limit(
        "connections without a login", "port", 128, effect="the oldest one of the busiest address ends"
    )
    address_pending: Limit = Limit("hundredths of these connections", "address", 75, effect="the oldest one ends")
    guests: Limit = Limit(
        "guests",
        "address",
        200,
        "{number} guests are here, and the club is full",
        share_refusal="{own} guests are here from your address; there is no room for more",
    )
    connections: Limit = Limit(
        "connections", "person", 8, "you have joined with {number} other programs since", effect="the oldest one ends"
    )
    programs: Limit = Limit(
        "programs by ssh or in a browser",
        "person",
        2,
        "You have joined again, and the oldest of your programs ends.",
        effect="the oldest one ends",
    )
    all_programs: Limit = Limit(
        "programs by ssh or in a browser",
        "address",
        32,
        "{number} guests are here by ssh or in a browser; no room for more. Try again later.",
        share_refusal="{own} guests are here from your address by ssh or in a browser. Try again later.",
    )
    new_nicks: Limit = Limit("new nicks", "address", 20, "too many new nicks came from your address", within=HOUR)
    accounts: Limit = Limit(
        "known nicks",
        "network",
        5000,
        "the club knows too many people to take a new nick; ask its host to forget some",
        share_refusal="the club knows too many people to take a new nick from you; ask its host to forget some",
    )
    players: Limit = Limit(
        "players of the club",
        "network",
        profiles.MAX_PROFILES,
        share_refusal="the host has too many players to take a new one from you; stay a guest",
    )
    newcomers: Limit = Limit(
        "newcomers who wait to be let in", "address", 8, "{number} newcomers from your address wait to be let in; wait"
    )
    device_words: Limit = Limit(
        "words for devices", "person", 3, "you have {number} words that are still good; use one, or wait ten minutes"
    )
    all_device_words: Limit = Limit(
        "words for devices",
        "network",
        1000,
        share_refusal="too many words for other devices are in use; wait ten minutes",
    )
    wrong_codes: Limit = Limit("wrong codes", "address", 5, _TOO_MANY_TRIES, every=10)
    wrong_passwords: Limit = Limit("wrong passwords", "address", 20, _TOO_MANY_TRIES, every=10)
    wrong_passwords_of_one: Limit = Limit("wrong passwords for one nick", "address", 5, _TOO_MANY_TRIES, every=10)
    password_checks: Limit = Limit(
        "passwords to be checked", "address", 2, "other passwords from your address are being checked"
    )


LIMITS: Final = Limits()


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


def create_retry_error(reason: str, seconds: int) -> LoginError:
    return LoginError(f"{reason}; try again in {format_count(seconds, 'second')}", retry_after=seconds)


class Budget:
    """Token buckets of one limit: one for each consumer, which all of their connections share; each starts full."""

    def __init__(self, limit: Limit) -> None:
        self.limit: Final = limit
        self._full_at: dict[str, float] = {}
        """Time at which the bucket of a consumer is full again; others are full."""
        self._prune_size = _PRUNE_SIZE

    def count_left(self, consumer: str) -> float:
        """Return how much a consumer has left; below zero if too much was spent."""
        missing_seconds = max(self._full_at.get(consumer, 0) - monotonic(), 0)
        return round(self.limit.number - missing_seconds / self.limit.every, 6)

    def spend(self, consumer: str, amount: float = 1) -> None:
        """Count what a consumer has used, even if it is more than is left."""
        if consumer not in self._full_at and len(self._full_at) >= self._prune_size:
            now = monotonic()
            self._full_at = {each: time for each, time in self._full_at.items() if time > now}
            self._prune_size = max(2 * len(self._full_at), _PRUNE_SIZE)
        self._full_at[consumer] = max(self._full_at.get(consumer, 0), monotonic()) + amount * self.limit.every

    def take(self, consumer: str, **names: str) -> None:
        """Spend one; raise ``RequestRefused`` if less is left. ``names`` are those of the text."""
        if self.count_left(consumer) < 1:
            raise RequestRefused(self.limit.format_refusal(**names))
        self.spend(consumer)

    async def wait(self, consumer: str) -> None:
        """Spend one as soon as there is one; whoever waits longest gets the next one."""
        self.spend(consumer)
        if (left := self.count_left(consumer)) < 0:
            await asyncio.sleep(-left * self.limit.every)

    def check_delay(self, consumer: str) -> None:
        """Raise ``LoginError`` with the time to wait if less than one is left."""
        if (left := self.count_left(consumer)) < 1:
            raise create_retry_error(self.limit.refusal, ceil((1 - left) * self.limit.every))

    def refill(self, consumer: str) -> None:
        """Give a consumer all that the limit allows."""
        self._full_at.pop(consumer, None)


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
        self._max_per_network = max(1, self._max_pending * LIMITS.address_pending.number // 100)
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

    It is an eighth of the number of files that the process may open, but at least 4 and at most the number of
    ``LIMITS.pending``, which it always is on Windows. It also serves as the backlog of the listening socket, since
    asyncio accepts as many connections in one turn of the loop, before any can be aborted.
    """
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - lazy: optional, not on Windows

        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if files != resource.RLIM_INFINITY:
            return max(4, min(LIMITS.pending.number, files // 8))
    return LIMITS.pending.number


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
        self._seat_share = LIMITS.seats_talk.number * KIB // len(journal.header.seats)
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
            free = LIMITS.spectators_talk.number * KIB - self._spectator_bytes.total()
            has_room = self._spectator_bytes[key] + size <= LIMITS.spectator_talk.number * KIB and own + size <= free
        if not has_room:
            raise IllegalAction(LIMITS.seats_talk.refusal)

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


def compute_wide_network(address: str) -> str:
    """Return the network of an address that a single stranger may own: a /24 of IPv4 or a /48 of IPv6."""
    return compute_client_network(address, ipv4_bits=24, ipv6_bits=48)


class PasswordQueue:
    """Queue of password checks.

    At most ``MAX_CONCURRENT_CHECKS`` run at the same time, only one of them for each address; the others of its limit
    wait.
    """

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(MAX_CONCURRENT_CHECKS)
        self._locks: dict[str, asyncio.Lock] = {}
        self._pending = Counter[str]()

    async def run(self, address: str, check: Callable[[], bool]) -> bool:
        """Run ``check`` in a thread when the address's turn comes, and return its result.

        The check completes even if the caller is cancelled. Raises ``LoginError`` if as many checks as
        are allowed for this address are running or waiting.
        """
        client = compute_client_network(address)
        if self._pending[client] >= LIMITS.password_checks.number:
            raise create_retry_error(LIMITS.password_checks.refusal, 1)
        self._pending[client] += 1
        try:
            async with self._locks.setdefault(client, asyncio.Lock()), self._slots:
                return await run_uninterrupted(asyncio.to_thread(check))
        finally:
            self._pending[client] -= 1
            if not self._pending[client]:
                del self._pending[client], self._locks[client]
