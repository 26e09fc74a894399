"""The door for those who have nothing but a browser: who is let in, what a tab gets, and what is refused."""

import asyncio
import json
import os
import re
import sys
from base64 import b64decode
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import aiohttp
import pytest

from cardtable.club import addresses
from cardtable.club.addresses import ConnectionOrigin
from cardtable.club.client.client import READABLE
from cardtable.club.server import limits, server, web_server
from cardtable.club.server.accounts import AccountStore
from cardtable.club.server.hosted_clients import CapacityError, HostedClients, remove_left_homes
from cardtable.club.server.server import ServerOptions
from cardtable.club.server.web_server import WebEndpoint
from cardtable.club.web.origin_check import OriginPolicy
from cardtable.club.web.textual_process import TextualProcess
from cardtable.engine.errors import CardtableError
from cardtable.store import emergency_save, folder_checks, paths, profiles
from tests.club.guests import at_random
from tests.club.over_loopback import is_closed, silent_connection
from tests.club.test_server import tls
from tests.club.test_ssh_server import ended
from tests.session.session_player import session

READ_OR_REGISTER = "Others on the network can read|Become a player"
PATIENCE = 20
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
"""Tells who runs it in which size, and what is typed."""


@asynccontextmanager
async def opened(members, *, most=32, program=PROGRAM, ssl=None, tell=lambda _line: None):
    """A door for browsers: its address, and the places for programs behind it."""
    programs = HostedClients(members, [sys.executable, "-c", program], most=most, tell=tell)
    async with WebEndpoint(programs, "Fridays", "localhost", ssl).listen(0, "It is over.") as port:
        yield f"http{'s' if ssl else ''}://localhost:{port}", programs


@asynccontextmanager
async def browser(address=None):
    """Somebody's browser, which keeps cookies; ``address``: of this machine, from which it comes."""
    connector = aiohttp.TCPConnector(local_addr=(address, 0)) if address else None
    async with aiohttp.ClientSession(connector=connector) as session:
        yield session


async def says(browser, url, nick="Anna", code=CODE, *, origin=None, **more):
    """Fill in the page; the status, and the page that answers."""
    data = {"nick": nick, "code": code, **more}
    async with browser.post(url, data=data, headers={"Origin": origin or url}, allow_redirects=False) as answer:
        return answer.status, await answer.text()


def tab(browser, url, *, origin=None, size="width=100&height=30", **headers):
    """What the page connects to."""
    return browser.ws_connect(f"{url}/ws?{size}", headers={"Origin": origin or url, **headers})


async def painted(socket, beginning=""):
    """The next words that are painted and begin so."""
    async with asyncio.timeout(PATIENCE):
        async for message in socket:
            if message.type is aiohttp.WSMsgType.BINARY and (text := message.data.decode()).startswith(beginning):
                return text
    raise AssertionError(f"closed: {socket.close_code}")


async def told_at_the_end(socket):
    """Why the tab was closed."""
    async with asyncio.timeout(PATIENCE):
        while (message := await socket.receive()).type is not aiohttp.WSMsgType.CLOSE:
            assert message.type is aiohttp.WSMsgType.BINARY, message
    return message.extra


