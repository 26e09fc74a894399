"""Reverse proxies that the host trusts, and the addresses of the clients that connect through them.

Only ``X-Forwarded-For`` and ``X-Forwarded-Proto`` count. A proxy that sets them passes on ``Forwarded`` (RFC 7239) as
the client sent it, and the reverse, so a host that read both would believe one that the client has made up.
"""

import re
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from cardtable.club.addresses import ConnectionOrigin, Door, create_origin, is_local

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
        self, peer: str, get_headers: Callable[[str], Sequence[str]], *, is_encrypted: bool, door: Door = "join"
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
            return create_origin(peer, is_encrypted=is_encrypted, door=door)
        client = self._find_client(",".join(addresses))
        if client is not None and is_local(client) and not is_local(peer):
            client = None  # an address of the proxy's machine, not of the host's
        is_private = (client is not None and is_local(client)) or _is_encrypted_throughout(protocols)
        last_hop = create_origin(peer, is_encrypted=is_encrypted)
        return ConnectionOrigin(client or peer, is_private and last_hop.is_private, door)

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
    return all(each.strip(" \t").lower() in _ENCRYPTED_PROTOCOLS for each in ",".join(protocols).split(","))


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
