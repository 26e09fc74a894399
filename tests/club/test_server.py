"""Host of a club: invitation, connections, signals, end."""

import asyncio
import contextlib
import gc
import os
import re
import signal
import ssl
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec.structs import replace

from cardtable.club import addresses, protocol
from cardtable.club.client.connection import ClubConnection, Login
from cardtable.club.server import server, status_file
from cardtable.club.server.administration import Administration
from cardtable.club.server.lobby import ClubLobby
from cardtable.club.server.server_options import Certificate, ServerOptions
from cardtable.club.server.ssh_endpoint import load_host_key
from cardtable.engine.errors import CardtableError
from cardtable.store import paths
from tests.club.guests import choose_randomly
from tests.club.lobby_screen import lobby_app
from tests.club.loopback_club import Guest, club, enter_once, joined, poll_until, silent_connection
from tests.club.test_ssh_server import connect_ssh
from tests.club.test_ssh_server import read_line as line_of
from tests.waiting import TIMEOUT

OPTIONS = ServerOptions("Fridays", port=0)


def get_url(club):
    return f"ws://{club.address}"


async def test_guest_joins_by_the_invitation_if_there_is_room():
    async with server.open_club(replace(OPTIONS, max_guests=1), think=choose_randomly) as club:
        first, join = club.invitation
        assert first == "Fridays is open on this machine only"
        url = f"ws://{join.removeprefix('cardtable join ')}"
        async with joined(url, "Anna") as anna, Guest(url, "Bob", waits=True) as bob:
            assert anna.welcome.club == "Fridays"
            await bob.wait_until(lambda: bob.link.connection_error == "1 guests are here, and the club is full")


async def test_client_is_connected_only_once_it_knows_the_lobby():
    async with club() as (_, url):
        connected = asyncio.Queue()
        link = ClubConnection(url, Login("Anna"), lambda _: connected.put_nowait(link.is_connected), lambda: None)
        task = asyncio.create_task(link.run())
        async with asyncio.timeout(TIMEOUT):
            assert await connected.get() is False
        await poll_until(lambda: link.is_connected)
        task.cancel()


PROXIED = ServerOptions(
    "Fridays", proxies=(ip_network("127.0.0.1"),), public_url="https://cards.example.org", code="sesame77"
)


HTTPS = "https://cards.example.org"
HTTP = "http://cards.example.org:8080"
READABLE = "others on the network can read what {} so no passwords are accepted that way"


@pytest.mark.parametrize(
    ("changes", "place", "others"),
    [
        ({}, HTTPS, ["cardtable join wss://cards.example.org:443"]),
        (
            {"public_url": HTTP, "web_port": 0},
            HTTP,
            [
                "cardtable join cards.example.org:8080",
                f"{HTTP} in a browser",
                READABLE.format("join and browsers send,"),
            ],
        ),
        (
            {"public_join_url": "wss://join.example.org", "web_port": 0, "ssh_port": 0},
            HTTPS,
            ["cardtable join wss://join.example.org", f"{HTTPS} in a browser"],
        ),
        (
            {"address": "", "ssh_port": 0},
            HTTPS,
            [
                "cardtable join wss://cards.example.org:443",
                *("ssh -p 7037 NICK@cards.example.org", "the ssh host key is SHA256:x"),
            ],
        ),
        (
            {"proxies": (), "public_url": "http://[2001:db8::7]"},
            "http://[2001:db8::7]",
            ["cardtable join [2001:db8::7]:7036", READABLE.format("join sends,")],
        ),
        (
            {"public_url": "", "public_join_url": "wss://cards.example.org"},
            "cards.example.org",
            ["cardtable join wss://cards.example.org"],
        ),
    ],
)
def test_invitation_has_only_public_addresses(changes, place, others):
    options = replace(PROXIED, **changes)
    ssh_endpoint = None if options.ssh_port is None else (7037, "SHA256:x")
    endpoints = server.Endpoints(7036, ssh_endpoint, None if options.web_port is None else 7038)
    lobby = ClubLobby(ServerOptions("Fridays", code="sesame77"), choose_randomly)
    lines = [*server.ClubServer(options, lobby, endpoints, Administration(lobby)).invitation]
    assert lines.pop(0) == f"Fridays is open at {place}"
    lines.remove("the code is sesame77")
    assert lines == others


