"""Which requests of browsers a server answers.

The name under which it is reached (``Host``) has to be its own: else the name of a page from elsewhere could be made to
point here.  And a program is shown on a page of this very server only (``Origin``), since browsers send its cookies for
the pages of every other server of the same machine as well.
"""

import re
import socket
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web, web_response

from cardtable.club.addresses import is_address, is_local

_OTHER_NAME: Final = "No card room is open at this address."
_OTHER_PAGE: Final = "This page does not belong to the card room."


CONTENT_SECURITY_POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",  # the terminal writes style elements of its own
        "font-src 'self'",
        "img-src data:",
        "connect-src 'self' {socket}",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
_SOCKET_HOST: Final = re.compile(r"[A-Za-z0-9.:\[\]_-]+")
web_response.SERVER_SOFTWARE = "cardtable"  # type: ignore[attr-defined]  # also of answers to what is no request


async def add_security_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Tell the browser that a page runs only scripts of this server and is shown in no other page."""
    host = request.headers.get("Host", "")
    socket = f"{'wss' if request.secure else 'ws'}://{host}" if _SOCKET_HOST.fullmatch(host) else ""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.format(socket=socket).replace(" ;", ";")
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["X-Frame-Options"] = "DENY"
    response.headers["Referrer-Policy"] = "same-origin"


class OriginPolicy:
    """Judges requests to a server on this host.  Those that are refused get ``HTTPForbidden``."""

    def __init__(self, host: str, *, any_name: bool = False) -> None:
        """``any_name``: a certificate proves that a name is the server's."""
        self._host, self._any_name = host.lower(), any_name

    def judge(self, request: web.Request) -> None:
        """Refuse a request that names another server, or none."""
        if not self.goes_by(request.headers.get("Host", "")):
            raise refusal(_OTHER_NAME)

    def judge_origin(self, request: web.Request) -> None:
        """Refuse a request that does not come from a page of this server."""
        if request.headers.get("Origin", "").partition("://")[2] != request.headers["Host"]:
            raise refusal(_OTHER_PAGE)

    def goes_by(self, netloc: str) -> bool:
        """Return True if the server goes by this name, with or without a port."""
        try:
            name = urlsplit(f"//{netloc}").hostname or ""
        except ValueError:
            return False
        if not name:
            return False
        if is_local(name) or name == self._host:
            return True
        if is_local(self._host):
            return False
        return is_address(name) or name == socket.gethostname().lower() or self._any_name


def refusal(why: str) -> web.HTTPForbidden:
    """A page that says why, also on a small screen."""
    page = f'<!DOCTYPE html><meta name="viewport" content="width=device-width"><title>The Table</title><p>{why}</p>\n'
    return web.HTTPForbidden(text=page, content_type="text/html")