async def test_a_tab_is_a_program_of_the_guest_in_the_size_of_her_window(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        assert (await says(anna, url, "anna"))[0] == 303
        async with tab(anna, url) as socket:
            assert re.fullmatch(r"pid \d+ Anna \S+ 100 30", await painted(socket))
            await socket.send_json(["stdin", "good evening"])
            assert await painted(socket) == "typed good evening"
            await socket.send_json(["resize", {"width": 60, "height": 18}])
            assert await painted(socket) == "resize 60 18"


async def test_the_program_ends_with_the_tab_and_leaves_nothing(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        await says(anna, url)
        async with tab(anna, url) as socket:
            _, pid, _, folder, *_ = (await painted(socket)).split()
            assert Path(folder).is_dir()
        await ended(int(pid))
        async with asyncio.timeout(PATIENCE):
            while Path(folder).exists():
                await asyncio.sleep(0.01)


async def test_a_program_that_does_not_care_is_killed(home, monkeypatch):
    monkeypatch.setattr(web_server, "GRACE_SECONDS", 0.1)
    stubborn = PROGRAM.replace("            break\n", "            import time; time.sleep(1000)\n")
    async with opened(AccountStore(CODE), program=stubborn) as (url, _), browser() as anna:
        await says(anna, url)
        async with tab(anna, url) as socket:
            pid = int((await painted(socket)).split()[1])
        await ended(pid)


async def test_who_reloads_the_page_comes_back_without_being_asked(home):
    async with browser() as anna:
        async with opened(AccountStore(CODE)) as (url, _):
            async with anna.get(url) as answer:
                assert "The code of the club" in await answer.text()
            await says(anna, url)
            for _ in range(2):
                async with anna.get(url) as answer:
                    assert 'id="terminal"' in await answer.text()
                async with tab(anna, url) as socket:
                    assert " Anna " in await painted(socket)
            async with anna.get(f"{url}/?anew") as answer:
                assert "The code of the club" in await answer.text()
        async with opened(AccountStore(CODE)) as (again, programs):  # started again
            (cookie,) = anna.cookie_jar
            anna.cookie_jar.update_cookies({f"cardtable-club-{again.rpartition(':')[2]}": cookie.value})
            async with tab(anna, again) as socket:
                assert " Anna " in await painted(socket)
            assert programs.members.find_returning_account("Anna")


async def test_the_token_is_kept_where_no_script_and_no_other_page_has_it(home, tmp_path):
    host, guests = tls(tmp_path)
    for context, secure in ((None, ""), (host, True)):
        async with opened(AccountStore(), ssl=context) as (url, _), browser() as anna:
            form = {"data": {"nick": "Bob" if secure else "Anna"}, "headers": {"Origin": url}}
            async with anna.post(url, **form, allow_redirects=False, ssl=guests) as answer:
                (cookie,) = answer.cookies.values()
        assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Strict", secure)


@pytest.mark.promise("The club", "In a browser a guest must enter the club's code before a program starts.")
async def test_the_code_is_asked_and_a_wrong_one_starts_nothing(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        for code, why in (
            ("sesame77", "that is not the code of this club"),
            ("", "this club has a code"),
        ):
            status, page = await says(anna, url, code=code)
            assert (status, why in page) == (403, True)
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await tab(anna, url)


async def test_wrong_tries_make_their_own_address_wait_and_no_other(home):
    async with opened(AccountStore(CODE)) as (here, _), browser("127.0.0.2") as eve, browser("127.0.0.1") as anna:
        url = here.replace("localhost", "127.0.0.1")
        for _ in range(5):
            await says(eve, url, "Eve", "sesame77")
        assert "too many wrong tries" in (await says(eve, url, "Eve"))[1]
        assert (await says(anna, url))[0] == 303


async def test_a_nick_with_a_password_needs_it_and_gives_it_where_nobody_can_read_it(home, monkeypatch):
    profiles.register("Anna", password="sesame77", again="sesame77")
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        assert "The password of Anna" in (await says(anna, url))[1]
        assert "That is not the password" in (await says(anna, url, password="mellon"))[1]
        assert (await says(anna, url, password="sesame77"))[0] == 303
    monkeypatch.setattr(addresses, "is_local", lambda _address: False)
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        status, page = await says(anna, url, password="sesame77")
        assert (status, "others could read your password" in page) == (403, True)


async def test_the_page_says_where_others_can_read_it(home, monkeypatch):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna, anna.get(url) as page:
        assert READABLE not in await page.text()
    monkeypatch.setattr(addresses, "is_local", lambda _address: False)
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna, anna.get(url) as page:
        assert READABLE in await page.text()


async def test_what_she_typed_is_text_on_the_page(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as eve:
        _, page = await says(eve, url, '"><script>alert(1)</script>', "<b>")
    assert "<script>" not in page
    assert "<b>" not in page


@pytest.mark.promise("The club", "No page of another site can open a club.")
@pytest.mark.parametrize(
    ("origin", "host"),
    [
        *(("https://elsewhere.example", None), ("http://localhost:1", None), ("null", None), ("", None)),
        ("http://made-to-point-here.example", "made-to-point-here.example"),
    ],
)
async def test_a_page_from_elsewhere_opens_nothing(home, origin, host):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        await says(anna, url)
        headers = {"Origin": origin, **({"Host": host} if host else {})}
        with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
            await anna.ws_connect(f"{url}/ws", headers=headers)
        async with anna.post(url, data={"nick": "Eve", "code": CODE}, headers=headers) as answer:
            assert answer.status == 403
    assert not AccountStore().find_returning_account("Eve")


@pytest.mark.parametrize("cookie", ["", "Anna", "Anna%20guessed", "%20x", "%00%ff%20x", "A" * 3000 + "%20" + "x" * 500])
async def test_a_cookie_that_is_none_lets_nobody_in(home, cookie):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        await says(anna, url)
        async with browser() as eve:
            cookies = {"Cookie": f"cardtable-club-{url.rpartition(':')[2]}={cookie}"}
            async with eve.get(url, headers=cookies) as answer:
                assert "The code of the club" in await answer.text()
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await tab(eve, url, **cookies)


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff\xfe", b"&".join([b"a=1"] * 100), b"nick=" + b"A" * 100_000, b"nick=%FF&code=%00", b'{"nick":1}'],
)
async def test_what_no_page_of_ours_sends_lets_nobody_in(home, body):
    async with opened(AccountStore(CODE)) as (url, _), browser() as eve:
        status = (await eve.post(url, data=body, headers={"Origin": url})).status
    assert status in (403, 413)


@pytest.mark.parametrize("sent", ['["stdin", 5]', b"\x00", '["stdin", "%s"]' % ("x" * 100_000), "[" * 10_000])
async def test_a_malformed_frame_ends_the_tab(home, sent):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        await says(anna, url)
        async with tab(anna, url) as socket:
            pid = int((await painted(socket)).split()[1])
            await (socket.send_bytes(sent) if isinstance(sent, bytes) else socket.send_str(sent))
            await ended(pid)


@pytest.mark.parametrize("netloc", ["", ":80", "[", "@"])
@pytest.mark.parametrize("gate", [OriginPolicy(""), OriginPolicy("", any_name=True), OriginPolicy("192.0.2.1")])
def test_request_without_the_name_of_a_host(gate, netloc):
    """The door for everybody listens at the address "", which is no name."""
    assert not gate.is_own_name(netloc)


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py", "/etc/passwd", "/static/"])
async def test_no_file_of_the_host_is_served(home, path):
    async with opened(AccountStore()) as (url, _):
        reader, writer = await asyncio.open_connection("localhost", int(url.rpartition(":")[2]))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        assert (await reader.readline()).split()[1] in (b"403", b"404")
        writer.close()


async def test_what_a_program_would_open_or_hand_over_stays_where_it_is(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        await says(anna, url)
        async with tab(anna, url) as socket:
            await painted(socket)
            await socket.send_json(["stdin", "file"])
            message = await socket.receive(PATIENCE)
            assert (message.type, message.data) == (aiohttp.WSMsgType.BINARY, b"sent")


async def test_little_of_the_host_s_environment_reaches_it(home, monkeypatch):
    monkeypatch.setenv("SECRET_OF_THE_HOST", "1")
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        await says(anna, url)
        async with tab(anna, url) as socket:
            await socket.send_json(["stdin", "environment"])
            names = json.loads(await painted(socket, "["))
    assert "SECRET_OF_THE_HOST" not in names
    assert {"CARDTABLE_TOKEN", "TEXTUAL_DRIVER"} <= set(names)


async def test_so_many_at_a_time_with_those_who_came_by_ssh_and_one_more_is_told(home):
    lines = []
    async with opened(AccountStore(CODE), most=2, tell=lines.append) as (url, programs), browser() as anna:
        await says(anna, url)
        async with placed(programs, "Bob", "192.0.2.1", 2), tab(anna, url) as first:  # by ssh
            told = await told_at_the_end(first)
            assert told == "2 guests are here by ssh or in a browser, and no more can. Try again later."
            assert lines == [f"Anna cannot come in: {told}"]
        async with tab(anna, url) as third:
            await painted(third)


async def test_all_tabs_are_told_when_it_is_over(home):
    async with browser() as anna:
        async with opened(AccountStore(CODE)) as (url, _):
            await says(anna, url)
            socket = await tab(anna, url)
            pid = int((await painted(socket)).split()[1])
            over = asyncio.create_task(told_at_the_end(socket))
            await asyncio.sleep(0)
        assert await over == "It is over."
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_who_connects_and_says_nothing_is_dropped(home, monkeypatch):
    monkeypatch.setattr(web_server, "PATIENCE", 0.1)
    async with opened(AccountStore()) as (url, _):
        reader, writer = await asyncio.open_connection("localhost", int(url.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.1\r\nHost:")
        async with asyncio.timeout(PATIENCE):
            await reader.read()
        writer.close()


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: loc",
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nnick=",
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
    ids=["nothing", "headers", "body", "keep-alive"],
)
@pytest.mark.parametrize("has_tls", [False, True])
async def test_browser_comes_in_past_idle_connections(home, monkeypatch, tmp_path, said, has_tls):
    """By the code, then by the cookie; the tab stays while more idle connections come."""
    monkeypatch.setattr(limits, "MOST_PENDING", 16)
    host, guests = tls(tmp_path) if has_tls else (None, None)
    async with opened(AccountStore(CODE), ssl=host) as (url, _), AsyncExitStack() as stack:
        port = int(url.rpartition(":")[2])

        async def flood():
            return [await stack.enter_async_context(silent_connection(port, said)) for _ in range(20)]

        idle = await flood()
        connector = aiohttp.TCPConnector(ssl=guests) if has_tls else None
        async with aiohttp.ClientSession(connector=connector) as anna:
            assert (await says(anna, url))[0] == 303
            idle += await flood()
            async with tab(anna, url) as socket:
                await painted(socket, "pid")
                idle += await flood()
                for reader in idle[:50]:
                    await is_closed(reader)
                await socket.send_json(["stdin", "good evening"])
                assert await painted(socket, "typed") == "typed good evening"


async def test_body_that_does_not_come_is_not_waited_for(home, monkeypatch):
    monkeypatch.setattr(web_server, "PATIENCE", 0.1)
    said = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100\r\n\r\nslow"
    async with opened(AccountStore()) as (url, _), silent_connection(int(url.rpartition(":")[2]), said) as reader:
        async with asyncio.timeout(PATIENCE):
            assert b" 403 " in await reader.readline()


async def test_a_tab_shows_the_lobby_of_the_club(home):
    offer, lines = ServerOptions("Fridays", port=0, code=CODE, web=0), []
    async with server.open_club(offer, think=at_random, tell=lines.append) as club, browser() as anna:
        line = club.invitation[2]
        url = re.fullmatch(r"(http://localhost:\d+) in a browser", line)[1]
        await says(anna, url)
        async with tab(anna, url) as socket:
            screen = ""
            while not re.search("here: Anna", screen):
                screen += await painted(socket)
        assert (club.lobby.people, lines) == (("Anna",), ["Anna comes in by browser"])


@pytest.mark.parametrize("is_readable", [False, True])
async def test_a_password_is_asked_in_the_lobby_only_where_nobody_can_read_it(home, monkeypatch, is_readable):
    """The program runs at the host; what counts is the connection of the browser."""
    monkeypatch.setattr(addresses, "is_local", lambda _address: not is_readable)
    async with (
        server.open_club(ServerOptions("Fridays", port=0, code=CODE, web=0), think=at_random) as club,
        browser() as anna,
    ):
        url = next(line.split(" ")[0] for line in club.invitation if line.startswith("http"))
        await says(anna, url)
        async with tab(anna, url) as socket:
            screen = ""
            while "here: Anna" not in screen or not re.search(READ_OR_REGISTER, screen):
                screen += await painted(socket)
        assert ("Others on the network can read" in screen) == is_readable
        assert ("Become a player" in screen) != is_readable


async def test_a_picture_of_the_screen_is_a_download(home):
    """The program hands it to the page, and no file is written at the host."""
    async with (
        server.open_club(ServerOptions("Fridays", port=0, code=CODE, web=0), think=at_random) as club,
        browser() as anna,
    ):
        url = next(line.split(" ")[0] for line in club.invitation if line.startswith("http"))
        await says(anna, url)
        async with tab(anna, url) as socket:
            screen = ""
            while "here: Anna" not in screen:
                screen += await painted(socket)
            await socket.send_json(["stdin", "\x1bOR"])
            async with asyncio.timeout(PATIENCE):
                while (message := await socket.receive()).type is not aiohttp.WSMsgType.TEXT:
                    pass
            kind, picture = json.loads(message.data)
            assert (kind, b64decode(picture)[:4]) == ("picture", b"<svg")
        assert not [*Path(os.environ["CARDTABLE_HOME"]).rglob("*.svg")]


async def test_program_of_a_tab_gives_way(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        await says(anna, url)
        async with tab(anna, url) as socket:
            pid = int((await painted(socket)).split()[1])
            assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)


async def test_third_tab_of_a_guest_ends_the_first(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna, browser() as bob:
        await says(anna, url)
        await says(bob, url, "Bob")
        async with tab(bob, url) as other, tab(anna, url) as first, tab(anna, url) as second:
            for socket in (other, first, second):
                await painted(socket)
            async with tab(anna, url) as third:
                assert await told_at_the_end(first) == "You have come in again, and the oldest of your programs ends."
                await painted(third)
                for socket in (other, second, third):
                    await socket.send_json(["stdin", "good evening"])
                    await painted(socket, "typed")


async def test_third_tab_while_the_first_reads_nothing(home, monkeypatch):
    """A page that is gone or stuck does not keep its guest out."""
    monkeypatch.setattr(web_server, "GRACE_SECONDS", 0.1)
    transports, connected = [], web_server._Connection.connection_made
    monkeypatch.setattr(
        web_server._Connection, "connection_made", lambda own, to: (transports.append(to), connected(own, to))
    )
    paints = PROGRAM.replace("while ", "for _ in range(3000): paint('x' * 10_000)\nwhile ", 1)
    async with opened(AccountStore(CODE), program=paints) as (url, programs), browser() as anna:
        await says(anna, url)
        stuck = await tab(anna, url)
        stuck._response.connection.transport.pause_reading()
        while transports[-1].get_write_buffer_size() < 64 * 1024:
            await asyncio.sleep(0.01)
        async with tab(anna, url) as second, tab(anna, url) as third:
            await painted(second)
            await painted(third)
            assert len(programs._places) == 2


async def test_no_program_for_a_tab_that_was_closed_again(home, monkeypatch):
    """It was closed while it waited for a place."""
    started, start = [], TextualProcess.start
    monkeypatch.setattr(TextualProcess, "start", lambda *given, **more: started.append(given) or start(*given, **more))
    async with opened(AccountStore(CODE)) as (url, programs), browser() as anna:
        await says(anna, url)
        may_end = asyncio.Event()
        async with tab(anna, url) as first, AsyncExitStack() as stack:
            await painted(first)
            await stack.enter_async_context(placed(programs, "Bob", "192.0.2.1", 1))
            programs._places[1].nick, programs._places[0].end = "Anna", lambda _why: may_end.wait()
            stack.callback(may_end.set)
            closed = await tab(anna, url)
            closed._writer.transport.abort()
            await first.send_json(["stdin", "x"])
            await painted(first, "typed")
        async with asyncio.timeout(PATIENCE):
            while programs._places:
                await asyncio.sleep(0.01)
    assert len(started) == 1


async def ended_at_once(_why):
    """The end of a program that there is none of."""


@asynccontextmanager
async def placed(programs, letter, address, number):
    """Programs of so many guests of one address; raises ``CapacityError``."""
    async with AsyncExitStack() as stack:
        for each in range(number):
            await stack.enter_async_context(
                programs.reserve_place(f"{letter}{each}", ConnectionOrigin(address), ended_at_once)
            )
        yield


async def test_places_of_one_address_are_half_of_those_that_others_leave(home):
    programs = HostedClients(AccountStore(), [], most=8)
    async with placed(programs, "A", "192.0.2.1", 4), placed(programs, "B", "192.0.2.2", 2):
        for address, own in (("::ffff:192.0.2.1", 4), ("192.0.2.2", 2)):
            with pytest.raises(CapacityError, match=f"{own} guests are here from your address"):
                await placed(programs, "D", address, 1).__aenter__()
        async with placed(programs, "C", "192.0.2.3", 2):
            with pytest.raises(CapacityError, match="8 guests are here"):
                await placed(programs, "D", "192.0.2.4", 1).__aenter__()
    async with placed(programs, "A", "192.0.2.1", 4):
        pass


async def test_homes_of_a_killed_host_are_removed_and_nothing_else(home, tmp_path):
    folder, outside = paths.guest_homes_folder(), tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (folder / "guest-left" / "sub").mkdir(parents=True)
    (folder / "guest-left" / "link").symlink_to(outside)
    (folder / "guest-link").symlink_to(outside)
    (folder / "another").mkdir()
    (folder / "guest-file").touch()
    remove_left_homes()
    assert {path.name for path in folder.iterdir()} == {"guest-link", "another", "guest-file"}
    assert (outside / "kept").exists()
    for path in (folder / "guest-link", folder / "guest-file"):
        path.unlink()
    (folder / "another").rmdir()
    folder.rmdir()
    folder.symlink_to(outside)
    (outside / "guest-mine").mkdir()
    remove_left_homes()
    assert (outside / "guest-mine").exists()


async def test_a_program_that_cannot_be_started_says_why(home):
    paths.guest_homes_folder().parent.mkdir(parents=True, exist_ok=True)
    paths.guest_homes_folder().write_text("")
    with pytest.raises(CapacityError, match="the club cannot start your program: "):
        await placed(HostedClients(AccountStore(), []), "A", "192.0.2.1", 1).__aenter__()


def test_a_guest_s_program_saves_no_file_at_the_host(home, monkeypatch):
    monkeypatch.setenv("CARDTABLE_TOKEN", "token")
    with pytest.raises(CardtableError, match="no files can be saved here"):
        folder_checks.save_export("cardtable.svg", b"")
    assert emergency_save.save("a.jsonl", b"") is None
    with closing(session("rikiki")) as begun, pytest.raises(CardtableError, match="nothing can be saved here"):
        begun.save_into(home)


@pytest.mark.parametrize("path", ["/", "/page.js", "/static/js/textual.js", "/static/nothing", "/nothing", "/ws"])
async def test_each_answer_has_headers_of_security_and_no_version(home, path):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna, anna.get(url + path) as answer:
        policy = dict(each.partition(" ")[::2] for each in answer.headers["Content-Security-Policy"].split("; "))
        assert (policy["default-src"], policy["script-src"]) == ("'none'", "'self'")
        assert policy["frame-ancestors"] == "'none'"
        assert policy["connect-src"] == f"'self' ws://{url.removeprefix('http://')}"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["Server"] == "cardtable"


async def test_no_page_has_an_inline_script(home):
    async with opened(AccountStore(CODE)) as (url, _), browser() as anna:
        async with anna.get(url) as asked:
            assert "<script" not in await asked.text()
        await says(anna, url)
        async with anna.get(url) as page:
            text = await page.text()
        assert re.findall(r"<script[^>]*>[^<]*", text) == ['<script src="/page.js">']
        assert not re.search(r"\son\w+=|javascript:", text)


async def test_an_answer_to_what_is_no_request_has_no_version(home):
    async with opened(AccountStore(CODE)) as (url, _):
        reader, writer = await asyncio.open_connection("localhost", int(url.rpartition(":")[2]))
        writer.write(b"\x16\x03\x01\x02\x00\r\n\r\n")
        async with asyncio.timeout(PATIENCE):
            answer = await reader.read()
        writer.close()
    assert b" 400 " in answer
    assert b"aiohttp" not in answer
    assert b"Python" not in answer
