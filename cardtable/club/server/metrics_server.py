"""Endpoint with the metrics of a host for Prometheus, and with its health for whatever supervises it.

It runs in a thread with an event loop of its own, so that it answers even if the club's event loop does not.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, ItemsView, Iterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from copy import deepcopy
from functools import partial
from threading import Thread
from time import monotonic
from typing import Final, TypeAlias

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from cardtable import __version__
from cardtable.club.addresses import DOORS, is_local
from cardtable.club.server.host_counters import COUNTERS, Histogram, HostCounters, HostLoad
from cardtable.club.server.limits import CLOSE_TIMEOUT, PendingConnections, PendingProtocol, compute_max_pending
from cardtable.club.server.trusted_proxies import TrustedProxies
from cardtable.club.web.origin_check import OriginPolicy
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

    def __init__(self, get_save_error: Callable[[], str | None]) -> None:
        """Create the record; ``get_save_error`` returns why the host cannot save, or ``None`` if it can."""
        self._get_save_error = get_save_error
        self._last_report: tuple[float, str | None] = monotonic(), None
        """Time of the last report, and the reason why the host could not save then."""

    async def run(self) -> None:
        """Report regularly until cancelled."""
        while True:
            self._last_report = monotonic(), self._get_save_error()
            due_at = monotonic() + BEAT_SECONDS
            await asyncio.sleep(BEAT_SECONDS)
            COUNTERS.loop_delays.observe(max(monotonic() - due_at, 0.0))

    def find_problem(self) -> str | None:
        """Return in one line why the host is unhealthy, or ``None`` if it is healthy."""
        reported_at, save_error = self._last_report
        silence = monotonic() - reported_at
        if silence > STUCK_SECONDS:
            return f"the event loop has not answered for {silence:.0f} s"
        return f"saving fails: {save_error}" if save_error else None


_Values: TypeAlias = ItemsView[Sequence[str], int]
"""Values of a metric by the values of its labels."""


class HostCollector(Collector):
    """Metrics of one moment."""

    def __init__(self, load: HostLoad, counters: HostCounters, problem: str | None) -> None:
        self._load, self._counters, self._problem = load, counters, problem

    def collect(self) -> Iterator[Metric]:
        load, lobby, counters = self._load, self._load.lobby, self._counters
        yield GaugeMetricFamily("cardtable_healthy", "1 if /healthz answers with status 200.", not self._problem)
        yield _gauge("info", "Version of the program.", ("version",), {(__version__,): 1}.items())
        connections = {(door,): lobby.connections[door] for door in DOORS}
        yield _gauge("connections", "Connections of people in the club.", ("door",), connections.items())
        people = {("member",): lobby.members, ("guest",): lobby.guests}
        yield _gauge("people", "People in the club.", ("kind",), people.items())
        yield _gauge("tables", "Tables in the lobby.", ("game", "state"), lobby.tables.items())
        yield GaugeMetricFamily(
            "cardtable_sleeping_tables", "Tables in play that everybody has left.", lobby.sleeping_tables
        )
        yield GaugeMetricFamily(
            "cardtable_hosted_programs", "Programs of guests by ssh or in a browser.", load.hosted_programs
        )
        yield GaugeMetricFamily("cardtable_robot_processes", "Processes for robots.", load.robot_processes)
        requests = {("thinking",): load.thinking_robots, ("waiting",): load.waiting_robots}
        yield _gauge("robot_requests", "Decisions that robots have to make.", ("state",), requests.items())
        yield _counter("decisions", "Saved decisions.", ("game", "by"), counters.decisions.items())
        yield _counter("refusals", "Refused requests.", ("request", "reason"), counters.refusals.items())
        yield _counter("logins", "Logins.", ("door", "method"), counters.logins.items())
        yield _counter("login_failures", "Refused logins.", ("door", "reason"), counters.login_failures.items())
        dropped = {(door,): number for door, number in counters.dropped.items()}
        yield _counter("dropped_connections", "Half-open connections ended by the host.", ("door",), dropped.items())
        save_errors = {(file,): number for file, number in counters.save_errors.items()}
        yield _counter("save_errors", "Failures to save.", ("file",), save_errors.items())
        yield _histogram("save_seconds", "Time to write a change to the disk.", counters.saving)
        yield _histogram("robot_wait_seconds", "Time until a process is idle for a robot.", counters.robot_waits)
        yield _histogram("robot_think_seconds", "Time in which a robot decides.", counters.robot_thinking)
        yield _histogram("loop_delay_seconds", "Lateness of the event loop.", counters.loop_delays)


def _gauge(name: str, text: str, labels: tuple[str, ...], values: _Values) -> Metric:
    family = GaugeMetricFamily(f"cardtable_{name}", text, labels=labels)
    for label_values, value in sorted(values):
        family.add_metric(label_values, value)
    return family


def _counter(name: str, text: str, labels: tuple[str, ...], values: _Values) -> Metric:
    family = CounterMetricFamily(f"cardtable_{name}", text, labels=labels)
    for label_values, value in sorted(values):
        family.add_metric(label_values, value)
    return family


def _histogram(name: str, text: str, histogram: Histogram) -> Metric:
    buckets = [*histogram.iterate_buckets()]
    return HistogramMetricFamily(f"cardtable_{name}", text, buckets=buckets, sum_value=histogram.total)


class _MetricsPages:
    """Pages of the endpoint, answered in an event loop of their own."""

    def __init__(
        self,
        policy: OriginPolicy,
        measure_load: Callable[[], HostLoad],
        watchdog: Watchdog,
        club_loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._policy, self._measure_load = policy, measure_load
        self._watchdog, self._club_loop = watchdog, club_loop
        self._lock = asyncio.Lock()
        self._metrics, self._measured_at = b"", -CACHE_SECONDS

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
                    self._metrics = _format_metrics(*await self._measure(), self._watchdog.find_problem())
                    self._measured_at = monotonic()
        except TimeoutError:
            return _create_response(b"the event loop does not answer\n", 503)
        return _create_response(self._metrics, content_type=CONTENT_TYPE_LATEST)

    async def _measure(self) -> tuple[HostLoad, HostCounters]:
        """Measure the load and copy the counters in the club's event loop."""
        result: Future[tuple[HostLoad, HostCounters]] = Future()

        def measure() -> None:
            try:
                result.set_result((self._measure_load(), deepcopy(COUNTERS)))
            except Exception as error:
                result.set_exception(error)

        self._club_loop.call_soon_threadsafe(measure)
        return await asyncio.wrap_future(result)


