"""Web server of ``cardtable serve``, which runs a separate program for each browser tab.

A visitor has all rights of the local user. Therefore the server listens only on this machine, unless another address is
requested, and it requires the token in the URL that it prints.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import click
from aiohttp import WSCloseCode, web

from cardtable.club.addresses import binding, find_reachable_addresses, is_local
from cardtable.club.web_terminal import (
    PAGE_FILE,
    SCRIPT_FILE,
    TERMINAL_FOLDER,
    BrowserTab,
    OriginPolicy,
    ProtocolError,
    create_refusal,
    parse_size,
)
from cardtable.workers.server import build_command, build_environment

_TOKEN_MISSING: Final = "Open the address that cardtable serve has printed."  # noqa: S105 - a message


class TokenAuth(OriginPolicy):
    """Checks of the host, origin and token of requests.

    Each check raises ``HTTPForbidden`` if it refuses a request.
    """

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host)
        self._token = secrets.token_urlsafe(16)
        self._cookie_name = f"cardtable-{port}"
        """Name of the cookie, which includes the port because all servers on one machine share their cookies."""
        self.addresses: Final = [
            f"http://{address}:{port}/?token={self._token}" for address in find_reachable_addresses(host)
        ]
        """URLs that give access to the server, because they contain the token, the most likely one first."""

    def check_host(self, request: web.Request) -> None:
        """Check the host and the token of a request.

        The token may be in the query or in the cookie. Raises ``HTTPForbidden`` if host or token is wrong.
        """
        super().check_host(request)
        if not any(map(self._is_token, (request.query.get("token", ""), request.cookies.get(self._cookie_name, "")))):
            raise create_refusal(_TOKEN_MISSING)

    def set_cookie(self, response: web.StreamResponse) -> None:
        """Store the token in a cookie that is hidden from scripts and not sent with requests from other sites."""
        response.set_cookie(self._cookie_name, self._token, httponly=True, samesite="Strict")

    def _is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(errors="replace"), self._token.encode())


GRACE_SECONDS: Final = 1
"""Time in seconds that connections have to close when the server stops."""
_HEARTBEAT_SECONDS: Final = 15


class ServeApp:
    """Web application that runs a separate program in each browser tab."""

    def __init__(self, host: str, port: int, max_tabs: int, arguments: Sequence[str]) -> None:
        """Create the application for an address and port; ``serve`` opens it.

        ``max_tabs`` is the maximum number of open tabs. ``arguments`` are passed to the program in each tab.
        """
        self._command = build_command("cardtable.__main__", *arguments)
        self._host, self._port, self._max_tabs = host, port, max_tabs
        self._auth = TokenAuth(host, port)
        self._tabs: set[web.WebSocketResponse] = set()

    def serve(self) -> None:
        """Serve until the process is interrupted.

        Raises ``BindError`` if the address or port cannot be bound.
        """
        application = web.Application(middlewares=[self._authenticate])
        application.add_routes(
            [
                web.get("/", self._show_page),
                web.get("/ws", self._show_program),
                web.get("/page.js", self._show_script),
                web.static("/static", TERMINAL_FOLDER),
            ]
        )
        application.on_response_prepare.append(self._auth.add_security_headers)
        application.on_shutdown.append(self._close_tabs)
        with binding(self._host, self._port):
            web.run_app(
                application,
                host=self._host,
                port=self._port,
                shutdown_timeout=GRACE_SECONDS,
                print=lambda *_: self._print_address(),
                access_log=None,
            )

    def _print_address(self) -> None:
        """Print the URLs with the token; called once the server listens."""
        click.echo(f"cardtable: open {self._auth.addresses[0]} in a browser; Ctrl+C ends it", err=True)
        for address in self._auth.addresses[1:]:
            click.echo(f"cardtable: or {address}", err=True)
        if not is_local(self._host):
            click.echo("cardtable: anyone who has this address can play as if at this keyboard", err=True)

    @web.middleware
    async def _authenticate(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Check the host and the token of every request before it is handled (middleware)."""
        self._auth.check_host(request)
        return await handler(request)

    async def _show_page(self, _request: web.Request) -> web.StreamResponse:
        page = web.FileResponse(PAGE_FILE, headers={"Cache-Control": "no-cache"})
        self._auth.set_cookie(page)
        return page

    async def _show_script(self, _request: web.Request) -> web.StreamResponse:
        return web.FileResponse(SCRIPT_FILE, headers={"Cache-Control": "no-cache"})

    async def _show_program(self, request: web.Request) -> web.StreamResponse:
        """Run a program in a browser tab until the tab is closed, the program ends or the server stops.

        If the maximum number of tabs is open already, the new tab shows a message instead.
        """
        self._auth.check_origin(request)
        socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_SECONDS, timeout=GRACE_SECONDS)
        await socket.prepare(request)
        if sum(not tab.closed for tab in self._tabs) >= self._max_tabs:
            await socket.close(code=WSCloseCode.TRY_AGAIN_LATER, message=self._format_full_message().encode())
            return socket
        assert request.transport is not None
        self._tabs.add(socket)
        try:
            tab = BrowserTab(socket, request.transport.abort)
            await tab.show(self._command, build_environment(), parse_size(request.query))
        except (ProtocolError, OSError) as error:
            click.echo(f"cardtable: a tab is closed: {error}", err=True)
            await socket.close(code=WSCloseCode.UNSUPPORTED_DATA)
        finally:
            self._tabs.discard(socket)
        return socket

    def _format_full_message(self) -> str:
        if self._max_tabs == 1:
            return "One tab is open already, and no more are allowed: close it first."
        return f"{self._max_tabs} tabs are open already, and no more are allowed: close one of them first."

    async def _close_tabs(self, _application: web.Application) -> None:
        """Close all tabs when the server stops; their programs save everything before they end."""
        await asyncio.gather(*(tab.close(code=WSCloseCode.GOING_AWAY) for tab in self._tabs))
