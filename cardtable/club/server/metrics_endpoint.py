"""Endpoint with the metrics of a host for Prometheus, and with its health for whatever supervises it.

It runs in a thread with an event loop of its own, so that it answers even if the club's event loop does not.
"""

import asyncio
import collections
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager
from functools import partial
from threading import Thread
from time import monotonic
from typing import Final, NamedTuple

from aiohttp import web
from msgspec.structs import astuple
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)

from cardtable import __version__
from cardtable.club.addresses import TRANSPORTS, is_local
from cardtable.club.server import connections, host_events
from cardtable.club.server.host_events import Emit, EventStream, HostEvent, TimeTaken
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.web_terminal import OriginPolicy
from cardtable.workers.tasks import start_task, stop_task

MAX_CONNECTIONS: Final = 64
"""Maximum number of open connections; a further one ends the oldest of its network."""
CONNECTION_SECONDS: Final = 10.0
"""Time in seconds after which a connection is ended, whatever it does."""
BEAT_SECONDS: Final = 1.0
"""Interval in seconds at which the club's event loop reports that it runs."""
STUCK_SECONDS: Final = 10.0
"""Time in seconds without a report after which the host is unhealthy."""
LOAD_TIMEOUT: Final = 3.0
"""Maximum time in seconds to wait for the club's event loop."""
CACHE_SECONDS: Final = 1.0
"""Time in seconds for which the metrics are cached, so that no number of requests loads the club."""


class Watchdog:
    """Record of the reports of the club's event loop; other threads may read it."""

    def __init__(self, get_save_error: Callable[[], str | None], emit: Emit) -> None:
        """Create the record.

        ``get_save_error`` returns why the host cannot save, or ``None`` if it can. ``emit`` is called
        with the time by which the loop was late to run a task that was due.
        """
        self._get_save_error, self._emit = get_save_error, emit
        self._last_report: tuple[float, str | None] = monotonic(), None
        """Time of the last report, and the reason why the host could not save then."""

    async def run(self) -> None:
        """Report regularly until cancelled."""
        while True:
            self._last_report = monotonic(), self._get_save_error()
            due_at = monotonic() + BEAT_SECONDS
            await asyncio.sleep(BEAT_SECONDS)
            self._emit(TimeTaken("event_loop_delay", max(monotonic() - due_at, 0.0)))

    def find_problem(self) -> str | None:
        """Return in one line why the host is unhealthy, or ``None`` if it is healthy."""
        reported_at, save_error = self._last_report
        silence = monotonic() - reported_at
        if silence > STUCK_SECONDS:
            return f"the event loop has not answered for {silence:.0f} s"
        return f"saving fails: {save_error}" if save_error else None


class ProcessLoad(NamedTuple):
    """Child processes of a host at one moment."""

    robot_processes: int
    thinking_robots: int
    waiting_robots: int
    """Number of robots' decisions that wait for an idle process."""
    hosted_programs: int


