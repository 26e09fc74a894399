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

from cardtable.club import web_terminal
from cardtable.club.terminal_size import MAX_COLUMNS, TerminalSize
from cardtable.club.web_terminal import ProtocolError, Resized, Typed, decode_frame, parse_size
from tests.serving import TIMEOUT, ServeProcess, browse, connect_websocket, is_running, list_children

CTRL_Q = "\x11"


@pytest.fixture
def served(home):
    with ServeProcess(home) as served:
        yield served


@pytest.fixture
async def browser(served):
    async with browse(served) as browser:
        yield browser


async def read_until_picker(socket):
    """Return the output of the program up to the picker."""
    sent = b""
    while b"Rummy" not in sent:
        message = await socket.receive(TIMEOUT)
        assert message.type is aiohttp.WSMsgType.BINARY, (message, sent)
        sent += message.data
    return sent


async def read_until_closed(socket):
    """Read until the server closes the connection; return code and reason."""
    while (message := await socket.receive(TIMEOUT)).type is not aiohttp.WSMsgType.CLOSE:
        assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
    return message.data, message.extra


async def test_own_page_shows_the_picker(served, browser):
    async with connect_websocket(browser, served) as socket:
        assert b"Rikiki" in await read_until_picker(socket)


async def read_until_quiet(socket, seconds=0.4):
    """Return the output of the program until it pauses for ``seconds``."""
    sent = b""
    with suppress(TimeoutError):
        while True:
            sent += (await socket.receive(seconds)).data
    return sent


async def test_terminal_answers_are_no_keys(served, browser):
    async with connect_websocket(browser, served) as socket:
        await read_until_picker(socket)
        await read_until_quiet(socket)
        for piece in ("\x1b]11;rgb:nn", "nn/nnnn/nnnn\x1b\\", "\x1b[?62;22c\x1b[>0;276;0c", "\x1b[200~nnnn\x1b[201~"):
            await socket.send_json(["stdin", piece])
        assert b"New table" not in await read_until_quiet(socket), "n was taken for a key"
        await socket.send_json(["stdin", "\x1b[1081::113;5u"])
        await read_until_closed(socket)


async def test_page_loads_nothing_from_other_hosts(served, browser):
    async with browser.get(f"{served.origin}/") as answer:
        page = await answer.text()
    assert "//" not in page.replace("${scheme}//${location.host}", "").replace("// ", "")


async def test_limit_of_tabs(home):
    with ServeProcess(home, "--max-tabs", "1") as served:
        async with browse(served) as browser:
            async with connect_websocket(browser, served) as first:
                await read_until_picker(first)
                async with connect_websocket(browser, served) as second:
                    _, reason = await read_until_closed(second)
                assert reason == "One tab is open already, and no more are allowed: close it first."
                assert served.count_programs() == 1
            async with connect_websocket(browser, served) as third:
                await read_until_picker(third)


@pytest.mark.parametrize(
    "text",
    [
        *("", "x", "5", "null", "{}", "[]", "[[]]", "[" * 100_000, '["dance"]', '["focus"', '["focus"]]'),
        *('["stdin"]', '["stdin", 5]', '["stdin", "\\ud800"]', '["ping"]', '["resize", null]', '["resize", [80, 24]]'),
        *('["resize", {"width": 80}]', '["resize", {"width": "80", "height": 24}]'),
        *('["resize", {"width": -1, "height": 24}]', '["resize", {"width": 1e30, "height": 24}]'),
    ],
)
def test_rejects_invalid_messages(text):
    with pytest.raises(ProtocolError):
        decode_frame(text)


def test_parses_valid_messages():
    assert decode_frame('["stdin", "q\\ud83c\\udccf"]') == Typed("q\N{PLAYING CARD BLACK JOKER}")
    assert decode_frame('["resize", {"width": 80, "height": 24}]') == Resized(TerminalSize(80, 24))
    assert decode_frame('["resize", {"width": 99999999999, "height": 1}]') == Resized(TerminalSize(99999999999, 1))


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [
        *(("120", "40", (120, 40)), ("1", "1", (1, 1)), ("1000000", "40", (MAX_COLUMNS, 40))),
        *(("0", "0", (80, 24)), ("0", "40", (80, 40)), ("100", "0", (100, 24))),
        *((None, None, (80, 24)),),
        *((width, "40", (80, 24)) for width in ("-5", "8.5", "x", "", "9" * 5000)),
    ],
)
def test_parses_size(width, height, size):
    query = {"width": width, "height": height} if width is not None else {}
    assert parse_size(query) == TerminalSize(*size)


