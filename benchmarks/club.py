"""Load of a club on this machine, with guests who play at human pace over loopback.

    python benchmarks/club.py [--tables 100] [--guests 4] [--seconds 60] [--pace 2.0] [--robots 1] [--processes 2]

The host, its robots and the guests are separate processes.  At each table, of all games in turn, steady robots have at
least ``--robots`` seats; guests take the others, and further guests are spectators.  A guest thinks for about
``--pace`` seconds.  An action is on all screens when the last guest of its table has received its result, which is sent
after the write to disk: ``TMPDIR=/dev/shm`` measures without a disk.  At the end every acknowledged decision is looked
up in the journals of the host.
"""

import argparse
import asyncio
import os
import resource
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import msgspec

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.club_guests import HERE, PLAYING, Measured, guests
from cardtable.club.server.server import ServerOptions, open_club
from cardtable.engine import journal
from cardtable.engine.replay import create_referee
from cardtable.games import GAMES
from cardtable.store import atomic_io, paths

HOST, GUESTS = "--host", "--guests-of"
LIMIT = 16 * 1024 * 1024
"""Maximum size in bytes of the report that a guests' process prints."""


async def host() -> None:
    """Run the host; print its port, and its memory and processor time for each line read."""
    async with open_club(
        ServerOptions("The club", port=0, max_guests=10_000, max_tables=5000, max_new_nicks=10_000)
    ) as club:
        print(club.address.rpartition(":")[2], flush=True)
        loop = asyncio.get_running_loop()
        while await loop.run_in_executor(None, sys.stdin.readline):
            (kib,) = [
                int(line.split()[1]) for line in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in line
            ]
            used = resource.getrusage(resource.RUSAGE_SELF)
            print(kib, used.ru_utime + used.ru_stime, flush=True)


