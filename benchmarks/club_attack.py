"""Attack on a club: one hostile guest of each kind while ten honest guests play.

    python benchmarks/club_attack.py [--minutes 60] [--quiet 60] [--pace 0.4]

The host is open to programs, ssh and browsers.  Ten honest guests play at five tables, two at each, with robots in the
other seats; every 15 seconds one of them loses the connection and returns.  After ``--quiet`` seconds the hostile
guests begin, in a process of lower priority and from the same address.  At the end the host is killed with SIGKILL, and
every move that it acknowledged is looked up in its journals.
"""

import argparse
import asyncio
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from operator import attrgetter
from pathlib import Path
from random import Random

import aiohttp
import asyncssh
import msgspec
from websockets import Subprotocol
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.protocol import State

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.club import compare_with_journals, compute_quantile, print_row
from benchmarks.club_guests import BenchGuest, BenchTable, Measurements, begin_session
from cardtable.club import protocol
from cardtable.club.client.connection import ClubConnection, Login, NotConnectedError
from cardtable.engine.errors import CardtableError
from cardtable.session.session_events import Stage
from cardtable.store import profiles
from cardtable.store.club_tokens import ClubToken

ATTACK = "--attack"
CODE = "kmnpqrst"
TABLES = 5
CUT_INTERVAL = 15.0
"""Seconds from one lost connection of an honest guest to the next."""
MEMORY_SAMPLES = 6
END_PATIENCE = 20.0
"""Seconds for the hostile guests' process to end."""
LETTERS = "abcdefghijklmnopqrstuvwxyz"
TALKERS = "Mala", "Malb"
SLOW = "Slow"
REGULARS = *TALKERS, "Garb", "Flood", SLOW, "Open", "Medd", "Regi"
"""Nicks of the hostile guests that return by token."""
SPAMMER, COUNTER, UNREAD, RENAMED, OTHER_NICK = "Spam", "Numb", "Wait", "Name", "Nama"
WATCHERS = "Wata", "Watb", "Watc", "Watd"
VOTERS = "Stan", "Vera"
OTHERS = SPAMMER, COUNTER, UNREAD, RENAMED, *WATCHERS, *VOTERS
"""Nicks of those at another address, since one address may not bring so many new nicks within an hour."""
OTHER_ADDRESS = "127.0.0.2"
HUGE_SIZE = 1000
"""Width and height that a hostile browser reports, in cells."""
UNREAD_ANSWERS = 90
NETWORK_ERRORS = (OSError, WebSocketException, TimeoutError, aiohttp.ClientError, asyncssh.Error)


# Honest guests


