"""Run of one row: a process of its own, whose output goes into a file."""

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from xml.etree import ElementTree as ET

from tests.lab.fuzz.__main__ import CANNOT_RUN
from tests.lab.reliability.outcomes import ROOT, Outcome
from tests.lab.reliability.rows import Row

FOLDER: Final = ROOT / "build" / "reliability"
PATIENCE: Final = 10.0
"""Seconds for a process to end after each signal."""
STOPPED_BY: Final = {-signal.SIGINT, -signal.SIGTERM, -signal.SIGHUP, -signal.SIGKILL}
PYTEST_INTERRUPTED: Final = 2
"""Exit code of pytest after Ctrl+C, and after errors in files of tests."""


class RowUnavailable(Exception):
    """A row cannot be run on this machine, and has no outcome. The text is the reason."""


class RowInterrupted(Exception):
    """A row was ended by a signal before its end, and has no outcome."""


def run_row(row: Row, share: float, commit: str, workers: int = 2, folder: Path = FOLDER) -> Outcome:
    """Run a row to its end, and return the outcome.

    The output goes into ``NAME.log`` in ``folder``. ``workers`` is the number of processes for tests. If this process
    is interrupted (``KeyboardInterrupt`` or ``SystemExit``), the processes of the row are ended first. Raises
    ``RowInterrupted`` if they were ended by a signal, and ``RowUnavailable`` if the command cannot be run here.
    """
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / f"{row.name}.xml"
    report.unlink(missing_ok=True)
    log, begun = folder / f"{row.name}.log", time.monotonic()
    code = _run_process(_build_command(row, share, workers, report), share, log)
    seconds = time.monotonic() - begun
    if row.arguments and code == CANNOT_RUN:
        raise RowUnavailable(_read_last_line(log))
    cases, failures = _count_tests(report) if row.tests else (None, 0)
    if code in STOPPED_BY or (row.tests and code == PYTEST_INTERRUPTED and not failures):
        raise RowInterrupted(row.name)
    if code and not failures:
        failures = 1  # a command that failed, or tests that could not be run
    return Outcome(
        row=row.name,
        share=share,
        size=row.describe_size(share, cases),
        failures=failures,
        seconds=round(seconds, 1),
        ended=datetime.now(UTC).replace(microsecond=0),
        commit=commit,
        result=_read_last_line(log) if row.arguments else "",
    )


def _build_command(row: Row, share: float, workers: int, report: Path) -> list[str]:
    if row.arguments:
        return [sys.executable, *[each.format(size=row.compute_size(share)) for each in row.arguments]]
    pytest = [sys.executable, "-m", "pytest", "-o", "faulthandler_timeout=0", f"--junitxml={report}"]
    return [*pytest, *(["-n", str(workers)] if workers > 1 else []), *row.tests]


def _run_process(command: list[str], share: float, log: Path) -> int:
    """Run a command to its end, and return its exit code. Its processes are ended if this one is interrupted.

    Tests have a temporary folder of their own, since other runs of pytest remove the oldest of those that they share.
    """
    with log.open("wb") as output, TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = {**os.environ, "CARDTABLE_LONG": f"{share:g}", "PYTEST_DEBUG_TEMPROOT": folder}
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait()
        finally:
            end_processes(process)


def end_processes(process: "subprocess.Popen[bytes]") -> None:
    """End a process that leads a group, and all processes of the group: politely first, then by SIGKILL."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                continue
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # the group has ended
        return
    process.wait()


def _count_tests(report: Path) -> tuple[int, int]:
    """Return how many tests ran, and how many failed, by a report of pytest; none if there is no report."""
    if not report.exists():
        return 0, 0
    suites = list(ET.parse(report).getroot().iter("testsuite"))

    def add(*names: str) -> int:
        return sum(int(suite.get(name, "0")) for suite in suites for name in names)

    return add("tests"), add("failures", "errors")


def _read_last_line(log: Path) -> str:
    """Return the last line that is not empty, with paths as seen from the checkout."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "").replace(f"{ROOT}/", "")