class Process:
    """A child process that reads and writes lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self._stdin, self._stdout = process, process.stdin, process.stdout

    @classmethod
    async def start(cls, *arguments: object) -> "Process":
        """Start this script again with these arguments."""
        pipe = asyncio.subprocess.PIPE
        command = [sys.executable, __file__, *map(str, arguments)]
        return cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=LIMIT))

    async def hear(self) -> str:
        """Return the next line of output."""
        if not (line := await self._stdout.readline()):
            raise SystemExit("a process has ended")
        return line.decode().strip()

    async def ask(self, line: str = "") -> str:
        """Send a line and return the answer."""
        self._stdin.write(f"{line}\n".encode())
        return await self.hear()


async def flushes(folder: Path) -> list[float]:
    """Flush one line to this disk repeatedly until cancelled; return the seconds of each flush."""
    durations: list[float] = []
    with (folder / "a-line").open("ab", buffering=0) as file, suppress(asyncio.CancelledError):
        while True:
            file.write(b"a line\n")
            begun = time.monotonic()
            await asyncio.to_thread(atomic_io.flush, file.fileno())
            durations.append(time.monotonic() - begun)
            await asyncio.sleep(0.02)
    return durations


def share(values: list[float], part: float) -> float:
    """Return the quantile ``part`` of the values, in milliseconds."""
    return 1000 * sorted(values)[min(int(len(values) * part), len(values) - 1)] if values else float("nan")


async def main(options: argparse.Namespace) -> None:
    """Measure, and print a table."""
    club = await Process.start(HOST)
    url = f"ws://127.0.0.1:{await club.hear()}"
    empty, _ = await memory_and_seconds(club)
    shares = [range(each, options.tables, options.processes) for each in range(options.processes)]
    people = [
        await Process.start(GUESTS, url, each.start, each.stop, each.step, options.guests, options.robots, options.pace)
        for each in shares
    ]
    assert {await each.hear() for each in people} == {HERE}
    full, _ = await memory_and_seconds(club)
    assert set(await asyncio.gather(*[each.ask("begin") for each in people])) == {PLAYING}
    await asyncio.sleep(options.pace)
    playing, before = await memory_and_seconds(club)
    await asyncio.gather(*[each.ask("measure") for each in people])
    flushing = asyncio.create_task(flushes(paths.home()))
    await asyncio.sleep(options.seconds)
    flushing.cancel()
    flushed = await flushing
    later, after = await memory_and_seconds(club)
    measured = [
        msgspec.json.decode(line, type=Measured) for line in await asyncio.gather(*[e.ask("end") for e in people])
    ]
    for each in (*people, club):
        each.process.kill()
        await each.process.wait()
    number = options.tables * options.guests
    print(f"{number} guests at {options.tables} tables for {options.seconds:.0f} s; load {os.getloadavg()[0]:.1f}")
    tell(measured, options.seconds, "50 ms" if number <= 400 else "250 ms")
    row(
        "a flush of this disk alone, 99th of 100",
        "",
        f"{share(flushed, 0.99):.1f} ms, slowest {share(flushed, 1):.0f} ms",
    )
    row("memory a connection", "200 kB", f"{(full - empty) / number:.0f} kB")
    row("memory a table, in the end", "2 MB", f"{(later - full) / options.tables:.0f} kB")
    row("the host's memory in the end", "", f"{later / 1024:.0f} MB, {(later - playing) / 1024:+.0f} MB while playing")
    row("the host's process", "", f"{100 * (after - before) / options.seconds:.0f} % of a core")


async def memory_and_seconds(club: Process) -> tuple[float, float]:
    """Return the memory in kB and the processor seconds used by the host."""
    kib, seconds = (await club.ask()).split()
    return float(kib), float(seconds)


def row(label: str, asked: str, measured: str) -> None:
    """Print a row of the table."""
    print(f"{label:52}{asked:>10}   {measured}")


def tell(measured: list[Measured], seconds: float, asked: str) -> None:
    """Print the measurements of the guests; ``asked`` is the limit of the 99th percentile."""
    seen = [value for each in measured for value in each.seen]
    own = [value for each in measured for value in each.own]
    row("what", "asked", "measured")
    row("decisions of people", "", f"{len(own)}, {len(own) / seconds:.1f} a second")
    row("an action on all screens of its table, middle", "", f"{share(seen, 0.5):.1f} ms")
    row("... 99th of 100", asked, f"{share(seen, 0.99):.1f} ms, slowest {share(seen, 1):.0f} ms")
    row("own move, middle and 99th of 100", "", f"{share(own, 0.5):.1f} ms, {share(own, 0.99):.1f} ms")
    for game in GAMES:
        played = [each.games[game] for each in measured if game in each.games]
        line, text, decisions = (sum(getattr(each, name) for each in played) for name in ("line", "text", "decisions"))
        if decisions:
            longest = max(each.longest for each in played) / 1000
            label = f"bytes a decision and guest, {GAMES[game].about.title}"
            row(
                label,
                "3 kB",
                f"{line / decisions / 1000:.2f} kB ({text / decisions / 1000:.2f}, at most {longest:.0f})",
            )
    acknowledged = sum(
        len(seat) for each in measured for table in each.acknowledged.values() for seat in table.values()
    )
    lost, doubled = compared(measured)
    row("decisions that were answered: lost, doubled", "0, 0", f"{lost}, {doubled} of {acknowledged}")
    row("refused", "0", f"{sum(each.refused for each in measured)}")


def compared(measured: list[Measured]) -> tuple[int, int]:
    """Return how many acknowledged decisions the journals lack, and how many decisions in them no guest made."""
    lost = doubled = 0
    for each in measured:
        for table, seats in each.acknowledged.items():
            decisions = decided(table)
            sent = {(at, seat): text for seat, acts in seats.items() for at, text in acts.items()}
            lost += sum(decisions.get(at, ("", False))[0] != f"{seat} {text}" for (at, seat), text in sent.items())
            doubled += sum(
                by_person and int(text.split()[0]) in seats and (at, int(text.split()[0])) not in sent
                for at, (text, by_person) in decisions.items()
                if at < each.at[table]
            )
    return lost, doubled


def decided(id_: str) -> dict[int, tuple[str, bool]]:
    """Return the decisions of a session by number: seat, action, and True if a person had to make it."""
    (path,) = [
        path
        for folder in (paths.sessions_folder(), paths.archive_folder())
        if (path := folder / f"{id_}.jsonl").exists()
    ]
    read, decisions = journal.read(path.read_bytes()), {}
    table = create_referee(read.header, GAMES)
    for entry in read.entries:
        line = entry.line
        if line.action is not None:
            assert line.seat is not None
            by_person = read.header.seats[line.seat].robot is None
            by_itself = by_person and table.game.forced_silent_action(table.view(line.seat)) is not None
            decisions[table.decisions] = f"{line.seat} {line.action}", by_person and not by_itself
        table.apply_line(line)
    return decisions


if __name__ == "__main__":
    if HOST in sys.argv:
        asyncio.run(host())
    elif GUESTS in sys.argv:
        url, first, stop, step, each, robots, pace = sys.argv[2:]
        asyncio.run(guests(url, range(int(first), int(stop), int(step)), int(each), int(robots), float(pace)))
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("--tables", type=int, default=100)
        parser.add_argument("--guests", type=int, default=4, help="at a table")
        parser.add_argument("--robots", type=int, default=1, help="at a table, at least")
        parser.add_argument("--seconds", type=float, default=60)
        parser.add_argument("--pace", type=float, default=2.0, help="seconds for which a person thinks")
        parser.add_argument("--processes", type=int, default=2, help="of guests")
        with tempfile.TemporaryDirectory() as home:
            os.environ["CARDTABLE_HOME"] = home
            asyncio.run(main(parser.parse_args()))