async def test_gc_threshold_is_raised_while_open():
    before = gc.get_threshold()
    async with server.open_club(OPTIONS, think=choose_randomly):
        assert gc.get_threshold() == server.GC_THRESHOLDS
    assert gc.get_threshold() == before


async def test_status_file_exists_while_open(monkeypatch):
    monkeypatch.setattr(status_file, "POLL_SECONDS", 0.01)
    async with server.open_club(ServerOptions("Fridays", port=0, code="sesame77"), think=choose_randomly) as club:
        async with joined(get_url(club), "Anna", code="sesame77") as anna:
            await anna.send(protocol.OpenTable("rikiki", 4), until=lambda: anna.tables)
            async with asyncio.timeout(TIMEOUT):
                while not (
                    paths.club_status_file().exists()
                    and (status := await asyncio.to_thread(status_file.read_status)).tables
                ):
                    await asyncio.sleep(0.01)
        assert (status.name, status.people, status.tables) == ("Fridays", ("Anna",), tuple(anna.tables.values()))
        assert "the code is sesame77" in status.invitation
        assert paths.club_status_file().stat().st_mode & 0o777 == 0o600
    with pytest.raises(CardtableError, match="no club is open here"):
        status_file.read_status()


async def test_rejects_password_from_readable_remote_connection(monkeypatch, anna_with_password):
    hello = {"code": "", "password": "sesame77"}
    monkeypatch.setattr(addresses, "is_local", lambda _address: False)
    async with server.open_club(OPTIONS, think=choose_randomly) as club, Guest(get_url(club), "Anna", **hello) as anna:
        await anna.wait_until(lambda: anna.link.end_reason)
        assert anna.link.end_reason.startswith("others could read your password on this connection")


def create_certificate(folder):
    """Return a new self-signed certificate for localhost, stored in `folder`, and a TLS context that trusts it."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "club")])
    today = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(1))
        .not_valid_after(today + timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    text = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "cert").write_bytes(certificate.public_bytes(text))
    (folder / "key").write_bytes(key.private_bytes(text, *plain))
    return Certificate(folder / "cert", folder / "key"), ssl.create_default_context(cafile=folder / "cert")


async def test_accepts_remote_password_with_tls(tmp_path, monkeypatch, anna_with_password):
    monkeypatch.setattr(addresses, "is_local", lambda _address: False)
    certificate, guests = create_certificate(tmp_path)
    options = ServerOptions("Fridays", port=0, certificate=certificate)
    async with server.open_club(options, think=choose_randomly) as club:
        address = club.invitation[1].removeprefix("cardtable join ")
        assert address.startswith("wss://")
        async with joined(address, "Anna", password="sesame77", ssl=guests) as anna:
            assert (anna.welcome.nick, anna.welcome.member) == ("Anna", True)


@pytest.mark.parametrize("has_tls", [False, True])
async def test_wrong_scheme_names_the_right_command(tmp_path, has_tls):
    certificate, guests = create_certificate(tmp_path)
    async with club(certificate=certificate if has_tls else None) as (_, url):
        address = url.partition("://")[2]
        wrong_url = f"{'ws' if has_tls else 'wss'}://{address}"
        expected = (
            f"this club uses TLS: cardtable join wss://{address}"
            if has_tls
            else f"this club uses no TLS: cardtable join {address} (others can read what you send)"
        )
        async with Guest(wrong_url, "Bob", ssl=None if has_tls else guests) as bob:
            await bob.wait_until(lambda: bob.link.end_reason == expected)
        if has_tls:  # also after the certificate was refused, no other command is better
            async with Guest(url, "Bob") as bob:
                await bob.wait_until(lambda: bob.link.connection_error == "TLS fails: CERTIFICATE_VERIFY_FAILED")
            async with lobby_app(wrong_url) as screen:
                await screen.sees(f"This club uses TLS: cardtable join wss://{address}")


@contextlib.asynccontextmanager
async def plain_guest_by_ssh():
    """Open a club, and a terminal in it by ssh that cannot draw; yield both once the guest is in the lobby."""
    async with contextlib.AsyncExitStack() as stack:
        offer = ServerOptions("Fridays", port=0, code="sesame77", ssh_port=0)
        club = await stack.enter_async_context(server.open_club(offer, think=choose_randomly))
        line, key, code = club.invitation[2:]
        assert key == f"the ssh host key is {load_host_key().get_fingerprint()}"
        assert code == "the code is sesame77"
        port = int(re.fullmatch(r"ssh -p ([0-9]+) NICK@localhost", line)[1])
        connection = await stack.enter_async_context(connect_ssh(port, "Anna", "sesame77"))
        process = await stack.enter_async_context(connection.create_process(term_type="dumb", term_size=(300, 24)))
        await line_of(process, "Fridays. You are Anna, a guest.")
        await line_of(process, "Type help for what can be typed.")
        yield club, process


WATCHING_FOR_FILES = """
import os, sys

