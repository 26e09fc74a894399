"""Clients behind proxies: their addresses, the privacy of their connections, and headers that are made up."""

from contextlib import AsyncExitStack
from ipaddress import ip_network

import aiohttp
import pytest
from websockets.asyncio.client import connect

from cardtable.club import protocol
from cardtable.club.addresses import READABLE_CONNECTION_WARNING
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.connections import TrustedProxies
from tests.club.loopback_club import club, silent_connection, wait_until_closed
from tests.club.test_browser_server import CODE, browser, get_port, web_endpoint

PROXIES = TrustedProxies([ip_network(each) for each in ("127.0.0.0/8", "10.0.0.0/24", "2001:db8:1::/48")])


def create_origin(peer, forwarded_for=(), protocols=(), *, is_encrypted=False):
    """Return the origin of a request with these values of the two headers."""
    headers = {"X-Forwarded-For": forwarded_for, "X-Forwarded-Proto": protocols}
    return PROXIES.create_origin(peer, headers.__getitem__, is_encrypted=is_encrypted)


@pytest.mark.parametrize(
    ("peer", "header", "address"),
    [
        ("127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["203.0.113.9, 10.0.0.7, 2001:db8:1::5"], "203.0.113.9"),
        ("127.0.0.1", ["nonsense, 203.0.113.9\t, 10.0.0.7"], "203.0.113.9"),
        ("127.0.0.1", [", 203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["203.0.113.9:50123"], "203.0.113.9"),
        ("127.0.0.1", ["[2001:db8::1]:443"], "2001:db8::1"),
        ("127.0.0.1", ["[2001:db8::1]"], "2001:db8::1"),
        ("127.0.0.1", ["fe80::1%eth0"], "fe80::1"),
        ("127.0.0.1", ["[fe80::1%25\x1b[31m]"], "127.0.0.1"),
        ("127.0.0.1", ["::ffff:203.0.113.9"], "203.0.113.9"),
        ("::ffff:127.0.0.1", ["203.0.113.9"], "203.0.113.9"),
        ("127.0.0.1", ["10.0.0.7, 10.0.0.8"], "10.0.0.7"),
        ("127.0.0.1", ["127.0.0.1"], "127.0.0.1"),
        *[
            ("127.0.0.1", [bad], "127.0.0.1")
            for bad in ("", ",", "nonsense", "203.0.113.9,", "203.0.113", "203.0.113.9:", "unknown", "[::1", "_hidden")
        ],
        ("127.0.0.1", ["203.0.113.9\r"], "127.0.0.1"),
        ("127.0.0.1", ["\u0662\u0660\u0663.0.113.9"], "127.0.0.1"),
        ("127.0.0.1", ["nonsense, 10.0.0.7"], "127.0.0.1"),
        ("127.0.0.1", [", ".join(["203.0.113.9", *["10.0.0.7"] * 10_000])], "127.0.0.1"),
        ("127.0.0.1", [", ".join([*["198.51.100.1"] * 10_000, "203.0.113.9"])], "203.0.113.9"),
        ("127.0.0.1", ["1" * 8000], "127.0.0.1"),
        ("10.0.0.7", ["127.0.0.1"], "10.0.0.7"),
        ("10.0.0.7", ["::1"], "10.0.0.7"),
        ("10.0.1.7", ["203.0.113.9"], "10.0.1.7"),
        ("", ["203.0.113.9"], ""),
    ],
)
def test_address_of_the_client(peer, header, address):
    assert create_origin(peer, header).address == address


@pytest.mark.parametrize(
    ("peer", "is_encrypted", "header", "protocols", "is_private"),
    [
        ("127.0.0.1", False, ["203.0.113.9"], ["https"], True),
        ("127.0.0.1", False, ["203.0.113.9"], ["WSS"], True),
        ("127.0.0.1", False, ["203.0.113.9"], ["https, https"], True),
        ("127.0.0.1", False, ["203.0.113.9"], ["https, http"], False),
        ("127.0.0.1", False, ["203.0.113.9"], ["http", "https"], False),
        ("127.0.0.1", False, ["203.0.113.9"], ["http"], False),
        ("127.0.0.1", False, ["203.0.113.9"], [], False),
        ("127.0.0.1", False, ["nonsense"], ["http"], False),
        ("127.0.0.1", False, [], ["http"], False),
        ("127.0.0.1", True, ["203.0.113.9"], ["http"], False),
        ("10.0.0.7", False, ["203.0.113.9"], ["https"], False),
        ("10.0.0.7", True, ["203.0.113.9"], ["https"], True),
        ("10.0.0.7", True, ["127.0.0.1"], ["http"], False),
        ("127.0.0.1", False, ["127.0.0.1"], ["http"], True),
        ("127.0.0.1", False, [], [], True),
        ("203.0.113.9", False, ["127.0.0.1"], ["https"], False),
        ("203.0.113.9", True, ["127.0.0.1"], ["http"], True),
    ],
)
def test_privacy_of_the_connection(peer, is_encrypted, header, protocols, is_private):
    assert create_origin(peer, header, protocols, is_encrypted=is_encrypted).is_private == is_private


ONE_PROXY = TrustedProxies([ip_network("127.0.0.1")])
PUBLIC_URL = "https://cards.example.org"
PUBLIC = {"Host": "cards.example.org", "Origin": PUBLIC_URL, "X-Forwarded-Proto": "https"}


@pytest.fixture
async def served(home):
    """Open an endpoint for browsers behind a proxy at 127.0.0.1; return its address."""
    async with web_endpoint(ClubAccounts(CODE), trusted_proxies=ONE_PROXY, public_url=PUBLIC_URL) as (url, _):
        yield url.replace("localhost", "127.0.0.1")


async def submit(session, url, headers, **form):
    """Submit the login form as a proxy passes it on; return the status, the page and the cookies."""
    form = {"nick": "Anna", "code": CODE, **form}
    async with session.post(url, data=form, headers=headers, allow_redirects=False) as answer:
        return answer.status, await answer.text(), [*answer.cookies.values()]


async def test_wrong_codes_delay_only_the_client_behind_the_proxy(served):
    eve = PUBLIC | {"X-Forwarded-For": "198.51.100.7"}
    async with browser("127.0.0.1") as proxy, browser("127.0.0.2") as direct:
        for _ in range(5):
            await submit(proxy, served, eve, code="sesame77")
        for forged in ("203.0.113.9, 198.51.100.7", "127.0.0.1, 198.51.100.7", "x," * 2000 + "198.51.100.7"):
            assert "too many wrong tries" in (await submit(proxy, served, PUBLIC | {"X-Forwarded-For": forged}))[1]
        for number in range(5):  # from a stranger that pretends to be a proxy
            await submit(direct, served, PUBLIC | {"X-Forwarded-For": f"203.0.113.{number}"}, code="sesame77")
        assert "too many wrong tries" in (await submit(direct, served, PUBLIC | {"X-Forwarded-For": "203.0.113.9"}))[1]
        assert (await submit(proxy, served, PUBLIC | {"X-Forwarded-For": "203.0.113.9"}))[0] == 303


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("cards.example.org", PUBLIC_URL, 303),
        ("127.0.0.1:7038", PUBLIC_URL, 303),
        ("cards.example.org", "http://cards.example.org", 403),
        ("cards.example.org", "https://cards.example.org:8443", 403),
        ("cards.example.org", "https://cards.example.org.evil.test", 403),
        ("cards.example.org.", "http://cards.example.org.", 403),
        ("cards.example.org", "null", 403),
        ("cards.example.org", "", 403),
        ("evil.test", "https://evil.test", 403),
        ("evil.test", PUBLIC_URL, 403),
    ],
)
async def test_only_pages_of_the_public_address_can_log_in(served, host, origin, status):
    async with browser() as proxy:
        headers = PUBLIC | {"X-Forwarded-For": "203.0.113.9", "Host": host, "Origin": origin}
        assert (await submit(proxy, served, headers))[0] == status
        if status == 403:
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await proxy.ws_connect(f"{served}/ws", headers=headers)


async def test_cookie_is_secure_on_encrypted_pages_only(served):
    async with browser() as anna:
        for origin, nick, secure in ((PUBLIC_URL, "Anna", True), (served, "Bob", "")):
            headers = PUBLIC | {"X-Forwarded-For": "203.0.113.9", "Origin": origin, "Host": origin.partition("//")[2]}
            (cookie,) = (await submit(anna, served, headers, nick=nick))[2]
            assert cookie["secure"] == secure


@pytest.mark.parametrize(("scheme", "is_private"), [("https", True), ("http", False)])
async def test_password_behind_proxy_only_with_tls(served, anna_with_password, scheme, is_private):
    headers = PUBLIC | {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": scheme}
    async with browser() as anna:
        async with anna.get(served, headers=headers) as page:
            assert (READABLE_CONNECTION_WARNING in await page.text()) != is_private
            policy = page.headers["Content-Security-Policy"]
            assert "connect-src 'self' ws://cards.example.org wss://cards.example.org;" in policy
        status, page, _ = await submit(anna, served, headers, password="sesame77")
    assert (status, "others could read your password" in page) == ((303, False) if is_private else (403, True))


def join_through_proxy(url, client):
    """Connect as a client program behind a proxy."""
    return connect(url, subprotocols=[protocol.SUBPROTOCOL], additional_headers={"X-Forwarded-For": client})


async def test_silent_connections_behind_proxy_count_for_their_client(home, set_limit):
    set_limit("pending", number=8)
    handshake = (
        b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        b"X-Forwarded-For: 203.0.113.9, 198.51.100.7\r\n\r\n"
    )
    async with (
        club(proxies=ONE_PROXY) as (room, url),
        join_through_proxy(url, "203.0.113.9") as anna,
        AsyncExitStack() as stack,
    ):
        await anna.recv()
        silent = [await stack.enter_async_context(silent_connection(get_port(url), handshake)) for _ in range(20)]
        for reader in silent[:14]:
            await wait_until_closed(reader)
        await anna.send(protocol.encode(protocol.Hello("Anna")))
        assert protocol.decode_server(await anna.recv()).nick == "Anna"
        assert room.clients[0].origin.address == "203.0.113.9"
