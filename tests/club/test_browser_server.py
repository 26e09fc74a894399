"""Endpoint for browsers: login, programs in tabs, refused requests."""

import asyncio
import json
import os
import re
import signal
import socket
import sys
import threading
from base64 import b64decode
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from unittest.mock import AsyncMock

import aiohttp
import pytest

from cardtable.club import addresses
from cardtable.club.addresses import ConnectionOrigin, LoginIdentity
from cardtable.club.server import server
from cardtable.club.server import web_endpoint as web_server
from cardtable.club.server.accounts import MAX_SETTINGS_BYTES, ClubAccounts
from cardtable.club.server.host_events import LoggedIn, ProgramRefused, ignore_event
from cardtable.club.server.hosted_clients import CapacityError, HostedClients, remove_stale_homes
from cardtable.club.server.server_options import ServerOptions
from cardtable.club.server.web_endpoint import WebEndpoint
from cardtable.club.web_terminal import OriginPolicy, TextualProcess, create_refusal
from cardtable.engine.errors import CardtableError
from cardtable.store import emergency_save, home_folder, paths
from tests.club.account_logins import ORIGIN
from tests.club.guests import choose_randomly
from tests.club.loopback_club import TIMEOUT, always_run, poll_until, silent_connection, wait_until_closed
from tests.club.test_server import create_certificate
from tests.club.test_ssh_server import wait_for_process_end
from tests.session.session_player import create_session

CODE = "kmnpqrst"
PROGRAM = """
import json, os, sys

def send(kind, about):
    sys.stdout.buffer.write(kind + len(about).to_bytes(4, "big") + about)
    sys.stdout.buffer.flush()

def paint(*words):
    send(b"D", " ".join(map(str, words)).encode())

sys.stdout.buffer.write(b"__GANGLION__\\n")
where = [os.environ[name] for name in ("CARDTABLE_NICK", "CARDTABLE_HOME")]
paint("pid", os.getpid(), *where, os.environ["COLUMNS"], os.environ["ROWS"])
while head := sys.stdin.buffer.read(5):
    about = sys.stdin.buffer.read(int.from_bytes(head[1:], "big"))
    if head[:1] == b"M":
        message = json.loads(about)
        if message["type"] == "quit":
            break
        paint(*message.values())
    elif about == b"environment":
        paint(json.dumps(sorted(os.environ)))
    elif about == b"file":
        send(b"M", json.dumps({"type": "open_url", "url": "file:///etc/passwd", "new_tab": True}).encode())
        send(b"M", json.dumps({"type": "deliver_file_start", "key": "x", "path": "/etc/passwd"}).encode())
        send(b"P", b"root")
        paint("sent")
    else:
        paint("typed", about.decode())
"""
"""A program that prints its size, and every message and key it receives."""


@asynccontextmanager
async def web_endpoint(accounts, *, max_programs=32, program=PROGRAM, certificate=None, emit=ignore_event, **options):
    """Open an endpoint for browsers; yield its address and its hosted clients."""
    command = always_run(sys.executable, "-I", "-S", "-c", program)
    programs = HostedClients(accounts, command, max_processes=max_programs, emit=emit)
    endpoint = WebEndpoint(programs, "Fridays", "localhost", certificate, **options)
    async with endpoint.listen(0, "It is over.") as port:
        yield f"http{'s' if certificate else ''}://localhost:{port}", programs


@asynccontextmanager
async def browser(address=None, **options):
    """A browser session with cookies, which connects from the local ``address`` if given."""
    connector = aiohttp.TCPConnector(local_addr=(address, 0)) if address else None
    async with aiohttp.ClientSession(connector=connector, **options) as session:
        yield session


def get_port(url):
    return int(url.rpartition(":")[2])


async def submit_login(browser, url, nick="Anna", code=CODE, *, origin=None, **more):
    """Submit the login form; return the status and text of the response."""
    data = {"nick": nick, "code": code, **more}
    async with browser.post(url, data=data, headers={"Origin": origin or url}, allow_redirects=False) as answer:
        return answer.status, await answer.text()


async def read_page(browser, url, **headers):
    """Return the status and text of a page."""
    async with browser.get(url, headers=headers) as answer:
        return answer.status, await answer.text()


