"""A club behind nginx, configured as the documentation says: ``make test-proxy`` runs it."""

import asyncio
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from ipaddress import ip_network
from pathlib import Path

import aiohttp
import pytest

from cardtable.club import protocol
from cardtable.club.server import server
from cardtable.club.server.server_options import ServerOptions
from tests.club.guests import choose_randomly
from tests.club.loopback_club import PASSWORD, TIMEOUT, Guest, play_until, start_table
from tests.club.test_browser_server import connect_tab, read_painted, submit_login
from tests.club.test_server import create_certificate

PAGE = Path(__file__).parents[2] / "docs" / "club.md"
CODE = "kmnpqrst"
MAIN = """
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr error;
{user}
events {{}}
http {{
    access_log off;
    {paths}
{server}
}}
"""
TEMPORARY_FILES = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def find_free_ports(number):
    """Return ports of the loopback interface that nobody listens at, and that the system gives to no other program."""
    ports = set()
    while len(ports) < number:
        port = random.randrange(20_000, 32_000)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            ports.add(port)
    return [*ports]


class Nginx:
    """An nginx process with the documented configuration, in a folder of its own."""

    def __init__(self, folder, public_port, join_port, web_port):
        self._program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        assert self._program, "nginx is needed for this test: apt install nginx-light, or the like"
        self.folder, self.port = folder, public_port
        (documented,) = re.findall(r"^    map \$http_sec.*?^    }\n\n", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        for old, new in {
            "127.0.0.1:7036": f"127.0.0.1:{join_port}",
            "127.0.0.1:7038": f"127.0.0.1:{web_port}",
            "listen 443 ssl": f"listen 127.0.0.1:{public_port} ssl",
            "/etc/letsencrypt/live/cards.example.org/fullchain.pem": str(folder / "cert"),
            "/etc/letsencrypt/live/cards.example.org/privkey.pem": str(folder / "key"),
        }.items():
            assert old in documented
            documented = documented.replace(old, new)
        text = MAIN.format(
            user="user root;" if os.geteuid() == 0 else "",
            paths="".join(f"{name}_temp_path {folder / name};" for name in TEMPORARY_FILES),
            server=documented,
        )
        (folder / "nginx.conf").write_text(text)

    async def start(self):
        """Start the process and wait until it accepts connections."""
        self._process = subprocess.Popen(self._create_command())
        async with asyncio.timeout(TIMEOUT):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                except ConnectionRefusedError:
                    assert self._process.poll() is None
                    await asyncio.sleep(0.01)
                else:
                    writer.close()
                    return

    def _create_command(self, *arguments):
        return [self._program, "-p", self.folder, "-c", "nginx.conf", "-e", "stderr", *arguments]

    def send(self, signal):
        """Send a signal by ``nginx -s``."""
        subprocess.run(self._create_command("-s", signal), check=True)

    async def stop(self):
        """End the process by ``nginx -s stop``."""
        self.send("stop")
        await asyncio.to_thread(self._process.wait, TIMEOUT)

    def kill(self):
        """End the process if it still runs."""
        self._process.terminate()
        self._process.wait(TIMEOUT)


@asynccontextmanager
async def club_behind_nginx(folder):
    """Open a club and nginx in front of it; yield the club, nginx, its web address and a context for its guests."""
    public_port, join_port, web_port = find_free_ports(3)
    _, guests = create_certificate(folder)
    nginx, url = Nginx(folder, public_port, join_port, web_port), f"https://localhost:{public_port}"
    options = ServerOptions(
        "Fridays", port=join_port, web_port=web_port, code=CODE, proxies=(ip_network("127.0.0.1"),), public_url=url
    )
    async with server.open_club(options, think=choose_randomly) as club:
        await nginx.start()
        try:
            yield club, nginx, url, guests
        finally:
            nginx.kill()


async def test_guests_play_while_nginx_is_restarted(home, tmp_path, anna_with_password):
    async with club_behind_nginx(tmp_path) as (club, nginx, url, guests), AsyncExitStack() as stack:
        assert club.invitation[:3] == (
            f"Fridays is open at {url}",
            f"cardtable join wss://localhost:{nginx.port}",
            f"{url} in a browser",
        )
        join_url = f"wss://localhost:{nginx.port}"
        # Anna signs in with her password, Bob with the code, and they play some tricks.
        anna = await stack.enter_async_context(Guest(join_url, "Anna", ssl=guests, code=CODE, password=PASSWORD))
        bob = await stack.enter_async_context(Guest(join_url, "Bob", ssl=guests, code=CODE))
        table = await start_table(anna, bob)
        assert anna.welcome.member
        assert not anna.welcome.readable
        await play_until(lambda: anna.view.round > 2 and anna.view.legal, anna, bob)
        at = anna.update.at
        # nginx is started again: both programs reconnect by themselves and play on.
        await nginx.stop()
        for guest in (anna, bob):
            await guest.wait_until(lambda guest=guest: not guest.link.is_connected)
            guest.update = None
        await nginx.start()
        for guest in (anna, bob):
            await guest.wait_until(lambda guest=guest: guest.link.is_connected)
            await guest.send(protocol.SitDown(table))
            await guest.wait_until(lambda guest=guest: guest.update)
        assert anna.update.at >= at
        round_before = anna.view.round
        await play_until(lambda: anna.view.round > round_before, anna, bob)
        # The certificate is renewed: connections stay, and new ones get the new certificate.
        create_certificate(tmp_path)
        nginx.send("reload")
        new = (tmp_path / "cert").read_text()
        async with asyncio.timeout(TIMEOUT):
            while await asyncio.to_thread(ssl.get_server_certificate, ("localhost", nginx.port)) != new:
                await asyncio.sleep(0.01)
        before, round_before = anna.link.socket, anna.view.round
        await play_until(lambda: anna.view.round > round_before, anna, bob)
        assert anna.link.socket is before


async def test_browser_shows_the_lobby_behind_nginx(home, tmp_path, anna_with_password):
    async with club_behind_nginx(tmp_path) as (_, nginx, url, guests):
        connector = aiohttp.TCPConnector(ssl=guests)
        async with aiohttp.ClientSession(connector=connector) as anna:
            assert (await submit_login(anna, url, code=CODE, password=PASSWORD))[0] == 303
            (cookie,) = anna.cookie_jar
            assert cookie["secure"]
            async with anna.get(f"{url}/static/js/textual.js") as script:
                assert script.status == 200
            for is_restarted in (False, True):
                if is_restarted:
                    await nginx.stop()
                    await nginx.start()
                async with connect_tab(anna, url) as tab:
                    while "Anna (guest)" not in await read_painted(tab):
                        pass
            with pytest.raises(aiohttp.WSServerHandshakeError, match="403"):
                await connect_tab(anna, url, origin="http://localhost")


async def test_forged_addresses_do_not_pass_nginx(home, tmp_path):
    """127.0.0.2 and 127.0.0.3 are two strangers, since only 127.0.0.1 is a proxy."""
    async with club_behind_nginx(tmp_path) as (_, _, url, guests), AsyncExitStack() as stack:
        eve, bob = [
            await stack.enter_async_context(
                aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=guests, local_addr=(address, 0)))
            )
            for address in ("127.0.0.2", "127.0.0.3")
        ]

        async def try_code(session, *forged, code="sesame77"):
            """Submit a code with forged headers; return the page."""
            headers = [("Origin", url), *(("X-Forwarded-For", each) for each in forged)]
            form = {"nick": "Carl", "code": code}
            async with session.post(url, data=form, headers=headers, allow_redirects=False) as answer:
                return answer.status, await answer.text()

        for forged in (["203.0.113.1"], ["127.0.0.1"], ["x", "203.0.113.2"], ["127.0.0.1," * 700], [""]):
            assert "that is not the code of this club" in (await try_code(eve, *forged))[1]
        for forged in (["203.0.113.9"], []):
            assert "too many wrong tries" in (await try_code(eve, *forged, code=CODE))[1]
        assert (await try_code(bob, "127.0.0.2", code=CODE))[0] == 303