_COUNTERS: Final[Mapping[type[HostEvent], tuple[str, str]]] = {
    host_events.DecisionSaved: ("decisions", "Saved decisions."),
    host_events.RequestDenied: ("refusals", "Refused requests."),
    host_events.LoggedIn: ("logins", "Logins."),
    host_events.LoginRefused: ("login_failures", "Refused logins."),
    host_events.ConnectionDropped: ("dropped_connections", "Half-open connections ended by the host."),
    host_events.SaveFailed: ("save_errors", "Failures to save."),
}
"""Name and description of the counter of each event, whose fields are the labels."""
_GAUGES: Final[Mapping[str, tuple[str, ...]]] = {
    "healthy": ("1 if /healthz answers with status 200.",),
    "info": ("Version of the program.", "version"),
    "connections": ("Connections of people in the club.", "transport"),
    "people": ("People in the club.", "kind"),
    "tables": ("Tables in the lobby.", "game", "state"),
    "sleeping_tables": ("Tables in play that everybody has left.",),
    "hosted_programs": ("Programs of guests by ssh or in a browser.",),
    "robot_processes": ("Processes for robots.",),
    "robot_requests": ("Decisions that robots have to make.", "state"),
}
"""Description and labels of each gauge."""
_HISTOGRAMS: Final = {
    "save": "Time to write a change to the disk.",
    "robot_wait": "Time until a process is idle for a robot.",
    "robot_think": "Time in which a robot decides.",
    "event_loop_delay": "Lateness of the event loop.",
}
"""Description of each ``TimeTaken``."""
_BOUNDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the buckets of histograms, in seconds."""


class HostMetrics:
    """Metrics of a club since it was opened.

    They contain no nicks and no text of guests, and every label has a fixed set of values.
    """

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._counters = {
            event: Counter(f"cardtable_{name}", text, event.__struct_fields__, registry=registry)
            for event, (name, text) in _COUNTERS.items()
        }
        self._gauges = {
            name: Gauge(f"cardtable_{name}", text, labels, registry=registry)
            for name, (text, *labels) in _GAUGES.items()
        }
        self._histograms = {
            what: Histogram(f"cardtable_{what}_seconds", text, registry=registry, buckets=_BOUNDS)
            for what, text in _HISTOGRAMS.items()
        }
        self._gauges["info"].labels(__version__).set(1)
        for event in (
            *map(host_events.ConnectionDropped, TRANSPORTS),
            host_events.SaveFailed("session"),
            host_events.SaveFailed("club"),
        ):
            self._counters[type(event)].labels(*astuple(event))  # counts from 0

    def count(self, event: HostEvent) -> None:
        if isinstance(event, TimeTaken):
            self._histograms[event.what].observe(event.seconds)
        elif counter := self._counters.get(type(event)):
            counter.labels(*astuple(event)).inc()

    def measure(self, lobby: ClubLobby, processes: ProcessLoad) -> None:
        """Take over the present load of a club, in its event loop."""
        transports = collections.Counter(client.origin.transport for client in lobby.clients)
        for transport in TRANSPORTS:
            self._gauges["connections"].labels(transport).set(transports[transport])
        guests = sum(map(lobby.accounts.is_guest, lobby.present_nicks))
        self._gauges["people"].labels("guest").set(guests)
        self._gauges["people"].labels("member").set(len(lobby.present_nicks) - guests)
        registry = lobby.table_manager.registry
        self._gauges["tables"].clear()
        for row in registry.list_lobby_tables().values():
            state = "over" if row.over else "playing" if row.playing else "waiting"
            self._gauges["tables"].labels(row.game, state).inc()
        self._gauges["sleeping_tables"].set(sum(table.is_asleep for table in registry.tables.values()))
        self._gauges["hosted_programs"].set(processes.hosted_programs)
        self._gauges["robot_processes"].set(processes.robot_processes)
        self._gauges["robot_requests"].labels("thinking").set(processes.thinking_robots)
        self._gauges["robot_requests"].labels("waiting").set(processes.waiting_robots)

    def format(self, *, is_healthy: bool) -> bytes:
        """Return the metrics in the format of Prometheus."""
        self._gauges["healthy"].set(is_healthy)
        return generate_latest(self._registry)


class _MetricsPages:
    """Pages of the endpoint, answered in an event loop of their own."""

    def __init__(
        self,
        policy: OriginPolicy,
        metrics: HostMetrics,
        measure: Callable[[], Coroutine[None, None, None]],
        watchdog: Watchdog,
        club_loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._policy, self._metrics, self._measure = policy, metrics, measure
        self._watchdog, self._club_loop = watchdog, club_loop
        self._lock = asyncio.Lock()
        self._text, self._measured_at = b"", -CACHE_SECONDS

    def create_application(self) -> web.Application:
        application = web.Application(middlewares=[self._check_host], client_max_size=0)
        application.add_routes([web.get("/healthz", self._show_health), web.get("/metrics", self._show_metrics)])
        return application

    @web.middleware
    async def _check_host(
        self, request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        self._policy.check_host(request)
        return await handler(request)

    async def _show_health(self, _request: web.Request) -> web.Response:
        problem = self._watchdog.find_problem()
        return _create_response(f"{problem or 'ok'}\n".encode(), 503 if problem else 200)

    async def _show_metrics(self, _request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(LOAD_TIMEOUT), self._lock:
                if monotonic() - self._measured_at >= CACHE_SECONDS:
                    measured = asyncio.run_coroutine_threadsafe(self._measure(), self._club_loop)
                    await asyncio.wrap_future(measured)
                    self._text = self._metrics.format(is_healthy=not self._watchdog.find_problem())
                    self._measured_at = monotonic()
        except TimeoutError:
            return _create_response(b"the event loop does not answer\n", 503)
        return _create_response(self._text, content_type=CONTENT_TYPE_LATEST)


def _create_response(body: bytes, status: int = 200, content_type: str = "text/plain; charset=utf-8") -> web.Response:
    """Return an answer after which the connection is closed."""
    response = web.Response(body=body, status=status, headers={"Content-Type": content_type})
    response.force_close()
    return response


@asynccontextmanager
async def open_metrics_endpoint(
    address: str, port: int, lobby: ClubLobby, events: EventStream, measure_processes: Callable[[], ProcessLoad]
) -> AsyncIterator[int]:
    """Serve the pages ``/healthz`` and ``/metrics`` while the context is active, and yield the port.

    ``measure_processes`` is called in the event loop of the caller. Raises ``OSError`` if the address or port cannot be
    bound.
    """
    club_loop = asyncio.get_running_loop()
    addresses = await club_loop.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    family, bound_address = addresses[0][0], addresses[0][4]
    listener = socket.create_server(bound_address[:2], family=family, backlog=connections.compute_max_pending())
    metrics = HostMetrics()
    watchdog = Watchdog(lambda: lobby.save_error, events.emit)
    policy = OriginPolicy(address, accept_any_name=not is_local(address))

    async def measure() -> None:
        metrics.measure(lobby, measure_processes())

    pages = _MetricsPages(policy, metrics, measure, watchdog, club_loop)
    started = Future[Callable[[], object]]()
    reporting = start_task(watchdog.run())
    thread = Thread(target=_run_server, args=(pages, listener, started), daemon=True)
    try:
        thread.start()
        stop = await asyncio.wrap_future(started)
        try:
            with events.listen(metrics.count):
                yield listener.getsockname()[1]
        finally:
            stop()
            await asyncio.to_thread(thread.join, connections.CLOSE_TIMEOUT)
    finally:
        listener.close()
        await stop_task(reporting)


def _run_server(pages: _MetricsPages, listener: socket.socket, started: "Future[Callable[[], object]]") -> None:
    """Serve until stopped; ``started`` gets the thread-safe function that stops the server."""
    try:
        asyncio.run(_serve(pages, listener, started))
    except Exception as error:
        if started.done():
            raise
        started.set_exception(error)


async def _serve(pages: _MetricsPages, listener: socket.socket, started: "Future[Callable[[], object]]") -> None:
    loop, stop_requested = asyncio.get_running_loop(), asyncio.Event()
    runner = web.AppRunner(pages.create_application(), access_log=None, shutdown_timeout=connections.CLOSE_TIMEOUT / 2)
    await runner.setup()
    http_server = runner.server
    assert http_server is not None

    class Connection(_Connection):
        pending_connections, tls, proxies = (
            connections.PendingConnections(MAX_CONNECTIONS),
            None,
            connections.TrustedProxies(),
        )

    try:
        server = await loop.create_server(
            lambda: Connection(http_server, loop=loop), sock=listener, backlog=connections.compute_max_pending()
        )
        started.set_result(partial(loop.call_soon_threadsafe, stop_requested.set))
        await stop_requested.wait()
        server.close()
    finally:
        await runner.cleanup()


class _Connection(connections.PendingProtocol, web.RequestHandler):
    """Connection that ends after ``CONNECTION_SECONDS``, and earlier if newer ones need its place."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert isinstance(transport, asyncio.Transport)
        asyncio.get_running_loop().call_later(CONNECTION_SECONDS, transport.abort)