def connect_tab(browser, url, *, origin=None, size="width=100&height=30", **headers):
    """Connect the WebSocket of a page."""
    return browser.ws_connect(f"{url}/ws?{size}", headers={"Origin": origin or url, **headers})


@asynccontextmanager
async def logged_in(**options):
    """Open an endpoint and log in as Anna; yield the address, the hosted clients and Anna's browser."""
    async with web_endpoint(ClubAccounts(CODE), **options) as (url, programs), browser() as anna:
        await submit_login(anna, url)
        yield url, programs, anna


@asynccontextmanager
async def tab_in_lobby(lines=None):
    """Open a club, log in as Anna and open a tab; yield the club, the tab and its screen with the lobby."""
    options = ServerOptions("Fridays", port=0, code=CODE, web_port=0)
    write = (lines if lines is not None else []).append
    async with (
        server.open_club(options, think=choose_randomly, log=lambda event: write(str(event))) as club,
        browser() as anna,
    ):
        url = re.fullmatch(r"(http://localhost:\d+) in a browser", club.invitation[2])[1]
        await submit_login(anna, url)
        async with connect_tab(anna, url) as socket:
            screen = ""
            while "Anna (guest)" not in screen:
                screen += await read_painted(socket)
            yield club, socket, screen


async def read_painted(socket, prefix=""):
    """Return the next painted text that begins with ``prefix``."""
    async with asyncio.timeout(TIMEOUT):
        async for message in socket:
            if message.type is aiohttp.WSMsgType.BINARY and (text := message.data.decode()).startswith(prefix):
                return text
    raise AssertionError(f"closed: {socket.close_code}")


async def read_close_reason(socket):
    """Wait until the tab is closed and return the reason."""
    async with asyncio.timeout(TIMEOUT):
        while (message := await socket.receive()).type is not aiohttp.WSMsgType.CLOSE:
            assert message.type is aiohttp.WSMsgType.BINARY, message
    return message.extra


async def test_tab_runs_program_in_window_size(home):
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as anna:
        assert (await submit_login(anna, url, "anna"))[0] == 303
        async with connect_tab(anna, url) as socket:
            assert re.fullmatch(r"pid \d+ Anna \S+ 100 30", await read_painted(socket))
            await socket.send_json(["stdin", "good evening"])
            assert await read_painted(socket) == "typed good evening"
            await socket.send_json(["resize", {"width": 60, "height": 18}])
            assert await read_painted(socket) == "resize 60 18"
            await socket.send_json(["resize", {"width": 1000, "height": 1000}])
            assert await read_painted(socket) == "resize 300 100"
            await socket.send_json(["resize", {"width": 0, "height": 0}])
            assert await read_painted(socket) == "resize 80 24"
        async with connect_tab(anna, url, size="width=0&height=0") as socket:
            assert (await read_painted(socket)).endswith(" 80 24")


async def test_program_and_home_removed_with_the_tab(home):
    async with logged_in() as (url, _, anna):
        async with connect_tab(anna, url) as socket:
            _, pid, _, folder, *_ = (await read_painted(socket)).split()
            assert Path(folder).is_dir()
        await wait_for_process_end(int(pid))
        await poll_until(lambda: not Path(folder).exists())


async def test_crashed_program_sends_nobody_to_a_terminal_of_the_host(home):
    lines = []
    async with logged_in(emit=lines.append) as (url, programs, anna), connect_tab(anna, url) as socket:
        os.kill(int((await read_painted(socket)).split()[1]), signal.SIGKILL)
        assert await read_close_reason(socket) == (
            "The program of this page has crashed. Your seats at the club stay yours."
        )
        await poll_until(lambda: not programs.process_count)
        assert "the program of Anna has crashed" in map(str, lines)


