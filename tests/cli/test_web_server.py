"""``cardtable serve``: token, cookie, origin and host name."""

from urllib.parse import urlsplit

import aiohttp
import pytest

from cardtable.cli.web_server import TokenAuth
from cardtable.club.addresses import is_local
from tests.serving import ServeProcess, browse, connect_websocket


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Start one server for all tests: none of them gets in."""
    with ServeProcess(tmp_path_factory.mktemp("home")) as served:
        yield served


@pytest.fixture
async def browser(served):
    async with browse(served) as browser:
        yield browser


async def test_token_is_stored_in_a_protected_cookie(served):
    async with aiohttp.ClientSession() as browser, browser.get(served.url) as answer:
        (cookie,) = answer.cookies.values()
    assert len(cookie.value) >= 22
    assert cookie.value in served.url
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert str(served.port) in cookie.key  # another server of this machine has its own


async def test_cookie_admits_without_token(served, browser):
    async with browser.get(f"{served.origin}/") as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=guessed", "/?token=%ff%C3%A9", "/static/js/textual.js", "/x"]
)
async def test_nothing_is_served_without_token(served, path):
    async with aiohttp.ClientSession() as stranger, stranger.get(served.origin + path) as answer:
        assert answer.status == 403
        assert "cardtable serve" in await answer.text()  # whose address has to be opened
        assert not answer.cookies


async def test_no_program_starts_without_token(served):
    async with aiohttp.ClientSession(cookies={f"cardtable-{served.port}": "guéssed"}) as stranger:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await connect_websocket(stranger, served)
    assert refused.value.status == 403
    assert not served.count_programs()


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://elsewhere.example", None), ("http://localhost:1", None), ("null", None),
        ("http://[", None), ("http://made-to-point-here.example", "made-to-point-here.example"),
    ],
)  # fmt: skip
async def test_rejects_other_origin(served, browser, origin, host):
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await connect_websocket(browser, served, origin, host)
    assert refused.value.status == 403
    assert not served.count_programs()


@pytest.mark.parametrize("host", ["made-to-point-here.example", "192.168.1.2", "localhost.example", "[", ""])
async def test_rejects_other_host_name(served, browser, host):
    for path in ("/", "/static/js/textual.js"):
        async with browser.get(served.origin + path, headers={"Host": host}) as answer:
            assert answer.status == 403


def test_own_host_names():
    local = TokenAuth("localhost", 8000)
    assert all(map(local.is_own_name, ("localhost:8000", "LOCALHOST", "127.0.0.1:9000", "[::1]:8000")))
    assert not any(
        map(local.is_own_name, ("", "[::1", "192.168.1.2:8000", "elsewhere.example", "localhost@elsewhere.example"))
    )
    elsewhere = TokenAuth("0.0.0.0", 8000)  # an address cannot be made to point here, a name can
    assert all(map(elsewhere.is_own_name, ("localhost", "192.168.1.2:8000", "[fe80::1]:8000")))
    assert not any(map(elsewhere.is_own_name, ("elsewhere.example", "")))
    named = TokenAuth("Cards.example", 8000)
    assert named.is_own_name("cards.example:8000")
    assert not named.is_own_name("elsewhere.example")


def test_local_addresses():
    assert all(map(is_local, ("localhost", "127.0.0.1", "127.1.2.3", "::1")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.1.2", "localhost.example", "")))


@pytest.mark.parametrize("host", ["localhost", "::1", "0.0.0.0", "::", "cards.example"])
def test_printed_address_is_an_own_name(host):
    auth = TokenAuth(host, 8000)
    printed = urlsplit(auth.addresses[0])
    assert printed.port == 8000
    assert printed.hostname not in ("0.0.0.0", "::")
    assert auth.is_own_name(printed.netloc)


def test_each_server_has_its_own_token():
    assert TokenAuth("localhost", 8000).addresses != TokenAuth("localhost", 8000).addresses


@pytest.mark.parametrize("folder", ["/static", "/static/", "/static/js/", "/static/fonts"])
async def test_folders_have_no_index(served, browser, folder):
    async with browser.get(served.origin + folder) as answer:
        assert answer.status in (403, 404)
        assert "textual.js" not in await answer.text()
