"""Proxy of the environment through which a client reaches a club on the internet.

Clubs on this machine and in private networks are always reached directly.
"""

from typing import Final, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from websockets.exceptions import InvalidProxy, ProxyError

from cardtable.club.addresses import is_private
from cardtable.engine.text_format import sanitize


class Proxy(NamedTuple):
    """HTTP or SOCKS proxy."""

    url: str
    source: str
    """Variable that names the proxy, or the settings of the system."""
    host: str
    """Host that is reached through the proxy."""


PROXY_ERRORS: Final = (ImportError, ValueError, InvalidProxy, ProxyError, OSError)
"""Errors of websockets if a connection through a proxy cannot be opened, before the club has answered."""


class ProxyFailure(ConnectionError):
    """Raised if a club cannot be reached because of a proxy; the message tells the player what to do."""

    def __init__(self, proxy: Proxy, cause: Exception) -> None:
        match cause:
            case ImportError():
                reason = "needs the Python package python-socks"
            case ProxyError():
                reason = "lets nobody through to this address"
            case OSError():
                reason = "does not answer"
            case _:
                reason = "has no valid address"
        name = sanitize(proxy.url.rpartition("@")[2], 60)  # without name and password
        super().__init__(f"the proxy {name} ({proxy.source}) {reason}; no_proxy={proxy.host} goes around it")


def find_proxy(url: str) -> Proxy | None:
    """Return the proxy for the WebSocket URL of a club, or ``None`` if the club is reached directly.

    The variables are those of RFC 6455 and urllib: ``socks_proxy`` before ``https_proxy``, and ``http_proxy`` for
    connections without TLS only. ``no_proxy`` names hosts that are reached directly.
    """
    address = urlsplit(url)
    host, is_encrypted = address.hostname or "", address.scheme == "wss"
    if is_private(host) or proxy_bypass(f"{host}:{address.port}"):
        return None
    proxies = getproxies()
    kinds = ("wss", "socks", "https", "all") if is_encrypted else ("ws", "socks", "https", "http", "all")
    kind = next((each for each in kinds if each in proxies), None)
    if kind is None:
        return None
    scheme, _, name = proxies[kind].rpartition("://")
    if kind == "socks" and scheme in ("", "http"):
        scheme = "socks5h"
    source = f"{kind}_proxy" if kind in getproxies_environment() else "the settings of the system"
    return Proxy(f"{scheme or 'http'}://{name}", source, host)
