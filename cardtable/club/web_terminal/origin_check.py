"""Check of the ``Host`` and ``Origin`` headers of browser requests.

``Host`` must be a name of this server. Otherwise a name of another site could be made to resolve to this machine, and a
page of that site could read the answers (DNS rebinding). A program is shown only to a page of this very server, which
``Origin`` states, because browsers send its cookies with requests from the pages of all servers on the same machine.
"""

import re
import socket
from contextlib import suppress
from html import escape
from threading import Thread
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web, web_response

from cardtable.club.addresses import is_ip_address, is_local

_WRONG_HOST: Final = "No card room is open at this address."
_WRONG_ORIGIN: Final = "This page does not belong to the card room."


CONTENT_SECURITY_POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the terminal emulator adds style elements
        "font-src 'self'",
        "img-src data:",
        "connect-src 'self' {socket}",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
_SOCKET_HOST: Final = re.compile(r"[A-Za-z0-9.:\[\]_-]+")
web_response.SERVER_SOFTWARE = "cardtable"  # type: ignore[attr-defined]  # also in answers to invalid requests


class OriginPolicy:
    """Checks of requests to one server by their ``Host`` and ``Origin`` headers."""

    def __init__(self, host: str, *, accept_any_name: bool = False, public_origin: str = "") -> None:
        """Create the checks of a server that listens at ``host``.

        With ``accept_any_name`` every host name is accepted, unless the server is local. This is safe with TLS, because
        the certificate proves that the name is the server's. ``public_origin`` is the origin of its pages, in the form
        that browsers send, if they reach it under another name; it is empty otherwise.
        """
        self._host, self._accept_any_name = host.lower(), accept_any_name
        self._public_origin = public_origin
        self._public_name = _parse_name(public_origin.partition("://")[2])
        self._own_names = _find_own_names()
        if not is_local(self._host):
            Thread(target=self._add_full_name, daemon=True).start()

    def check_host(self, request: web.Request) -> None:
        """Raise ``HTTPForbidden`` unless the ``Host`` header of a request is a name of this server."""
        if not self.is_own_name(request.headers.get("Host", "")):
            raise create_refusal(_WRONG_HOST)

    def check_origin(self, request: web.Request) -> None:
        """Raise ``HTTPForbidden`` unless the ``Origin`` header of a request is that of a page of this server.

        It must be the public origin, with its scheme and port, or name the server in the ``Host`` header under any
        other name. A request without ``Origin`` is refused, too. ``check_host`` must have accepted the request.
        """
        origin, host = request.headers.get("Origin", ""), request.headers["Host"]
        if origin and origin == self._public_origin:
            return
        if origin.partition("://")[2] != host or _parse_name(host) == self._public_name:
            raise create_refusal(_WRONG_ORIGIN)

    async def add_security_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add headers that allow only scripts of this server and forbid other sites to show the page in a frame.

        It is a handler for aiohttp's ``on_response_prepare`` signal.
        """
        host = request.headers.get("Host", "")
        socket = f"{'wss' if request.secure else 'ws'}://{host}" if _SOCKET_HOST.fullmatch(host) else ""
        if self._public_origin:
            socket += f" ws{self._public_origin.removeprefix('http')}"
        response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.format(socket=socket).replace(" ;", ";")
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["X-Frame-Options"] = "DENY"
        response.headers["Referrer-Policy"] = "same-origin"

    def is_own_name(self, netloc: str) -> bool:
        """Return True if ``netloc``, which may include a port, is a name or address of this server.

        Local names and the public name are always accepted, and a server at a local address accepts no others. Any
        other server accepts every numeric address, the names of this machine and the name it listens at.
        """
        name = _parse_name(netloc)
        if not name:
            return False
        if is_local(name) or name in (self._host, self._public_name):
            return True
        if is_local(self._host):
            return False
        return is_ip_address(name) or name in self._own_names or self._accept_any_name

    def _add_full_name(self) -> None:
        """Add the full name that the network has given this machine; looking it up can take seconds without DNS."""
        with suppress(UnicodeError):  # an impossible host name
            self._own_names |= {socket.getfqdn().lower()}


def _parse_name(netloc: str) -> str:
    """Return the host name or address in ``netloc``, without a final dot; return an empty string if there is none."""
    try:
        return (urlsplit(f"//{netloc}").hostname or "").removesuffix(".")
    except ValueError:
        return ""


def _find_own_names() -> frozenset[str]:
    """Return the host name of this machine, and its name in multicast DNS (RFC 6762), which no other network can use.

    All are in lower case, and a host name with a domain is also returned without it.
    """
    full_name = socket.gethostname().lower()
    name = full_name.partition(".")[0]
    return frozenset({full_name, name, f"{name}.local"})


def create_refusal(reason: str) -> web.HTTPForbidden:
    """Return an error page with status 403 that states a reason."""
    head = '<!DOCTYPE html><meta name="viewport" content="width=device-width"><title>The Table</title>'
    return web.HTTPForbidden(text=f"{head}<p>{escape(reason)}</p>\n", content_type="text/html")