def watch(event, arguments):
    if event.partition(".")[0] in ("open", "os", "shutil", "glob") and "marked" in str(arguments):
        os.write(1, b"touched " + event.encode() + b"\\n")

sys.addaudithook(watch)
if os.environ.get("CARDTABLE_NICK") == "Anna":
    open(__file__ + ".used", "w").close()
"""
HOME_WORDS = ["import", "export", "save", "load", "move", "folder", "picture", "replay", "resume", "file", "settings"]


async def test_no_word_of_plain_lines_names_a_file_of_the_host(home, tmp_path, monkeypatch):
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "sitecustomize.py").write_text(WATCHING_FOR_FILES)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'code'}:{Path.cwd()}")
    secret = tmp_path / "marked.jsonl"
    secret.write_text("the secret of the host")

    async def type_line(process, line):
        """Type a line and then an unknown word; return what is printed until that is refused."""
        process.stdin.write(f"{line}\rzzz\r")
        return await read_until(process, 'know "zzz"')

    async def try_all_words(process):
        """Type each word of the help, and those of the program at home, with the file; return what is printed."""
        printed = await type_line(process, "help")
        questions = {"sign", "register", "password"}  # they take no text, and ask for passwords
        words = {*re.findall(r"[a-z]+", printed), *HOME_WORDS} - {*questions, "quit"}
        for word in sorted(words):
            printed += await type_line(process, f"{word} {secret}")
            printed += await type_line(process, f"{word} {secret.parent}/marked-new")
        return printed

    async with plain_guest_by_ssh() as (_, process):
        printed = await try_all_words(process)
        process.stdin.write("open rikiki\rbegin\r")
        await line_of(process, "Bid 0")  # it is the guest's turn
        printed += await try_all_words(process)
    assert (tmp_path / "code" / "sitecustomize.py.used").exists()
    assert "touched" not in printed
    assert "the secret of the host" not in printed
    assert str(home) not in printed
    assert [path.name for path in tmp_path.glob("marked*")] == ["marked.jsonl"]


async def read_until(process, text):
    """Return what a terminal prints up to a text."""
    printed = ""
    async with asyncio.timeout(TIMEOUT):
        while text not in printed:
            part = await process.stdout.read(10_000)
            assert part, f"the terminal was closed after {printed[-500:]}"
            printed += part
    return printed


FEW_DESCRIPTORS = """
import asyncio, resource, runpy, sys
from cardtable.club.server import connections
resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
asyncio.constants.ACCEPT_RETRY_DELAY = 0.1
{}
sys.argv[1:] = sys.argv[4:]
runpy.run_module("cardtable", run_name="__main__")
"""
UNLIMITED = "connections.compute_max_pending = lambda: 1000"


def strip_times(log):
    """Return the lines of a log without the time at the beginning of each."""
    return [
        re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} (.+)", line)[1]
        for line in log.splitlines()
    ]


class HostProcess:
    """A ``cardtable host`` process."""

    def __init__(self, home, *launcher, options=()):
        """Start the host; ``launcher`` is a command that runs before ``python -m cardtable``."""
        self.process = subprocess.Popen(
            [*launcher, sys.executable, "-m", "cardtable", "host", "--port", "0", *map(str, options)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "CARDTABLE_HOME": str(home)},
            text=True,
        )
        self.invitation = [self.process.stdout.readline().strip() for _ in range(2)]
        self.url = f"ws://{re.search(r'localhost:[0-9]+', self.invitation[1])[0]}"

    async def wait_for_end(self):
        """Return both outputs of the process, which is ending."""
        return await asyncio.to_thread(self.process.communicate, timeout=TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 0), (signal.SIGHUP, 129)], ids=str)
async def test_signal_closes_the_club_and_exits(home, how, code):
    with HostProcess(home) as service:
        async with joined(service.url, "Anna") as anna:
            service.process.send_signal(how)
            await anna.wait_until(lambda: anna.link.end_reason == "The club has closed.")
        out, err = await service.wait_for_end()
    assert (service.process.returncode, err) == (code, "")
    assert strip_times(out) == ["Anna joins", "The club has closed.", "Anna leaves"]


OWN_TERMINAL = """
import fcntl, os, runpy, signal, sys, termios
outside, inside = os.openpty()
os.setsid()
fcntl.ioctl(inside, termios.TIOCSCTTY)
signal.signal(signal.SIGUSR1, lambda *_: os.close(outside))
sys.argv[1:] = sys.argv[4:]
runpy.run_module("cardtable", run_name="__main__")
"""
"""A program with a controlling terminal of its own, which SIGUSR1 closes."""


async def test_hangup_reloads_certificate(home, tmp_path):
    """A terminal that is closed sends the same signal, and ends the host."""
    _, guests = create_certificate(tmp_path)
    options = ("--cert", tmp_path / "cert", "--key", tmp_path / "key")
    with HostProcess(home, sys.executable, "-c", OWN_TERMINAL, options=options) as service:
        address = service.url.removeprefix("ws://").split(":")

        async def reload():
            """Send the signal; return the line of the log, and the certificate that a new connection gets."""
            service.process.send_signal(signal.SIGHUP)
            (line,) = strip_times(await asyncio.to_thread(service.process.stdout.readline))
            return line, await asyncio.to_thread(ssl.get_server_certificate, address)

        async with joined(f"wss://localhost:{address[1]}", "Anna", ssl=guests) as anna:
            assert strip_times(service.process.stdout.readline()) == ["Anna joins"]
            (tmp_path / "new").mkdir()
            create_certificate(tmp_path / "new")
            first = (tmp_path / "cert").read_text()
            second = (tmp_path / "new" / "cert").read_text()
            (tmp_path / "cert").write_text(second)  # without its key
            line, served = await reload()
            assert line.startswith(f"the old certificate stays in use: {tmp_path}/cert and {tmp_path}/key are not")
            assert served == first
            (tmp_path / "new" / "key").replace(tmp_path / "key")
            assert await reload() == ("the certificate has been read again", second)
            assert anna.link.is_connected
            service.process.send_signal(signal.SIGUSR1)
            await anna.wait_until(lambda: anna.link.end_reason == "The club has closed.")
        out, err = await service.wait_for_end()
    assert strip_times(out) == ["The club has closed.", "Anna leaves"]
    assert (service.process.returncode, err) == (129, "")


async def test_foreign_protocols_log_at_most_one_line_each(home):
    with HostProcess(home) as service:
        host, port = service.url.removeprefix("ws://").split(":")
        for first_bytes in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00", b"SSH-2.0-x\r\n"):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(first_bytes)
            writer.write_eof()
            await reader.read()
            writer.close()
        service.process.terminate()
        out, err = await service.wait_for_end()
    assert strip_times(out) == ["The club has closed."]
    assert len(err.splitlines()) <= 3
    assert "Traceback" not in err


async def test_reports_exhausted_descriptors_once(home):
    with HostProcess(home, sys.executable, "-c", FEW_DESCRIPTORS.format(UNLIMITED)) as service:
        host, port = service.url.removeprefix("ws://").split(":")
        idle = [await asyncio.open_connection(host, int(port)) for _ in range(60)]
        log_line = await asyncio.to_thread(service.process.stderr.readline)
        await asyncio.sleep(0.3)  # some more attempts
        for _, writer in idle:
            writer.close()
        await enter_once(service.url, "Anna")
        service.process.terminate()
        _, err = await service.wait_for_end()
    assert "Too many open files" in log_line
    assert (log_line + err).count("Too many open files") == 1


async def test_silent_connections_cannot_exhaust_descriptors(home):
    with HostProcess(home, sys.executable, "-c", FEW_DESCRIPTORS.format("")) as service:
        port = int(service.url.rpartition(":")[2])
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(60):
                await stack.enter_async_context(silent_connection(port))
            await enter_once(service.url, "Anna")
        service.process.terminate()
        out, err = await service.wait_for_end()
    assert ("Anna joins" in out, err) == (True, "")
