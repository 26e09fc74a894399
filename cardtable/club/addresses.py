"""Network addresses of clubs, of clients, and of this machine, and the networks that count as one client in limits."""

import ctypes
import errno
import re
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, Literal, TypeAlias
from unicodedata import normalize

import msgspec

from cardtable.club.protocol import DEFAULT_PORT, MissingCredential
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.store.seating import compute_nick_key

LOCALHOST: Final = "localhost"
WEB_PORTS: Final = {"https": 443, "http": 80}
"""Default ports of web addresses, by scheme."""
READABLE_CONNECTION_WARNING: Final = (
    "Others on the network can read what you send here. If the host offers ssh, that is safe."
)
_CLUB_ADDRESS: Final = re.compile(r"(?:((?i:wss?|https?))://)?(\[[^][/@]*:[^][/@]*\]|[^][:/@]+)(?::([0-9]{1,5}))?/?")
"""Pattern of a club's address: optional scheme, host, and optional port; an IPv6 address is enclosed in brackets."""
_HOST_NAME: Final = re.compile(r"[a-z0-9_.-]+")
MAX_PORT: Final = 65535
_PRIVATE_NETWORKS: Final[tuple[IPv4Network | IPv6Network, ...]] = (
    *map(IPv4Network, ("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16")),
    *map(IPv4Network, ("172.16.0.0/12", "192.168.0.0/16")),
    *map(IPv6Network, ("::/127", "fc00::/7", "fe80::/10")),
)
"""Networks that no router of the internet knows: of this machine, private, shared, unique local and link-local ones."""
_BIND_ERRORS: Final = {
    errno.EACCES: "Permission denied",
    errno.EADDRINUSE: "Address already in use",
    errno.EADDRNOTAVAIL: "Cannot assign requested address",
}
"""Errors of binding an address or port, in words; ``os.strerror`` does not know those of Windows."""


class BindError(CardtableError):
    """Raised if an address or port cannot be bound; ``number`` is the error number of the operating system."""

    def __init__(self, number: int, address: str, port: int) -> None:
        place = f"{address or 'this machine'}{f', port {port}' if port else ''}"
        super().__init__(f"cannot listen on {place}: {_BIND_ERRORS[number]}")
        self.number, self.port = number, port


@contextmanager
def binding(address: str, port: int) -> Iterator[None]:
    """Convert errors of binding an address and port into ``BindError``, but not one that names a file."""
    try:
        yield
    except OSError as error:
        number = error.errno or errno.EADDRNOTAVAIL  # newer versions of asyncio set no number
        if number not in _BIND_ERRORS or error.filename is not None:
            raise
        raise BindError(number, address, port) from None


def is_ip_address(host: str) -> bool:
    """Return True if ``host`` is a numeric IPv4 or IPv6 address, without brackets or a port."""
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def fold_host(text: str) -> str:
    """Return the name or address of a machine in the only form in which it is looked up and shown.

    It is ASCII: compatibility characters are replaced (NFKC), a name is in lower case and encoded by IDNA, without a
    final dot, and an IPv4 address has four numbers. Raises ``ValueError`` if ``text`` cannot be either.
    """
    host = normalize("NFKC", text.strip())
    if ":" in host and host.isascii() and is_ip_address(host):
        return host
    name = host.lower().encode("idna").decode().removesuffix(".")
    if not _HOST_NAME.fullmatch(name):
        raise ValueError(f"no machine is called {name!r}")
    with suppress(OSError):
        return socket.inet_ntoa(socket.inet_aton(name))
    return name


def parse_club_address(address: str) -> str:
    """Return the WebSocket URL of a club's address, with the default scheme and port if they are missing.

    The host is in the form of ``fold_host``. The address of a page, with https or http, stands for the same name and
    port.

    Raises ``ValueError`` if the address does not have the form HOST or HOST:PORT.
    """
    text = normalize("NFKC", address.strip())
    if match := _CLUB_ADDRESS.fullmatch(f"[{text}]" if ":" in text and is_ip_address(text) else text):
        scheme = (match[1] or "ws").lower()
        port = int(match[3] or WEB_PORTS.get(scheme, DEFAULT_PORT))
        with suppress(ValueError):
            host = enclose_ipv6(fold_host(match[2].strip("[]")))
            if 0 < port <= MAX_PORT:
                return f"{scheme.replace('http', 'ws')}://{host}:{port}"
    raise ValueError(f"an address is HOST or HOST:PORT, not {sanitize(text, 60)!r}")


def enclose_ipv6(host: str) -> str:
    """Return a name or address as it is written in a URL: an IPv6 address is enclosed in brackets."""
    return f"[{host}]" if ":" in host else host


