"""Server of an open club, with its endpoints, its robot processes and the invitation for guests."""

import asyncio
import gc
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from threading import Timer
from time import monotonic
from typing import Final, NamedTuple, TypeVar
from urllib.parse import quote, urlsplit

from websockets.asyncio.server import Server

from cardtable.club.addresses import WEB_PORTS, HostedOrigin, binding, find_reachable_addresses, is_local
from cardtable.club.server import host_events, status_file
from cardtable.club.server.administration import Administration, AdministrationEndpoint
from cardtable.club.server.admission import format_word
from cardtable.club.server.connections import TrustedProxies
from cardtable.club.server.host_events import CLUB_CLOSED, Emit, EventStream, LogEvent, ignore_event
from cardtable.club.server.hosted_clients import HostedClients, remove_stale_homes
from cardtable.club.server.hosted_session import Think
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.server_options import Certificate, ServerOptions
from cardtable.club.server.status_file import Status
from cardtable.club.server.websocket_endpoint import WebSocketEndpoint
from cardtable.engine.errors import CardtableError
from cardtable.engine.text_format import sanitize
from cardtable.robots.worker import ChooseRequest
from cardtable.session.robot_client import RobotClient
from cardtable.session.session_events import RobotChoice
from cardtable.wording.formatting import join_or
from cardtable.workers.server import build_command
from cardtable.workers.tasks import start_task, stop_task, use_reusing_executor

T = TypeVar("T")


class RobotPool:
    """Pool of robot processes that the tables share.

    Requests are served in the order in which they arrive. Since each table has at most one request at a time, no table
    can keep the others waiting.
    """

    def __init__(self, process_count: int, emit: Emit) -> None:
        self.process_count: Final = process_count
        self._emit = emit
        self._clients: Final = [RobotClient() for _ in range(process_count)]
        self._idle_clients: asyncio.Queue[RobotClient] = asyncio.Queue()
        for thinker in self._clients:
            self._idle_clients.put_nowait(thinker)
        self.pending_count = 0
        """Number of requests that have not been answered yet, including those in progress."""
        self.thinking_count = 0
        """Number of requests in progress."""

    async def choose(self, request: ChooseRequest) -> RobotChoice:
        """Return the choice of a robot, after waiting for an idle process.

        Raises ``CardtableError`` if the robot fails.
        """
        self.pending_count += 1
        try:
            asked_at = monotonic()
            thinker = await self._idle_clients.get()
            begun_at = monotonic()
            self._emit(host_events.TimeTaken("robot_wait", begun_at - asked_at))
            self.thinking_count += 1
            try:
                choice = await thinker.choose(request)
                self._emit(host_events.TimeTaken("robot_think", monotonic() - begun_at))
                return choice
            finally:
                self.thinking_count -= 1
                self._idle_clients.put_nowait(thinker)
        finally:
            self.pending_count -= 1

    async def stop(self) -> None:
        for thinker in self._clients:
            await thinker.stop()


SHUTDOWN_SECONDS: Final = 8
"""Time in seconds after the signal at which the process exits even if the shutdown has not finished."""
GC_THRESHOLDS: Final = (2_000, 10, 20)
"""Thresholds of the garbage collector while a club is open; see ``gc.set_threshold``.

Each closed connection is cyclic garbage of the libraries, with large buffers, and freeing much of it at once would
delay all clients. Collections of the oldest generation are rare, since they are slow in a full club.
"""
_EXIT_FAILURE: Final = 1
_SIGNAL_EXIT_BASE: Final = 128
"""Number to which a signal's number is added for the exit code of a program that this signal has ended."""


class Endpoints(NamedTuple):
    """Ports of the open endpoints of a club; each is ``None`` if there is no such endpoint."""

    port: int
    ssh_endpoint: tuple[int, str] | None = None
    """Port and key fingerprint."""
    web_port: int | None = None
    metrics_port: int | None = None


