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

from benchmarks.club_guests import CONNECTED, PLAYING, Measurements, run_guests
from cardtable.club.server.server import open_club
from cardtable.club.server.server_options import ServerOptions
from cardtable.engine import journal
from cardtable.engine.journal import ActionLine
from cardtable.engine.replay import create_referee
from cardtable.games import GAMES
from cardtable.store import atomic_io, paths

HOST, GUESTS = "--host", "--guests-of"
MAX_REPORT_BYTES = 16 * 1024 * 1024
"""Maximum size in bytes of the report that a guests' process prints."""


async def run_host() -> None:
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
            usage = resource.getrusage(resource.RUSAGE_SELF)
            print(kib, usage.ru_utime + usage.ru_stime, flush=True)


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
        return cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=MAX_REPORT_BYTES))

    async def read_line(self) -> str:
        """Return the next line of output."""
        if not (line := await self._stdout.readline()):
            raise SystemExit("a process has ended")
        return line.decode().strip()

    async def request_line(self, line: str = "") -> str:
        """Send a line and return the answer."""
        self._stdin.write(f"{line}\n".encode())
        return await self.read_line()


async def measure_flushes(folder: Path) -> list[float]:
    """Flush one line to this disk repeatedly until cancelled; return the seconds of each flush."""
    durations: list[float] = []
    with (folder / "a-line").open("ab", buffering=0) as file, suppress(asyncio.CancelledError):
        while True:
            file.write(b"a line\n")
            started_at = time.monotonic()
            await asyncio.to_thread(atomic_io.flush, file.fileno())
            durations.append(time.monotonic() - started_at)
            await asyncio.sleep(0.02)
    return durations


def compute_quantile(values: list[float], part: float) -> float:
    """Return the quantile ``part`` of the values, in milliseconds."""
    return 1000 * sorted(values)[min(int(len(values) * part), len(values) - 1)] if values else float("nan")


async def main(options: argparse.Namespace) -> None:
    """Measure, and print a table."""
    club = await Process.start(HOST)
    url = f"ws://127.0.0.1:{await club.read_line()}"
    empty, _ = await read_memory_and_seconds(club)
    people = [
        await Process.start(
            GUESTS, url, first, options.tables, options.processes, options.guests, options.robots, options.pace
        )
        for first in range(options.processes)
    ]
    assert {await process.read_line() for process in people} == {CONNECTED}
    full, _ = await read_memory_and_seconds(club)
    assert set(await asyncio.gather(*[process.request_line("begin") for process in people])) == {PLAYING}
    await asyncio.sleep(options.pace)
    playing, before = await read_memory_and_seconds(club)
    await asyncio.gather(*[process.request_line("measure") for process in people])
    flushing = asyncio.create_task(measure_flushes(paths.home()))
    await asyncio.sleep(options.seconds)
    flushing.cancel()
    flushed = await flushing
    later, after = await read_memory_and_seconds(club)
    measurements = [
        msgspec.json.decode(line, type=Measurements)
        for line in await asyncio.gather(*[process.request_line("end") for process in people])
    ]
    for process in (*people, club):
        process.process.kill()
        await process.process.wait()
    number = options.tables * options.guests
    print(f"{number} guests at {options.tables} tables for {options.seconds:.0f} s; load {os.getloadavg()[0]:.1f}")
    print_results(measurements, options.seconds, "50 ms" if number <= 400 else "250 ms")
    print_row(
        "a flush of this disk alone, 99th of 100",
        "",
        f"{compute_quantile(flushed, 0.99):.1f} ms, slowest {compute_quantile(flushed, 1):.0f} ms",
    )
    print_row("memory a connection", "200 kB", f"{(full - empty) / number:.0f} kB")
    print_row("memory a table, in the end", "2 MB", f"{(later - full) / options.tables:.0f} kB")
    print_row(
        "the host's memory in the end", "", f"{later / 1024:.0f} MB, {(later - playing) / 1024:+.0f} MB while playing"
    )
    print_row("the host's process", "", f"{100 * (after - before) / options.seconds:.0f} % of a core")


