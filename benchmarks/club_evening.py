"""An evening at a club: 60 people at 15 tables, while networks, the host and its disk fail.

    sudo .venv/bin/python benchmarks/club_evening.py [--minutes 10]

28 people come by the client code of ``join``, half of them through each of two networks, 20 by ssh and 12 in browsers,
all from addresses of their own.  A person decides after 1 to 3 s; ssh and browsers are played by keys, on the screen
that a terminal would show.  At set times the administrator kicks three people, one network loses its connections for 20
s, the other passes nothing for 20 s, the host is killed with SIGKILL twice, and its disk, a small file system of its
own, is full for 30 s.  At the end every move that the host acknowledged is looked up in its journals, all sessions are
verified, and every view that was sent by the host to a client of ``join`` is compared with those of its seat.

The people by ssh and in browsers are in a process of their own, since they draw 32 screens.
"""

# mypy: allow-untyped-calls
# The helpers of the tests have no types.

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter, defaultdict
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, mkdtemp

import aiohttp
import asyncssh
import pyte
from prometheus_client.parser import text_string_to_metric_families

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.club import compute_quantile, print_row
from benchmarks.club_attack import CODE, Host
from cardtable.club import protocol
from cardtable.club.addresses import TRANSPORTS
from cardtable.club.client.connection import RECONNECT_DELAYS, ClubConnection
from cardtable.engine.journal import ActionLine, OccupantLine, read
from cardtable.engine.replay import create_referee
from cardtable.engine.value_checks import encode_view
from cardtable.games import GAMES, KEYS
from cardtable.session.session_events import Stage
from tests.club.hostile_network import PersistentGuest, check_journal
from tests.club.test_browser_server import browser, connect_tab, submit_login
from tests.club.test_ssh_server import connect_ssh, open_terminal
from tests.pty.terminal import _UNSUPPORTED_BY_PYTE

SCREENS = "--screens"
TABLES, JOINED, BY_SSH, IN_BROWSERS = 15, 28, 20, 12
WATCHERS = {"rummy": 2, "bridge": 1}
"""People who watch each table of a game; all other people there come by ``join``, two to a table."""
DISK_MEGABYTES = 200
COLUMNS, ROWS = 100, 44
THINKING_SECONDS = 1.0, 3.0
"""Seconds for which a person thinks."""
CUT_SECONDS = 20.0
FULL_SECONDS = 30.0
DISRUPTION_SECONDS = 60.0
"""Seconds from a fault for which latencies count as disturbed."""
RETRY_SECONDS = 10.0
"""Seconds after which a person repeats an unanswered move."""
PATIENCE = 240.0
"""Seconds for all people to arrive, and to return at the end."""


# Networks


class Network:
    """Relay between guests and the host, which can lose connections or go silent."""

    def __init__(self, host_port, address):
        """`address` is the local address from which the guests come."""
        self.host_port, self.address = host_port, address
        self.is_cut = False
        self.is_passing = asyncio.Event()
        self.is_passing.set()
        self.writers = set()

    async def open(self):
        """Listen, and return the URL for guests."""
        self.server = await asyncio.start_server(self._relay, "127.0.0.1", 0)
        return f"ws://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def lose_connections(self):
        """Abort all connections, and accept none for a while."""
        self.is_cut = True
        for writer in self.writers:
            writer.transport.abort()
        await asyncio.sleep(CUT_SECONDS)
        self.is_cut = False

    async def go_silent(self):
        """Pass nothing on for a while; connections stay."""
        self.is_passing.clear()
        await asyncio.sleep(CUT_SECONDS)
        self.is_passing.set()

    async def _relay(self, reader, writer):
        own = {writer}
        try:
            if not self.is_cut:
                host_reader, host_writer = await asyncio.open_connection(
                    "127.0.0.1", self.host_port, local_addr=(self.address, 0)
                )
                own.add(host_writer)
                self.writers |= own
                ends = (reader, host_writer), (host_reader, writer)
                pumps = [asyncio.create_task(self._pump(*pair)) for pair in ends]
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                for pump in pumps:
                    pump.cancel()
        except OSError:
            pass
        finally:
            self.writers -= own
            for own_writer in own:
                own_writer.transport.abort()

    async def _pump(self, reader, writer):
        with suppress(OSError):
            while data := await reader.read(1 << 16):
                await self.is_passing.wait()
                writer.write(data)
                await writer.drain()