class ClubServer:
    """Open club, with its lobby, its address and the invitation for guests."""

    def __init__(
        self, options: ServerOptions, lobby: ClubLobby, endpoints: Endpoints, administration: Administration
    ) -> None:
        """Describe a club whose endpoints are already open."""
        self.lobby: Final = lobby
        self.administration: Final = administration
        self.port: Final = endpoints.port
        self.address: Final = f"{find_reachable_addresses(options.address)[0]}:{self.port}"
        self.metrics_port: Final = endpoints.metrics_port
        self._options, self._addresses = options, _find_addresses(options, endpoints)

    @property
    def invitation(self) -> tuple[str, ...]:
        """Lines with address, commands and the present code, which the host passes on to the players."""
        return tuple(_compose_invitation(self._options, self._addresses, self.lobby.accounts.code))

    def format_personal_invitation(self, nick: str, word: str) -> tuple[str, ...]:
        """Return the lines to pass on to a person who is invited under ``nick`` with a one-time word.

        The word is in the fragment of the link, which browsers send to nobody.
        """
        addresses, word = self._addresses, format_word(word)
        lines = [f"{addresses.join_command} --nick {nick} --word {word}"]
        if addresses.ssh_endpoint:
            lines.append(f"ssh -p {addresses.ssh_endpoint[0]} {nick}@{addresses.host}, then type {word}")
        if addresses.web_url:
            lines.append(f"{addresses.web_url}/#nick={quote(nick)}&word={word}")
        return (*lines, *addresses.iter_alternatives())


class _Addresses(NamedTuple):
    """Addresses at which guests reach a club, public ones if there are any."""

    host: str
    other_hosts: list[str]
    """Further addresses of this machine, by which some guests may reach it instead."""
    is_local_only: bool
    """True if only programs on this machine can reach the club."""
    join_url: str
    ssh_endpoint: tuple[int, str] | None
    """Port and key fingerprint; ``None`` if guests cannot connect by ssh."""
    web_url: str
    """Address for browsers; empty if there is none."""

    @property
    def join_command(self) -> str:
        return f"cardtable join {self.join_url.removeprefix('ws://')}"

    def iter_alternatives(self) -> Iterator[str]:
        """Yield a line with the other addresses, if there are any."""
        if self.other_hosts:
            yield f"if {self.host} does not answer, try {join_or(self.other_hosts)} instead"


def _find_addresses(options: ServerOptions, endpoints: Endpoints) -> _Addresses:
    """Return the addresses of a club.

    A proxy does not pass on ssh, so an ssh endpoint that only this machine can reach is left out then.
    """
    public_name = urlsplit(options.public_url or options.public_join_url).hostname
    host, *other_hosts = find_reachable_addresses(public_name or options.address)
    web_url = options.public_url or f"{'https' if options.certificate else 'http'}://{host}:{endpoints.web_port}"
    return _Addresses(
        host,
        other_hosts,
        is_local(options.address) and not public_name,
        _find_join_url(options, host, endpoints.port),
        None if public_name and is_local(options.address) else endpoints.ssh_endpoint,
        web_url if endpoints.web_port else "",
    )


def _compose_invitation(options: ServerOptions, addresses: _Addresses, code: str) -> Iterator[str]:
    """Yield the lines of the invitation, with the access code unless it is empty."""
    location = (
        "on this machine only"
        if addresses.is_local_only
        else f"at {options.public_url or addresses.join_url.partition('://')[2]}"
    )
    yield f"{options.name} is open {location}"
    yield addresses.join_command
    if addresses.ssh_endpoint:
        ssh_port, fingerprint = addresses.ssh_endpoint
        yield f"ssh -p {ssh_port} NICK@{addresses.host}"
        yield f"the ssh host key is {fingerprint}"
    if addresses.web_url:
        yield f"{addresses.web_url} in a browser"
    yield from addresses.iter_alternatives()
    if code:
        yield f"the code is {code}"
    senders = ["join"] if addresses.join_url.startswith("ws://") else []
    if addresses.web_url.startswith("http://"):
        senders.append("browsers")
    if senders and not addresses.is_local_only:
        verb = "sends" if senders == ["join"] else "send"
        ssh_remark = "; ssh is safe" if addresses.ssh_endpoint else ""
        yield (
            f"others on the network can read what {' and '.join(senders)} {verb}, so no passwords are accepted "
            f"that way{ssh_remark}"
        )