async def read_memory_and_seconds(club: Process) -> tuple[float, float]:
    """Return the memory in kB and the processor seconds used by the host."""
    kib, seconds = (await club.request_line()).split()
    return float(kib), float(seconds)


def print_row(label: str, limit: str, measurement: str) -> None:
    """Print a row of the table."""
    print(f"{label:52}{limit:>10}   {measurement}")


def print_results(measurements: list[Measurements], seconds: float, limit: str) -> None:
    """Print the measurements of the guests; ``limit`` is that of the 99th percentile."""
    screen_times = [value for report in measurements for value in report.screen_times]
    own_times = [value for report in measurements for value in report.own_times]
    print_row("what", "asked", "measured")
    print_row("decisions of people", "", f"{len(own_times)}, {len(own_times) / seconds:.1f} a second")
    print_row("an action on all screens of its table, middle", "", f"{compute_quantile(screen_times, 0.5):.1f} ms")
    print_row(
        "... 99th of 100",
        limit,
        f"{compute_quantile(screen_times, 0.99):.1f} ms, slowest {compute_quantile(screen_times, 1):.0f} ms",
    )
    print_row(
        "own move, middle and 99th of 100",
        "",
        f"{compute_quantile(own_times, 0.5):.1f} ms, {compute_quantile(own_times, 0.99):.1f} ms",
    )
    for game in GAMES:
        traffic = [report.games[game] for report in measurements if game in report.games]
        wire_bytes, frame_bytes, decisions = (
            sum(getattr(share, field) for share in traffic) for field in ("wire_bytes", "frame_bytes", "decisions")
        )
        if decisions:
            longest_frame = max(share.longest_frame for share in traffic) / 1000
            label = f"bytes a decision and guest, {GAMES[game].about.title}"
            print_row(
                label,
                "3 kB",
                f"{wire_bytes / decisions / 1000:.2f} kB ({frame_bytes / decisions / 1000:.2f}, "
                f"at most {longest_frame:.0f})",
            )
    acknowledged = sum(
        len(seat) for report in measurements for table in report.acknowledged.values() for seat in table.values()
    )
    lost, doubled = compare_with_journals(measurements)
    print_row("decisions that were answered: lost, doubled", "0, 0", f"{lost}, {doubled} of {acknowledged}")
    print_row("refused", "0", f"{sum(report.refused for report in measurements)}")


def compare_with_journals(measurements: list[Measurements]) -> tuple[int, int]:
    """Return how many acknowledged decisions the journals lack, and how many decisions in them no guest made."""
    lost = doubled = 0
    for report in measurements:
        for table, seats in report.acknowledged.items():
            decisions = read_decisions(table)
            sent = {(at, seat): text for seat, acts in seats.items() for at, text in acts.items()}
            lost += sum(decisions.get(at, ("", False))[0] != f"{seat} {text}" for (at, seat), text in sent.items())
            doubled += sum(
                is_person and int(text.split()[0]) in seats and (at, int(text.split()[0])) not in sent
                for at, (text, is_person) in decisions.items()
                if at < report.decision_counts[table]
            )
    return lost, doubled


def read_decisions(id_: str) -> dict[int, tuple[str, bool]]:
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
        if isinstance(line, ActionLine):
            is_person = read.header.seats[line.seat].robot is None
            is_forced = is_person and table.game.forced_silent_action(table.view(line.seat)) is not None
            decisions[table.decisions] = f"{line.seat} {line.action}", is_person and not is_forced
        table.apply_line(line)
    return decisions


if __name__ == "__main__":
    if HOST in sys.argv:
        asyncio.run(run_host())
    elif GUESTS in sys.argv:
        url, first, stop, step, guests, robots, pace = sys.argv[2:]
        asyncio.run(run_guests(url, range(int(first), int(stop), int(step)), int(guests), int(robots), float(pace)))
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