async def test_settings_of_a_program_are_kept_with_the_account(home):
    """The next program of the person finds them, also after a restart and a change of the nick, but no other one."""
    accounts = ClubAccounts()
    for nick in ("Bob", "Cleo"):
        await accounts.authenticator.log_in(LoginIdentity(ConnectionOrigin(), nick))
    for settings in ('theme = "winter"\n', "#" * (MAX_SETTINGS_BYTES + 1)):
        async with HostedClients(accounts, always_run()).reserve_slot("Bob", ORIGIN, "", AsyncMock()) as program:
            paths.get_settings_file(Path(program.environment["CARDTABLE_HOME"])).write_text(settings)
    await accounts.administration.rename("Bob", "Rob")
    programs = HostedClients(ClubAccounts(), always_run())
    for nick, kept in (("Rob", True), ("Cleo", False)):
        async with programs.reserve_slot(nick, ORIGIN, "", AsyncMock()) as program:
            file = paths.get_settings_file(Path(program.environment["CARDTABLE_HOME"]))
            assert file.exists() == kept
            assert not kept or file.read_text() == 'theme = "winter"\n'


async def test_program_that_ignores_the_end_is_killed(home, monkeypatch):
    monkeypatch.setattr(web_server, "GRACE_SECONDS", 0.1)
    stubborn = PROGRAM.replace("            break\n", "            import time; time.sleep(1000)\n")
    async with logged_in(program=stubborn) as (url, _, anna):
        async with connect_tab(anna, url) as socket:
            pid = int((await read_painted(socket)).split()[1])
        await wait_for_process_end(pid)


async def test_reload_and_host_restart_need_no_new_login(home):
    async with browser() as anna:
        async with web_endpoint(ClubAccounts(CODE)) as (url, _):
            assert "The code of the club" in (await read_page(anna, url))[1]
            await submit_login(anna, url)
            for _ in range(2):
                assert 'id="terminal"' in (await read_page(anna, url))[1]
                async with connect_tab(anna, url) as socket:
                    assert " Anna " in await read_painted(socket)
            assert "The code of the club" in (await read_page(anna, f"{url}/?anew"))[1]
        async with web_endpoint(ClubAccounts(CODE)) as (again, programs):  # started again
            (cookie,) = anna.cookie_jar
            anna.cookie_jar.update_cookies({f"cardtable-club-{again.rpartition(':')[2]}": cookie.value})
            async with connect_tab(anna, again) as socket:
                assert " Anna " in await read_painted(socket)
            assert programs.accounts.find_returning_account("Anna")


async def test_new_code_for_everybody_lets_a_known_browser_in(home):
    accounts, events = ClubAccounts(CODE), []
    async with web_endpoint(accounts, emit=events.append) as (url, _), browser() as anna, browser() as eve:
        await submit_login(anna, url)
        await accounts.administration.change_code("another1", everybody=True)
        _, page = await read_page(anna, url)
        assert "the club has a new code; ask its host for it" in page
        assert 'value="Anna"' in page
        status, page = await submit_login(anna, url, code=CODE)
        assert (status, "that is not the code of this club" in page) == (403, True)
        assert (await submit_login(eve, url, code="another1"))[0] == 403
        assert (await submit_login(anna, url, code="another1"))[0] == 303
        assert 'id="terminal"' in (await read_page(anna, url))[1]
    assert [event.method for event in events if isinstance(event, LoggedIn)] == ["code", "token"]


async def test_token_cookie_attributes(home, tmp_path):
    host, guests = create_certificate(tmp_path)
    for context, secure in ((None, ""), (host, True)):
        async with web_endpoint(ClubAccounts(), certificate=context) as (url, _), browser() as anna:
            form = {"data": {"nick": "Bob" if secure else "Anna"}, "headers": {"Origin": url}}
            async with anna.post(url, **form, allow_redirects=False, ssl=guests) as answer:
                (cookie,) = answer.cookies.values()
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Strict", secure)


async def test_wrong_or_missing_code_starts_no_program(home):
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as anna:
        for code, message in (("sesame77", "that is not the code of this club"), ("", "this club has a code")):
            status, page = await submit_login(anna, url, code=code)
            assert (status, message in page) == (403, True)
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await connect_tab(anna, url)


async def test_password_required_and_refused_in_clear_text(home, monkeypatch, anna_with_password):
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as anna:
        assert "Anna is not free; if it is yours, give your password" in (await submit_login(anna, url))[1]
        assert "That is not the password" in (await submit_login(anna, url, password="mellon"))[1]
        assert (await submit_login(anna, url, password="sesame77"))[0] == 303
    monkeypatch.setattr(addresses, "is_local", lambda _address: False)
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as anna:
        status, page = await submit_login(anna, url, password="sesame77")
        assert (status, "others could read your password" in page) == (403, True)


