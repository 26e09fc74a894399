"""``cardtable serve``: browser tabs, messages of the page, end of tabs and server."""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest

from cardtable.club.web import browser_tab
from cardtable.club.web.browser_tab import (
    MOST_CELLS,
    ProtocolError,
    Resized,
    TerminalSize,
    Typed,
    frame,
    parse_size,
)
from tests.serving import PATIENCE, Served, children, runs, socket_of, visitor

pytestmark = pytest.mark.promise(
    "Commands", "`serve` opens the card room in a browser, with a program of its own for each tab."
)

CTRL_Q = "\x11"


@pytest.fixture
def served(home):
    with Served(home) as served:
        yield served


@pytest.fixture
async def browser(served):
    async with visitor(served) as browser:
        yield browser


async def picture(socket):
    """Return the output of the program up to the picker."""
    sent = b""
    while b"Rummy" not in sent:
        message = await socket.receive(PATIENCE)
        assert message.type is aiohttp.WSMsgType.BINARY, (message, sent)
        sent += message.data
    return sent


async def closed(socket):
    """Read until the server closes the connection; return code and reason."""
    while (message := await socket.receive(PATIENCE)).type is not aiohttp.WSMsgType.CLOSE:
        assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
    return message.data, message.extra


async def test_its_own_page_gets_the_picker(served, browser):
    async with socket_of(browser, served) as socket:
        assert b"Rikiki" in await picture(socket)


async def painted(socket, seconds=0.4):
    """Return the output of the program until it pauses for ``seconds``."""
    sent = b""
    with suppress(TimeoutError):
        while True:
            sent += (await socket.receive(seconds)).data
    return sent


async def test_answers_of_a_page_s_terminal_are_no_keys(served, browser):
    async with socket_of(browser, served) as socket:
        await picture(socket)
        await painted(socket)
        for piece in ("\x1b]11;rgb:nn", "nn/nnnn/nnnn\x1b\\", "\x1b[?62;22c\x1b[>0;276;0c", "\x1b[200~nnnn\x1b[201~"):
            await socket.send_json(["stdin", piece])
        assert await painted(socket) == b""
        await socket.send_json(["stdin", "\x1b[1081::113;5u"])
        await closed(socket)


async def test_its_page_asks_nobody_else_for_anything(served, browser):
    async with browser.get(f"{served.origin}/") as answer:
        page = await answer.text()
    assert "//" not in page.replace("${scheme}//${location.host}", "").replace("// ", "")


async def test_more_tabs_than_allowed_are_told_so_and_a_closed_one_makes_room(home):
    with Served(home, "--tabs", "1") as served:
        async with visitor(served) as browser:
            async with socket_of(browser, served) as first:
                await picture(first)
                async with socket_of(browser, served) as second:
                    _, reason = await closed(second)
                assert reason == "One tab is open already, and no more are allowed: close it first."
                assert served.programs() == 1
            async with socket_of(browser, served) as third:
                await picture(third)


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "5", "null", "{}", "[]", "[[]]", "[" * 100_000, '["dance"]', '["focus"', '["focus"]]'),
        *('["stdin"]', '["stdin", 5]', '["stdin", "\\ud800"]', '["ping"]', '["resize", null]', '["resize", [80, 24]]'),
        *('["resize", {"width": 80}]', '["resize", {"width": "80", "height": 24}]'),
        *('["resize", {"width": 0, "height": 24}]', '["resize", {"width": 1e30, "height": 24}]'),
    ],
)
def test_what_no_page_of_ours_sends_is_not_understood(text):
    with pytest.raises(ProtocolError):
        frame(text)


def test_what_pages_send():
    assert frame('["stdin", "q\\ud83c\\udccf"]') == Typed("q\N{PLAYING CARD BLACK JOKER}")
    assert frame('["resize", {"width": 80, "height": 24}]') == Resized(TerminalSize(80, 24))
    assert frame('["resize", {"width": 99999999999, "height": 1}]') == Resized(TerminalSize(99999999999, 1))


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [
        *(("120", "40", (120, 40)), ("1", "1", (1, 1)), ("1000000", "40", (MOST_CELLS, 40))),
        *((width, "40", (80, 24)) for width in ("0", "-5", "8.5", "x", "", "9" * 5000)),
    ],
)
def test_a_program_is_as_large_as_can_be_painted(width, height, size):
    assert parse_size({"width": width, "height": height}) == TerminalSize(*size)


def test_without_a_size_it_has_the_usual_one():
    assert parse_size({}) == TerminalSize(80, 24)


