"""What a club on this machine bears: guests at human pace over loopback, in a process of their own beside the host's.

    python benchmarks/club.py [--tables 100] [--guests 4] [--seconds 60] [--pace 2.0] [--game rikiki]

At each table so many guests and steady robots play; a person thinks for about ``--pace`` seconds.  It prints
how long an action takes until all guests of its table have it, and its own guest; bytes as they come over the
line; what a connection and a table take of the host's memory; lost and doubled decisions; the host's load.
"""

import argparse
import asyncio
import gc
import os
import resource
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from websockets.asyncio.client import ClientConnection

from cardtable.club import link, wire
from cardtable.club.hosting import Offer, opened
from cardtable.club.link import Link, NotThere
from cardtable.club.shown import TableRow
from cardtable.club.views import decode
from cardtable.play.seen import Stage

HOST = "--host"


class Figures:
    """What is measured of all guests."""

    def __init__(self) -> None:
        self.sent: dict[tuple[str, int], float] = {}
        self.own: list[float] = []
        self.seen: dict[tuple[str, int], list[float]] = {}
        self.decisions = self.received = self.refused = 0


class Guest:
    """Plays at human pace, and notes when it is shown what."""

    def __init__(self, url: str, nick: str, pace: float, figures: Figures) -> None:
        self.nick, self.pace, self.figures, self.rng = nick, pace, figures, Random(nick)
        self.link = Link(url, wire.Hello(wire.VERSION, nick), self.hear, lambda: None)
        self.welcome = asyncio.Event()
        self.rows: dict[str, TableRow] = {}
        self.game = ""
        self.table = ""
        self.acts: asyncio.Task[None] | None = None
        self.mine: set[int] = set()

    def hear(self, message: wire.Said) -> None:
        """What the host says."""
        match message:
            case wire.Welcome():
                self.rows |= {row.table: row for row in message.tables}
                self.welcome.set()
            case wire.LobbyNews():
                self.rows |= {row.table: row for row in message.tables}
            case wire.Seated():
                self.table, self.game = message.table, message.header.game
            case wire.NotDone() | wire.Over():
                self.figures.refused += 1
            case wire.Update():
                self.look(message)

    def look(self, now: wire.Update) -> None:
        """What is to be seen, and when it was there."""
        came = time.monotonic()
        sent = self.figures.sent.get((now.table, now.at - 1))
        if sent is not None:
            self.figures.seen.setdefault((now.table, now.at - 1), []).append(came - sent)
            if now.at - 1 in self.mine:
                self.figures.own.append(came - sent)
                self.mine.discard(now.at - 1)
        if not now.steps:
            return
        view = decode(self.game, now.steps[-1].view)
        if self.acts and not self.acts.done():
            return
        if now.stage is Stage.ROUND_END:
            self.acts = asyncio.create_task(self.later(wire.Ready(now.table, view.round)))
        elif view.legal:
            self.acts = asyncio.create_task(self.later(wire.Act(now.table, now.at, str(self.rng.choice(view.legal)))))

    async def later(self, message: wire.Act | wire.Ready) -> None:
        """Say something after a while."""
        await asyncio.sleep(self.rng.uniform(0.5, 1.5) * self.pace)
        if isinstance(message, wire.Act):
            self.figures.sent[message.table, message.at] = time.monotonic()
            self.figures.decisions += 1
            self.mine.add(message.at)
        with suppress(NotThere):
            await self.link.say(message)


async def host() -> None:
    """The host's process: it says its port, and its memory and time whenever a line comes."""
    async with opened(Offer("The club", port=0, most_guests=5000, most_tables=2000)) as club:
        print(club.address.rpartition(":")[2], flush=True)
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, sys.stdin.readline):
            gc.collect()
            (kib,) = [
                int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line
            ]
            used = resource.getrusage(resource.RUSAGE_SELF)
            print(kib, used.ru_utime + used.ru_stime, flush=True)


