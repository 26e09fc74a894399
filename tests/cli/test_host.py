"""``cardtable host``, ``club`` and ``join``: options, addresses, errors, status and nicks."""

import asyncio
import errno
import json
import os
import socket
import sys

import pytest

from cardtable.cli import launch
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity, parse_club_address
from cardtable.club.protocol import SeatInfo, TableInfo
from cardtable.club.server import club_file, server, server_options, status_file
from cardtable.club.server.accounts import ClubAccounts
from cardtable.club.server.disk_space import DiskUse
from cardtable.installation import format_install_command
from cardtable.plain.club import lobby
from cardtable.store import profiles
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE, NICK_VARIABLE
from tests.cli.playing import parse_error


@pytest.fixture
def parse_options(cardtable, monkeypatch):
    """Return a function that parses a command line of ``host`` and returns the options of the server."""
    offers = []

    async def run(offer, _tell):
        offers.append(offer)
        return 0

    monkeypatch.setattr(server, "run_club", run)

    def offered(*arguments):
        result = cardtable("host", *arguments)
        assert (result.code, result.err) == (0, "")
        return offers[-1]

    return offered


def test_defaults_serve_this_machine_without_code(parse_options):
    assert parse_options() == server_options.ServerOptions("The club", "localhost", 7036, "")


def test_code_is_created_for_other_machines_and_reused(parse_options):
    code = parse_options("--lan").code
    assert len(code) == 8
    asyncio.run(ClubAccounts(code).store.save_all())
    assert parse_options("--lan").code == code
    asyncio.run(ClubAccounts("").store.save_all())  # for this machine only
    assert parse_options("--bind", "192.168.1.2").code == code
    assert parse_options("--lan", "--code", "sesame77").code == "sesame77"
    assert parse_options("--lan", "--no-code").code == ""
    assert parse_options("--bind", "127.0.0.1").code == ""


def test_options_of_the_host(parse_options):
    line = (
        "--bind 127.0.0.2 --port 7000 --max-guests 3 --max-tables 2 --max-disk 9 --max-new-nicks 5 --name Fridays "
        "--ssh 7001 --ssh-timeout 9 --web 7002 --metrics 7003 --metrics-bind 127.0.0.3"
    )
    limits = {"max_guests": 3, "max_tables": 2, "max_disk_bytes": 9_000_000, "max_new_nicks": 5, "ssh_timeout": 9}
    endpoints = {"ssh_port": 7001, "web_port": 7002, "metrics_port": 7003, "metrics_address": "127.0.0.3"}
    assert parse_options(*line.split()) == server_options.ServerOptions(
        "Fridays", "127.0.0.2", 7000, "", **limits, **endpoints
    )
    got = parse_options("--lan", "--port", 0, "--ssh", 0, "--web", 0)
    assert (got.address, got.port, got.ssh_port, got.web_port) == ("", 0, 0, 0)


@pytest.mark.parametrize(
    ("line", "web", "join"),
    [
        ("https://Cards.example.org/", "https://cards.example.org", ""),
        ("https://cards.example.org:443", "https://cards.example.org", ""),
        ("https://kärten.example:8443", "https://xn--krten-gra.example:8443", ""),
        ("wss://[2001:db8::7]:7036", "", "wss://[2001:db8::7]"),
        ("https://a.example wss://b.example:443", "https://a.example", "wss://b.example:443"),
        ("ws://b.example:80 http://a.example:80", "http://a.example", "ws://b.example:80"),
    ],
)
def test_public_addresses(parse_options, line, web, join):
    urls = [argument for url in line.split() for argument in ("--public-url", url)]
    options = parse_options(*urls, "--proxy", "localhost", "--proxy", "10.0.0.0/24", "--proxy", "2001:db8::5")
    assert (options.public_url, options.public_join_url) == (web, join)
    assert [str(network) for network in options.proxies] == ["127.0.0.0/8", "::1/128", "10.0.0.0/24", "2001:db8::5/128"]
    assert len(options.code) == 8  # the club is not for this machine only


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--lan --bind 127.0.0.1", "cannot be combined"),
        ("--code sesame77 --no-code", "cannot be combined"),
        ("--code a", "a code is 6 to 64 letters"),
        ("--cert pyproject.toml", "does not exist"),
        ("--port 70000", "--port"),
        ("--port seven", "--port: 'seven' is not a whole number"),
        ("--bind a..b", "no machine is called 'a..b'; --bind takes an address of this machine"),
        ("--ssh 7036 --port 7036", "--port and --ssh cannot both be 7036"),
        ("--ssh 7001 --web 7001", "--ssh and --web cannot both be 7001"),
        ("--proxy nginx", "--proxy takes an address or network"),
        ("--proxy 10.0.0.1/24", "--proxy takes an address or network"),
        ("--proxy 127.0.0.1 --public-url https://example.org/cards/", "--public-url takes no path"),
        ("--proxy 127.0.0.1 --public-url example.org", "--public-url takes an address such as https://cards"),
        ("--proxy 127.0.0.1 --public-url https://", "--public-url takes an address such as https://cards"),
        ("--proxy 127.0.0.1 --public-url https://[::1", "--public-url takes an address such as https://cards"),
        ("--proxy 127.0.0.1 --public-url https://a:70000", "--public-url takes an address such as https://cards"),
        ("--proxy 127.0.0.1 --public-url https://u@a.example", "--public-url takes an address such as https://cards"),
        ("--proxy ::1 --public-url wss://a --public-url ws://a", "--public-url takes one https:// address"),
        ("--public-url https://a.example", "needs the --proxy in front of the club, or --cert and --key"),
        ("--proxy ::1 --web 0 --public-url wss://a.example", "browsers need a --public-url of their own"),
        ("--metrics-bind 127.0.0.1", "--metrics-bind needs --metrics; give both"),
        ("--metrics 1 --metrics-bind a..b", "no machine is called 'a..b'; --metrics-bind takes an address"),
    ],
)
def test_rejects_wrong_arguments(cardtable, line, expected):
    assert expected in cardtable("host", *line.split()).read_error(2)