# People by join


class JoinedPerson(PersistentGuest):
    """Person by ``join``, who plays or watches at human pace and returns after every failure."""

    def __init__(self, url, nick):
        super().__init__(url, nick, code=CODE, retry_delay=0.25, delays=RECONNECT_DELAYS)
        self.url, self.is_watching = url, False
        self.pending = self.ready = None
        self.own_times = []
        """Time of each acknowledged move, and seconds until the acknowledgement over the same connection."""
        self.acknowledged = {}
        """Acknowledged moves by number of the decision."""
        self.interrupted = self.open_hands = 0
        self.views = []
        """All views received, as they were on the wire."""
        self.saving = self.kicked = ""
        self.lost_at = None
        self.returns = []
        """Time of each return to the table, and seconds since the connection was lost."""

    @property
    def is_away(self):
        """True unless the person is connected, and back at the table if its session goes on."""
        is_over = self.update is not None and self.update.stage is Stage.SESSION_END
        return not self.link.is_connected or (self.lost_at is not None and not is_over)

    async def stay(self):
        """Stay connected; after being kicked, come back as the program is started again."""
        while True:
            await self.link.run()
            self.kicked = self.link.end_reason
            await asyncio.sleep(3)
            self.link = ClubConnection(self.url, self.link.login, self.receive, self.wake)

    def wake(self):
        if self.seated and not self.link.is_connected and self.lost_at is None:
            self.lost_at = time.monotonic()
        super().wake()

    async def send(self, message, **options):
        """Send a message; who watches takes no seat."""
        if self.is_watching and isinstance(message, protocol.SitDown):
            message = protocol.Watch(message.table)
        await super().send(message, **options)

    def apply_update(self, update):
        now = time.monotonic()
        if self.lost_at is not None and update.steps:
            self.returns.append((now, now - self.lost_at))
            self.lost_at = None
        if self.pending and self.pending[0] < update.at:
            at, action, sent_at, connection = self.pending
            self.pending = None
            self.acknowledged[at] = action
            if connection is self.link.socket:
                self.own_times.append((now, now - sent_at))
            else:
                self.interrupted += 1
        self.saving = update.saving or self.saving
        for step in update.steps:
            self.views.append(bytes(step.view))
            self.open_hands += len(step.others)
        super().apply_update(update)

    async def _respond(self, table):
        update, connection = self.update, self.link.socket
        if update is None or self.view is None or self.is_watching or update.saving or connection is None:
            return
        assert self.seated is not None
        game, at, now = GAMES[self.seated.header.game], update.at, time.monotonic()
        if update.stage is Stage.ROUND_END and self.seated.seat in update.waits_for:
            if self.ready and self.ready[:2] == (self.view.round, connection) and now < self.ready[2] + RETRY_SECONDS:
                return
            await asyncio.sleep(self.rng.uniform(*THINKING_SECONDS))
            self.ready = self.view.round, connection, time.monotonic()
            await self.send(protocol.AcknowledgeRound(table, self.view.round))
        elif self.view.legal and game.forced_silent_action(self.view) is None:
            if self.pending and self.pending[3] is connection and now < self.pending[2] + RETRY_SECONDS:
                return
            await asyncio.sleep(self.rng.uniform(*THINKING_SECONDS))
            if self.update is not update or self.link.socket is not connection:
                return
            action = str(self.rng.choice(self.view.legal))
            if self.pending and self.pending[0] == at:  # the same person wants the same
                action = self.pending[1]
            self.sent.setdefault(at, []).append(action)
            self.pending = at, action, time.monotonic(), connection
            await self.send(protocol.Act(table, at, action))