async def test_login_form_escapes_input(home):
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as eve:
        _, page = await submit_login(eve, url, '"><script>alert(1)</script>', "<b>")
    assert "<script>" not in page
    assert "<b>" not in page


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        *(("https://elsewhere.example", None), ("http://localhost:1", None), ("null", None), ("", None)),
        ("http://made-to-point-here.example", "made-to-point-here.example"),
    ],
)
async def test_rejects_foreign_origin(home, origin, host):
    async with logged_in() as (url, _, anna):
        headers = {"Origin": origin, **({"Host": host} if host else {})}
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await anna.ws_connect(f"{url}/ws", headers=headers)
        async with anna.post(url, data={"nick": "Eve", "code": CODE}, headers=headers) as answer:
            assert answer.status == 403
    assert not ClubAccounts().store.find_returning_account("Eve")


@pytest.mark.parametrize("cookie", ["", "Anna", "Anna%20guessed", "%20x", "%00%ff%20x", "A" * 3000 + "%20" + "x" * 500])
async def test_rejects_invalid_cookie(home, cookie):
    async with logged_in() as (url, _, _anna), browser() as eve:
        cookies = {"Cookie": f"cardtable-club-{url.rpartition(':')[2]}={cookie}"}
        assert "The code of the club" in (await read_page(eve, url, **cookies))[1]
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await connect_tab(eve, url, **cookies)


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"&".join([b"a=1"] * 100), b"nick=" + b"A" * 100_000, b"nick=%FF&code=%00", b'{"nick":1}'],
)
async def test_rejects_malformed_login_body(home, body):
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as eve:
        status = (await eve.post(url, data=body, headers={"Origin": url})).status
    assert status in (403, 413)


@pytest.mark.parametrize("sent", ['["stdin", 5]', b"\x00", '["stdin", "%s"]' % ("x" * 100_000), "[" * 10_000])
async def test_malformed_frame_ends_the_program(home, sent):
    async with logged_in() as (url, _, anna), connect_tab(anna, url) as socket:
        pid = int((await read_painted(socket)).split()[1])
        await (socket.send_bytes(sent) if isinstance(sent, bytes) else socket.send_str(sent))
        await wait_for_process_end(pid)


@pytest.mark.parametrize("netloc", ["", ":80", "[", "@"])
@pytest.mark.parametrize("gate", [OriginPolicy(""), OriginPolicy("", accept_any_name=True), OriginPolicy("192.0.2.1")])
def test_origin_policy_rejects_missing_host_name(gate, netloc):
    """A server for all interfaces listens at the address "", which is no valid host name."""
    assert not gate.is_own_name(netloc)


@pytest.mark.parametrize(
    ("hostname", "accepted", "refused"),
    [
        ("Den", ["den", "Den:7038", "den.", "den.local", "den.fritz.box", "192.0.2.7"], ["den.example.org", "local"]),
        ("den.example.org", ["den.example.org", "den", "den.local:80"], ["example.org", "den.example.org.evil.test"]),
    ],
)
async def test_origin_policy_accepts_names_of_this_machine(monkeypatch, hostname, accepted, refused):
    monkeypatch.setattr("socket.gethostname", lambda: hostname)
    monkeypatch.setattr("socket.getfqdn", lambda: "den.fritz.box")
    policy, local_policy = OriginPolicy(""), OriginPolicy("localhost")
    await poll_until(lambda: policy.is_own_name("den.fritz.box"))
    assert [name for name in accepted if not policy.is_own_name(name)] == []
    assert [name for name in refused if policy.is_own_name(name)] == []
    assert not any(map(local_policy.is_own_name, (*accepted, *refused)))


async def test_host_name_that_cannot_be_looked_up(monkeypatch):
    """A label of 64 letters is a host name of Linux, but none of DNS."""
    failed, begun = [], threading.Event()

    def look_up():
        begun.wait(20)
        raise UnicodeError("label empty or too long")

    monkeypatch.setattr(threading, "excepthook", failed.append)
    monkeypatch.setattr("socket.getfqdn", look_up)
    before = threading.enumerate()
    policy = OriginPolicy("")
    (thread,) = set(threading.enumerate()).difference(before)
    begun.set()
    await asyncio.to_thread(thread.join, 20)
    assert failed == []
    assert policy.is_own_name("192.0.2.7")


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/etc/passwd", "/static/"])
async def test_serves_no_file_outside_static(home, path):
    sent = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    async with web_endpoint(ClubAccounts()) as (url, _), silent_connection(get_port(url), sent) as reader:
        assert (await reader.readline()).split()[1] in (b"403", b"404")


