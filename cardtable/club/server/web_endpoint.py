"""Endpoint of a club for browsers; each tab shows a client program that runs at the host.

The login is a page of its own, so that no program is started before it, and wrong tries count for the browser's
address. A cookie contains the token for the next visit.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import parse_qs, quote, unquote

from aiohttp import WSCloseCode, web

from cardtable.club import web_terminal
from cardtable.club.addresses import READABLE_CONNECTION_WARNING, ConnectionOrigin, LoginIdentity
from cardtable.club.protocol import hash_token
from cardtable.club.server import connections, host_events
from cardtable.club.server.hosted_clients import CapacityError, HostedClients
from cardtable.club.server.limits import LoginError
from cardtable.club.server.server_options import Certificate
from cardtable.store import paths
from cardtable.store.seating import NICK_LENGTHS, is_same_nick, normalize_nick

REQUEST_TIMEOUT: Final = 15.0
"""Time in seconds in which a request must arrive, and after which an idle connection is closed."""
MAX_FORM_BYTES: Final = 4096
"""Maximum size of the submitted login form, in bytes."""
MAX_FRAME_BYTES: Final = 64 * 1024
"""Maximum size of a frame from a tab, in bytes."""
PING_SECONDS: Final = 20.0
GRACE_SECONDS: Final = 3.0
"""Time in seconds for a client program to end after its tab has closed, and for a tab to close."""
_CLOSE_TIMEOUT: Final = 1.0
_COOKIE_SECONDS: Final = 365 * 24 * 3600
_LOGIN_PAGE: Final = paths.get_shipped_path("club", "web_pages", "coming_in.html").read_text(encoding="utf-8")
_LOGIN_SCRIPT_FILE: Final = paths.get_shipped_path("club", "web_pages", "login.js")
_INVALID_REQUEST: Final = "The card room cannot read this request."
_OTHER_LOGIN_LINK: Final = '<a href="/?anew">Join as somebody else</a>'


class WebEndpoint:
    """Endpoint of one club for browsers.

    Each tab gets a client process, which connects to the WebSocket endpoint.
    """

    def __init__(
        self,
        hosted_clients: HostedClients,
        club_name: str,
        host: str,
        certificate: Certificate | None,
        *,
        trusted_proxies: connections.TrustedProxies = connections.NO_PROXIES,
        public_url: str = "",
    ) -> None:
        """Create the endpoint for a host name or address; ``listen`` opens it.

        ``club_name`` is shown on the login page. If ``certificate`` is ``None``, connections are not encrypted.
        A request of one of ``trusted_proxies`` counts for the client that it names. ``public_url`` is the address by
        which browsers reach the endpoint through proxies, without a path; it is empty if there is none.
        """
        self._hosted_clients = hosted_clients
        self._accounts, self._authenticator = hosted_clients.accounts, hosted_clients.authenticator
        self._emit = hosted_clients.emit
        self._club_name, self._host, self._certificate = club_name, host, certificate
        self._proxies = trusted_proxies
        self._origin_policy = web_terminal.OriginPolicy(
            host, accept_any_name=certificate is not None, public_origin=public_url
        )
        self._cookie_name = ""
        """Name of the cookie; it contains the port, since all servers at one host name share their cookies."""
        self._tabs: dict[web.WebSocketResponse, asyncio.Future[None]] = {}
        self._close_reason: str | None = None
        """Reason why the endpoint has been closed; ``None`` while it is open."""

    @asynccontextmanager
    async def listen(self, port: int, close_reason: str) -> AsyncIterator[int]:
        """Listen while the context is active, and yield the port, which differs from ``port`` if that is 0.

        On exit all tabs are closed and show ``close_reason``. Raises ``OSError`` if the port cannot be bound.
        """
        app = web.Application(middlewares=[self._check_request], client_max_size=MAX_FORM_BYTES)
        app.add_routes(
            [
                web.get("/", self._show_page),
                web.post("/", self._log_in),
                web.get("/ws", self._show_program),
                web.get("/page.js", partial(_show_file, web_terminal.SCRIPT_FILE)),
                web.get("/login.js", partial(_show_file, _LOGIN_SCRIPT_FILE)),
                web.static("/static", web_terminal.TERMINAL_FOLDER),
            ]
        )
        app.on_response_prepare.append(self._origin_policy.add_security_headers)
        runner = web.AppRunner(app, shutdown_timeout=_CLOSE_TIMEOUT)
        await runner.setup()
        try:
            server = await self._create_server(runner, port)
            try:
                bound: int = server.sockets[0].getsockname()[1]
                self._cookie_name = f"cardtable-club-{bound}"
                yield bound
            finally:
                server.close()
                await self._close(close_reason)
        finally:
            await runner.cleanup()

    async def _create_server(self, runner: web.AppRunner, port: int) -> asyncio.Server:
        """Return a server that listens at a port and counts its connections as pending.

        Raises ``OSError`` if the port cannot be bound.
        """
        server, loop = runner.server, asyncio.get_running_loop()
        assert server is not None

        class Connection(_Connection):
            # half, since each may open a file, too
            pending_connections = connections.PendingConnections(
                connections.compute_max_pending() // 2, partial(self._emit, host_events.ConnectionDropped("browser"))
            )
            tls, proxies = self._certificate, self._proxies

        return await loop.create_server(
            lambda: Connection(server, loop=loop, keepalive_timeout=REQUEST_TIMEOUT),
            self._host,
            port,
            backlog=connections.compute_max_pending(),
        )

    async def _close(self, reason: str) -> None:
        self._close_reason = reason
        for tab in [*self._tabs]:
            await tab.close(code=WSCloseCode.GOING_AWAY, message=reason.encode())
        if self._tabs:
            await asyncio.wait([*self._tabs.values()])

    @web.middleware
    async def _check_request(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        """Check host and address of a request, and wait for its body, before it is handled (middleware)."""
        self._origin_policy.check_host(request)
        try:
            self._accounts.bans.check(LoginIdentity(self._get_origin(request)))
        except LoginError as error:
            raise web_terminal.create_refusal(str(error)) from None
        try:
            async with asyncio.timeout(REQUEST_TIMEOUT):
                await request.read()
        except TimeoutError:
            self._emit(host_events.ConnectionDropped("browser"))
            raise web_terminal.create_refusal(_INVALID_REQUEST) from None
        _get_pending_connection(request).count_for(self._get_origin(request).address)  # moves it to the newest place
        return await handler(request)

    # Login

    def _get_origin(self, request: web.Request) -> ConnectionOrigin:
        return self._proxies.create_origin(
            request.remote or "",
            lambda name: request.headers.getall(name, []),
            is_encrypted=self._certificate is not None,
            transport="browser",
        )

    def _authenticate_cookie(self, request: web.Request) -> str | None:
        """Log in with the token in the browser's cookie, and return the nick; return ``None`` if there is no cookie.

        Raises ``LoginError`` if the token is not valid or the person is banned.
        """
        nick, token = self._read_cookie(request)
        identity = LoginIdentity(self._get_origin(request), nick)
        return self._authenticator.log_in_by_token(identity, token).nick if token else None

    def _read_cookie(self, request: web.Request) -> tuple[str, str]:
        """Return the nick and the token in the browser's cookie; both are empty if there is none."""
        nick, _, token = unquote(request.cookies.get(self._cookie_name, "")).partition(" ")
        return (nick[:64], token[:64]) if token else ("", "")

    async def _show_page(self, request: web.Request) -> web.StreamResponse:
        """Answer a logged-in browser with the page that contains the terminal, and others with the login form.

        With ``anew`` in the query the login form is always shown.
        """
        reason, form_values = "", dict[str, str]()
        try:
            if "anew" not in request.query and self._authenticate_cookie(request):
                page = await asyncio.to_thread(web_terminal.PAGE_FILE.read_text, encoding="utf-8")
                return _create_page_response(page.replace("<!-- more -->", _OTHER_LOGIN_LINK))
        except LoginError as error:
            self._emit(host_events.create_login_refusal("browser", error))
            reason, form_values["nick"] = str(error), self._read_cookie(request)[0]
        return self._create_login_page(request, form_values, reason)

    async def _log_in(self, request: web.Request) -> web.StreamResponse:
        """Handle a submitted login form.

        If the login succeeds, the token is stored in the cookie; otherwise the form is shown again with the reason. A
        browser whose token is suspended comes in with the club's code.
        """
        self._origin_policy.check_origin(request)
        try:
            typed = parse_qs((await request.read()).decode(errors="replace"), max_num_fields=8)
        except ValueError:
            raise web_terminal.create_refusal(_INVALID_REQUEST) from None
        form_values = {name: values[0].strip()[:200] for name, values in typed.items()}
        nick, code, password = (form_values.get(name, "") for name in ("nick", "code", "password"))
        try:
            known_nick, known_token = self._read_cookie(request)
            is_own = is_same_nick(known_nick, normalize_nick(nick))
            identity = LoginIdentity(
                self._get_origin(request), nick[:64], credential=hash_token(known_token).hex() if is_own else ""
            )
            with _get_pending_connection(request).suspend_counting():
                person, token = await self._authenticator.log_in(identity, code=code[:64], password=password)
        except LoginError as error:
            self._emit(host_events.create_login_refusal("browser", error))
            return self._create_login_page(request, form_values, str(error))
        method: host_events.LoginMethod = "password" if person.is_member and password else "code"
        self._emit(host_events.LoggedIn("browser", method if token else "token"))
        response = web.Response(status=303, headers={"Location": "/"})
        response.set_cookie(
            self._cookie_name,
            quote(f"{person.nick} {token or known_token}"),
            max_age=_COOKIE_SECONDS,
            httponly=True,
            samesite="Strict",
            secure=request.headers["Origin"].startswith("https://"),
        )
        return response

    def _create_login_page(self, request: web.Request, form_values: dict[str, str], reason: str) -> web.Response:
        """Return a page with the login form, which is the same for every nick; its status is 403 after a refusal.

        ``form_values`` are the submitted values by name of the field, which are filled in except for the password.
        ``reason`` states why the login was refused; it is empty at the first attempt.
        """
        code = "The code of the club, or your own word" if self._accounts.code else "Your own word, if you have one"
        fields = (
            ("nick", f"Your nick, {NICK_LENGTHS}", "text"),
            ("code", code, "text"),
            ("password", "Your password, if you have one here", "password"),
        )
        inputs = [
            f'<label>{escape(label)}<input name="{name}" type="{kind}" autocomplete="off" autocapitalize="none"'
            f' value="{escape(form_values.get(name, "")) if kind == "text" else ""}"></label>'
            for name, label, kind in fields
        ]
        page = _LOGIN_PAGE.replace("<!-- club -->", escape(self._club_name)).replace("<!-- fields -->", "".join(inputs))
        page = page.replace(
            "<!-- readable -->", "" if self._get_origin(request).is_private else READABLE_CONNECTION_WARNING
        )
        return _create_page_response(page.replace("<!-- why -->", escape(reason)), 403 if reason else 200)

    # Client process

    async def _show_program(self, request: web.Request) -> web.StreamResponse:
        """Run a client program in a tab until the tab is closed, the program ends or the club closes."""
        self._origin_policy.check_origin(request)
        try:
            nick = self._authenticate_cookie(request)
        except LoginError as error:
            self._emit(host_events.create_login_refusal("browser", error))
            raise web_terminal.create_refusal(str(error)) from None
        if nick is None or self._close_reason:
            raise web_terminal.create_refusal(self._close_reason or "Say who you are first.")
        tab = web.WebSocketResponse(heartbeat=PING_SECONDS, timeout=_CLOSE_TIMEOUT, max_msg_size=MAX_FRAME_BYTES)
        await tab.prepare(request)
        transport = request.transport
        assert transport is not None
        done = self._tabs[tab] = asyncio.get_running_loop().create_future()

        async def close_tab(reason: str) -> None:
            try:
                async with asyncio.timeout(GRACE_SECONDS):
                    await tab.close(code=WSCloseCode.GOING_AWAY, message=reason.encode())
            except TimeoutError:  # the page does not read
                transport.abort()

        try:
            credential = hash_token(self._read_cookie(request)[1]).hex()
            async with self._hosted_clients.reserve_slot(
                nick, self._get_origin(request), credential, close_tab
            ) as client:
                if transport.is_closing():  # the tab was closed while it waited for the place
                    return tab
                with _get_pending_connection(request).suspend_counting():
                    size = web_terminal.parse_size(request.query)
                    has_crashed = await web_terminal.BrowserTab(tab, transport.abort).show(
                        *client, size, kill_delay=GRACE_SECONDS, is_hosted_client=True
                    )
                    if has_crashed:
                        self._emit(host_events.ProgramCrashed(nick))
        except CapacityError as full:
            await tab.close(code=WSCloseCode.TRY_AGAIN_LATER, message=str(full).encode())
        except (web_terminal.ProtocolError, OSError):
            await tab.close(code=WSCloseCode.UNSUPPORTED_DATA)
        finally:
            del self._tabs[tab]
            done.set_result(None)
        return tab


class _Connection(connections.PendingProtocol, web.RequestHandler):
    """Connection of a browser, which counts as pending unless its tab shows a client program."""


def _get_pending_connection(request: web.Request) -> connections.PendingConnection:
    connection = request.protocol
    assert isinstance(connection, _Connection)
    return connection.pending


def _create_page_response(html: str, status: int = 200) -> web.Response:
    return web.Response(text=html, status=status, content_type="text/html", headers={"Cache-Control": "no-store"})


async def _show_file(file: Path, _request: web.Request) -> web.StreamResponse:
    return web.FileResponse(file, headers={"Cache-Control": "no-cache"})