def check_views(path, people):
    """Return how many views were sent to people that are not those of their seats in the journal.

    The second number is a control: how many are not those of the next seat, which must be most of them.
    """
    journal = read(path.read_bytes())
    referee = create_referee(journal.header, GAMES)
    expected: dict[int | None, set[bytes]] = defaultdict(set)

    def note_views():
        for seat in range(referee.seats):
            expected[seat].add(bytes(encode_view(referee.view(seat))))
        expected[None].add(bytes(encode_view(referee.view(0).public_view())))

    note_views()
    for entry in journal.entries:
        referee.apply_line(entry.line)
        note_views()
    return tuple(
        sum(view not in expected[find_seat(person)] for person in people for view in person.views)
        for find_seat in (
            lambda person: person.seated.seat,
            lambda person: ((person.seated.seat or 0) + 1) % referee.seats,
        )
    )


# People by ssh and in browsers, in a process of their own


class ScreenPerson:
    """Person at a screen, who finds their table in the lobby and plays by keys."""

    def __init__(self, nick, table, address):
        self.nick, self.table, self.address, self.rng = nick, table, address, Random(nick)
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.pressed_at = self.lost_at = None
        self.logins = self.turns = 0
        self.seconds, self.returns = [], []
        self.endings = Counter[str]()
        self.last_turn = time.monotonic()

    def connected(self):
        """Return a context that yields functions to write keys and to receive output."""
        raise NotImplementedError

    async def stay(self):
        """Be at the club; when the connection has ended, sign in again with what the person has."""
        while True:
            self.screen.reset()
            self.pressed_at = None
            playing = None
            try:
                async with self.connected() as (self.write, receive):
                    self.logins += 1
                    playing = asyncio.create_task(self.play())
                    while data := await receive():
                        self.feed(data)
            except (OSError, TimeoutError, asyncssh.Error, aiohttp.ClientError) as error:
                self.endings[type(error).__name__] += 1
            else:
                last = [line.strip() for line in self.screen.display if line.strip()]
                self.endings[last[-1][:70] if last else "an empty screen"] += 1
            finally:
                if playing:
                    playing.cancel()
            if self.lost_at is None:
                self.lost_at = time.monotonic()
            await asyncio.sleep(self.rng.uniform(1, 4))

    def feed(self, data):
        """Draw output of the program, and note when it shows that a move was made or the table is back."""
        self.stream.feed(_UNSUPPORTED_BY_PYTE.sub(b"", data))
        if self.pressed_at is not None and not self.can_act:
            self.seconds.append(time.monotonic() - self.pressed_at)
            self.pressed_at = None
        if self.lost_at is not None and self.is_at_table:
            self.returns.append(time.monotonic() - self.lost_at)
            self.lost_at = None

    @property
    def is_connected(self):
        return self.lost_at is None

    @property
    def can_act(self):
        """True if Enter does something at the table."""
        return self.is_at_table and " Enter " in self.screen.display[-1]

    @property
    def is_at_table(self):
        return " round " in self.screen.display[0] and self.is_in_lobby is False

    @property
    def is_in_lobby(self):
        return "n new table" in self.screen.display[-1]

    async def play(self):
        """Press keys as a person does."""
        while True:
            await asyncio.sleep(0.3)
            if self.is_in_lobby:
                await self.find_table()
            elif "Esc back" in self.screen.display[-1]:
                await self.press("\x1b")
            elif self.can_act:
                await asyncio.sleep(self.rng.uniform(*THINKING_SECONDS))
                if self.can_act and self.rng.random() < 0.3:
                    await self.press(self.rng.choice(["\x1b[C", "\x1b[D", "\x1b[B", "\t"]))
                if self.can_act:
                    self.pressed_at = self.last_turn = time.monotonic()
                    self.turns += 1
                    await self.press("\r")

    async def find_table(self):
        """Move the cursor to the own table, if it is listed, and open it."""
        rows = self.screen.display
        table = next((at for at, text in enumerate(rows) if self.table in text), None)
        if table is not None and self.nick in rows[table + 1] and " free" in rows[table + 1]:
            return  # the table has not begun
        cursor = next((at for at, text in enumerate(rows) if "▌" in text), None)
        if table is None or cursor is None:
            return
        await self.press("\r" if cursor == table else "\x1b[A" if cursor > table else "\x1b[B")

    async def press(self, keys):
        """Press keys, and wait for the picture."""
        await self.write(keys)
        await asyncio.sleep(0.3)