async def asked(process: asyncio.subprocess.Process) -> tuple[float, float]:
    """Memory in kB and seconds of the processor that the host has used."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"\n")
    kib, seconds = (await process.stdout.readline()).split()
    return float(kib), float(seconds)


class Counted(ClientConnection):
    """Counts what comes over the line, as it comes: compressed."""

    got = 0

    def data_received(self, data: bytes) -> None:
        """More has come."""
        Counted.got += len(data)
        super().data_received(data)


def share(values: list[float], part: float) -> float:
    """A value below which so large a part of them lies, in milliseconds."""
    return 1000 * sorted(values)[min(int(len(values) * part), len(values) - 1)] if values else float("nan")


async def main(given: argparse.Namespace) -> None:
    """Measure, and print a table."""
    figures = Figures()
    link.connect = partial(link.connect, create_connection=Counted)
    process = await asyncio.create_subprocess_exec(
        sys.executable, __file__, HOST, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = f"ws://localhost:{int(await process.stdout.readline())}"
    empty, _ = await asked(process)
    number = given.tables * given.guests
    guests = [Guest(url, f"Gast{each}", given.pace, figures) for each in range(number)]
    tasks = []
    for guest in guests:
        tasks.append(asyncio.create_task(guest.link.run()))
        await asyncio.wait_for(guest.welcome.wait(), 20)
    await asyncio.sleep(1)
    full, _ = await asked(process)
    tables = [guests[at : at + given.guests] for at in range(0, number, given.guests)]
    for master, *others in tables:
        await begin(master, others, given)
    await asyncio.sleep(2)
    playing, before = await asked(process)
    figures.sent.clear(), figures.seen.clear(), figures.own.clear()
    bytes_before, begun, figures.decisions = Counted.got, time.monotonic(), 0
    await asyncio.sleep(given.seconds)
    _, after = await asked(process)
    gone, bytes_after = time.monotonic() - begun, Counted.got
    seen = [max(each) for each in figures.seen.values() if len(each) == given.guests]
    rows = [
        ("guests, tables", f"{number}, {given.tables}"),
        ("decisions of people", f"{figures.decisions}, {figures.decisions / gone:.1f} a second"),
        ("action on all screens of the table, middle", f"{share(seen, 0.5):.1f} ms"),
        ("... 99th of 100", f"{share(seen, 0.99):.1f} ms"),
        ("own move, middle and 99th of 100", f"{share(figures.own, 0.5):.1f} ms, {share(figures.own, 0.99):.1f} ms"),
        (
            "bytes a guest gets, a decision of a person",
            f"{(bytes_after - bytes_before) / max(figures.decisions, 1) / given.guests:.0f}",
        ),
        ("memory a connection", f"{(full - empty) / number:.0f} kB"),
        ("memory a table", f"{(playing - full) / given.tables:.0f} kB"),
        ("refused", f"{figures.refused}"),
        ("host's process", f"{100 * (after - before) / gone:.0f} % of a core"),
    ]
    for what, measured in rows:
        print(f"{what:46}{measured}")
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    process.kill()
    await process.wait()


async def begin(master: Guest, others: list[Guest], given: argparse.Namespace) -> None:
    """A table with these guests, robots in the other seats."""
    before = {*master.rows}
    await master.link.say(wire.OpenTable(given.game, given.seats, name=master.nick, lot=False))
    while not (
        new := [row.table for row in master.rows.values() if row.table not in before and row.name == master.nick]
    ):
        await asyncio.sleep(0.01)
    for other in others:
        await other.link.say(wire.SitDown(new[0]))
    while sum(bool(place.name) for place in master.rows[new[0]].places) < 1 + len(others):
        await asyncio.sleep(0.01)
    await master.link.say(wire.Start(new[0]))


if __name__ == "__main__":
    if HOST in sys.argv:
        asyncio.run(host())
    else:
        parser = argparse.ArgumentParser()
        parser.add_argument("--tables", type=int, default=100)
        parser.add_argument("--guests", type=int, default=4, help="at a table")
        parser.add_argument("--seats", type=int, default=4)
        parser.add_argument("--seconds", type=float, default=60)
        parser.add_argument("--pace", type=float, default=2.0)
        parser.add_argument("--game", default="rikiki")
        with tempfile.TemporaryDirectory() as home:
            os.environ["CARDTABLE_HOME"] = home
            asyncio.run(main(parser.parse_args()))
