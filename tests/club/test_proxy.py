"""Proxies of the environment, for guests, and the addresses that a host tells the others."""

import asyncio
import os
import socket
import sys
from contextlib import asynccontextmanager

import pytest

from cardtable.club import addresses
from cardtable.club.addresses import find_reachable_addresses, iter_interface_addresses
from cardtable.club.client.connection import ClubConnection, Login, Proxy, find_proxy
from cardtable.club.server import server
from cardtable.club.server.server_options import ServerOptions
from tests.club.behind_nginx import find_free_ports
from tests.club.guests import choose_randomly
from tests.club.loopback_club import TIMEOUT, club

VARIABLES = ("ws_proxy", "wss_proxy", "socks_proxy", "https_proxy", "http_proxy", "all_proxy")
NEAR = (
    *("localhost", "club.localhost", "127.0.0.1", "127.8.9.1", "[::1]", "0.0.0.0", "tower", "tower.local"),
    *("10.8.0.2", "172.16.0.1", "172.31.255.255", "192.168.1.5", "169.254.7.7", "100.64.1.2", "[::ffff:10.0.0.1]"),
    *("[fd00::5]", "[fe80::1%eth0]", "[fe80::1]"),
)
FAR = ("cards.example.org", "172.32.0.1", "203.0.113.5", "[2001:db8::7]", "10.example.org", "local.example.org")
DIRECT, REFUSED, TUNNEL = "HTTP/1.1 404 Not Found", "HTTP/1.1 403 Forbidden", "HTTP/1.1 200 OK"


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Return a function that sets variables in an environment without proxies."""
    for name in os.environ:
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    return lambda **variables: [monkeypatch.setenv(name, value) for name, value in variables.items()]


@asynccontextmanager
async def http_server(answer, target_port=None):
    """Run a server that gives one answer, and behind it passes everything on; yield its port and the first lines."""
    asked = []

    async def copy(reader, writer):
        while data := await reader.read(65536):
            writer.write(data)
        writer.close()

    async def handle(reader, writer):
        asked.append((await reader.read(65536)).split(b"\r\n")[0].decode(errors="replace"))
        writer.write(f"{answer}\r\n\r\n".encode())
        if target_port is None:
            writer.close()
        else:
            onward = await asyncio.open_connection("localhost", target_port)
            await asyncio.gather(copy(reader, onward[1]), copy(onward[0], writer))

    async with await asyncio.start_server(handle, "localhost", 0) as server:
        yield server.sockets[0].getsockname()[1], asked


async def try_to_join(url):
    """Try once to join a club; return the reason why it failed, which is empty if it did not."""
    tried = asyncio.Event()
    link = ClubConnection(url, Login("Anna"), lambda _message: None, tried.set)
    task = asyncio.create_task(link.run())
    try:
        await asyncio.wait([task, asyncio.create_task(tried.wait())], timeout=TIMEOUT, return_when="FIRST_COMPLETED")
        assert tried.is_set()
        return link.connection_error
    finally:
        task.cancel()
        await asyncio.wait([task])


@pytest.mark.parametrize("host", NEAR)
@pytest.mark.parametrize("scheme", ["ws", "wss"])
def test_near_clubs_are_reached_directly(environment, scheme, host):
    environment(**dict.fromkeys(VARIABLES, "http://proxy.example:3128"))
    assert find_proxy(f"{scheme}://{host}:7036") is None


@pytest.mark.parametrize("host", FAR)
def test_far_clubs_are_reached_through_the_proxy(environment, host):
    environment(HTTPS_PROXY="http://proxy.example:3128")
    for scheme in ("ws", "wss"):
        proxy = find_proxy(f"{scheme}://{host}:7036")
        assert proxy == Proxy("http://proxy.example:3128", "https_proxy", host.strip("[]"))
    environment(no_proxy=f"a.example,{host.strip('[]')}")
    assert find_proxy(f"ws://{host}:7036") is None


def test_choice_of_the_variable(environment):
    assert find_proxy("wss://cards.example.org:7036") is None
    environment(http_proxy="http://a:1")
    assert find_proxy("wss://cards.example.org:7036") is None
    environment(all_proxy="socks5://b:2")
    assert find_proxy("wss://cards.example.org:7036")[:2] == ("socks5://b:2", "all_proxy")
    assert find_proxy("ws://cards.example.org:7036")[:2] == ("http://a:1", "http_proxy")
    environment(https_proxy="c:3", socks_proxy="http://d:4")
    assert find_proxy("ws://cards.example.org:7036")[:2] == ("socks5h://d:4", "socks_proxy")
    environment(socks_proxy="")
    assert find_proxy("ws://cards.example.org:7036")[:2] == ("http://c:3", "https_proxy")


async def test_club_on_this_machine_behind_a_proxy_that_refuses(environment):
    async with club() as (_, url), http_server(REFUSED) as (port, asked):
        environment(**dict.fromkeys(VARIABLES, f"http://localhost:{port}"))
        assert await try_to_join(url) == ""
        assert asked == []


async def test_club_on_the_internet_through_a_proxy(environment):
    async with club() as (_, url):
        club_port = int(url.rpartition(":")[2])
        async with http_server(TUNNEL, club_port) as (port, asked):
            environment(https_proxy=f"http://localhost:{port}")
            assert await try_to_join("ws://cards.example.org:7036") == ""
    assert asked == ["CONNECT cards.example.org:7036 HTTP/1.1"]


@pytest.mark.parametrize(
    ("proxy", "reason"),
    [
        ("http://name:secret@localhost:{refusing}", "lets nobody through to this address"),
        ("http://localhost:{closed}", "does not answer"),
        ("localhost:{closed}", "does not answer"),
        ("socks5://localhost:{closed}", "needs the Python package python-socks"),
        ("socks://localhost:{closed}", "has no valid address"),
        ("http://localhost:port", "has no valid address"),
        ("http://a..b\xe9:80", "has no valid address"),
        ("http://[::1", "has no valid address"),
        ("http://%ff:p@localhost:80", "has no valid address"),
    ],
)
@pytest.mark.parametrize("scheme", ["ws", "wss"])
async def test_proxy_that_cannot_be_used(environment, proxy, reason, scheme):
    async with http_server(REFUSED) as (refusing, _):
        proxy = proxy.format(refusing=refusing, closed=find_free_ports(1)[0])
        environment(https_proxy=proxy)
        error = await try_to_join(f"{scheme}://cards.example.org:7036")
    assert f" (https_proxy) {reason}; no_proxy=cards.example.org goes around it" in error
    assert error.startswith("the proxy ")
    assert "secret" not in error


@pytest.mark.parametrize("target", ["ws://localhost:{other}/", "ws://192.168.1..5/", "wss://[::1/", "http://\xe9..x/"])
async def test_redirect_is_not_followed(target):
    async with http_server(DIRECT) as (other, asked):
        moved = f"HTTP/1.1 302 Found\r\nLocation: {target.format(other=other)}"
        async with http_server(moved) as (port, _):
            error = await try_to_join(f"ws://localhost:{port}")
    assert error == "what answers at that address is not a club; check the port"
    assert asked == []


LOOPBACK = {"127.0.0.1": False, "::1": False}


@pytest.fixture
def machine(monkeypatch):
    """Return a function that gives this machine interfaces, each True unless it is a tunnel, and a default route."""

    def describe(interfaces, route=""):
        monkeypatch.setattr(addresses, "iter_interface_addresses", lambda: iter({**LOOPBACK, **interfaces}.items()))
        monkeypatch.setattr(addresses, "iter_named_addresses", addresses.iter_interface_addresses)
        monkeypatch.setattr(addresses, "find_route_address", lambda: route)
        monkeypatch.setattr(socket, "gethostname", lambda: "Tower")

    return describe


@pytest.mark.parametrize(
    ("interfaces", "route", "expected"),
    [
        ({"192.168.1.5": True}, "192.168.1.5", ["192.168.1.5"]),
        ({"10.8.0.2": False, "192.168.1.5": True}, "10.8.0.2", ["192.168.1.5", "10.8.0.2"]),
        ({"10.8.0.2": False, "192.168.1.5": False}, "10.8.0.2", ["192.168.1.5", "10.8.0.2"]),
        ({"172.17.0.1": True, "192.168.1.5": True}, "", ["192.168.1.5", "172.17.0.1"]),
        ({"192.168.122.1": True, "10.20.0.5": True}, "10.20.0.5", ["10.20.0.5", "192.168.122.1"]),
        ({"172.17.0.1": True, "203.0.113.5": True}, "203.0.113.5", ["203.0.113.5", "172.17.0.1"]),
        ({"169.254.7.7": True, "203.0.113.5": True}, "", ["203.0.113.5", "169.254.7.7"]),
        ({"fe80::1": True, "fd00::5": True, "10.0.0.5": True}, "10.0.0.5", ["10.0.0.5"]),
        ({"fe80::1": True, "fd00::5": True}, "", ["[fd00::5]"]),
        ({}, "10.0.0.5", ["10.0.0.5"]),
        ({}, "", ["tower"]),
    ],
    ids=[
        *("home", "vpn", "vpn without a kind", "cable", "virtual machines", "server", "link-local", "both", "ipv6"),
        *("no list", "alone"),
    ],
)
def test_own_addresses(machine, interfaces, route, expected):
    machine(interfaces, route)
    assert find_reachable_addresses("") == find_reachable_addresses("0.0.0.0") == expected
    assert find_reachable_addresses("cards.example.org") == ["cards.example.org"]


@pytest.mark.parametrize("error", [OSError, UnicodeError, AttributeError])
def test_system_without_a_list(machine, monkeypatch, error):
    def fail():
        raise error

    machine({}, "10.0.0.5")
    monkeypatch.setattr(addresses, "iter_interface_addresses", fail)
    monkeypatch.setattr(addresses, "iter_named_addresses", fail)
    assert find_reachable_addresses("::") == ["10.0.0.5"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has another list")
def test_interfaces_of_this_machine():
    assert ("127.0.0.1", False) in [*iter_interface_addresses()]


async def test_invitation_with_several_addresses(home, machine):
    machine({"10.8.0.2": False, "192.168.1.5": True, "172.17.0.1": True}, "10.8.0.2")
    options = ServerOptions("Fridays", "", port=0, code="sesame77", web_port=0)
    async with server.open_club(options, think=choose_randomly) as opened:
        first, join, web, others, code, _ = opened.invitation
        assert first == f"Fridays is open at 192.168.1.5:{opened.port}"
        assert join == f"cardtable join 192.168.1.5:{opened.port}"
        assert web.startswith("http://192.168.1.5:")
        assert others == "if 192.168.1.5 does not answer, try 172.17.0.1 or 10.8.0.2 instead"
        assert code == "the code is sesame77"
        assert opened.format_personal_invitation("Bob", "abcdefghjkmnpqrs")[-1] == others
        assert opened.lobby.accounts.bans.own_networks == ("192.168.1.5", "172.17.0.1", "10.8.0.2")
