"""``cardtable serve``: the card room in a browser, each tab a program of its own.

Whoever reaches the server sits at this keyboard.  So it listens on this machine only, unless another
address is asked for, and answers no page but its own: neither one from elsewhere that tries to connect
(its ``Origin`` tells), nor one whose name has been made to point here (the ``Host`` tells).
"""

import asyncio
import shlex
import sys
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from subprocess import list2cmdline
from typing import Any, Final
from urllib.parse import urlsplit

import click
from aiohttp import web
from textual_serve.server import Server

_PAGE: Final = Path(__file__).parent / "browser_page"
_LOCAL: Final = "localhost"
GRACE_SECONDS: Final = 1
"""How long a browser has to take leave."""


class RoomServer(Server):
    """Serves the program that ``arguments`` start."""

    def __init__(self, host: str, port: int, arguments: Sequence[str]) -> None:
        words = [sys.executable, "-m", "cardtable", *arguments]
        windows = sys.platform == "win32"
        super().__init__(
            list2cmdline(words) if windows else f"exec {shlex.join(words)}",
            host,
            port,
            title="The Table",
            templates_path=_PAGE,
        )
        self._tabs: set[asyncio.Task[Any]] = set()

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Play in one tab, until it is closed or the server is."""
        if not self._is_own(request):
            raise web.HTTPForbidden(text="This page does not belong to the card room.")
        tab = asyncio.current_task()
        assert tab is not None
        self._tabs.add(tab)
        try:
            return await super().handle_websocket(request)
        finally:
            self._tabs.discard(tab)

    def _is_own(self, request: web.Request) -> bool:
        """Whether the request comes from the page that this server has given out."""
        origin = urlsplit(request.headers.get("Origin", "")).netloc
        return origin == request.host and (not is_local(self.host) or is_local(urlsplit(f"//{origin}").hostname or ""))

    def serve(self, debug: bool = False) -> None:  # noqa: ARG002 - what a server can be asked for
        """Serve until interrupted.  Raises ``OSError`` where the address cannot be used."""
        web.run_app(
            self._make_app(),
            host=self.host,
            port=self.port,
            shutdown_timeout=GRACE_SECONDS,
            print=lambda *_: self._tell(),
            access_log=None,
        )

    def _tell(self) -> None:
        """Say where it is, once it listens there."""
        click.echo(f"cardtable: open {self.public_url} in a browser; Ctrl+C ends it", err=True)
        if not is_local(self.host):
            click.echo(f"cardtable: whoever reaches {self.host} sits at this keyboard", err=True)

    async def on_startup(self, _app: web.Application) -> None:
        """Nothing is said before it listens."""

    async def on_shutdown(self, _app: web.Application) -> None:
        """Close the tabs, whose programs keep everything."""
        for tab in self._tabs:
            tab.cancel()


def is_local(host: str) -> bool:
    """Whether a name or an address is of this machine only."""
    try:
        return host == _LOCAL or ip_address(host).is_loopback
    except ValueError:
        return False


def run(host: str, port: int, arguments: Sequence[str]) -> None:
    """Serve the program, started with these arguments, until interrupted.

    Raises ``OSError`` where the address cannot be used.
    """
    RoomServer(host, port, arguments).serve()
