"""Plug-in of pytest for mutation testing: runs chosen tests in a chosen order within a time, and writes what happened.

The environment variable ``CARDTABLE_MUTATION`` names a JSON file with a ``Plan``.
"""

import os
import resource
import time
from pathlib import Path
from typing import Final

import coverage
import msgspec
import pytest

PLAN_VARIABLE: Final = "CARDTABLE_MUTATION"
WRITE: Final = os.write
"""The call of the system, which tests replace."""
TIME_IS_OVER: Final = 99
"""Exit code if the time ended before the tests."""
MEMORY_LIMIT: Final = 6 * 2**30
"""Most memory in bytes that a process of tests may ask for."""


class Plan(msgspec.Struct):
    """What a run of pytest is to do."""

    events: str
    """File to which a line is appended as a test begins, and for each report of a test."""
    tests: list[str] | None = None
    """Ids of the tests to run, in this order; ``None`` for all that were collected."""
    seconds: float | None = None
    """Time in seconds after which no other test begins; ``None`` for no limit."""
    coverage: str = ""
    """Beginning of the names of files for the lines that each test runs; empty if they are not asked for."""


class TestEvent(msgspec.Struct):
    """Begin of a test, or report of one of its phases."""

    test: str
    phase: str
    """``begin``, or the phase of the report: ``setup``, ``call`` or ``teardown``."""
    outcome: str = ""
    """``passed``, ``failed`` or ``skipped``; empty for the begin."""
    seconds: float = 0.0
    """Time that the phase took; of a begin, the time of a clock that all processes share."""


class MutationPlugin:
    """Plug-in that follows a plan."""

    def __init__(self, plan: Plan, *, runs_tests: bool) -> None:
        self._plan = plan
        # opened once, as tests may give up the right to open it
        self._events = os.open(plan.events, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._traces = bool(plan.coverage) and runs_tests
        self._begun: float | None = None
        self._measured_file = ""
        self._coverage: coverage.Coverage | None = None

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        """Keep the chosen tests alone, in their order."""
        if self._plan.tests is not None:
            collected = {item.nodeid: item for item in items}
            items[:] = [collected[test] for test in self._plan.tests if test in collected]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid):
        self._write(TestEvent(nodeid, "begin", seconds=time.monotonic()))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """End the run instead of beginning a test when the time is over."""
        self._begun = self._begun or time.monotonic()
        if self._plan.seconds is not None and time.monotonic() - self._begun > self._plan.seconds:
            pytest.exit("the time is over", returncode=TIME_IS_OVER)
        if self._traces:
            self._measure(item.nodeid)
        return (yield)

    def pytest_unconfigure(self):
        self._write_lines()

    def _measure(self, test: str) -> None:
        """Begin to measure which lines a test runs."""
        file = test.partition("::")[0]
        if file != self._measured_file:  # not in a test, which may have given up the right to write files
            self._write_lines()
            self._measured_file = file
        if self._coverage is None:
            self._coverage = coverage.Coverage(data_file=None, config_file=False, include=["*/cardtable/*"])
            self._coverage.set_option("run:disable_warnings", ["no-data-collected"])
            self._coverage.start()
        self._coverage.switch_context(test)

    def _write_lines(self) -> None:
        """Write the lines that the tests of one file have run, so that a crash loses little."""
        if self._coverage is not None:
            self._coverage.stop()
            data = coverage.CoverageData(f"{self._plan.coverage}-{os.getpid()}-{time.time_ns()}")
            data.update(self._coverage.get_data())
            data.write()
            self._coverage = None

    def pytest_runtest_logreport(self, report):
        self._write(TestEvent(report.nodeid, report.when, report.outcome, round(report.duration, 4)))

    def _write(self, event: TestEvent) -> None:
        if "PYTEST_XDIST_WORKER" not in os.environ:  # the controller hears of all tests
            WRITE(self._events, msgspec.json.encode(event) + b"\n")


def pytest_configure(config):
    """Add the plug-in if there is a plan."""
    if PLAN_VARIABLE in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        plan = msgspec.json.decode(Path(os.environ[PLAN_VARIABLE]).read_bytes(), type=Plan)
        is_controller = bool(config.getoption("numprocesses", None)) and not hasattr(config, "workerinput")
        config.pluginmanager.register(MutationPlugin(plan, runs_tests=not is_controller), "mutation")