@pytest.mark.parametrize("address", ["", "192.168.1..5", "a\tb", "\ud800"])
def test_serve_names_a_wrong_address(cardtable, address):
    assert cardtable("serve", "--bind", address).read_error(2).endswith("--bind takes an address of this machine")


@pytest.mark.parametrize("endpoint", ["port", "ssh", "web", "metrics"])
def test_port_in_use(cardtable, endpoint):
    """The error names the one port of several that cannot be used."""
    others = [socket.create_server(("127.0.0.1", 0)) for _ in range(4)]
    ports = dict(zip(("port", "ssh", "web", "metrics"), [each.getsockname()[1] for each in others], strict=True))
    for name, other in zip(ports, others, strict=True):
        if name != endpoint:
            other.close()
    result = cardtable("host", *[word for name, port in ports.items() for word in (f"--{name}", port)])
    others[list(ports).index(endpoint)].close()
    address = "127.0.0.1" if endpoint == "metrics" else "localhost"
    reason = os.strerror(errno.EADDRINUSE)
    assert result.read_error(1) == f"cannot listen on {address}, port {ports[endpoint]}: {reason}"


@pytest.mark.parametrize(
    ("ports", "addresses"), [(("--port", 7036, "--ssh", 7037), "192.0.2.1, port 7036"), (("--port", 0), "192.0.2.1")]
)
def test_address_of_another_machine(cardtable, ports, addresses):
    error = cardtable("host", "--bind", "192.0.2.1", *ports).read_error(1)
    assert error == f"cannot listen on {addresses}: {os.strerror(errno.EADDRNOTAVAIL)}"


def test_invalid_certificate_or_missing_key(cardtable, tmp_path):
    (tmp_path / "file").write_text("nothing")
    assert cardtable("host", "--cert", "file").read_error(2) == "--cert and --key need each other; give both"
    error = cardtable("host", "--cert", "file", "--key", "file").read_error(1)
    assert error.startswith("file and file are not a certificate and its key")


def test_missing_club_libraries(cardtable, monkeypatch):
    monkeypatch.delitem(sys.modules, "cardtable.club.server.server")
    monkeypatch.setitem(sys.modules, "websockets.asyncio.server", None)
    monkeypatch.delitem(sys.modules, "cardtable.club.server.websocket_endpoint", raising=False)
    monkeypatch.delattr("cardtable.club.server.server")
    assert cardtable("host").read_error(1) == f"a club needs more libraries: {format_install_command('club')}"


@pytest.mark.parametrize(
    ("endpoint", "library"), [("ssh", "asyncssh"), ("web", "aiohttp"), ("metrics", "prometheus_client")]
)
def test_missing_endpoint_libraries(cardtable, monkeypatch, endpoint, library):
    monkeypatch.delitem(sys.modules, f"cardtable.club.server.{endpoint}_endpoint", raising=False)
    for module in [name for name in sys.modules if name.startswith("cardtable.club.web_terminal")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, library, None)
    error = cardtable("host", f"--{endpoint}", 0).read_error(1)
    assert error == f"a club needs more libraries: {format_install_command('club')}"


UNREADABLE_FILES = [
    (b'{"code":"\xff"}', "not UTF-8 text"),
    (b'{"club":3,"club_now":3}', "written by a newer version of cardtable"),
    (b'{"club":1,"club_now":0}', "written by an older version of cardtable"),
]