class SshPerson(ScreenPerson):
    """Person by ssh, who types the code at the first login and has a key from then on."""

    def __init__(self, port, *arguments):
        super().__init__(*arguments)
        self.port, self.key = port, asyncssh.generate_private_key("ssh-ed25519")

    @asynccontextmanager
    async def connected(self):
        answers = () if self.logins else (CODE,)
        async with (
            connect_ssh(
                self.port, self.nick, *answers, keys=[self.key], local_addr=(self.address, 0), login_timeout=60
            ) as connection,
            open_terminal(connection, size=(COLUMNS, ROWS), encoding=None) as process,
        ):

            async def write(keys):
                process.stdin.write(keys.encode())

            yield write, partial(process.stdout.read, 1 << 16)


class BrowserPerson(ScreenPerson):
    """Person in a browser, who types the code at the first login and has a cookie from then on."""

    def __init__(self, port, *arguments):
        super().__init__(*arguments)
        self.url, self.cookies = f"http://127.0.0.1:{port}", aiohttp.CookieJar(unsafe=True)

    @asynccontextmanager
    async def connected(self):
        async with browser(self.address, cookie_jar=self.cookies) as session:
            if not self.logins:
                status, page = await submit_login(session, self.url, self.nick, CODE)
                if status != 303:
                    raise aiohttp.ClientError(page)
            async with connect_tab(session, self.url, size=f"width={COLUMNS}&height={ROWS}") as socket:

                async def receive():
                    while True:
                        message = await socket.receive()
                        if message.type is aiohttp.WSMsgType.BINARY:
                            return message.data
                        if message.type is not aiohttp.WSMsgType.TEXT:
                            return b""

                yield lambda keys: socket.send_json(["stdin", keys]), receive


async def run_screens(ssh_port, web_port, tables):
    """Be all people at screens until SIGTERM; then print what they have seen. ``tables`` are names, by person."""
    people = []
    for number, table in enumerate(tables):
        cls, port = (SshPerson, ssh_port) if number < BY_SSH else (BrowserPerson, web_port)
        people.append(cls(port, name_screen(number), table, f"127.0.2.{number + 1}"))
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    tasks = []
    for person in people:
        tasks.append(asyncio.create_task(person.stay()))
        await asyncio.sleep(1)
    while not stop.is_set():
        with suppress(TimeoutError):
            async with asyncio.timeout(20):
                await stop.wait()
        for person in people:
            if time.monotonic() - person.last_turn > 90 and person.is_connected:
                person.last_turn = time.monotonic()
                print(person.nick, person.table, *person.screen.display, sep="\n", file=sys.stderr)
    failed = [f"{task.exception()!r}" for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=5)
    endings = Counter[str]()
    for person in people:
        transport = "ssh" if isinstance(person, SshPerson) else "browser"
        endings.update({f"{transport}: {ending}": number for ending, number in person.endings.items()})
    print(
        json.dumps({
            "seconds": [seconds for person in people for seconds in person.seconds],
            "returns": [seconds for person in people for seconds in person.returns],
            "logins": sum(person.logins for person in people),
            "turns": {person.nick: person.turns for person in people},
            "away": [person.nick for person in people if person.lost_at is not None],
            "endings": endings,
            "failed": failed,
        }),
        flush=True,
    )  # fmt: skip
    os._exit(0)


def name_screen(number):
    """Return the nick of a person at a screen."""
    return f"Ssh{number:02}" if number < BY_SSH else f"Web{number - BY_SSH:02}"


# The evening


@contextmanager
def small_disk():
    """Mount a file system of its own for the home of the host; yield the folder."""
    with TemporaryDirectory() as folder:
        image, home = Path(folder) / "disk", Path(folder) / "home"
        home.mkdir()
        with image.open("wb") as file:
            file.truncate(DISK_MEGABYTES << 20)
        subprocess.run(["mkfs.ext4", "-q", "-b", "1024", "-m", "0", image], check=True)
        subprocess.run(["mount", "-o", "loop", image, home], check=True)
        try:
            yield home
        finally:
            subprocess.run(["umount", "--lazy", home], check=True)