def _format_metrics(load: HostLoad, counters: HostCounters, problem: str | None) -> bytes:
    registry = CollectorRegistry()
    registry.register(HostCollector(load, counters, problem))
    ProcessCollector(registry=registry)
    return generate_latest(registry)


def _create_response(body: bytes, status: int = 200, content_type: str = "text/plain; charset=utf-8") -> web.Response:
    """Return an answer after which the connection is closed."""
    response = web.Response(body=body, status=status, headers={"Content-Type": content_type})
    response.force_close()
    return response


@asynccontextmanager
async def open_metrics_endpoint(
    address: str, port: int, measure_load: Callable[[], HostLoad], get_save_error: Callable[[], str | None]
) -> AsyncIterator[int]:
    """Serve the pages ``/healthz`` and ``/metrics`` while the context is active, and yield the port.

    ``measure_load`` and ``get_save_error`` are called in the event loop of the caller. Raises ``OSError`` if the
    address or port cannot be bound.
    """
    club_loop = asyncio.get_running_loop()
    addresses = await club_loop.getaddrinfo(address, port, type=socket.SOCK_STREAM)
    family, bound_address = addresses[0][0], addresses[0][4]
    listener = socket.create_server(bound_address[:2], family=family, backlog=compute_max_pending())
    watchdog = Watchdog(get_save_error)
    policy = OriginPolicy(address, accept_any_name=not is_local(address))
    pages = _MetricsPages(policy, measure_load, watchdog, club_loop)
    started = Future[Callable[[], object]]()
    reporting = start_task(watchdog.run())
    thread = Thread(target=_run_server, args=(pages, listener, started), daemon=True)
    try:
        thread.start()
        stop = await asyncio.wrap_future(started)
        try:
            yield listener.getsockname()[1]
        finally:
            stop()
            await asyncio.to_thread(thread.join, CLOSE_TIMEOUT)
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
    runner = web.AppRunner(pages.create_application(), access_log=None, shutdown_timeout=CLOSE_TIMEOUT / 2)
    await runner.setup()
    http_server = runner.server
    assert http_server is not None

    class Connection(_Connection):
        pending_connections, tls, proxies = PendingConnections(MAX_CONNECTIONS), None, TrustedProxies()

    try:
        server = await loop.create_server(
            lambda: Connection(http_server, loop=loop), sock=listener, backlog=compute_max_pending()
        )
        started.set_result(partial(loop.call_soon_threadsafe, stop_requested.set))
        await stop_requested.wait()
        server.close()
    finally:
        await runner.cleanup()


class _Connection(PendingProtocol, web.RequestHandler):
    """Connection that ends after ``CONNECTION_SECONDS``, and earlier if newer ones need its place."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert isinstance(transport, asyncio.Transport)
        asyncio.get_running_loop().call_later(CONNECTION_SECONDS, transport.abort)