class HonestGuest(BenchGuest):
    """Guest that plays, and measures the time from a lost connection until its table is back."""

    def __init__(self, url: str, nick: str, pace: float, table: BenchTable, refusals: Counter[str]) -> None:
        """`refusals` counts refused requests by their reason."""
        super().__init__(url, nick, pace, table)
        self.refusals = refusals
        self.token = self.table_id = ""
        self.link = ClubConnection(
            url,
            Login(nick, CODE),
            self.handle_message,
            self.notice_loss,
            find_ticket=lambda *_: ClubToken(nick, self.token),
        )
        self.is_over = False
        self.lost_at: float | None = None
        self.interrupted: tuple[int, str, float] | None = None
        """Action that was sent and not acknowledged when the connection was lost."""
        self.losses = 0
        self.returns: list[float] = []
        """Seconds from each lost connection until the table was back."""
        self.updated_at = time.monotonic()
        self.sitting: asyncio.Task[None] | None = None

    def notice_loss(self) -> None:
        """Note that the connection was lost."""
        if self.is_logged_in and not self.link.is_connected and self.lost_at is None:
            self.lost_at = time.monotonic()
            self.losses += 1
            self.interrupted, self.sent = self.sent, None
            self.is_over = False
            if self.action_task:
                self.action_task.cancel()
            self.table.open.clear()

    def handle_message(self, message: protocol.AnyServerMessage) -> None:
        """Handle a message of the host; updates of other tables are late ones of the previous table."""
        match message:
            case protocol.Welcome():
                self.token = message.token or self.token
                if self.lost_at is not None and self.table_id:
                    self.sitting = asyncio.create_task(self.link.send(protocol.SitDown(self.table_id)))
            case protocol.Seated():
                self.table_id = message.table
            case protocol.RequestFailed() | protocol.Over():
                self.refusals[message.why] += 1
            case protocol.Update() if message.table != self.table_id:
                return
            case protocol.Update():
                self._note_update(message)
            case _:
                pass
        super().handle_message(message)

    def _note_update(self, message: protocol.Update) -> None:
        self.is_over = message.stage is Stage.SESSION_END
        self.updated_at = time.monotonic()
        if self.lost_at is not None:
            self.returns.append(self.updated_at - self.lost_at)
            self.lost_at = None
            if self.interrupted and self.interrupted[0] < message.at:
                self.acknowledge(message.table, *self.interrupted[:2])
            self.interrupted = None

    def cut(self) -> None:
        """Cut the connection; the client returns by itself."""
        assert self.link.socket is not None
        self.link.socket.transport.abort()

    async def leave(self) -> None:
        """Leave the table, whose session is over."""
        table_id, self.table_id = self.table_id, ""
        self.is_over = self.plays = False
        await self.link.send(protocol.Leave(table_id))


class Host:
    """Process of a host, with ports for programs, ssh, browsers and metrics."""

    def __init__(self, home: Path, log: Path | None = None) -> None:
        """Start the host in a home; its log is in the home unless it is given."""
        self.home, self.ports, self.log = home, [_free_port() for _ in range(4)], log or home / "host.log"
        self.start()

    def start(self) -> None:
        """Start the host, or start it again on the same ports after it has ended."""
        names = ["--port", "--ssh", "--web", "--metrics"]
        options = [word for pair in zip(names, map(str, self.ports), strict=True) for word in pair]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "cardtable", "host", *options, "--code", CODE],
            stdout=self.log.open("a"), stderr=subprocess.STDOUT, env={**os.environ, "CARDTABLE_HOME": str(self.home)},
        )  # fmt: skip

    async def wait_until_open(self) -> None:
        """Wait until the port that is opened last accepts connections."""
        while self.process.poll() is None:
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.ports[2])
                writer.close()
                return
            await asyncio.sleep(0.2)
        raise SystemExit(f"the host has ended:\n{self.log.read_text()}")

    @property
    def memory(self) -> float:
        """Resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024

    @property
    def open_files(self) -> int:
        return len([*Path(f"/proc/{self.process.pid}/fd").iterdir()])

    @property
    def processes(self) -> int:
        """Number of child processes: robots, and programs of guests by ssh or in browsers."""
        return len(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split())

    @property
    def storage(self) -> tuple[int, float]:
        """Number of the host's files, and their size in MB."""
        files = [path.stat() for path in self.home.rglob("*") if path.is_file()]
        return len(files), sum(file.st_size for file in files) / 1e6


class Samples:
    """Measurements of the host, taken once a second."""

    def __init__(self) -> None:
        self.memory: list[float] = []
        self.open_files = self.processes = self.failed_tables = 0
        self.longest_pause = 0.0
        """Longest time in seconds without an update at a table."""

    def measure(self, host: Host, guests: list[HonestGuest]) -> None:
        """Add measurements of the host and of the tables."""
        self.memory.append(host.memory)
        self.open_files = max(self.open_files, host.open_files)
        self.processes = max(self.processes, host.processes)
        now = time.monotonic()
        self.longest_pause = max(self.longest_pause, *[now - guest.updated_at for guest in guests])


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


