"""Addresses that a host tells the others: all that they may reach, the likely one first."""

import socket
import sys

import pytest

from cardtable.club import addresses
from cardtable.club.addresses import find_reachable_addresses, iter_interface_addresses
from cardtable.club.server import server
from cardtable.club.server.server_options import ServerOptions
from tests.club.guests import choose_randomly

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