def _find_join_url(options: ServerOptions, host: str, port: int) -> str:
    """Return the address for client programs, with the name ``host`` and the ``port`` of this machine if it has one."""
    if options.public_join_url:
        return options.public_join_url
    if options.public_url and options.proxies:
        public = urlsplit(options.public_url)
        return f"ws{public.scheme.removeprefix('http')}://{host}:{public.port or WEB_PORTS[public.scheme]}"
    return f"{'wss' if options.certificate else 'ws'}://{host}:{port}"


async def _open_endpoint(stack: AsyncExitStack, endpoint: AbstractAsyncContextManager[T], address: str, port: int) -> T:
    """Enter the context that listens at an address and port; raises ``BindError`` if these cannot be bound."""
    with binding(address, port):
        return await stack.enter_async_context(endpoint)


@asynccontextmanager
async def open_club(
    options: ServerOptions, *, think: Think | None = None, log: Callable[[LogEvent], object] = ignore_event
) -> AsyncIterator[ClubServer]:
    """Open a club, and on exit notify all clients and close it.

    ``think`` chooses the robots' actions; by default the club starts processes of its own for them. ``log`` is called
    with each line of the host's log.

    Raises ``CardtableError`` if a club of this home is open already, ``BindError`` if an address or port cannot be
    bound, and ``OSError`` if a file cannot be used.
    """
    use_reusing_executor()
    started_at, events = int(time.time()), EventStream(log)
    robot_pool = RobotPool(max(2, (os.cpu_count() or 1) - 1), events.emit)
    club: ClubServer | None = None

    def format_personal_invitation(nick: str, word: str) -> tuple[str, ...]:
        return club.format_personal_invitation(nick, word) if club else ()

    async with AsyncExitStack() as stack:
        stack.enter_context(status_file.hold_host_lock())
        remove_stale_homes()
        stack.enter_context(_tune_garbage_collection())
        stack.enter_context(_log_task_faults(events.emit))
        stack.push_async_callback(robot_pool.stop)
        stack.callback(events.close)
        own_addresses = [address.strip("[]") for address in find_reachable_addresses(options.address)]
        lobby = ClubLobby(
            options,
            think or robot_pool.choose,
            events.emit,
            own_networks=(*own_addresses, *map(str, options.proxies)),
            format_personal_invitation=format_personal_invitation,
        )
        endpoint = WebSocketEndpoint(lobby, max_guests=options.max_guests)

        @asynccontextmanager
        async def serve_client(origin: HostedOrigin) -> AsyncIterator[list[str]]:
            async with endpoint.serve("127.0.0.1", 0, hosted_origin=origin) as own_server:
                yield build_client_command(_get_port(own_server))

        hosted_clients = HostedClients(lobby.club_accounts, serve_client, emit=events.emit)
        metrics_port: int | None = None
        if options.metrics_port is not None:  # counts what happens while the lobby and the other endpoints open
            metrics = _open_metrics_endpoint(options, options.metrics_port, lobby, events, robot_pool, hosted_clients)
            metrics_port = await _open_endpoint(stack, metrics, options.metrics_address, options.metrics_port)
        await lobby.open()
        endpoints = await _open_endpoints(options, endpoint, hosted_clients, metrics_port, stack)
        administration = Administration(lobby, hosted_clients.end_processes)
        administration_endpoint = AdministrationEndpoint(administration, events)
        administration_port = _get_port(await _open_endpoint(stack, administration_endpoint.serve(), "127.0.0.1", 0))
        club = ClubServer(options, lobby, endpoints, administration)
        create_status = partial(_create_status, club, robot_pool, started_at, administration_port)
        stack.push_async_callback(stop_task, start_task(status_file.write_periodically(create_status)))
        stack.push_async_callback(lobby.close, CLUB_CLOSED)
        yield club