async def test_program_cannot_open_or_deliver_host_files(home):
    async with logged_in() as (url, _, anna), connect_tab(anna, url) as socket:
        await read_painted(socket)
        await socket.send_json(["stdin", "file"])
        message = await socket.receive(TIMEOUT)
        assert (message.type, message.data) == (aiohttp.WSMsgType.BINARY, b"sent")


async def test_program_inherits_no_host_secrets(home, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    async with logged_in() as (url, _, anna), connect_tab(anna, url) as socket:
        await socket.send_json(["stdin", "environment"])
        names = json.loads(await read_painted(socket, "["))
    assert "SECRET_OF_THE_HOST" not in names
    assert {"CARDTABLE_TOKEN", "TEXTUAL_DRIVER"} <= set(names)


async def test_full_host_closes_tab_with_reason(home):
    events = []
    async with logged_in(max_programs=2, emit=events.append) as (url, programs, anna):
        async with reserved_places(programs, "Bob", "192.0.2.1", 2), connect_tab(anna, url) as first:  # by ssh
            close_reason = await read_close_reason(first)
            assert close_reason == "2 guests are here by ssh or in a browser; no room for more. Try again later."
            assert events[-1] == ProgramRefused("Anna", close_reason)
        async with connect_tab(anna, url) as third:
            await read_painted(third)


async def test_tabs_are_closed_with_the_endpoint(home):
    async with browser() as anna:
        async with web_endpoint(ClubAccounts(CODE)) as (url, _):
            await submit_login(anna, url)
            socket = await connect_tab(anna, url)
            pid = int((await read_painted(socket)).split()[1])
            over = asyncio.create_task(read_close_reason(socket))
            await asyncio.sleep(0)
        assert await over == "It is over."
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"GET / HTTP/1.1\r\nHost:", rb""),
        (
            b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100\r\n\r\nslow",
            rb".* 403 .*\r\n",
        ),
    ],
    ids=["headers", "body"],
)
async def test_incomplete_request_times_out(home, monkeypatch, sent, answer):
    monkeypatch.setattr(web_server, "REQUEST_TIMEOUT", 0.1)
    async with web_endpoint(ClubAccounts()) as (url, _), silent_connection(get_port(url), sent) as reader:
        async with asyncio.timeout(TIMEOUT):
            assert re.fullmatch(answer, await reader.readline())


@pytest.mark.parametrize(
    "first_bytes",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: loc",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nnick=",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
    ids=["nothing", "headers", "body", "keep-alive"],
)
@pytest.mark.parametrize("has_tls", [False, True])
async def test_browser_comes_in_past_idle_connections(home, set_limit, tmp_path, first_bytes, has_tls):
    """A guest logs in by code and then by cookie, and the tab stays open while more idle connections arrive."""
    set_limit("pending", number=16)
    host, guests = create_certificate(tmp_path) if has_tls else (None, None)
    async with web_endpoint(ClubAccounts(CODE), certificate=host) as (url, _), AsyncExitStack() as stack:
        port = get_port(url)

        async def flood():
            return [await stack.enter_async_context(silent_connection(port, first_bytes)) for _ in range(20)]

        idle = await flood()
        connector = aiohttp.TCPConnector(ssl=guests) if has_tls else None
        async with aiohttp.ClientSession(connector=connector) as anna:
            assert (await submit_login(anna, url))[0] == 303
            idle += await flood()
            async with connect_tab(anna, url) as socket:
                await read_painted(socket, "pid")
                idle += await flood()
                for reader in idle[:50]:
                    await wait_until_closed(reader)
                await socket.send_json(["stdin", "good evening"])
                assert await read_painted(socket, "typed") == "typed good evening"


