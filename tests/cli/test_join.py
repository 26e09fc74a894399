"""``cardtable join``: addresses, nicks and codes."""

import asyncio

import pytest

from cardtable.cli import launch
from cardtable.club.addresses import parse_club_address
from cardtable.club.server import status_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.disk_space import DiskUse
from cardtable.plain.club import lobby
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE, NICK_VARIABLE


@pytest.fixture
def opened_page(cardtable, monkeypatch):
    """Return a function that runs ``join`` and returns the arguments of the page that opens."""
    pages = []
    monkeypatch.setattr(launch, "open_screen", lambda _session, _flags, page: pages.append(page))

    def open_page(*arguments):
        result = cardtable("join", *arguments)
        assert (result.code, result.err) == (0, "")
        return pages[-1]

    return open_page


def test_address_with_default_port_other_port_or_tls(opened_page):
    assert opened_page("example.org") == ("club", "ws://example.org:7036", "", "", "", False, "")
    assert opened_page("wss://example.org:7037")[1] == "wss://example.org:7037"
    assert opened_page("localhost", "--nick", "Anna", "--code", "sesame77")[2:] == ("Anna", "sesame77", "", False, "")


def test_word_of_an_invitation(opened_page, cardtable):
    assert opened_page("example.org", "--nick", "Bob", "--word", "abcd")[2:] == ("Bob", "", "", False, "abcd")
    result = cardtable("join", "example.org", "--word", "abcd")
    assert (result.code, "--word needs --nick" in result.err) == (2, True)


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("[::1]:7040", "ws://[::1]:7040"), ("[2001:db8::7]", "ws://[2001:db8::7]:7036"),
        ("::1", "ws://[::1]:7036"), ("wss://[::1]:443", "wss://[::1]:443"),
        ("https://cards.example.org/", "wss://cards.example.org:443"),
        ("http://192.168.1.5:7038", "ws://192.168.1.5:7038"), ("192.168.1.5:7040", "ws://192.168.1.5:7040"),
        ("127.1", "ws://127.0.0.1:7036"), (" localhost ", "ws://localhost:7036"),
        ("WSS://Cards.Example.org.:443", "wss://cards.example.org:443"),
    ],
)  # fmt: skip
def test_other_forms_of_addresses(opened_page, address, url):
    assert opened_page(address)[1] == url


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("localhost\uff1a7040", "localhost:7040"),
        ("\uff11\uff19\uff12\u3002168.1.5", "192.168.1.5"),
        ("local\u200bhost", "localhost"),
        ("c\u0430rds.example.org", "xn--crds-53d.example.org"),
    ],
    ids=["colon", "digits", "invisible", "cyrillic"],
)
def test_address_is_shown_as_it_is_used(cardtable, monkeypatch, address, shown):
    urls = []
    monkeypatch.setattr(lobby, "visit_club", lambda url, *_: urls.append(url))
    assert cardtable("--plain", "join", address).read_error(0) == f"joining {shown}"
    assert urls == [parse_club_address(shown)]


def test_host_of_the_club_needs_no_code(opened_page, monkeypatch):
    status = status_file.Status("The club", (), 7036, 0, (), (), 1, 0, "", DiskUse(0, 0), 0)
    monkeypatch.setattr(status_file, "read_status", lambda: status)
    asyncio.run(ClubAccounts("sesame77").store.save_all(()))
    assert opened_page("localhost", "--nick", "anna")[2:4] == ("Anna", "sesame77")
    assert opened_page("localhost:7040")[3] == ""
    assert opened_page("example.org")[3] == ""
    assert opened_page("localhost", "--code", "other")[3] == "other"


def test_ssh_guest_is_admitted_by_token(opened_page, monkeypatch):
    monkeypatch.setenv(NICK_VARIABLE, "Anna")
    monkeypatch.setenv(ADMISSION_TOKEN_VARIABLE, "word")
    monkeypatch.setattr(launch, "can_show_screens", lambda: True)
    assert opened_page("127.0.0.1:7000") == ("club", "ws://127.0.0.1:7000", "Anna", "", "word", True, "")


@pytest.mark.parametrize(
    "address",
    [
        *("", ":7036", "localhost:x", "ftp://localhost", "[::1", "[localhost]", "::1:x", "host:70360", "a@b", "ws://"),
        *("192.168.1..5", ".x", f"{'a' * 64}.example", "bob\uff20localhost", "\u202elocalhost"),
        *("host:0", "host:\u0667"),
        *("[192.168.1.5]", "fe80::1%\xe9", "two words", "\ud800"),
    ],
)
def test_rejects_invalid_address(cardtable, address):
    assert cardtable("join", address).read_error(2).startswith("an address is HOST or HOST:PORT")


@pytest.mark.parametrize(
    ("data", "message"),
    [(b'{"tickets":"\xff"}', "not UTF-8 text"), (b'{"clubs":3}', "written by a newer version of cardtable")],
)
def test_unreadable_tokens_file(cardtable, home, monkeypatch, data, message):
    joined = []
    monkeypatch.setattr(lobby, "visit_club", lambda *how: joined.append(how))
    home.mkdir()
    (home / "clubs.json").write_bytes(data)
    (home / "club.json").write_bytes(b"{")
    assert cardtable("--plain", "join", "localhost:7036").read_error(0).endswith(f"clubs.json: {message}")
    assert len(joined) == 1
    assert f"clubs.json: {message}" in cardtable("doctor").err