async def _open_endpoints(
    options: ServerOptions,
    endpoint: WebSocketEndpoint,
    hosted_clients: HostedClients,
    metrics_port: int | None,
    stack: AsyncExitStack,
) -> Endpoints:
    """Open the endpoints for guests that the options name; ``stack`` closes them."""
    address, port = options.address, options.port
    serving = endpoint.serve(address, port, options.certificate, TrustedProxies(options.proxies))
    server = await _open_endpoint(stack, serving, address, port)
    ssh_endpoint, web_port = None, None
    if options.ssh_port is not None:
        ssh = _open_ssh_endpoint(options, options.ssh_port, hosted_clients)
        ssh_endpoint = await _open_endpoint(stack, ssh, address, options.ssh_port)
    if options.web_port is not None:
        web = _open_web_endpoint(options, options.web_port, hosted_clients)
        web_port = await _open_endpoint(stack, web, address, options.web_port)
    return Endpoints(_get_port(server), ssh_endpoint, web_port, metrics_port)


def _create_status(club: ClubServer, robot_pool: RobotPool, started_at: int, administration_port: int) -> Status:
    """Return the present status of a club, for the commands of its host."""
    return Status(
        name=club.lobby.name,
        invitation=club.invitation,
        port=club.port,
        since=started_at,
        people=club.lobby.present_nicks,
        tables=club.lobby.tables,
        processes=robot_pool.process_count,
        waiting=robot_pool.pending_count,
        saving_fails=club.lobby.save_error or "",
        disk=club.lobby.disk_space.use,
        administration_port=administration_port,
    )


