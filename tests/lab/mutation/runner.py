"""Runs of tests in copies of the repository, as it is and with one mutant."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from threading import Event
from typing import Final

import msgspec

from tests.lab.mutation.line_coverage import NOT_MEASURED, SUITES, LineCoverage
from tests.lab.mutation.mutants import Mutant, apply_fault
from tests.lab.mutation.outcomes import ROOT, Outcome, Result
from tests.lab.mutation.pytest_plugin import PLAN_VARIABLE, TIME_IS_OVER, Plan, TestEvent
from tests.lab.reliability.runner import end_processes

FOLDER: Final = ROOT / "build" / "mutation"
PLUGIN: Final = "tests.lab.mutation.pytest_plugin"
COLLECTING: Final = " (collecting)"
"""Follows the name of a file of tests that cannot be imported with a mutant."""
TEST_SECONDS: Final = 30.0
"""Most time for the tests of one mutant."""
START_SECONDS: Final = 120.0
"""Most time until the first test begins."""
HANG_SECONDS: Final = 10.0
"""Time, beside ten times its usual one, after which a test is said to hang."""
FIRST_FILES: Final = 4
"""Number of files of tests that are run first, as most mutants are killed by the nearest tests."""
FIRST_SECONDS: Final = 6.0


class RunStopped(Exception):
    """The run of a mutant was stopped, and it has no outcome."""


class Tree:
    """Copy of the repository, in which tests run."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self.path = folder / name
        self.home = Path(tempfile.gettempdir(), f"{os.getpid()}{name[-1]}")
        """Home and folder of temporary files of tests, as a mutant may write or delete anything there.

        Its path is as short as that of usual runs, as some tests look at lines with paths.
        """
        self._folder = folder

    def fill(self) -> None:
        """Copy all files that git knows or would add."""
        shutil.rmtree(self.path, ignore_errors=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        for name in map(os.fsdecode, filter(None, listed.split(b"\0"))):
            if (ROOT / name).exists():
                (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.path / name, follow_symlinks=False)

    def start_tests(self, plan: Plan, arguments: list[str], log: Path, *, caches: bool) -> "subprocess.Popen[bytes]":
        """Start pytest by a plan, in an empty home; ``caches`` lets it write compiled files."""
        self.remove_home()
        self.home.mkdir()
        self.home.chmod(0o1777)
        plan_file = self._folder / f"{self.path.name}-plan.json"
        plan_file.write_bytes(msgspec.json.encode(plan))
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "CARDTABLE_"))},
            PLAN_VARIABLE: str(plan_file),
            "PYTHONPATH": str(self.path),
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
        }
        if not caches:
            environment["PYTHONDONTWRITEBYTECODE"] = "1"
        with log.open("ab") as output:
            return subprocess.Popen(
                [sys.executable, "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", *arguments],
                cwd=self.path,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def run_tests(self, plan: Plan, arguments: list[str], log: Path, *, caches: bool) -> None:
        """Run pytest to its end as ``start_tests`` starts it; its processes are ended if this one is interrupted."""
        process = self.start_tests(plan, arguments, log, caches=caches)
        try:
            process.wait()
        finally:
            end_processes(process)

    def remove_home(self) -> None:
        """Remove what tests have left in their home."""
        shutil.rmtree(self.home, ignore_errors=True)


def read_events(path: Path) -> list[TestEvent]:
    """Return the events of a run so far."""
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    return [msgspec.json.decode(line, type=TestEvent) for line in lines]


def compute_fingerprint(module: Path) -> str:
    """Return a short digest of a module."""
    return sha256(module.read_bytes()).hexdigest()[:12]


def measure_lines(workers: int, suites: tuple[str, ...] = SUITES, folder: Path = FOLDER) -> None:
    """Run tests once, and store the lines that each runs, beside those stored before."""
    folder.mkdir(parents=True, exist_ok=True)
    tree = Tree("measured", folder)
    tree.fill()
    stamp = f"{time.time_ns():x}"
    plan = Plan(str(folder / f"events-{stamp}.jsonl"), coverage=str(folder / f"lines-{stamp}"))
    left_out = [f"--deselect={test}" for test in NOT_MEASURED]
    arguments = ["-n", str(workers), "--dist", "loadfile", *left_out, *suites]
    try:
        tree.run_tests(plan, arguments, folder / "measure.log", caches=True)
    finally:
        tree.remove_home()


def load_coverage(folder: Path = FOLDER) -> LineCoverage:
    """Return what ``measure_lines`` has stored."""
    return LineCoverage(folder / "measured", sorted(folder.glob("lines-*")), sorted(folder.glob("events-*.jsonl")))


class MutantRunner:
    """Runs the tests of mutants, one mutant after the other, in a copy of the repository of its own."""

    def __init__(self, number: int, lines: LineCoverage, stop: Event, folder: Path = FOLDER) -> None:
        self._stop = stop
        self._tree = Tree(f"tree-{number}", folder)
        self._tree.fill()
        self._lines = lines
        self._log = folder / f"tree-{number}.log"
        self._events = folder / f"tree-{number}-events.jsonl"
        self._tree.run_tests(Plan(os.devnull), ["--collect-only", *SUITES], self._log, caches=True)

    def run_mutant(self, mutant: Mutant) -> Outcome:
        """Run the tests of a mutant until one fails, all have passed or the time is over."""
        path = self._tree.path / mutant.module
        source, fingerprint = path.read_text(encoding="utf-8"), compute_fingerprint(path)
        times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
        mutated = apply_fault(source, mutant.operator, mutant.occurrence)
        if mutated is None:
            raise ValueError(f"{mutant.id}: {mutant.module} has changed")
        tests = self._lines.find_tests(mutant)
        if not tests:
            return create_outcome(mutant, fingerprint, Result.NOT_RUN, "", 0.0, 0)
        path.write_text(mutated, encoding="utf-8")
        try:
            return self._run_tests(mutant, fingerprint, tests)
        finally:
            path.write_text(source, encoding="utf-8")
            os.utime(path, ns=times)
            self._tree.remove_home()

    def find_failing_tests(self, tests: list[str]) -> list[str]:
        """Return the tests that fail without a mutant, so that they say nothing about one."""
        self._events.unlink(missing_ok=True)
        files = dict.fromkeys(test.partition("::")[0] for test in tests)
        try:
            self._tree.run_tests(Plan(str(self._events), tests), [*files], self._log, caches=False)
        finally:
            self._tree.remove_home()
        passed = {event.test for event in read_events(self._events) if event.phase == "teardown"}
        failed = {event.test for event in read_events(self._events) if event.outcome == "failed"}
        return [test for test in tests if test in failed or test not in passed]

    def _run_tests(self, mutant: Mutant, fingerprint: str, tests: list[str]) -> Outcome:
        seconds, count = 0.0, 0
        for batch in self._split(tests):
            result, test, took, ran = self._run_batch(batch, TEST_SECONDS - seconds)
            seconds, count = seconds + took, count + ran
            if result is not Result.SURVIVED:
                break
        return create_outcome(mutant, fingerprint, result, test, seconds, count)

    def _split(self, tests: list[str]) -> list[list[str]]:
        """Return the tests of the first files in one batch, and the others in another."""
        files: dict[str, None] = {}
        seconds = 0.0
        for number, test in enumerate(tests):
            seconds += self._lines.seconds[test]
            files[test.partition("::")[0]] = None
            if number and (len(files) > FIRST_FILES or seconds > FIRST_SECONDS):
                return [tests[:number], tests[number:]]
        return [tests]

    def _run_batch(self, tests: list[str], seconds: float) -> tuple[Result, str, float, int]:
        """Run tests, and return the result, the test that decided it, the time taken, and how many tests began."""
        self._events.unlink(missing_ok=True)
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        plan = Plan(str(self._events), tests, seconds)
        self._log.write_bytes(b"")
        process = self._tree.start_tests(plan, ["-x", *files], self._log, caches=False)
        try:
            stopped = self._wait(process, seconds)
        finally:
            end_processes(process)
        events = read_events(self._events)
        begun = [event for event in events if event.phase == "begin"]
        took = sum(event.seconds for event in events if event.phase != "begin")
        failed = [event.test for event in events if event.outcome == "failed"]
        if failed:
            return Result.KILLED, failed[0], took, len(begun)
        if stopped is not None:
            return stopped, begun[-1].test if begun else "", seconds, len(begun)
        if process.returncode == TIME_IS_OVER:
            return Result.TIME_LIMIT, "", seconds, len(begun)
        if process.returncode:  # the mutant cannot be imported, or has ended the process
            return Result.KILLED, begun[-1].test if begun else f"{files[0]}{COLLECTING}", took, len(begun)
        return Result.SURVIVED, "", took, len(begun)

    def _wait(self, process: "subprocess.Popen[bytes]", seconds: float) -> Result | None:
        """Wait for the end of a process of tests; return why if it has to be stopped."""
        started = time.monotonic()
        while process.poll() is None:
            if self._stop.wait(0.1):
                raise RunStopped
            now = time.monotonic()
            if now - started < min(seconds, START_SECONDS):
                continue
            events = read_events(self._events)
            if not events:
                if now - started > START_SECONDS:
                    return Result.HUNG
                continue
            running = next((event for event in reversed(events) if event.phase == "begin"), events[0])
            over = now - events[0].seconds - seconds
            if over > 0 and now - running.seconds > HANG_SECONDS + 10 * self._lines.seconds[running.test]:
                return Result.HUNG
            if over > TEST_SECONDS:
                return Result.TIME_LIMIT
        return None


def create_outcome(mutant: Mutant, fingerprint: str, result: Result, test: str, seconds: float, tests: int) -> Outcome:
    """Return the outcome of a mutant."""
    place = mutant.id, mutant.module, mutant.line, mutant.operator, mutant.before, mutant.after
    day = time.strftime("%Y-%m-%d")
    return Outcome(*place, result, test, round(seconds, 2), tests, fingerprint, day)