@pytest.mark.parametrize("sent", ['["stdin", 5]', b"\x00", '["stdin", "%s"]' % ("x" * 5_000_000)])
async def test_a_malformed_frame_is_one_line_and_ends_the_connection(served, browser, sent):
    async with socket_of(browser, served) as socket:
        await picture(socket)
        with suppress(ConnectionError):  # closed before all of it has come
            await (socket.send_bytes(sent) if isinstance(sent, bytes) else socket.send_str(sent))
        async for _ in socket:  # until the server closes it
            pass
    served.wait_for_programs(0)
    (line,) = served.lines_to_its_end()
    assert line.startswith("cardtable: a tab is closed: ")
    assert len(line) < 200


async def test_a_request_that_is_none_costs_no_traceback(served):
    for sent in (
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    ):
        reader, writer = await asyncio.open_connection("localhost", served.port)
        writer.write(sent)
        async with asyncio.timeout(PATIENCE):
            await reader.read()
        writer.close()
    lines = served.lines_to_its_end()
    assert len(lines) <= 3, lines
    assert all(line.startswith("cardtable: ") and line.isprintable() for line in lines), lines


async def test_when_its_program_is_killed_the_tab_is_told(served, browser):
    async with socket_of(browser, served) as socket:
        await picture(socket)
        (program,) = children(served.process.pid)
        os.kill(program, signal.SIGKILL)
        _, reason = await closed(socket)
    assert "ended with an error" in reason


async def test_a_program_that_is_left_ends_without_an_error(served, browser):
    async with socket_of(browser, served) as socket:
        await picture(socket)
        await socket.send_json(["stdin", CTRL_Q])
        assert await closed(socket) == (aiohttp.WSCloseCode.OK, "")


class LostSocket:
    """Socket of a browser that is gone, or that blocks until it hangs up."""

    def __init__(self, stuck):
        self._stuck = stuck
        self._over = asyncio.Event()

    def hang_up(self):
        self._over.set()

    async def send_bytes(self, _painted):
        if self._stuck:
            await self._over.wait()
        raise aiohttp.ClientConnectionResetError

    async def close(self):
        pass

    def __aiter__(self):
        return self

    async def __anext__(self):
        raise StopAsyncIteration


@pytest.mark.parametrize("stuck", [False, True])
async def test_when_its_browser_is_lost_a_program_can_still_paint_and_so_comes_to_its_end(tmp_path, monkeypatch, stuck):
    monkeypatch.setattr(browser_tab, "STUCK_SECONDS", 0.1)
    program = tmp_path / "program.py"
    program.write_text(PAINTING)
    socket = LostSocket(stuck)
    tab = browser_tab.BrowserTab(socket, socket.hang_up)
    await tab.show([sys.executable, program, tmp_path / "ended"], os.environ, TerminalSize(80, 24))
    assert (tmp_path / "ended").exists()


PAINTING = """
import sys
from pathlib import Path

sys.stdout.buffer.write(b"__GANGLION__\\n")
for _ in range(1000):
    sys.stdout.buffer.write(b"D" + (1000).to_bytes(4, "big") + bytes(1000))
sys.stdout.buffer.flush()
Path(sys.argv[1]).touch()
"""
"""Program that writes more than a pipe holds and then exits."""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_when_it_ends_the_programs_of_its_tabs_end(served, browser, how):
    async with socket_of(browser, served) as socket:
        await picture(socket)
        (program,) = children(served.process.pid)
        served.process.send_signal(how)
        async for _ in socket:  # until the server closes it
            pass
        served.process.wait(PATIENCE)
        end = time.monotonic() + PATIENCE
        while runs(program):
            assert time.monotonic() < end
            time.sleep(0.05)
    assert served.process.returncode in (0, -how)


def test_a_port_that_is_taken_is_told_in_a_line(served, home):
    with Served(home, port=served.port) as second:
        assert second.process.wait(PATIENCE) == 1
        assert second.said.startswith("cardtable: ")
        assert "address already in use" in second.said.lower()


async def test_tabs_of_a_program_whose_packages_only_a_wrapper_knows(home):
    places = [entry for entry in sys.path if Path(entry).is_absolute()]
    wrapper = f"import sys; sys.path[:0] = {places!r}; from cardtable.__main__ import main; sys.exit(main())"
    served = Served(home)
    served._words[:3] = [str(Path(sys.executable).resolve()), "-I", "-c", wrapper]
    with served:
        async with visitor(served) as browser, socket_of(browser, served) as socket:
            assert b"Rikiki" in await picture(socket)