async def fill_disk(home):
    """Fill the disk for a while."""
    filler = home / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        for size in (1 << 20, 1 << 10):
            with suppress(OSError):
                while True:
                    file.write(b"\0" * size)
    end = time.monotonic() + FULL_SECONDS
    with filler.open("ab", buffering=0) as file:
        while time.monotonic() < end:  # space that is freed meanwhile is filled again
            with suppress(OSError):
                file.write(b"\0" * (1 << 10))
            await asyncio.sleep(0.2)
    filler.unlink()


async def read_metrics(host):
    """Return the values of the host's metrics, summed by name, and its decisions by who made them."""

    def fetch():
        with urllib.request.urlopen(f"http://127.0.0.1:{host.ports[3]}/metrics", timeout=20) as answer:
            return answer.read().decode()

    metrics: dict[str, float] = defaultdict(float)
    for family in text_string_to_metric_families(await asyncio.to_thread(fetch)):
        for sample in family.samples:
            metrics[sample.name] += sample.value
            if "by" in sample.labels:
                metrics[f"decisions by {sample.labels['by']}"] += sample.value
            if sample.name == "cardtable_refusals_total" and sample.value:
                metrics[f"refusal: {sample.labels['request']}, {sample.labels['reason']}"] += sample.value
            if "transport" in sample.labels and sample.name == "cardtable_connections":
                metrics[f"connections by {sample.labels['transport']}"] = sample.value
    return metrics


def run_cardtable(home, *arguments):
    """Run a command of the program as the administrator; return its exit code and output."""
    result = subprocess.run(
        [sys.executable, "-m", "cardtable", *arguments],
        capture_output=True, text=True, env={**os.environ, "CARDTABLE_HOME": str(home)}, check=False,
    )  # fmt: skip
    return result.returncode, (result.stdout + result.stderr).strip()


class Table:
    """Table with its people: those by ``join``, the names of those at screens, and people who watch."""

    def __init__(self, number):
        self.number, self.game, self.name = number, KEYS[number % len(KEYS)], f"Tisch{number:02}"
        self.players, self.watchers, self.screens = [], [], []
        self.id = ""

    @property
    def free_seats(self):
        return max(GAMES[self.game].about.seats) - (self.game == "gurka") - len(self.players) - len(self.screens)

    async def begin(self):
        """Open the table, wait until all have sat down, begin, and let the others watch."""
        master, *others = self.players
        seats = max(GAMES[self.game].about.seats)
        invited = tuple(player.nick for player in others) + tuple(self.screens)
        is_private = bool(self.screens)
        await master.send(
            protocol.OpenTable(
                self.game,
                seats,
                name=self.name,
                draws_seats=False,
                private=is_private,
                invited=invited if is_private else (),
            )
        )

        def find_info():
            return next((info for info in master.tables.values() if info.name == self.name), None)

        await wait_until(lambda: find_info() is not None)
        self.id = find_info().table
        for other in others:
            await wait_until(lambda other=other: self.id in other.tables)
            await other.send(protocol.SitDown(self.id))
        await wait_until(lambda: set(invited) <= {info.name for info in find_info().seats}, f"at {self.name}")
        await master.send(protocol.Start(self.id))
        for watcher in self.watchers:
            await wait_until(lambda: find_info().playing)
            watcher.is_watching = True
            await watcher.send(protocol.Watch(self.id))
        for person in (*self.players, *self.watchers):
            await wait_until(lambda person=person: person.view is not None)
            person.unseated = False