@contextmanager
def _log_task_faults(emit: Emit) -> Iterator[None]:
    """Log faults of callbacks of the event loop and of tasks of ``start_task`` while the context is active."""

    def handle_error(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        if "handle" in context and isinstance(error, Exception):
            emit(host_events.create_fault(error, "a task of the club"))
        else:
            loop.default_exception_handler(context)

    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(handle_error)
    try:
        yield
    finally:
        loop.set_exception_handler(before)


@contextmanager
def _tune_garbage_collection() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@asynccontextmanager
async def _open_ssh_endpoint(
    options: ServerOptions, port: int, hosted_clients: HostedClients
) -> AsyncIterator[tuple[int, str]]:
    """Open the ssh endpoint while the context is active, and yield its port and the fingerprint of its key."""
    from cardtable.club.server.ssh_endpoint import SshEndpoint, load_host_key  # noqa: PLC0415 - lazy: optional, only with --ssh

    key, endpoint = load_host_key(), SshEndpoint(hosted_clients)
    async with await endpoint.listen(options.address, port, key, options.ssh_timeout) as acceptor:
        try:
            yield acceptor.get_port(), key.get_fingerprint()
        finally:
            await endpoint.close(CLUB_CLOSED)


def _open_web_endpoint(
    options: ServerOptions, port: int, hosted_clients: HostedClients
) -> AbstractAsyncContextManager[int]:
    """Return a context manager that opens the browser endpoint and yields its port."""
    from cardtable.club.server.web_endpoint import WebEndpoint  # noqa: PLC0415 - lazy: optional, only with --web

    return WebEndpoint(
        hosted_clients,
        sanitize(options.name),
        options.address,
        options.certificate,
        trusted_proxies=TrustedProxies(options.proxies),
        public_url=options.public_url,
    ).listen(port, CLUB_CLOSED)


def _open_metrics_endpoint(
    options: ServerOptions,
    port: int,
    lobby: ClubLobby,
    events: EventStream,
    robot_pool: RobotPool,
    hosted_clients: HostedClients,
) -> AbstractAsyncContextManager[int]:
    """Return a context manager that opens the metrics endpoint and yields its port."""
    from cardtable.club.server.metrics_endpoint import ProcessLoad, open_metrics_endpoint  # noqa: PLC0415 - lazy: optional, only with --metrics

    def measure_processes() -> ProcessLoad:
        return ProcessLoad(
            robot_pool.process_count,
            robot_pool.thinking_count,
            robot_pool.pending_count - robot_pool.thinking_count,
            hosted_clients.process_count,
        )

    return open_metrics_endpoint(options.metrics_address, port, lobby, events, measure_processes)


def build_client_command(port: int) -> list[str]:
    """Return the command line of a client program that the host runs for a guest.

    It connects to ``port`` of the loopback interface.
    """
    return list(build_command("cardtable.__main__", "join", f"127.0.0.1:{port}"))


def _get_port(server: Server) -> int:
    port: int = next(iter(server.sockets)).getsockname()[1]
    return port


async def run_club(options: ServerOptions, log: Callable[[LogEvent], object]) -> int:
    """Run a club until a signal ends it, and return the exit code.

    ``log`` is called with each line of the invitation, and then with each line of the host's log. If the shutdown takes
    longer than ``SHUTDOWN_SECONDS``, the process exits with code 1.
    """
    async with open_club(options, log=log) as club:
        for line in club.invitation:
            log(host_events.InvitationLine(line))
        if club.metrics_port is not None:
            log(host_events.MetricsOpened(str(club.metrics_port), options.metrics_address))
        code = await _wait_for_signal(options.certificate, log)
        exit_timer = Timer(SHUTDOWN_SECONDS, os._exit, (_EXIT_FAILURE,))
        exit_timer.daemon = True
        exit_timer.start()
        log(host_events.ClubClosed())
    return code


async def _wait_for_signal(certificate: Certificate | None, log: Callable[[LogEvent], object]) -> int:
    """Wait for a signal that ends the process, and return the exit code.

    SIGTERM and SIGINT give 0, since a service that is stopped has not failed. SIGHUP and SIGQUIT give 128 plus the
    number of the signal, unless the process ignores them. With a certificate, SIGHUP makes the host read it again,
    unless the process has lost its terminal. On Windows these are SIGINT (Ctrl+C) and SIGBREAK (Ctrl+Break) alone.
    """
    loop = asyncio.get_running_loop()
    exit_code: asyncio.Future[int] = loop.create_future()

    def set_exit_code(code: int) -> None:
        if not exit_code.done():
            exit_code.set_result(code)

    if sys.platform == "win32":
        for number in (signal.SIGINT, signal.SIGBREAK):
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(set_exit_code, 0))
    else:
        loop.add_signal_handler(signal.SIGTERM, set_exit_code, 0)
        loop.add_signal_handler(signal.SIGINT, set_exit_code, 0)
        for number in (signal.SIGHUP, signal.SIGQUIT):
            if signal.getsignal(number) != signal.SIG_IGN:  # ignored under nohup
                loop.add_signal_handler(number, set_exit_code, _SIGNAL_EXIT_BASE + number)
        if certificate:
            ends_with_terminal = signal.getsignal(signal.SIGHUP) != signal.SIG_IGN and _has_terminal()

            def handle_hangup() -> None:
                if ends_with_terminal and not _has_terminal():
                    set_exit_code(_SIGNAL_EXIT_BASE + signal.SIGHUP)
                else:
                    _reload_certificate(certificate, log)

            loop.add_signal_handler(signal.SIGHUP, handle_hangup)
    return await exit_code


def _has_terminal() -> bool:
    """Return True if the process has a controlling terminal that has not been closed."""
    try:
        os.close(os.open("/dev/tty", os.O_RDONLY | getattr(os, "O_NOCTTY", 0)))
    except OSError:
        return False
    return True


def _reload_certificate(certificate: Certificate, log: Callable[[LogEvent], object]) -> None:
    try:
        certificate.reload()
    except CardtableError as error:
        log(host_events.CertificateRefused(str(error)))
    else:
        log(host_events.CertificateRead())
