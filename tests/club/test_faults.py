"""Lines that fail and hosts that are killed: no decision is lost or doubled, and nobody sees a hidden card."""

import asyncio
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from random import Random

import pytest

from cardtable.club import protocol
from cardtable.games import GAMES
from cardtable.store import paths
from tests.budgets import LONG, tried
from tests.club.bad_lines import BadLine
from tests.club.hostile_network import AGAIN, Stubborn, bear_out
from tests.club.over_loopback import club

pytestmark = pytest.mark.asyncio
NAMES = ("Anna", "Bob")
KINDS = ("rikiki", "king", "bridge", "rummy")
PATIENCE = 600 if LONG else 60
"""Seconds for one session, or one start of the host; more is a table that stands still."""


async def begin(anna, bob, game):
    """Anna opens a table, Bob sits down, robots take the other seats, if there are more."""
    for who in (anna, bob):
        await who.until(lambda who=who: who.welcome)
    before = {*bob.rows}

    def new():
        return [id_ for id_, row in bob.rows.items() if row.master == anna.nick and id_ not in before]

    await anna.say(protocol.OpenTable(game, max(GAMES[game].about.seats), lot=False))
    await bob.until(new)
    (table,) = new()
    await bob.say(protocol.SitDown(table))
    await anna.until(lambda: table in anna.rows and anna.rows[table].places[1].name == bob.nick)
    await anna.say(protocol.Start(table))
    for who in (anna, bob):
        await who.until(lambda who=who: who.now)
    return table


def journal_of(table):
    places = [folder / f"{table}.jsonl" for folder in (paths.sessions_folder(), paths.archive_folder())]
    return next(path for path in places if path.exists())


async def play(table, anna, bob, holds=lambda: False):
    """Both play until something holds, or to the end."""
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(anna.play(table, holds), bob.play(table, holds))


class Tried:
    """Sessions over lines that fail, until so much has been tried."""

    def __init__(self, name, *, most_late=0.01, **odds):
        self.rng, self.most, self.most_late, self.odds = Random(name), tried(name), most_late, odds
        self.lines = []

    @property
    def enough(self):
        return sum(sum(line.met.values()) for line in self.lines) >= self.most

    async def play(self, url, names=NAMES):
        """Two people play one session after the other."""
        tokens = {}
        for game in cycle(KINDS):
            line = BadLine(url, self.rng, most_late=self.most_late)
            self.lines.append(line)
            async with line.open() as address, AsyncExitStack() as stack:
                again = 2 * self.most_late + AGAIN  # else what is said again would stand in line for ever
                guests = [Stubborn(address, nick, again=again, token=tokens.get(nick, "")) for nick in names]
                for guest in guests:
                    await stack.enter_async_context(guest)
                table = await begin(*guests, game)
                tokens = {who.nick: who.link.login.token for who in guests}
                line.odds |= self.odds
                await play(table, *guests, lambda: self.enough)
                bear_out(journal_of(table), guests)
            if self.enough:
                return


@pytest.mark.parametrize(
    ("name", "odds"),
    [("cuts", {"cut": 0.05}), ("bad frames", {"cut": 0.005, "doubled": 0.2, "swapped": 0.1, "late": 0.1})],
)
async def test_a_bad_line_loses_and_doubles_no_decision(name, odds):
    async with asyncio.timeout(None if LONG else 2 * PATIENCE), club() as (_, url):
        await Tried(name, **odds).play(url)


async def test_frames_that_come_late_lose_and_double_no_decision():
    """By up to ten seconds in the long run, where many tables play at once; else by as many hundredths."""
    late = Tried("late frames", most_late=10.0 if LONG else 0.1, late=0.05, cut=0.002)
    async with club() as (_, url), asyncio.TaskGroup() as tables:
        for each in range(40 if LONG else 2):
            letters = "abcdefghij"[each // 10] + "abcdefghij"[each % 10]
            tables.create_task(late.play(url, [f"{nick}{letters}" for nick in NAMES]))


@asynccontextmanager
async def host(port=0):
    """A host, which is killed at the end; its port."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.club.host_to_kill", str(port), stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(PATIENCE):
            yield int(await process.stdout.readline())
            assert process.returncode is None, "the host has ended by itself"
    finally:
        process.kill()
        await process.wait()


@pytest.mark.promise("The club", "A host that was killed and restarted has everything that was shown.")
async def test_a_host_that_is_killed_and_started_again_has_all_that_was_shown():
    rng, killed, port, guests, tokens = Random("killed"), 0, 0, None, {}
    async with AsyncExitStack() as stack:
        while killed < tried("hosts killed"):
            async with host(port) as port:
                if guests is None:
                    guests = [Stubborn(f"ws://localhost:{port}", nick, token=tokens.get(nick, "")) for nick in NAMES]
                    for guest in guests:
                        await stack.enter_async_context(guest)
                    table = await begin(*guests, KINDS[killed % len(KINDS)])
                    tokens = {guest.nick: guest.link.login.token for guest in guests}
                until = asyncio.get_running_loop().time() + rng.uniform(0.05, 0.4)
                await play(table, *guests, lambda end=until: asyncio.get_running_loop().time() > end)
            killed += 1
            if bear_out(journal_of(table), guests):
                await stack.aclose()
                guests = None


async def test_what_was_shown_and_is_not_in_the_journal_is_noticed():
    async with club() as (_, url), Stubborn(url, "Anna") as anna, Stubborn(url, "Bob") as bob:
        table = await begin(anna, bob, "rikiki")
        await play(table, anna, bob, lambda: anna.now.at > 20 and bob.now.at > 20)
        path = journal_of(table)
        bear_out(path, [anna, bob])
        whole = path.read_bytes()
        path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-3]))
        with pytest.raises(AssertionError, match="a decision that was shown is lost"):
            bear_out(path, [anna, bob])
        path.write_bytes(whole)
        anna.shown, bob.shown = bob.shown, anna.shown
        with pytest.raises(AssertionError, match="something else was shown"):
            bear_out(path, [anna, bob])
        anna.sent.clear()
        with pytest.raises(AssertionError, match="nobody has chosen that"):
            bear_out(path, [anna, bob])
