"""Who is let in where the card room is served to browsers.

The token has to be known, from the address that was printed or from the cookie that came with it.
"""

import secrets
from typing import Final

from aiohttp import web

from cardtable.club.addresses import reached_at
from cardtable.club.browser.page_gate import PageGate, refusal

_STRANGER: Final = "Open the address that cardtable serve has printed."


class Doorkeeper(PageGate):
    """Judges requests to a server on this host and port.  Those who are refused get ``HTTPForbidden``."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host)
        self._token = secrets.token_urlsafe(16)
        self._cookie = f"cardtable-{port}"
        """With the port, since the servers of one machine share their cookies."""
        self.address: Final = f"http://{reached_at(host.lower())}:{port}/?token={self._token}"
        """Where a browser finds the room, with the token."""

    def judge(self, request: web.Request) -> None:
        """Whether the request may be answered at all."""
        super().judge(request)
        if not any(map(self._is_token, (request.query.get("token", ""), request.cookies.get(self._cookie, "")))):
            raise refusal(_STRANGER)

    def remember(self, response: web.StreamResponse) -> None:
        """Let the browser keep the token, where neither scripts nor pages from elsewhere can use it."""
        response.set_cookie(self._cookie, self._token, httponly=True, samesite="Strict")

    def _is_token(self, said: str) -> bool:
        return secrets.compare_digest(said.encode(errors="replace"), self._token.encode())