async def measure(options: argparse.Namespace, home: Path) -> None:
    """Run the attack, and print a table."""
    host, measurements, refusals = Host(home), Measurements(), Counter[str]()
    tables = [BenchTable(number, measurements) for number in range(TABLES)]
    guests: list[HonestGuest] = []
    url = f"ws://127.0.0.1:{host.ports[0]}"
    for table, letter in zip(tables, LETTERS, strict=False):
        pair = [HonestGuest(url, f"Hon{letter}{place}", options.pace, table, refusals) for place in "ab"]
        table.guests += pair
        guests += pair
    try:
        await host.wait_until_open()
        tasks = [asyncio.create_task(guest.link.run()) for guest in guests]
        for guest in guests:
            await guest.wait_until(partial(attrgetter("is_logged_in"), guest))
        for table in tables:
            await begin_session(table, 0)
        quiet_samples, cuts = Samples(), Counter[str]()
        await _play(options.quiet, host, guests, quiet_samples, cuts)
        before, earlier_returns = [*measurements.own_times], sum(len(guest.returns) for guest in guests)
        measurements.own_times.clear()
        attack_samples, started_at = Samples(), time.monotonic()
        with _attacker(host) as attacker:
            await _play(60 * options.minutes, host, guests, attack_samples, cuts, attacker)
            minutes, load = (time.monotonic() - started_at) / 60, os.getloadavg()
            counts = _end_attacker(attacker)
        last_memory, log_size = host.memory, host.log.stat().st_size
        losses, absent_count = sum(guest.losses for guest in guests), sum(guest.lost_at is not None for guest in guests)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
    finally:
        host.process.kill()
        host.process.wait()
    returns = [seconds for guest in guests for seconds in guest.returns]
    lost, doubled = compare_with_journals([measurements])
    acknowledged = sum(len(seat) for table in measurements.acknowledged.values() for seat in table.values())
    file_count, size = host.storage
    step = max(1, len(attack_samples.memory) // (MEMORY_SAMPLES - 1))
    print_row(f"what, {len(guests)} honest guests", "asked", f"measured in {minutes:.1f} min")
    print_row(
        "own move before, middle, 99th of 100",
        "",
        f"{compute_quantile(before, 0.5):.1f}, {compute_quantile(before, 0.99):.0f} ms",
    )
    print_row(
        "own move under attack, middle",
        "",
        f"{compute_quantile(measurements.own_times, 0.5):.1f} ms of {len(measurements.own_times)}",
    )
    print_row(
        "... 99th of 100",
        "250 ms",
        f"{compute_quantile(measurements.own_times, 0.99):.0f} ms, "
        f"slowest {compute_quantile(measurements.own_times, 1):.0f} ms",
    )
    print_row("longest time without an event at a table", "", f"{attack_samples.longest_pause:.0f} s")
    print_row("connections cut", "", f"{cuts.total()}")
    print_row(
        "returns to the table, middle, 99th of 100",
        "",
        f"{compute_quantile(returns, 0.5):.0f}, {compute_quantile(returns, 0.99):.0f} ms",
    )
    print_row("... of these before the attack", "", f"{earlier_returns} of {len(returns)}")
    print_row("moves acknowledged", "", f"{acknowledged}")
    print_row(
        "memory: begin, most, end",
        "",
        f"{quiet_samples.memory[0]:.0f}, {max(attack_samples.memory):.0f}, {last_memory:.0f} MB",
    )
    print_row("... during the attack", "", f"{', '.join(f'{mb:.0f}' for mb in attack_samples.memory[::step])} MB")
    print_row("most open files, most child processes", "", f"{attack_samples.open_files}, {attack_samples.processes}")
    print_row("files of the host at the end", "", f"{file_count}, {size:.1f} MB")
    print_row("the host's log", "", f"{log_size / 1000:.0f} kB")
    print_row("load average of 1, 5, 15 minutes", "", ", ".join(f"{value:.1f}" for value in load))
    faults = {
        "tables that could not begin another session": attack_samples.failed_tables,
        "connections cut by the host": losses - cuts.total(),
        "honest guests that are out at the end": absent_count,
        "honest requests refused": refusals.total(),
        "acknowledged moves lost": lost,
        "acknowledged moves doubled": doubled,
    }
    for name, number in faults.items():
        print_row(name, "0", f"{number}")
    for reason, times in refusals.items():
        print(f"refused {times} times: {reason}")
    print(f"hostile requests of each kind: {counts}")
    if any(faults.values()):
        raise SystemExit("the club did not hold out")


async def _play(
    seconds: float,
    host: Host,
    guests: list[HonestGuest],
    samples: Samples,
    cuts: Counter[str],
    attacker: "subprocess.Popen[str] | None" = None,
) -> None:
    """Let the guests play, cut connections, and begin another session when one is over.

    It ends early if the attacker has ended.
    """
    end, next_cut, rng = time.monotonic() + seconds, time.monotonic() + CUT_INTERVAL, Random(seconds)
    guests_by_table = [
        [guest for guest in guests if guest.table is table] for table in {guest.table: None for guest in guests}
    ]
    while time.monotonic() < end and (attacker is None or attacker.poll() is None):
        await asyncio.sleep(1)
        samples.measure(host, guests)
        connected = [pair for pair in guests_by_table if all(guest.lost_at is None for guest in pair)]
        if next_cut < min(time.monotonic(), end - CUT_INTERVAL) and connected:
            next_cut = time.monotonic() + CUT_INTERVAL
            guest = rng.choice(rng.choice(connected))
            guest.cut()
            cuts[guest.nick] += 1
            continue
        for pair in connected:
            if all(guest.is_over for guest in pair):
                try:
                    for guest in pair:
                        await guest.leave()
                    await begin_session(pair[0].table, 0)
                except (TimeoutError, NotConnectedError):
                    samples.failed_tables += 1
                    guests_by_table.remove(pair)


@contextmanager
def _attacker(host: Host) -> "Iterator[subprocess.Popen[str]]":
    """Run the hostile guests in a process of lower priority; kill it on exit."""
    command = ["nice", "-n", "5", sys.executable, __file__, ATTACK, *map(str, host.ports[:3])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attacker:
        try:
            yield attacker
        finally:
            attacker.kill()


def _end_attacker(attacker: "subprocess.Popen[str]") -> str:
    """Ask the attacker to end, and return its counts; one that does not end is killed."""
    remark = (
        "" if attacker.poll() is None else f"the hostile guests ended early, with exit code {attacker.returncode}; "
    )
    attacker.terminate()
    try:
        counts, _ = attacker.communicate(timeout=END_PATIENCE)
    except subprocess.TimeoutExpired:
        attacker.kill()
        counts, _ = attacker.communicate()
        remark = "the hostile guests did not end and were killed; "
    return remark + (counts.strip() or "their counts are lost")


# Hostile guests


class Attack:
    """Hostile guests, one of each kind."""

    def __init__(self, programs: int, ssh: int, web: int) -> None:
        self.url, self.ports = f"ws://127.0.0.1:{programs}", (programs, ssh, web)
        self.web, self.rng = f"http://127.0.0.1:{web}", Random(1)
        self.counts, self.failures = Counter[str](), Counter[str]()
        self.tables: list[str] = []
        """Ids of the tables in the lobby."""
        self._gathering: set[str] = set()
        """Ids of those that have not begun; a hostile player there would stop the game of honest ones."""
        self._masters: dict[str, str] = {}
        """Nicks of the game masters of tables."""
        self._tokens: dict[str, str] = {}
        self._guests: dict[str, ClientConnection] = {}
        """Connections by nick."""
        self._readers: set[asyncio.Task[None]] = set()
        self._silent: list[asyncio.StreamWriter] = []
        self._half_sent: list[asyncio.StreamWriter] = []
        self._cookies = aiohttp.CookieJar(unsafe=True)

    async def run(self) -> None:
        """Attack in all ways at once until cancelled."""
        kinds: list[tuple[Callable[[], Awaitable[None]], float]] = [
            (self.talk, 0.12), (self.send_malformed, 0.2), (self.flood, 1), (self.use_new_nicks, 0.2),
            (self.try_codes, 0.1), (self.try_proofs, 0.2), (self.try_passwords, 0.5), (self.connect_silently, 0.05),
            (self.send_half_requests, 0.05), (self.try_ssh, 1), (self.read_slowly, 5), (self.open_tables, 0.2),
            (self.meddle, 0.12), (self.register, 1), (self.open_tabs, 10), (self.spam_invitations, 0.12),
            (self.watch_rounds, 0.05), (self.send_numbers, 0.12), (self.resize_tab, 10), (self.leave_answers, 2),
            (self.rename_player, 3), (self.vote_for_robots, 0.3),
        ]  # fmt: skip
        for nick in (*REGULARS, *OTHERS):  # before new nicks from this address are refused
            await self._guest(nick, reads=nick not in (SLOW, UNREAD))
        await self._log_in_browser()
        await self._send(self._guests[RENAMED], "register", password=self._make_up_nick())
        command = sys.executable, "-m", "cardtable", "club", "mute", SPAMMER
        await (await asyncio.create_subprocess_exec(*command, stdout=subprocess.DEVNULL)).wait()
        async with asyncio.TaskGroup() as group:
            for kind, pause in kinds:
                group.create_task(self._repeat(kind, pause))

    async def _repeat(self, kind: Callable[[], Awaitable[None]], pause: float) -> None:
        while True:
            self.counts[kind.__name__] += 1
            try:
                async with asyncio.timeout(30):
                    await kind()
            except NETWORK_ERRORS:
                self.failures[kind.__name__] += 1
            await asyncio.sleep(pause)

    def describe(self) -> str:
        """Return how often each kind was tried, and how often that failed because of the network or the host."""
        return ", ".join(f"{name} {times} ({self.failures[name]} failed)" for name, times in self.counts.items())

    # Connections

    async def _say_hello(self, nick: str, **credentials: str) -> ClientConnection:
        """Connect and send a login; the answer is not read."""
        address = (OTHER_ADDRESS, 0) if nick in OTHERS else None
        connection = await connect(
            self.url, subprotocols=[Subprotocol(protocol.SUBPROTOCOL)], open_timeout=20, local_addr=address
        )
        challenge = msgspec.json.decode(await connection.recv(), type=protocol.Challenge)
        if token := self._tokens.get(nick):
            nonce = secrets.token_urlsafe(24)
            key = protocol.hash_token(token)
            proof = protocol.compute_token_proof(key, challenge.club_id, challenge.nonce, nonce)
            credentials = {"nonce": nonce, "proof": proof}
        await connection.send(json.dumps({"type": "hello", "nick": nick, **credentials}))
        return connection

    async def _try_login(self, nick: str, **credentials: str) -> None:
        """Send a login, wait for the answer, and leave."""
        connection = await self._say_hello(nick, **credentials)
        await connection.recv()
        await connection.close()

    async def _guest(self, nick: str, *, reads: bool = True) -> ClientConnection:
        """Return the connection of a hostile guest, who returns by token.  Raises ``WebSocketException``."""
        if nick not in self._guests or self._guests[nick].state is not State.OPEN:
            connection = await self._say_hello(nick, code=CODE)
            welcome = json.loads(await connection.recv())
            if welcome["type"] != "welcome":
                await connection.close()
                raise WebSocketException(welcome["why"])
            self._guests[nick] = connection
            self._tokens[nick] = welcome["token"] or self._tokens[nick]
            self._note_tables(welcome["tables"], [])
            if reads:
                reader = asyncio.create_task(self._read(nick, connection))
                self._readers.add(reader)
                reader.add_done_callback(self._readers.discard)
        return self._guests[nick]

    async def _read(self, nick: str, connection: ClientConnection) -> None:
        """Read until the connection ends, and keep tables and token up to date."""
        with suppress(*NETWORK_ERRORS):
            async for frame in connection:
                message = json.loads(frame)
                if message["type"] == "lobby_news":
                    self._note_tables(message.get("tables", []), message.get("gone", []))
                elif message["type"] == "account_granted":
                    self._tokens[nick] = message["token"]
                    await connection.close()  # the next request comes from the new player

    def _note_tables(self, rows: list[dict[str, object]], removed: list[str]) -> None:
        listed = {str(row["table"]): bool(row.get("playing")) for row in rows}
        self._masters |= {str(row["table"]): str(row["master"]) for row in rows}
        self.tables = [table for table in dict.fromkeys([*self.tables, *listed]) if table not in removed]
        self._gathering = {
            *self._gathering.difference(listed),
            *[table for table, playing in listed.items() if not playing],
        }

    def _browser(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(cookie_jar=self._cookies, headers={"Origin": self.web})

    async def _log_in_browser(self) -> None:
        login = {"nick": "Tabs", "code": CODE}
        async with self._browser() as browser, browser.post(self.web, data=login, allow_redirects=False):
            pass

    async def _send(self, connection: ClientConnection, type_: str, **fields: object) -> None:
        await connection.send(json.dumps({"type": type_, **fields}))

    def _make_up_nick(self) -> str:
        return "".join(self.rng.choices(LETTERS, k=8)).title()

    def _choose_table(self) -> str:
        """Return the id of some table, or an empty string if there is none."""
        return self.rng.choice(self.tables or [""])

    # Kinds

    async def talk(self) -> None:
        """Chat in the lobby and at tables."""
        guest = await self._guest(self.rng.choice(TALKERS))
        table = self.rng.choice((self._choose_table(), ""))
        if table:
            await self._send(guest, "watch", table=table)
        await self._send(guest, "say", text="x" * 400, table=table)

    async def send_malformed(self) -> None:
        """Send frames that are no messages."""
        frames = ("[" * 60_000, '{"type":', "x" * 70_000, '{"type":"say","text":7}', "\0")
        await (await self._guest("Garb")).send(self.rng.choice(frames))

    async def flood(self) -> None:
        """Send more messages at once than are allowed."""
        guest = await self._guest("Flood")
        for _ in range(200):
            await self._send(guest, "ask_finished")

    async def use_new_nicks(self) -> None:
        """Join with another nick each time, some of them invalid or similar to an honest guest's."""
        nick = self.rng.choice((self._make_up_nick(), "Нonaa", "Hon\x1b[2J", "hONAA", "\u202eanna"))
        await self._try_login(nick, code=CODE)

    async def try_codes(self) -> None:
        await self._try_login(self._make_up_nick(), code=self._make_up_nick())

    async def try_proofs(self) -> None:
        """Claim to be an honest guest with an invalid proof."""
        await self._try_login(f"Hon{self.rng.choice('abcde')}a", nonce="n", proof="0" * 64)

    async def try_passwords(self) -> None:
        """Try passwords for the nick of an honest guest, and of a player of the club."""
        nick = self.rng.choice(("Honaa", "Regi"))
        await self._try_login(nick, code=CODE, password=self._make_up_nick())

    async def connect_silently(self) -> None:
        """Connect to every port, and send nothing."""
        for port in self.ports:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            self._silent.append(writer)
        _abort_oldest(self._silent, 600)

    async def send_half_requests(self) -> None:
        """Send the beginning of a request."""
        request = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nn"
        _, writer = await asyncio.open_connection("127.0.0.1", self.rng.choice((self.ports[0], self.ports[2])))
        writer.write(request[: self.rng.randrange(1, len(request))])
        self._half_sent.append(writer)
        _abort_oldest(self._half_sent, 300)

    async def try_ssh(self) -> None:
        """Try words of an honest guest by ssh; a refusal is the correct answer."""
        word = self._make_up_nick()

        class Client(asyncssh.SSHClient):
            def kbdint_auth_requested(self) -> str:
                return ""

            def kbdint_challenge_received(self, *_: object) -> list[str]:
                return [word]

        with suppress(asyncssh.PermissionDenied):
            async with asyncssh.connect(
                "127.0.0.1", self.ports[1], username="Honaa", known_hosts=None, config=None, client_keys=[],
                agent_path=None, client_factory=Client,
            ):  # fmt: skip
                pass

    async def read_slowly(self) -> None:
        """Watch all tables, and read nothing."""
        guest = await self._guest(SLOW, reads=False)
        guest.transport.pause_reading()
        for table in self.tables:
            await self._send(guest, "watch", table=table)

    async def open_tables(self) -> None:
        """Open a table, and leave some table."""
        guest = await self._guest("Open")
        await self._send(guest, "open_table", game="king", seats=4)
        await self._send(guest, "leave", table=self._choose_table())

    async def meddle(self) -> None:
        """Request what only players of a table may do."""
        guest, table, seat = await self._guest("Medd"), self._choose_table(), self.rng.randrange(4)
        kinds: tuple[tuple[str, dict[str, object]], ...] = (
            ("act", {"at": 1, "action": "5H"}), ("sit_down", {"seat": seat}), ("vote_substitute", {"seat": seat}),
            ("give_seat", {"seat": seat, "nick": "Medd"}), ("acknowledge_round", {"round": 1}), ("end_wait", {}),
            ("vote_rematch", {}), ("ask_rounds", {}), ("start", {}), ("watch", {}), ("leave", {}),
        )  # fmt: skip
        kind, fields = self.rng.choice(kinds)
        if kind == "sit_down" and table in self._gathering:
            return
        await self._send(guest, kind, table=table, **fields)
        await self._send(guest, self.rng.choice(("ask_journal", "resume_session")), session=table)

    async def register(self) -> None:
        """Become a player of the club again and again, and sign in as others."""
        guest = await self._guest("Regi")
        await self._send(guest, "register", password=self._make_up_nick())
        await self._send(guest, "sign_in", nick="Honba", password=self._make_up_nick())

    async def spam_invitations(self) -> None:
        """Invite honest guests, name tables, come and go as a spectator: as somebody whom the host has muted."""
        guest, table, invited = await self._guest(SPAMMER), self._choose_table(), ["Honaa", "Honba"]
        await self._send(guest, "open_table", game="king", seats=4, name="Buy", private=True, invited=invited)
        await self._send(guest, "invite_to_table", table=table, nick="Honca")
        await self._send(guest, "watch", table=table)
        await self._send(guest, self.rng.choice(("leave", "say", "vote_rematch")), table=table)

    async def watch_rounds(self) -> None:
        """Watch a table, and ask for its finished rounds."""
        guest, table = await self._guest(self.rng.choice(WATCHERS)), self._choose_table()
        await self._send(guest, "watch", table=table)
        for _ in range(3):
            await self._send(guest, "ask_rounds", table=table)

    async def send_numbers(self) -> None:
        """Send numbers that no table has, also as a player and as game master."""
        nick, number = self.rng.choice((COUNTER, *VOTERS)), self.rng.choice((-1, 4, 10**9, 2**31, 2**63))
        table = self._find_table_of(VOTERS[0]) if nick in VOTERS else self._choose_table()
        kinds: tuple[tuple[str, dict[str, object]], ...] = (
            ("act", {"at": number, "action": "5H"}), ("sit_down", {"seat": number}),
            ("vote_substitute", {"seat": number}),
            ("give_seat", {"seat": number}), ("acknowledge_round", {"round": number}),
        )  # fmt: skip
        kind, fields = self.rng.choice(kinds)
        await self._send(await self._guest(nick), kind, table=table, **fields)
        await self._send(await self._guest(COUNTER), "open_table", game="king", seats=number, grace=number)

    async def resize_tab(self) -> None:
        """Report a huge window in a browser, and change its size again and again."""
        size = f"width={HUGE_SIZE}&height={HUGE_SIZE}"
        async with self._browser() as browser, browser.ws_connect(f"{self.web}/ws?{size}") as tab:
            for number in range(50):
                await tab.send_json(["resize", {"width": HUGE_SIZE - number % 2, "height": HUGE_SIZE}])
                await asyncio.sleep(0.1)

    async def leave_answers(self) -> None:
        """Ask for finished rounds on a connection that reads nothing, and cut it."""
        guest, table = await self._guest(UNREAD, reads=False), self._choose_table()
        guest.transport.pause_reading()
        await self._send(guest, "watch", table=table)
        for _ in range(UNREAD_ANSWERS):
            await self._send(guest, "ask_rounds", table=table)
            await asyncio.sleep(0.03)
        guest.transport.abort()

    async def rename_player(self) -> None:
        """Talk and watch as a player whom another program renames all the time."""
        guest = await self._guest(RENAMED)
        await self._send(guest, "watch", table=self._choose_table())
        nicks = (RENAMED, OTHER_NICK) if profiles.find(RENAMED) else (OTHER_NICK, RENAMED)
        with suppress(CardtableError):  # not registered yet
            await asyncio.to_thread(profiles.update_profile, *nicks, "", "")
        await self._send(guest, "say", text="Who am I?")

    async def vote_for_robots(self) -> None:
        """Leave a table and return, and vote for a robot at every seat meanwhile."""
        master, other = [await self._guest(nick) for nick in VOTERS]
        table = self._find_table_of(VOTERS[0])
        if not table:
            await self._send(master, "open_table", game="gurka", seats=4)
        elif table in self._gathering:
            await self._send(other, "sit_down", table=table)
            await self._send(master, "start", table=table)
        else:
            await self._send(other, "leave", table=table)
            await self._send(master, "end_wait", table=table)
            for seat in range(4):
                await self._send(master, "vote_substitute", table=table, seat=seat)
            await asyncio.sleep(0.3)
            await self._send(other, "sit_down", table=table)

    def _find_table_of(self, master: str) -> str:
        """Return the id of a table of a game master, or an empty string if there is none."""
        return next((table for table in self.tables if self._masters.get(table) == master), "")

    async def open_tabs(self) -> None:
        """Open four programs in tabs of one browser, one after the other, and leave each when it has begun."""
        async with self._browser() as browser:
            for _ in range(4):
                async with browser.ws_connect(f"{self.web}/ws?width=80&height=24") as tab:
                    await tab.receive()


def _abort_oldest(writers: list[asyncio.StreamWriter], max_count: int) -> None:
    while len(writers) > max_count:
        writers.pop(0).transport.abort()


async def attack(ports: list[int]) -> None:
    """Attack until SIGTERM, and print how often each kind was tried."""
    hostile = Attack(*ports)
    task = asyncio.create_task(hostile.run())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await task
    finally:
        print(hostile.describe(), flush=True)


if __name__ == "__main__":
    if ATTACK in sys.argv:
        asyncio.run(attack([*map(int, sys.argv[2:])]))
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--minutes", type=float, default=60, help="of the attack")
        parser.add_argument("--quiet", type=float, default=60, help="seconds of play before it")
        parser.add_argument("--pace", type=float, default=0.4, help="seconds for which an honest guest thinks")
        with tempfile.TemporaryDirectory() as home:
            os.environ["CARDTABLE_HOME"] = home
            asyncio.run(measure(parser.parse_args(), Path(home)))