@pytest.mark.parametrize(("data", "message"), UNREADABLE_FILES)
def test_unreadable_club_file_is_named(cardtable, home, data, message):
    home.mkdir()
    (home / "club.json").write_bytes(data)
    (home / "club.json.bak").touch()
    reason = f"{home.name}/club.json: {message}; club.json.bak is the file before its last change"
    for command in (("host",), ("host", "--lan", "--port", 0)):
        assert cardtable(*command).read_error(1).endswith(reason)
    assert (home / "club.json").read_bytes() == data
    assert f"club.json: {message}" in cardtable("doctor").err


def test_unreadable_profiles_prevent_opening(cardtable, home):
    """Otherwise anybody could enter under the nick of a player with a password."""
    home.mkdir()
    (home / "profiles.json").write_bytes(b"\xff")
    assert cardtable("host", "--port", 0).read_error(1).endswith("/profiles.json: not UTF-8 text")


@pytest.mark.parametrize(("data", "message"), UNREADABLE_FILES)
def test_unreadable_status_file_is_named(cardtable, home, data, message):
    home.mkdir()
    (home / "club-now.json").write_bytes(data)
    with status_file.hold_host_lock():
        assert cardtable("club").read_error(1).endswith(f"club-now.json: {message}")


@pytest.mark.parametrize(("since", "game"), [(10**11, "king"), (-1, "king"), (1e300, "king"), (5, "poker\x1b[2J")])
def test_status_file_with_impossible_values(cardtable, home, since, game):
    home.mkdir()
    row = {"table": "A", "game": game, "options": {}, "seats": [], "master": "Bob"}
    status = {"club_now": 2, "name": "Fridays", "invitation": [], "port": 7036, "since": since, "people": []}
    room = {"saving_fails": "", "disk": {"used": 0, "limit": 1}, "administration_port": 0}
    text = json.dumps({**status, "tables": [row], "processes": 2, "waiting": 1, **room})
    (home / "club-now.json").write_text(text)
    with status_file.hold_host_lock():
        status = cardtable("club")
    assert status.code == (game == "king")
    assert "\x1b" not in status.out
    assert game != "king" or "club-now.json: Expected" in parse_error(status.err)


def test_status_of_the_open_club(cardtable, monkeypatch):
    anna, ada = SeatInfo("Anna", away=True), SeatInfo("Ada", robot=True)
    rows = (
        TableInfo("A", "rikiki", {}, (anna, SeatInfo("Bob"), ada, ada), "Anna", playing=True, round=3),
        TableInfo("B", "king", {}, (SeatInfo("Cleo"), SeatInfo(), SeatInfo(), SeatInfo()), "Cleo"),
    )
    invitation, disk = ("Fridays is open", "the code is sesame77"), DiskUse(25_000_000, 10**8)
    status = status_file.Status("Fridays", invitation, 7036, 0, ("Bob", "Cleo"), rows, 2, 1, "", disk, 0)
    monkeypatch.setattr(status_file, "read_status", lambda: status)
    out = cardtable("club").read_output()
    lines = [line.split("  ")[-1].strip() for line in out.splitlines()]
    assert lines[:1] + lines[2:] == [
        "Fridays",
        "the code is sesame77",
        "Bob, Cleo",
        "A: Rikiki, round 3, Anna (away), Bob",
        "B: King, waits for players, Cleo",
        "2 at a time, 1 decision waiting",
        "the sessions take up 25 of 100 MB",
    ]


def test_forget_frees_nick(cardtable):
    profiles.register("Dora", password="sesame77", again="sesame77")

    async def come():
        accounts = ClubAccounts()
        await accounts.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Anna"))
        await accounts.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Dora"), password="sesame77")

    asyncio.run(come())
    out = cardtable("club", "forget", "anna").read_output()
    assert out.startswith("The nick Anna is free. The next person who takes it gets")
    result = cardtable("club", "forget", "Dora")
    assert "Dora must enter the password again" in result.out
    error = cardtable("club", "forget", "Anna").read_error(1)
    assert error == "nobody called Anna has been in the club, and no unfinished session names Anna"
    assert club_file.read_club_file().people == ()


def test_only_the_host_forgets_while_its_club_is_open(cardtable):
    asyncio.run(ClubAccounts().authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Anna")))
    before = club_file.read_club_file()
    with status_file.hold_host_lock():  # a host that does not answer
        assert cardtable("club", "forget", "Anna").code == 1
    assert club_file.read_club_file() == before


# --- ``cardtable join``


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
    assert "--word needs --nick" in cardtable("join", "example.org", "--word", "abcd").read_error(2)


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
    asyncio.run(ClubAccounts("sesame77").store.save_all())
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
