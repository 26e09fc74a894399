"""``cardtable serve``: token, cookie, origin and host name."""

from urllib.parse import urlsplit

import aiohttp
import pytest

from cardtable.cli.web_server import TokenAuth
from cardtable.club.addresses import is_local
from tests.serving import Served, socket_of, visitor

pytestmark = pytest.mark.promise("Commands", "A served card room opens only with its token and only from its own page.")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """Start one server for all tests: none of them gets in."""
    with Served(tmp_path_factory.mktemp("home")) as served:
        yield served


@pytest.fixture
async def browser(served):
    async with visitor(served) as browser:
        yield browser


async def test_the_printed_address_has_a_token_which_the_browser_keeps_where_no_script_reads_it(served):
    async with aiohttp.ClientSession() as browser, browser.get(served.url) as answer:
        (cookie,) = answer.cookies.values()
    assert len(cookie.value) >= 22
    assert cookie.value in served.url
    assert cookie["httponly"]
    assert cookie["samesite"] == "Strict"
    assert str(served.port) in cookie.key  # another server of this machine has its own


async def test_who_has_been_in_comes_in_again_without_the_token(served, browser):
    async with browser.get(f"{served.origin}/") as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "path", ["/", "/?token=", "/?token=guessed", "/?token=%ff%C3%A9", "/static/js/textual.js", "/x"]
)
async def test_without_the_token_there_is_nothing(served, path):
    async with aiohttp.ClientSession() as stranger, stranger.get(served.origin + path) as answer:
        assert answer.status == 403
        assert "cardtable serve" in await answer.text()  # whose address has to be opened
        assert not answer.cookies


async def test_without_the_token_no_program_starts(served):
    async with aiohttp.ClientSession(cookies={f"cardtable-{served.port}": "guéssed"}) as stranger:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await socket_of(stranger, served)
    assert refused.value.status == 403
    assert not served.programs()


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://elsewhere.example", None),
        ("http://localhost:1", None),
        ("null", None),
        ("http://[", None),
        ("http://made-to-point-here.example", "made-to-point-here.example"),
    ],
)
async def test_a_page_from_elsewhere_is_refused(served, browser, origin, host):
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await socket_of(browser, served, origin, host)
    assert refused.value.status == 403
    assert not served.programs()


@pytest.mark.parametrize("host", ["made-to-point-here.example", "192.168.1.2", "localhost.example", "[", ""])
async def test_under_another_name_nothing_is_served(served, browser, host):
    for path in ("/", "/static/js/textual.js"):
        async with browser.get(served.origin + path, headers={"Host": host}) as answer:
            assert answer.status == 403


def test_names_that_it_goes_by():
    here = TokenAuth("localhost", 8000)
    assert all(map(here.is_own_name, ("localhost:8000", "LOCALHOST", "127.0.0.1:9000", "[::1]:8000")))
    assert not any(
        map(here.is_own_name, ("", "[::1", "192.168.1.2:8000", "elsewhere.example", "localhost@elsewhere.example"))
    )
    elsewhere = TokenAuth("0.0.0.0", 8000)  # an address cannot be made to point here, a name can
    assert all(map(elsewhere.is_own_name, ("localhost", "192.168.1.2:8000", "[fe80::1]:8000")))
    assert not any(map(elsewhere.is_own_name, ("elsewhere.example", "")))
    named = TokenAuth("Cards.example", 8000)
    assert named.is_own_name("cards.example:8000")
    assert not named.is_own_name("elsewhere.example")


def test_addresses_of_this_machine():
    assert all(map(is_local, ("localhost", "127.0.0.1", "127.1.2.3", "::1")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.1.2", "localhost.example", "")))


@pytest.mark.parametrize("host", ["localhost", "::1", "0.0.0.0", "::", "Cards.example"])
def test_it_goes_by_the_address_that_it_prints(host):
    door = TokenAuth(host, 8000)
    printed = urlsplit(door.address)
    assert printed.port == 8000
    assert printed.hostname not in ("0.0.0.0", "::")
    assert door.is_own_name(printed.netloc)


def test_each_server_has_a_token_of_its_own():
    assert TokenAuth("localhost", 8000).address != TokenAuth("localhost", 8000).address


@pytest.mark.parametrize("folder", ["/static", "/static/", "/static/js/", "/static/fonts"])
async def test_folders_have_no_index(served, browser, folder):
    async with browser.get(served.origin + folder) as answer:
        assert answer.status in (403, 404)
        assert "textual.js" not in await answer.text()
