"""Failing connections and killed hosts: no decision is lost or doubled, and no hidden card is shown."""

import asyncio
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from random import Random

import pytest

from cardtable.club import protocol
from cardtable.games import GAMES
from cardtable.store import paths
from tests.budgets import LONG, get_trials
from tests.club.bad_lines import CuttingRelay, FaultyProxy
from tests.club.hostile_network import RETRY_DELAY, PersistentGuest, check_journal
from tests.club.loopback_club import club, wait_for_all
from tests.club.test_server import create_certificate

NAMES = ("Anna", "Bob")
GAME_KEYS = ("rikiki", "king", "bridge", "rummy")
LATE_TABLES = 40 if LONG else 2
TIMEOUT = 600 if LONG else 60
"""Seconds allowed for one session or one start of the host."""


async def begin_session(anna, bob, game):
    """Open a table as Anna, seat Bob and begin the session; robots have the other seats."""
    await wait_for_all((anna, bob), lambda guest: guest.welcome)
    before = {*bob.tables}

    def new():
        return [id_ for id_, row in bob.tables.items() if row.master == anna.nick and id_ not in before]

    await anna.send(protocol.OpenTable(game, max(GAMES[game].about.seats), draws_seats=False))
    await bob.wait_until(new)
    (table,) = new()
    await bob.send(protocol.SitDown(table))
    await anna.wait_until(lambda: table in anna.tables and anna.tables[table].seats[1].name == bob.nick)
    await anna.send(protocol.Start(table))
    await wait_for_all((anna, bob), lambda guest: guest.update)
    return table


def find_journal(table):
    places = [folder / f"{table}.jsonl" for folder in (paths.sessions_folder(), paths.archive_folder())]
    return next(path for path in places if path.exists())


async def play_both(table, anna, bob, condition=lambda: False):
    """Let both guests play until a condition is true or the session is over."""
    async with asyncio.timeout(TIMEOUT):
        await asyncio.gather(anna.play(table, condition), bob.play(table, condition))


class FaultRun:
    """Sessions over failing connections, until enough faults have occurred."""

    def __init__(self, name, *, max_delay=0.01, tls=None, **odds):
        """``tls``: context of the guests if the host uses TLS."""
        self.rng, self.fault_target, self.max_delay, self.odds = Random(name), get_trials(name), max_delay, odds
        self.tls = tls
        self.proxies = []

    @property
    def is_finished(self):
        return sum(sum(line.fault_counts.values()) for line in self.proxies) >= self.fault_target

    async def play(self, url, names=NAMES):
        """Let two guests play one session after the other."""
        tokens = {}
        for game in cycle(GAME_KEYS):
            line = CuttingRelay(url, self.rng) if self.tls else FaultyProxy(url, self.rng, max_delay=self.max_delay)
            self.proxies.append(line)
            async with line.open() as address, AsyncExitStack() as stack:
                again = 2 * self.max_delay + RETRY_DELAY  # else what is said again would stand in line for ever
                guests = [
                    PersistentGuest(address, nick, retry_delay=again, token=tokens.get(nick, ""), ssl=self.tls)
                    for nick in names
                ]
                for guest in guests:
                    await stack.enter_async_context(guest)
                table = await begin_session(*guests, game)
                tokens = {guest.nick: guest.link.login.token for guest in guests}
                line.odds |= self.odds
                await play_both(table, *guests, lambda: self.is_finished)
                check_journal(find_journal(table), guests)
            if self.is_finished:
                return


@pytest.mark.parametrize(
    ("name", "odds"),
    [("cuts", {"cut": 0.05}), ("bad frames", {"cut": 0.005, "doubled": 0.2, "swapped": 0.1, "late": 0.1})],
)
async def test_bad_connection_loses_and_doubles_no_decision(name, odds):
    async with asyncio.timeout(None if LONG else 2 * TIMEOUT), club() as (_, url):
        await FaultRun(name, **odds).play(url)


async def test_cut_tls_connections_lose_and_double_no_decision(tmp_path):
    """Connections are cut after any byte, also during the handshake."""
    certificate, guests = create_certificate(tmp_path)
    async with asyncio.timeout(None if LONG else 2 * TIMEOUT), club(certificate=certificate) as (_, url):
        await FaultRun("tls cuts", tls=guests, cut=0.05).play(url)


async def test_late_frames_lose_and_double_no_decision():
    """Frames are late by up to 10 s, at many tables at once, in the long run, and by up to 0.1 s otherwise."""
    late = FaultRun("late frames", max_delay=10.0 if LONG else 0.1, late=0.05, cut=0.002)
    nicks = len(NAMES) * LATE_TABLES  # from one address
    async with club(max_new_nicks=nicks) as (_, url), asyncio.TaskGroup() as tables:
        for each in range(LATE_TABLES):
            letters = "abcdefghij"[each // 10] + "abcdefghij"[each % 10]
            tables.create_task(late.play(url, [f"{nick}{letters}" for nick in NAMES]))


@asynccontextmanager
async def host_process(port=0):
    """Run a host process, which is killed at the end; yield its port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.club.host_to_kill", str(port), stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(TIMEOUT):
            yield int(await process.stdout.readline())
            assert process.returncode is None, "the host has ended by itself"
    finally:
        process.kill()
        await process.wait()


async def test_killed_host_restarts_with_everything_shown():
    rng, killed, port, guests, tokens = Random("killed"), 0, 0, None, {}
    async with AsyncExitStack() as stack:
        while killed < get_trials("hosts killed"):
            async with host_process(port) as port:
                if guests is None:
                    guests = [
                        PersistentGuest(f"ws://localhost:{port}", nick, token=tokens.get(nick, "")) for nick in NAMES
                    ]
                    for guest in guests:
                        await stack.enter_async_context(guest)
                    table = await begin_session(*guests, GAME_KEYS[killed % len(GAME_KEYS)])
                    tokens = {guest.nick: guest.link.login.token for guest in guests}
                until = asyncio.get_running_loop().time() + rng.uniform(0.05, 0.4)
                await play_both(table, *guests, lambda end=until: asyncio.get_running_loop().time() > end)
            killed += 1
            if check_journal(find_journal(table), guests):
                await stack.aclose()
                guests = None


async def test_check_detects_views_missing_from_the_journal():
    async with club() as (_, url), PersistentGuest(url, "Anna") as anna, PersistentGuest(url, "Bob") as bob:
        table = await begin_session(anna, bob, "rikiki")
        await play_both(table, anna, bob, lambda: anna.update.at > 20 and bob.update.at > 20)
        path = find_journal(table)
        check_journal(path, [anna, bob])
        whole = path.read_bytes()
        path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-3]))
        with pytest.raises(AssertionError, match="a decision that was shown is not in the journal"):
            check_journal(path, [anna, bob])
        path.write_bytes(whole)
        anna.displayed_views, bob.displayed_views = bob.displayed_views, anna.displayed_views
        with pytest.raises(AssertionError, match="a view that was shown is not in the journal"):
            check_journal(path, [anna, bob])
        anna.sent.clear()
        with pytest.raises(AssertionError, match="an action in the journal was sent by no guest"):
            check_journal(path, [anna, bob])
