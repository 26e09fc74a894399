"""Connections to a club's endpoints: through reverse proxies that the host trusts, and those without a login yet.

Of a proxy's headers only ``X-Forwarded-For`` and ``X-Forwarded-Proto`` count. A proxy that sets these passes on a
client's ``Forwarded`` (RFC 7239) unchanged, and a proxy that sets ``Forwarded`` passes on these: a host that read both
would believe whichever the client has forged.
"""

import asyncio
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import ClassVar, Final

from cardtable.club.addresses import ConnectionOrigin, TransportKind, compute_client_network, create_origin, is_local
from cardtable.club.server.limits import LIMITS
from cardtable.club.server.server_options import Certificate
from cardtable.workers.tasks import start_task

_FOR: Final = "X-Forwarded-For"
_PROTOCOL: Final = "X-Forwarded-Proto"
_ENCRYPTED_PROTOCOLS: Final = frozenset({"https", "wss"})
_MAX_HOPS: Final = 16
"""Maximum number of trusted proxies between a client and the host."""
_HOP: Final = re.compile(r"\[([^][]*)\](?::[0-9]{1,5})?|([0-9.]+):[0-9]{1,5}")
"""Pattern of a hop that is more than an address: an IPv6 address in brackets, or an address with a port."""


class TrustedProxies:
    """Networks of the proxies whose headers the host believes."""

    def __init__(self, networks: Sequence[IPv4Network | IPv6Network] = ()) -> None:
        self._networks = networks

    def contains(self, address: str) -> bool:
        """Return True if an address is that of a trusted proxy; text that is not an address is not."""
        hop = _parse_hop(address)
        return hop is not None and any(hop in network for network in self._networks)

    def create_origin(
        self,
        peer: str,
        get_headers: Callable[[str], Sequence[str]],
        *,
        is_encrypted: bool,
        transport: TransportKind = "join",
    ) -> ConnectionOrigin:
        """Return the origin of a request: that of the client for a trusted proxy, and that of ``peer`` for any other.

        ``peer`` is the address of the other end of the connection, and ``is_encrypted`` tells about this connection.
        ``get_headers`` returns the values of all headers with a name. A request of a proxy without these headers is one
        of a program on the proxy's machine. If the header with the addresses is malformed, the address is the proxy's.

        The way of a forwarded request is private if its client reached all proxies by TLS, or from the host's own
        machine, and if no third party can read the connection of the last proxy either.
        """
        addresses, protocols = get_headers(_FOR), get_headers(_PROTOCOL)
        if not (addresses or protocols) or not self.contains(peer):
            return create_origin(peer, is_encrypted=is_encrypted, transport=transport)
        client = self._find_client(",".join(addresses))
        if client is not None and is_local(client) and not is_local(peer):
            client = None  # an address of the proxy's machine, not of the host's
        is_private = (client is not None and is_local(client)) or _is_encrypted_throughout(protocols)
        last_hop = create_origin(peer, is_encrypted=is_encrypted)
        return ConnectionOrigin(client or peer, is_private and last_hop.is_private, transport)

    def _find_client(self, forwarded_for: str) -> str | None:
        """Return the rightmost address in the header that is no trusted proxy, or the leftmost if all are.

        Everything further left may be made up by the client. Return ``None`` if the header is malformed up to there, or
        names more than ``_MAX_HOPS`` trusted proxies.
        """
        rest = forwarded_for
        for _ in range(_MAX_HOPS):
            rest, comma, text = rest.rpartition(",")
            hop = _parse_hop(text.strip(" \t"))
            if hop is None:
                return None
            if not comma or not any(hop in network for network in self._networks):
                return str(hop)
        return None


NO_PROXIES: Final = TrustedProxies()


def _is_encrypted_throughout(protocols: Sequence[str]) -> bool:
    """Return True if the headers name at least one protocol, and only encrypted ones."""
    return all(protocol.strip(" \t").lower() in _ENCRYPTED_PROTOCOLS for protocol in ",".join(protocols).split(","))


def _parse_hop(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address, which may be enclosed in brackets and followed by a port; return ``None`` if it is not valid.

    The zone of an IPv6 address is dropped, and an IPv4 address mapped into IPv6 is returned as the IPv4 address.
    """
    match = _HOP.fullmatch(text)
    try:
        address = ip_address((match[1] or match[2] or "") if match else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        return address.ipv4_mapped or IPv6Address(int(address))
    return address


TLS_HANDSHAKE_TIMEOUT: Final = 10.0
"""Maximum duration of a TLS handshake, in seconds."""
CLOSE_TIMEOUT: Final = 2.0
"""Maximum time to close a connection, in seconds."""


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