@pytest.mark.parametrize("sent", ['["stdin", 5]', '["stdin", "%s"]' % ("x" * 5_000_000)])
async def test_invalid_frame_closes_tab_with_one_line(served, browser, sent):
    async with connect_websocket(browser, served) as socket:
        await read_until_picker(socket)
        with suppress(ConnectionError):  # closed before all of it has come
            await (socket.send_bytes(sent) if isinstance(sent, bytes) else socket.send_str(sent))
        async for _ in socket:  # until the server closes it
            pass
    served.wait_for_programs(0)
    (line,) = served.stop_and_read_lines()
    assert line.startswith("cardtable: a tab is closed: ")
    assert len(line) < 200


async def test_invalid_request_prints_no_traceback(served):
    for sent in (
        b"\x00\x01\x02\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /ws HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
    ):
        reader, writer = await asyncio.open_connection("localhost", served.port)
        writer.write(sent)
        async with asyncio.timeout(TIMEOUT):
            await reader.read()
        writer.close()
    lines = served.stop_and_read_lines()
    assert len(lines) <= 3, lines
    assert all(line.startswith("cardtable: ") and line.isprintable() for line in lines), lines


async def test_killed_program_closes_tab_with_reason(served, browser):
    async with connect_websocket(browser, served) as socket:
        await read_until_picker(socket)
        (program,) = list_children(served.process.pid)
        os.kill(program, signal.SIGKILL)
        _, reason = await read_until_closed(socket)
    assert "The program has crashed" in reason


async def test_quit_closes_tab_normally(served, browser):
    async with connect_websocket(browser, served) as socket:
        await read_until_picker(socket)
        await socket.send_json(["stdin", CTRL_Q])
        assert await read_until_closed(socket) == (aiohttp.WSCloseCode.OK, "")


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
async def test_program_ends_after_browser_is_lost(tmp_path, monkeypatch, stuck):
    monkeypatch.setattr(web_terminal, "STUCK_SECONDS", 0.1)
    program = tmp_path / "program.py"
    program.write_text(PAINTING_PROGRAM)
    socket = LostSocket(stuck)
    tab = web_terminal.BrowserTab(socket, socket.hang_up)
    await tab.show([sys.executable, program, tmp_path / "ended"], os.environ, TerminalSize(80, 24))
    assert (tmp_path / "ended").exists()


PAINTING_PROGRAM = """
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
async def test_programs_end_with_the_server(served, browser, how):
    async with connect_websocket(browser, served) as socket:
        await read_until_picker(socket)
        (program,) = list_children(served.process.pid)
        served.process.send_signal(how)
        async for _ in socket:  # until the server closes it
            pass
        served.process.wait(TIMEOUT)
        end = time.monotonic() + TIMEOUT
        while is_running(program):
            assert time.monotonic() < end
            time.sleep(0.05)
    assert served.process.returncode in (0, -how)


def test_port_in_use(served, home):
    with ServeProcess(home, port=served.port) as second:
        assert second.process.wait(TIMEOUT) == 1
        line = f"cardtable: cannot listen on localhost, port {served.port}: Address already in use\n"
        assert second.first_line == line


async def test_tabs_import_packages_of_the_server(home):
    places = [entry for entry in sys.path if Path(entry).is_absolute()]
    wrapper = f"import sys; sys.path[:0] = {places!r}; from cardtable.__main__ import main; sys.exit(main())"
    served = ServeProcess(home)
    served._words[:3] = [str(Path(sys.executable).resolve()), "-I", "-c", wrapper]
    with served:
        async with browse(served) as browser, connect_websocket(browser, served) as socket:
            assert b"Rikiki" in await read_until_picker(socket)