def format_club_address(url: str) -> str:
    """Return the shortest address of the club with the WebSocket URL ``url``; inverse of ``parse_club_address``."""
    return url.removeprefix("ws://").removesuffix(f":{DEFAULT_PORT}")


def is_local(host: str) -> bool:
    """Return True if ``host`` is ``localhost`` or a loopback address.

    Other names are not resolved and count as remote.
    """
    return host == LOCALHOST or (is_ip_address(host) and ip_address(host).is_loopback)


def is_private(host: str) -> bool:
    """Return True if only this machine or its own networks know ``host``, which is in the form of ``fold_host``.

    These are addresses that no router of the internet passes on, names without a dot, and names of multicast DNS.
    """
    if not is_ip_address(host):
        return "." not in host or host.endswith((".local", f".{LOCALHOST}"))
    address = ip_address(host.partition("%")[0])
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address
    return any(address in network for network in _PRIVATE_NETWORKS)


def compute_client_network(address: str, ipv4_bits: int = 32, ipv6_bits: int = 64) -> str:
    """Return the network that counts as one client in limits, in CIDR notation.

    The prefix lengths ``ipv4_bits`` and ``ipv6_bits`` determine its size: by default one IPv4 address, or a /64 of
    IPv6. An IPv4 address mapped into IPv6 counts as the IPv4 address. Text that is not an address is returned
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


def compute_wide_network(address: str) -> str:
    """Return the network of an address that a single stranger may own: a /24 of IPv4 or a /48 of IPv6."""
    return compute_client_network(address, ipv4_bits=24, ipv6_bits=48)


@lru_cache(maxsize=4096)
def is_loopback_network(network: str) -> bool:
    """Return True if a network returned by ``compute_client_network`` belongs to this machine.

    The /64 that contains ``::1`` counts as well, since it contains no address of another machine. Text that is not a
    network counts as remote.
    """
    try:
        parsed_network = ip_network(network)
    except ValueError:
        return False
    return parsed_network.is_loopback or (
        isinstance(parsed_network, IPv6Network) and IPv6Address("::1") in parsed_network
    )


TransportKind: TypeAlias = Literal["join", "ssh", "browser"]
"""Endpoint by which a person has come: by a client program, by ssh or in a browser."""
TRANSPORTS: Final[tuple[TransportKind, ...]] = ("join", "ssh", "browser")
TRANSPORT_PHRASES: Final[Mapping[TransportKind, str]] = {"join": "", "ssh": " by ssh", "browser": " in a browser"}
"""End of the line ``NICK joins`` in the host's log, by the transport of the person."""


class ConnectionOrigin(msgspec.Struct, frozen=True):
    """Client's address and the privacy of its connection, as the accepting endpoint knows them."""

    address: str = ""
    is_private: bool = True
    """True if third parties cannot read the connection, because it is encrypted or does not leave this machine."""
    transport: TransportKind = "join"

    @property
    def alternative(self) -> MissingCredential:
        """Credential with which somebody gets in who cannot come as a newcomer, whoever has the nick."""
        return "password" if self.is_private else "nick"


class HostedOrigin(ConnectionOrigin, frozen=True, eq=False):
    """Origin of one client program that the host runs for a person, and the host's record of this program.

    Only the program's own listener stands for it, so nothing that a client sends can claim it. It equals itself only.
    """

    credential: str = ""
    """Token hash or key fingerprint by which the person's device has logged in; empty for a code or password."""


class LoginIdentity(msgspec.Struct, frozen=True):
    """What is known so far about somebody who is logging in: each part can be banned, and has its tries counted."""

    origin: ConnectionOrigin
    nick: str = ""
    player: str = ""
    """Id of the player's profile at the host; empty for a guest, or if it is not known yet."""
    credential: str = ""
    """Hash of a token that the client has, or fingerprint of an ssh key that has signed; empty if there is neither."""

    @property
    def network(self) -> str:
        """Network that counts as one client in limits."""
        return compute_client_network(self.origin.address)

    @property
    def wide_network(self) -> str:
        return compute_wide_network(self.origin.address)

    @property
    def nick_in_network(self) -> str:
        """Key of the tries of one network for one nick."""
        return f"{self.network} {compute_nick_key(self.nick)}"


def create_origin(address: str, *, is_encrypted: bool, transport: TransportKind = "join") -> ConnectionOrigin:
    """Return the origin of a connection, which is private if it is encrypted or comes from this machine."""
    return ConnectionOrigin(address, is_encrypted or is_local(address), transport)


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
    return [enclose_ipv6(address) for address in (_list_own_addresses() if is_unspecified else [host])]


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
    return [ipv4 for ipv4 in addresses if ":" not in ipv4] or addresses or [sanitize(socket.gethostname().lower())]


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
