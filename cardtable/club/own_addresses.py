"""Addresses of this machine by which others on its networks reach it."""

import ctypes
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Network, ip_address
from typing import Final

from cardtable.club.addresses import enclose_ipv6, is_ip_address
from cardtable.engine.text_format import sanitize

_HOME_NETWORKS: Final = tuple(map(IPv4Network, ("192.168.0.0/16", "10.0.0.0/8", "172.16.0.0/12")))
"""Private networks; the first one is the most common among people who play with each other."""
_TEST_ADDRESS: Final = ("192.0.2.1", 9)
"""Remote address and port to which the route is looked up; reserved by RFC 5737, so never reached."""
_IN_USE: Final = 0x41
"""Flags ``IFF_UP`` and ``IFF_RUNNING`` of a network interface."""
_IFF_BROADCAST: Final = 0x2


def find_reachable_addresses(host: str) -> list[str]:
    """Return the names or addresses, for use in a URL, by which clients reach a server that listens on ``host``.

    If ``host`` is empty or an unspecified address such as ``0.0.0.0``, the server listens on all addresses, and those
    of this machine are returned, the one first that others are most likely to reach. An IPv6 address is enclosed in
    brackets.
    """
    is_unspecified = not host or (is_ip_address(host) and ip_address(host).is_unspecified)
    return [enclose_ipv6(each) for each in (_list_own_addresses() if is_unspecified else [host])]


def _list_own_addresses() -> list[str]:
    """Return the IPv4 addresses of this machine, or else its IPv6 addresses, or else its host name."""
    route, interfaces = find_route_address(), dict[str, bool]()
    with suppress(OSError, UnicodeError, AttributeError):  # some systems have no list, or an impossible host name
        interfaces.update(iter_named_addresses() if sys.platform == "win32" else iter_interface_addresses())
    if route:
        interfaces.setdefault(route, True)

    def rate(address: str) -> tuple[bool, bool, bool, int]:
        parsed, is_tunnel = ip_address(address), not interfaces[address]
        common = [rank for rank, network in enumerate(_HOME_NETWORKS) if parsed in network]
        return is_tunnel, is_tunnel or address != route, parsed.is_link_local, min(common, default=len(_HOME_NETWORKS))

    addresses = sorted(filter(_is_reachable, interfaces), key=rate)
    return [each for each in addresses if ":" not in each] or addresses or [sanitize(socket.gethostname().lower())]


def _is_reachable(address: str) -> bool:
    """Return True if other machines may reach an address of this one; link-local ones of IPv6 need a zone there."""
    parsed = ip_address(address)
    return not (parsed.is_loopback or parsed.is_unspecified or (parsed.is_link_local and parsed.version == 6))


def find_route_address() -> str | None:
    """Return this machine's IPv4 address on the way to the internet; ``None`` if there is none.

    The address is read from a connected UDP socket, and no packet is sent.
    """
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_TEST_ADDRESS)
        address: str = probe.getsockname()[0]
        return address
    return None


def iter_named_addresses() -> Iterator[tuple[str, bool]]:
    """Yield the addresses that the host name stands for, each with True; on Windows these are all."""
    for *_, address in socket.getaddrinfo(socket.gethostname(), None):
        yield str(address[0]), True


class _InterfaceAddress(ctypes.Structure):
    """Beginning of ``struct ifaddrs``, with pointers as numbers."""

    _fields_ = (
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_uint),
        ("address", ctypes.c_void_p),
    )


def iter_interface_addresses() -> Iterator[tuple[str, bool]]:
    """Yield the addresses of all network interfaces in use (getifaddrs), each with False if it is that of a tunnel.

    Tunnels, as of a VPN, have no broadcast address, unlike Ethernet and Wi-Fi. Raises ``OSError`` if the system has no
    list, and ``AttributeError`` if its library has no such function.
    """
    library, first = ctypes.CDLL(None), ctypes.c_void_p()
    if library.getifaddrs(ctypes.byref(first)):
        raise OSError
    try:
        pointer = first.value
        while pointer:
            entry = _InterfaceAddress.from_address(pointer)
            if entry.flags & _IN_USE == _IN_USE and entry.address and (text := _read_socket_address(entry.address)):
                yield text, bool(entry.flags & _IFF_BROADCAST)
            pointer = entry.next
    finally:
        library.freeifaddrs(first)


def _read_socket_address(pointer: int) -> str | None:
    """Return the address in the ``struct sockaddr`` at a place in memory; ``None`` if it is not one of IP."""
    beginning = ctypes.string_at(pointer, 2)
    family = int.from_bytes(beginning, sys.byteorder) if sys.platform in ("linux", "android") else beginning[1]
    if family == socket.AF_INET:
        return socket.inet_ntop(family, ctypes.string_at(pointer + 4, 4))
    return socket.inet_ntop(family, ctypes.string_at(pointer + 8, 16)) if family == socket.AF_INET6 else None
