"""The card room for browsers: who may come in, and that everything ends in the end."""

import signal
import time

import aiohttp
import pytest

from cardtable.commands.serve import is_local
from tests.serving import PATIENCE, Served, children, runs


@pytest.fixture
def served(home):
    with Served(home) as served:
        yield served


def socket_of(session, served, origin, host=None):
    headers = {"Origin": origin, **({"Host": host} if host else {})}
    return session.ws_connect(f"ws://localhost:{served.port}/ws?width=80&height=24", headers=headers)


async def picture(socket):
    """All that the program sends until it has painted the picker."""
    sent = b""
    while b"Rummy" not in sent:
        message = await socket.receive(PATIENCE)
        assert message.type is aiohttp.WSMsgType.BINARY, sent
        sent += message.data
    return sent


async def test_its_own_page_gets_the_picker(served):
    async with aiohttp.ClientSession() as session, socket_of(session, served, served.url) as socket:
        assert b"Rikiki" in await picture(socket)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("https://elsewhere.example", None),
        ("http://localhost:1", None),
        ("null", None),
        ("http://made-to-point-here.example", "made-to-point-here.example"),
    ],
)
async def test_a_page_from_elsewhere_is_refused(served, origin, host):
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await socket_of(session, served, origin, host)
    assert refused.value.status == 403
    assert not served.programs()


async def test_its_page_asks_nobody_else_for_anything(served):
    async with aiohttp.ClientSession() as session, session.get(served.url) as answer:
        page = await answer.text()
    assert "//" not in page.replace("${scheme}//${location.host}", "").replace("// Keys", "")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_when_it_ends_the_programs_of_its_tabs_end(served, how):
    async with aiohttp.ClientSession() as session, socket_of(session, served, served.url) as socket:
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


def test_addresses_of_this_machine():
    assert all(map(is_local, ("localhost", "127.0.0.1", "127.1.2.3", "::1")))
    assert not any(map(is_local, ("0.0.0.0", "::", "192.168.1.2", "localhost.example", "")))