async def wait_until(condition, activity=""):
    """Wait until a condition is true."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"this takes too long: {activity}")
        await asyncio.sleep(0.1)


def seat_people(joined):
    """Return the tables with their people."""
    tables, joined, screens = [Table(number) for number in range(TABLES)], [*joined], [*range(BY_SSH + IN_BROWSERS)]
    for table in tables:
        table.players.append(joined.pop())
        if watchers := WATCHERS.get(table.game):
            table.players.append(joined.pop())
            table.watchers += [joined.pop() for _ in range(watchers)]
    screen_tables = [table for table in tables if table.game not in WATCHERS]
    while screens:
        for table in screen_tables:
            if screens and table.free_seats > bool(joined and table.number < len(joined)):
                table.screens.append(name_screen(screens.pop(0)))
    for person in joined:
        table = next(table for table in screen_tables if table.free_seats)
        table.players.append(person)
    return tables


class Evening:
    """Host, people and faults of an evening."""

    def __init__(self, host, home):
        self.host, self.home, self.started_at, self.away = host, home, time.monotonic(), 0
        self.memory, self.loads, self.disruptions = [], [], []
        self.children = []
        self.metrics: dict[str, float] = defaultdict(float)
        """Counters of hosts that have been killed."""

    def print_log(self, text):
        """Print a line of the log with the time since the beginning."""
        print(f"{time.monotonic() - self.started_at:6.0f} s  {text}", flush=True)

    def create_kick(self, nick):
        """Return a function that kicks a person by the administrator's command."""

        async def kick():
            code, output = await asyncio.to_thread(run_cardtable, self.home, "club", "kick", nick, "Good", "night")
            self.print_log(f"kick {nick}: exit code {code}, {output}")

        return kick

    async def kill_host(self):
        """Kill the host with SIGKILL and start it again on the same ports."""
        for name, value in (await read_metrics(self.host)).items():
            self.metrics[name] += value
        self.host.process.kill()
        self.host.process.wait()
        await asyncio.sleep(3)
        self.host.start()
        started_at = time.monotonic()
        await self.host.wait_until_open()
        self.print_log(f"the host was killed; it is open again {time.monotonic() - started_at:.1f} s after its start")

    async def run_fault(self, name, cause):
        """Let a fault happen at its time."""
        self.print_log(name)
        started_at = time.monotonic()
        await cause()
        if cause.__name__ != "kick":
            self.disruptions += [started_at, time.monotonic()]
        self.print_log(f"{name}: over")

    def is_quiet(self, moment):
        """Return True if no fault is near a time."""
        return not any(started_at <= moment <= started_at + DISRUPTION_SECONDS for started_at in self.disruptions)

    async def watch_host(self):
        """Sample the memory of the host and its children, and the load."""
        while True:
            with suppress(OSError, StopIteration):
                self.memory.append(self.host.memory)
                self.children.append(self.host.processes)
            self.loads.append(os.getloadavg()[0])
            await asyncio.sleep(1)