@pytest.mark.parametrize("is_readable", [False, True])
async def test_lobby_offers_registration_only_if_private(home, monkeypatch, is_readable):
    """The program runs at the host, but the connection of the browser counts."""
    monkeypatch.setattr(addresses, "is_local", lambda _address: not is_readable)
    async with tab_in_lobby() as (_, socket, first_screen):
        screen = first_screen
        while not re.search("Others on the|Become a player", screen):
            screen += await read_painted(socket)
        assert ("Others on the" in screen) == is_readable
        assert ("Become a player" in screen) != is_readable


async def test_screenshot_is_downloaded_by_the_browser(home):
    """The program passes the picture to the page, and no file is written at the host."""
    lines = []
    async with tab_in_lobby(lines) as (club, socket, _):
        assert (club.lobby.present_nicks, lines) == (("Anna",), ["Anna joins in a browser"])
        await socket.send_json(["stdin", "\x1bOR"])
        async with asyncio.timeout(TIMEOUT):
            while (message := await socket.receive()).type is not aiohttp.WSMsgType.TEXT:
                pass
        kind, picture = json.loads(message.data)
        assert (kind, b64decode(picture)[:4]) == ("picture", b"<svg")
        assert not [*Path(os.environ["CARDTABLE_HOME"]).rglob("*.svg")]


async def test_tab_program_runs_at_lower_priority(home):
    async with logged_in() as (url, _, anna), connect_tab(anna, url) as socket:
        pid = int((await read_painted(socket)).split()[1])
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)


async def test_third_tab_replaces_a_stuck_one(home, monkeypatch):
    """A page that is gone or stuck does not keep its guest out."""
    monkeypatch.setattr(web_server, "GRACE_SECONDS", 0.1)
    transports, connected = [], web_server._Connection.connection_made
    monkeypatch.setattr(
        web_server._Connection, "connection_made", lambda own, to: (transports.append(to), connected(own, to))
    )
    paints = PROGRAM.replace("while ", "for _ in range(3000): paint('x' * 10_000)\nwhile ", 1)
    async with logged_in(program=paints) as (url, programs, anna):
        stuck = await connect_tab(anna, url)
        stuck._response.connection.transport.pause_reading()
        await poll_until(lambda: transports[-1].get_write_buffer_size() >= 64 * 1024)
        async with connect_tab(anna, url) as second, connect_tab(anna, url) as third:
            await read_painted(second)
            await read_painted(third)
            assert programs.process_count == 2


async def test_no_program_for_tab_closed_while_waiting(home, monkeypatch):
    started, start, ending = [], TextualProcess.start, asyncio.Event()
    monkeypatch.setattr(
        TextualProcess, "start", lambda *arguments, **options: started.append(arguments) or start(*arguments, **options)
    )

    async def end_later(_message):
        ending.set()

    async with logged_in() as (url, programs, anna), AsyncExitStack() as places:
        for _ in range(2):
            await places.enter_async_context(programs.reserve_slot("Anna", ConnectionOrigin(), "", end_later))
        tab = await connect_tab(anna, url)
        await ending.wait()
        tab.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        await read_page(anna, url)  # meanwhile the host notices that the tab is gone
    assert started == []


@asynccontextmanager
async def reserved_places(programs, prefix, address, number):
    """Reserve places for ``number`` guests of one address. Raises ``CapacityError`` if one is refused."""
    async with AsyncExitStack() as stack:
        for each in range(number):
            await stack.enter_async_context(
                programs.reserve_slot(f"{prefix}{each}", ConnectionOrigin(address), "", AsyncMock())
            )
        yield


async def test_programs_of_a_person_who_has_signed_in_there_end_with_them(home, anna_with_password):
    accounts = ClubAccounts()
    programs, ended = HostedClients(accounts, always_run()), []
    await accounts.authenticator.log_in(LoginIdentity(ConnectionOrigin(), "Bob"))

    async def end_process(_message):
        ended.append("Bob")
        await stack.aclose()

    async with AsyncExitStack() as stack:
        await stack.enter_async_context(programs.reserve_slot("Bob", ConnectionOrigin(), "", end_process))
        (slot,) = programs._slots
        await accounts.authenticator.sign_in("Anna", "sesame77", slot.origin)
        await programs.end_processes("Bob", "It is over.")
        assert ended == []
        await programs.end_processes("Anna", "It is over.")
        assert ended == ["Bob"]


