"""Addresses of this machine."""

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

import msgspec

LOCAL: Final = "localhost"
_ELSEWHERE: Final = ("192.0.2.1", 9)
"""An address that nobody has: what would be sent there shows what this machine is called on its network."""


def is_address(host: str) -> bool:
    """Whether it is an address, and no name."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def is_local(host: str) -> bool:
    """Whether a name or an address is of this machine only."""
    return host == LOCAL or (is_address(host) and ip_address(host).is_loopback)


def client_network(address: str, ipv4_bits: int = 32, ipv6_bits: int = 64) -> str:
    """Return the network that counts as one client in limits: usually one IPv4 address, or a /64 of IPv6.

    An IPv4 address that is mapped into IPv6 counts as the IPv4 address.  What is no address is returned unchanged.
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


def reached_at(host: str) -> str:
    """What others call a server that listens there: this machine on its network where it listens on all addresses."""
    every = not host or (is_address(host) and ip_address(host).is_unspecified)
    name = _own_address() if every else host
    return f"[{name}]" if ":" in name else name


def _own_address() -> str:
    """What this machine is called on its network; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(_ELSEWHERE)
        except OSError:
            return socket.gethostname().lower()
        found: str = asked.getsockname()[0]
        return found


class ConnectionOrigin(msgspec.Struct, frozen=True):
    """Where somebody is, as the door sees it by which she has come."""

    address: str = ""
    secret: bool = True
    """Whether nobody on the way can read what she says."""
    how: str = ""
    """By which door, in words for who keeps the club; nothing: with a program of her own."""


def origin(address: str, *, encrypted: bool, how: str = "") -> ConnectionOrigin:
    """At the other end of a connection."""
    return ConnectionOrigin(address, encrypted or is_local(address), how)
