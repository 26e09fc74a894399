"""Network addresses: of this machine, of clients, and of the networks that count as one client."""

import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final

import msgspec

LOCAL: Final = "localhost"
_TEST_ADDRESS: Final = ("192.0.2.1", 9)
"""Address reserved for documentation (RFC 5737): the route to it names this machine's own address."""


def is_address(host: str) -> bool:
    """Return True if `host` is an IP address, not a name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_local(host: str) -> bool:
    """Return True if a name or address refers to this machine only."""
    return host == LOCAL or (is_address(host) and ip_address(host).is_loopback)


def client_network(address: str, ipv4_bits: int = 32, ipv6_bits: int = 64) -> str:
    """Return the network that counts as one client in limits: by default one IPv4 address, or a /64 of IPv6.

    An IPv4 address that is mapped into IPv6 counts as the IPv4 address.  Text that is not an address is returned
    unchanged.
    """
    try:
        client = ip_address(address)
    except ValueError:
        return address
    if isinstance(client, IPv6Address) and client.ipv4_mapped:
        client = client.ipv4_mapped
    if isinstance(client, IPv4Address):
        return str(IPv4Network((int(client), ipv4_bits), strict=False))
    return str(IPv6Network((int(client), ipv6_bits), strict=False))


@lru_cache(maxsize=4096)
def is_loopback(network: str) -> bool:
    """Return True if a network of ``client_network`` is of this machine; ``::1`` shares its network with no client."""
    try:
        known = ip_network(network)
    except ValueError:
        return False
    return known.is_loopback or (isinstance(known, IPv6Network) and IPv6Address("::1") in known)


def reachable_address(host: str) -> str:
    """Return the address that clients use for a server listening on `host`; this machine's own if it listens on all."""
    every = not host or (is_address(host) and ip_address(host).is_unspecified)
    name = _own_address() if every else host
    return f"[{name}]" if ":" in name else name


def _own_address() -> str:
    """Return this machine's address on its network, or else its name; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_TEST_ADDRESS)
        except OSError:
            return socket.gethostname().lower()
        address: str = probe.getsockname()[0]
        return address


class ConnectionOrigin(msgspec.Struct, frozen=True):
    """Origin of a connection, as the endpoint that accepted it knows it."""

    address: str = ""
    secret: bool = True
    """True if the connection cannot be read on its way: it is encrypted or local."""
    how: str = ""
    """Kind of connection, in words for the host's log, such as ``by ssh``; empty for a client program."""


def connection_origin(address: str, *, encrypted: bool, how: str = "") -> ConnectionOrigin:
    """Return the origin of a connection; a local one counts as secret without encryption."""
    return ConnectionOrigin(address, encrypted or is_local(address), how)