async def test_one_address_gets_half_of_the_free_places(home):
    programs = HostedClients(ClubAccounts(), always_run(), max_processes=8)
    async with reserved_places(programs, "A", "192.0.2.1", 4), reserved_places(programs, "B", "192.0.2.2", 2):
        for address, own in (("::ffff:192.0.2.1", 4), ("192.0.2.2", 2)):
            with pytest.raises(CapacityError, match=f"{own} guests are here from your address"):
                await reserved_places(programs, "D", address, 1).__aenter__()
        async with reserved_places(programs, "C", "192.0.2.3", 2):
            with pytest.raises(CapacityError, match="8 guests are here"):
                await reserved_places(programs, "D", "192.0.2.4", 1).__aenter__()
    async with reserved_places(programs, "A", "192.0.2.1", 4):
        pass


async def test_removes_only_leftover_guest_homes(home, tmp_path):
    folder, outside = paths.guest_homes_folder(), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (folder / "guest-left" / "sub").mkdir(parents=True)
    (folder / "guest-left" / "link").symlink_to(outside)
    (folder / "guest-link").symlink_to(outside)
    (folder / "another").mkdir()
    (folder / "guest-file").touch()
    remove_stale_homes()
    assert {path.name for path in folder.iterdir()} == {"guest-link", "another", "guest-file"}
    assert (outside / "kept").exists()
    for path in (folder / "guest-link", folder / "guest-file"):
        path.unlink()
    (folder / "another").rmdir()
    folder.rmdir()
    folder.symlink_to(outside)
    (outside / "guest-mine").mkdir()
    remove_stale_homes()
    assert (outside / "guest-mine").exists()


async def test_unstartable_program_reports_the_reason(home):
    paths.guest_homes_folder().parent.mkdir(parents=True, exist_ok=True)
    paths.guest_homes_folder().write_text("")
    with pytest.raises(CapacityError, match="the club cannot start your program: "):
        await reserved_places(HostedClients(ClubAccounts(), always_run()), "A", "192.0.2.1", 1).__aenter__()


def test_hosted_client_saves_no_file_at_host(home, monkeypatch):
    monkeypatch.setenv("CARDTABLE_TOKEN", "token")
    with pytest.raises(CardtableError, match="no files can be saved here"):
        home_folder.save_export("cardtable.svg", b"")
    assert emergency_save.save("a.jsonl", b"") is None
    with closing(create_session("rikiki")) as begun, pytest.raises(CardtableError, match="nothing can be saved here"):
        begun.save_into(home)


@pytest.mark.parametrize("path", ["/", "/page.js", "/static/js/textual.js", "/static/nothing", "/nothing", "/ws"])
async def test_responses_have_security_headers(home, path):
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as anna, anna.get(url + path) as answer:
        policy = dict(each.partition(" ")[::2] for each in answer.headers["Content-Security-Policy"].split("; "))
        assert (policy["default-src"], policy["script-src"]) == ("'none'", "'self'")
        assert policy["frame-ancestors"] == "'none'"
        assert policy["connect-src"] == f"'self' ws://{url.removeprefix('http://')}"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Server"] == "cardtable"


async def test_pages_have_no_inline_script(home):
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), browser() as anna:
        _, text = await read_page(anna, url)
        assert re.findall(r"<script[^>]*>[^<]*", text) == ['<script src="/login.js">']
        await submit_login(anna, url)
        _, text = await read_page(anna, url)
        assert re.findall(r"<script[^>]*>[^<]*", text) == ['<script src="/page.js">']
        assert not re.search(r"\son\w+=|javascript:", text)


async def test_bad_request_reveals_no_version(home):
    sent = b"\x16\x03\x01\x02\x00\r\n\r\n"
    async with web_endpoint(ClubAccounts(CODE)) as (url, _), silent_connection(get_port(url), sent) as reader:
        async with asyncio.timeout(TIMEOUT):
            answer = await reader.read()
    assert b" 400 " in answer
    assert b"aiohttp" not in answer
    assert b"Python" not in answer


def test_refusal_has_no_markup_of_others():
    assert "<p>&lt;b&gt;</p>" in create_refusal("<b>").text