async def measure(options, home, log):
    """Spend the evening, and print a table."""
    os.environ["CARDTABLE_HOME"] = str(log.parent / "own")
    host = Host(home, log)
    evening = Evening(host, home)
    await host.wait_until_open()
    empty = host.memory
    networks = [Network(host.ports[0], f"127.0.1.{number}") for number in (1, 2)]
    urls = [await network.open() for network in networks]
    joined = [JoinedPerson(urls[number % 2], f"Join{number:02}") for number in range(JOINED)]
    tables = seat_people(joined)
    table_by_nick = {nick: table.name for table in tables for nick in table.screens}
    names = [table_by_nick[name_screen(number)] for number in range(BY_SSH + IN_BROWSERS)]
    screens = subprocess.Popen(
        ["nice", "-n", "2", sys.executable, __file__, SCREENS, *map(str, host.ports[1:3]), *names],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    tasks = [asyncio.create_task(person.stay()) for person in joined]
    tasks.append(asyncio.create_task(evening.watch_host()))
    try:
        await wait_until(lambda: all(person.welcome for person in joined), "joining")
        await wait_until(lambda: {*table_by_nick} <= {*joined[0].people}, "screens")
        evening.print_log(f"{len(joined[0].people)} people are here")
        await asyncio.gather(*[table.begin() for table in tables])
        evening.print_log(f"{len(tables)} tables play; the host has {host.memory:.0f} MB")
        before = await read_metrics(host)
        tasks += [
            asyncio.create_task(person.play(table.id))
            for table in tables
            for person in (*table.players, *table.watchers)
        ]
        started_at, length = time.monotonic(), 60 * options.minutes
        faults = [
            (0.06, "the administrator kicks one by join", evening.create_kick(joined[5].nick)),
            (0.10, "the first network loses its connections", networks[0].lose_connections),
            (0.22, "the administrator kicks one by ssh", evening.create_kick(name_screen(3))),
            (0.28, "the host is killed", evening.kill_host),
            (0.44, "the second network is silent", networks[1].go_silent),
            (0.52, "the administrator kicks one in a browser", evening.create_kick(name_screen(BY_SSH + 3))),
            (0.58, "the disk is full", lambda: fill_disk(home)),
            (0.72, "the host is killed", evening.kill_host),
        ]
        for part, name, cause in faults:
            await asyncio.sleep(max(0, started_at + part * length - time.monotonic()))
            await evening.run_fault(name, cause)
        await asyncio.sleep(max(0, started_at + length - time.monotonic()))
        played = time.monotonic() - started_at
        after = await read_metrics(host)
        healthy = after["cardtable_healthy"]
        last_memory = host.memory
        evening.away = sum(person.is_away for person in joined)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks, timeout=5)
        screens.terminate()
        screen_results = json.loads(screens.communicate(timeout=30)[0] or "{}")
        host.process.terminate()
        ending = host.process.wait(30)
    os.environ["CARDTABLE_HOME"] = str(home)
    print_results(evening, tables, joined, screen_results)
    print_row(
        "the host's memory: empty, most, end", "", f"{empty:.0f}, {max(evening.memory):.0f}, {last_memory:.0f} MB"
    )
    print_row("most child processes of the host", "", f"{max(evening.children)}")
    print_row("exit code of the host after SIGTERM", "0", f"{ending}")
    print_row("healthy at the end", "1", f"{healthy:.0f}")
    for name in ("cardtable_people", *[f"connections by {transport}" for transport in TRANSPORTS],
                 "cardtable_tables", "cardtable_hosted_programs"):  # fmt: skip
        print_row(f"{name}: begin, end", "", f"{before[name]:.0f}, {after[name]:.0f}")
    for name in ("decisions by person", "decisions by robot", "cardtable_refusals_total", "cardtable_logins_total",
                 "cardtable_login_failures_total", "cardtable_save_errors_total"):  # fmt: skip
        print_row(f"{name}: begin, end, all hosts", "",
            f"{before[name]:.0f}, {after[name]:.0f}, {after[name] + evening.metrics[name]:.0f}")  # fmt: skip
    for name in sorted({*after, *evening.metrics}):
        if name.startswith("refusal:"):
            print_row(f"... {name}", "", f"{after[name] + evening.metrics[name]:.0f}")
    print_row("played", "", f"{played / 60:.1f} min")
    loads = evening.loads
    print_row(
        "load average: least, mean, most", "", f"{min(loads):.1f}, {sum(loads) / len(loads):.1f}, {max(loads):.1f}"
    )


