"""Endpoint of a club for browsers; each tab shows a client program that runs at the host.

The login is a page of its own, so that no program is started before it, and wrong tries count for the browser's
address. A cookie contains the token for the next visit.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from html import escape
from ssl import SSLContext
from typing import Final
from urllib.parse import parse_qs, quote, unquote

from aiohttp import WSCloseCode, web

from cardtable.club.addresses import ConnectionOrigin, connection_origin
from cardtable.club.client.client import READABLE
from cardtable.club.server.hosted_clients import CapacityError, HostedClients
from cardtable.club.server.limits import (
    LoginError,
    PendingConnection,
    PendingConnections,
    PendingProtocol,
    most_pending,
)
from cardtable.club.web.browser_tab import PAGE, SCRIPT, TERMINAL, BrowserTab, ProtocolError, parse_size
from cardtable.club.web.origin_check import OriginPolicy, add_security_headers, refusal
from cardtable.store import paths

PATIENCE: Final = 15.0
"""Time in seconds in which a request must arrive, and after which an idle connection is closed."""
MOST_BYTES: Final = 4096
"""Maximum size of the submitted login form, in bytes."""
MOST_TYPED: Final = 64 * 1024
"""Maximum size of a frame from a tab, in bytes."""
ALIVE: Final = 20.0
GRACE_SECONDS: Final = 3.0
"""Time in seconds for a client program to end after its tab has closed, and for a tab to close."""
_GOODBYE: Final = 1.0
_YEAR: Final = 365 * 24 * 3600
_LOGIN_PAGE: Final = paths.get_shipped_path("club", "browser", "coming_in.html").read_text(encoding="utf-8")
_UNREADABLE: Final = "The card room cannot read this request."
_OTHER_LOGIN_LINK: Final = '<a href="/?anew">Come in as somebody else</a>'


class WebEndpoint:
    """Endpoint of one club for browsers.

    Each tab gets a client process, which connects to the WebSocket endpoint.
    """

    def __init__(self, programs: HostedClients, club: str, host: str, ssl: SSLContext | None) -> None:
        """Create the endpoint for a host name or address; ``listen`` opens it.

        ``club_name`` is shown on the login page. ``ssl`` contains the certificate; ``None`` means that connections are
        not encrypted.
        """
        self._programs, self._members = programs, programs.members
        self._club, self._host, self._ssl = club, host, ssl
        self._gate = OriginPolicy(host, any_name=ssl is not None)
        self._cookie = ""
        """Name of the cookie; it contains the port, since all servers at one host name share their cookies."""
        self._tabs: dict[web.WebSocketResponse, asyncio.Future[None]] = {}
        self._closed = ""
        """Reason why the endpoint has been closed; empty while it is open."""

    @asynccontextmanager
    async def listen(self, port: int, why: str) -> AsyncIterator[int]:
        """Listen while the context is active, and yield the port, which differs from ``port`` if that is 0.

        On exit all tabs are closed and show ``close_reason``. Raises ``OSError`` if the port cannot be bound.
        """
        app = web.Application(middlewares=[self._check_request], client_max_size=MOST_BYTES)
        app.add_routes(
            [
                web.get("/", self._show_page),
                web.post("/", self._log_in),
                web.get("/ws", self._show_program),
                web.get("/page.js", _show_script),
                web.static("/static", TERMINAL),
            ]
        )
        app.on_response_prepare.append(add_security_headers)
        runner = web.AppRunner(app, shutdown_timeout=_GOODBYE)
        await runner.setup()
        try:
            server = await self._serve(runner, port)
            try:
                bound: int = server.sockets[0].getsockname()[1]
                self._cookie = f"cardtable-club-{bound}"
                yield bound
            finally:
                server.close()
                await self._close(why)
        finally:
            await runner.cleanup()

    async def _serve(self, runner: web.AppRunner, port: int) -> asyncio.Server:
        """Return a server that listens at a port and counts its connections as pending.

        Raises ``OSError`` if the port cannot be bound.
        """
        server, loop = runner.server, asyncio.get_running_loop()
        assert server is not None

        class Connection(_Connection):
            door, tls = PendingConnections(most_pending() // 2), self._ssl  # half: each may open a file, too

        return await loop.create_server(
            lambda: Connection(server, loop=loop, keepalive_timeout=PATIENCE),
            self._host,
            port,
            backlog=most_pending(),
        )

    async def _close(self, why: str) -> None:
        self._closed = why
        for tab in [*self._tabs]:
            await tab.close(code=WSCloseCode.GOING_AWAY, message=why.encode())
        if self._tabs:
            await asyncio.wait([*self._tabs.values()])

    @web.middleware
    async def _check_request(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Check the host of a request, and wait for its body, before the request is handled (middleware)."""
        self._gate.check_host(request)
        try:
            async with asyncio.timeout(PATIENCE):
                await request.read()
        except TimeoutError:
            raise refusal(_UNREADABLE) from None
        _pending(request).count()  # moves it to the newest place
        return await handler(request)

    # Login

    def _origin(self, request: web.Request) -> ConnectionOrigin:
        return connection_origin(request.remote or "", encrypted=self._ssl is not None, how="by browser")

    def _nick_of_cookie(self, request: web.Request) -> str | None:
        """Log in with the token in the browser's cookie, and return the nick; return ``None`` if there is no cookie.

        Raises ``LoginError`` if the token is not valid.
        """
        nick, _, token = unquote(request.cookies.get(self._cookie, "")).partition(" ")
        if not token:
            return None
        return self._members.enter_by_token(nick[:64], token[:64]).nick

    async def _show_page(self, request: web.Request) -> web.StreamResponse:
        """Answer a logged-in browser with the page that contains the terminal, and others with the login form.

        With ``anew`` in the query the login form is always shown.
        """
        why = ""
        try:
            if "anew" not in request.query and self._nick_of_cookie(request):
                page = await asyncio.to_thread(PAGE.read_text, encoding="utf-8")
                return _page(page.replace("<!-- more -->", _OTHER_LOGIN_LINK))
        except LoginError as error:
            why = str(error)
        return self._login_form(request, {}, why)

    async def _log_in(self, request: web.Request) -> web.StreamResponse:
        """Handle a submitted login form.

        If the login succeeds, the token is stored in the cookie; otherwise the form is shown again with the reason.
        """
        self._gate.check_origin(request)
        try:
            typed = parse_qs((await request.read()).decode(errors="replace"), max_num_fields=8)
        except ValueError:
            raise refusal(_UNREADABLE) from None
        said = {name: values[0].strip()[:200] for name, values in typed.items()}
        nick, code, password = (said.get(name, "") for name in ("nick", "code", "password"))
        try:
            client_origin = self._origin(request)
            with _pending(request).exempt():
                person, token = await self._members.log_in(nick[:64], client_origin, code=code[:64], password=password)
        except LoginError as error:
            return self._login_form(request, said, str(error), password=error.missing == "password")
        in_ = web.Response(status=303, headers={"Location": "/"})
        in_.set_cookie(
            self._cookie,
            quote(f"{person.nick} {token}"),
            max_age=_YEAR,
            httponly=True,
            samesite="Strict",
            secure=self._ssl is not None,
        )
        return in_

    def _login_form(
        self, request: web.Request, said: dict[str, str], why: str, *, password: bool = False
    ) -> web.Response:
        """Return a page with the login form, with status 403 if a login was refused.

        ``form_values`` are the submitted values by name of the field, which are filled in except for the password.
        ``reason`` states why the login was refused; it is empty at the first attempt. ``asks_password`` is True if the
        nick needs a password.
        """
        fields = [("nick", "Your nick, 3 to 8 letters or digits", "text")]
        if self._members.code:
            fields.append(("code", "The code of the club", "text"))
        if password:
            fields.append(("password", f"The password of {said.get('nick', '')}", "password"))
        inputs = [
            f'<label>{escape(label)}<input name="{name}" type="{kind}" autocomplete="off" autocapitalize="none"'
            f' value="{escape(said.get(name, "")) if kind == "text" else ""}"></label>'
            for name, label, kind in fields
        ]
        page = _LOGIN_PAGE.replace("<!-- club -->", escape(self._club)).replace("<!-- fields -->", "".join(inputs))
        page = page.replace("<!-- readable -->", "" if self._origin(request).secret else READABLE)
        return _page(page.replace("<!-- why -->", escape(why)), 403 if why else 200)

    # Client process

    async def _show_program(self, request: web.Request) -> web.StreamResponse:
        """Run a client program in a tab until the tab is closed, the program ends or the club closes."""
        self._gate.check_origin(request)
        try:
            nick = self._nick_of_cookie(request)
        except LoginError as error:
            raise refusal(str(error)) from None
        if nick is None or self._closed:
            raise refusal(self._closed or "Say who you are first.")
        tab = web.WebSocketResponse(heartbeat=ALIVE, timeout=_GOODBYE, max_msg_size=MOST_TYPED)
        await tab.prepare(request)
        transport = request.transport
        assert transport is not None
        done = self._tabs[tab] = asyncio.get_running_loop().create_future()

        async def end(why: str) -> None:
            try:
                async with asyncio.timeout(GRACE_SECONDS):
                    await tab.close(code=WSCloseCode.GOING_AWAY, message=why.encode())
            except TimeoutError:  # the page does not read
                transport.abort()

        try:
            async with self._programs.reserve_place(nick, self._origin(request), end) as environment:
                if transport.is_closing():  # the tab was closed while it waited for the place
                    return tab
                with _pending(request).exempt():
                    size = parse_size(request.query)
                    await BrowserTab(tab, transport.abort).show(
                        self._programs.command, environment, size, patience=GRACE_SECONDS, of_guest=True
                    )
        except CapacityError as full:
            await tab.close(code=WSCloseCode.TRY_AGAIN_LATER, message=str(full).encode())
        except (ProtocolError, OSError):
            await tab.close(code=WSCloseCode.UNSUPPORTED_DATA)
        finally:
            del self._tabs[tab]
            done.set_result(None)
        return tab


class _Connection(PendingProtocol, web.RequestHandler):
    """Connection of a browser, which counts as pending unless its tab shows a client program."""


def _pending(request: web.Request) -> PendingConnection:
    connection = request.protocol
    assert isinstance(connection, _Connection)
    return connection.pending


def _page(page: str, status: int = 200) -> web.Response:
    """Return a page that browsers must not store."""
    return web.Response(text=page, status=status, content_type="text/html", headers={"Cache-Control": "no-store"})


async def _show_script(_request: web.Request) -> web.StreamResponse:
    return web.FileResponse(SCRIPT, headers={"Cache-Control": "no-cache"})
