"""Who is let in where the card room is served to browsers.

Three things are asked.  The name under which the server is reached (``Host``) has to be its own: else the name of a
page from elsewhere could be made to point here.  The token has to be known, from the address that was printed or from
the cookie that came with it.  And a program is shown on a page of this very server only (``Origin``), since browsers
send the cookie for the pages of every other server of this machine as well.
"""

import secrets
import socket
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from cardtable.club.addresses import is_address, is_local, reached_at

_STRANGER: Final = "Open the address that cardtable serve has printed."
_OTHER_NAME: Final = "The card room that cardtable serve has opened is not at this address."
_OTHER_PAGE: Final = "This page does not belong to the card room."


class Doorkeeper:
    """Judges requests to a server on this host and port.  Those who are refused get ``HTTPForbidden``."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host.lower(), port
        self._token = secrets.token_urlsafe(16)
        self._cookie = f"cardtable-{port}"
        """With the port, since the servers of one machine share their cookies."""

    @property
    def address(self) -> str:
        """Where a browser finds the room, with the token."""
        return f"http://{reached_at(self._host)}:{self._port}/?token={self._token}"

    def judge(self, request: web.Request) -> None:
        """Whether the request may be answered at all."""
        if not self.goes_by(request.headers.get("Host", "")):
            raise _refusal(_OTHER_NAME)
        if not any(map(self._is_token, (request.query.get("token", ""), request.cookies.get(self._cookie, "")))):
            raise _refusal(_STRANGER)

    def judge_origin(self, request: web.Request) -> None:
        """Whether the request comes from a page that this server has given out."""
        if request.headers.get("Origin", "").partition("://")[2] != request.headers["Host"]:
            raise _refusal(_OTHER_PAGE)

    def remember(self, response: web.StreamResponse) -> None:
        """Let the browser keep the token, where neither scripts nor pages from elsewhere can use it."""
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="Strict")

    def goes_by(self, netloc: str) -> bool:
        """Whether the server goes by this name, with or without a port."""
        try:
            name = urlsplit(f"//{netloc}").hostname or ""
        except ValueError:
            return False
        if is_local(name) or name == self._host:
            return True
        return not is_local(self._host) and (is_address(name) or name == socket.gethostname().lower())

    def _is_token(self, said: str) -> bool:
        return secrets.compare_digest(said.encode(errors="replace"), self._token.encode())


def _refusal(why: str) -> web.HTTPForbidden:
    """A page that says why, also on a small screen."""
    page = f'<!DOCTYPE html><meta name="viewport" content="width=device-width"><title>The Table</title><p>{why}</p>\n'
    return web.HTTPForbidden(text=page, content_type="text/html")