def print_results(evening, tables, joined, screen_results):
    """Check journals and views, and print rows of the table."""
    faults, wrong_views, controls, views, acknowledged, finished = [], 0, 0, 0, 0, 0
    decisions, substitutes = Counter[str](), 0
    for table in tables:
        folders = [evening.home / name / f"{table.id}.jsonl" for name in ("sessions", "archive")]
        path = next(path for path in folders if path.exists())
        try:
            finished += check_journal(path, table.players)
        except AssertionError as error:
            faults.append(f"{table.id}: {error}")
        people = table.players + table.watchers
        wrong, control = check_views(path, people)
        if wrong:
            faults.append(f"{table.id}: {wrong} views that are not in the journal")
        wrong_views += wrong
        controls += control
        views += sum(len(person.views) for person in people)
        acknowledged += sum(len(person.acknowledged) for person in people)
        lines = [entry.line for entry in read(path.read_bytes()).entries]
        actions = [line for line in lines if isinstance(line, ActionLine)]
        substitutes += sum(isinstance(line, OccupantLine) and line.robot is not None for line in lines)
        for person in table.players:
            for at, action in person.acknowledged.items():
                line = actions[at] if at < len(actions) else None
                if line is None or line.seat != person.seated.seat or line.action not in person.sent[at]:
                    faults.append(f"{table.id}: move {at} of {person.nick}, {action}, is lost")
        decisions[table.game] += len(actions)
    sessions = [table.id for table in tables]
    code, output = run_cardtable(evening.home, "verify", *sessions)
    own_times = [seconds for person in joined for _, seconds in person.own_times]
    quiet = [seconds for person in joined for moment, seconds in person.own_times if evening.is_quiet(moment)]
    returns = [seconds for person in joined for _, seconds in person.returns]
    print_row("what", "asked", "measured")
    print_row("people by join, ssh, browser; tables", "60; 15", f"{JOINED}, {BY_SSH}, {IN_BROWSERS}; {len(tables)}")
    decisions_by_game = ", ".join(f"{GAMES[key].about.title} {number}" for key, number in decisions.items())
    print_row("decisions in the journals", "", f"{sum(decisions.values())}: {decisions_by_game}")
    interrupted = sum(person.interrupted for person in joined)
    print_row("moves by join, acknowledged", "", f"{acknowledged}, {interrupted} after an interruption")
    print_row("... lost or doubled, other faults of journals", "0", f"{len(faults)}")
    print_row("cardtable verify", "0", f"exit code {code}, {output.count('ok ')} of {len(sessions)} ok")
    print_row("views by join; not those of the seat, other hands", "0, 0",
        f"{views}; {wrong_views}, {sum(person.open_hands for person in joined)}")  # fmt: skip
    print_row("... not those of the next seat, as a control", "", f"{controls}")
    print_row("own move by join, quiet, middle", "", f"{compute_quantile(quiet, 0.5):.0f} ms of {len(quiet)}")
    print_row(
        "... 99th of 100",
        "50 ms",
        f"{compute_quantile(quiet, 0.99):.0f} ms, slowest {compute_quantile(quiet, 1):.0f} ms",
    )
    print_row("... all evening, middle, 99th, slowest", "",
        f"{compute_quantile(own_times, 0.5):.0f}, {compute_quantile(own_times, 0.99):.0f}, "
        f"{compute_quantile(own_times, 1):.0f} ms of {len(own_times)}")  # fmt: skip
    keys, back = screen_results["seconds"], screen_results["returns"]
    print_row("Enter at a screen until it asks no more", "",
        f"{compute_quantile(keys, 0.5):.0f} ms, 99th {compute_quantile(keys, 0.99):.0f} ms of {len(keys)}")  # fmt: skip
    for name, seconds in (("by join", returns), ("at screens", back)):
        print_row(f"returns {name}, middle, slowest", "",
            f"{compute_quantile(seconds, 0.5) / 1000:.1f}, {compute_quantile(seconds, 1) / 1000:.1f} s "
            f"of {len(seconds)}")  # fmt: skip
    print_row("people who are away at the end", "0",
        f"{evening.away}, {len(screen_results['away'])}")  # fmt: skip
    print_row(
        "people by join who read that the disk is full", "", f"{sum(person.saving == 'full' for person in joined)}"
    )
    print_row("times that a robot played for an absent person", "", f"{substitutes}")
    print_row("sessions that are over", "", f"{finished}")
    for fault in faults:
        print(fault)
    if faults:
        folder = Path(mkdtemp(prefix="evening-"))
        for table in tables:
            for path in evening.home.glob(f"*/{table.id}.jsonl"):
                shutil.copy(path, folder)
        print(f"the journals are in {folder}")
    for line in output.splitlines():
        if not line.startswith("ok "):
            print(line)
    refused = Counter(reason for person in joined for reason in person.refused)
    print("refused:", dict(refused))
    print("kicked:", [person.kicked for person in joined if person.kicked])
    print("screens:", {name: screen_results[name] for name in ("logins", "away", "endings", "failed", "turns")})


if __name__ == "__main__":
    if SCREENS in sys.argv:
        ssh_port, web_port, *names = sys.argv[2:]
        asyncio.run(run_screens(int(ssh_port), int(web_port), names))
    else:
        parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("--minutes", type=float, default=10, help="of play")
        with small_disk() as home:
            asyncio.run(measure(parser.parse_args(), home, home.parent / "host.log"))
