"""Fixtures of all tests: an empty home, and no forced writes to the disk."""

import gc
import math
import os
import signal
import sys
import time

import pytest

from cardtable.robots import worker
from cardtable.store import emergency_save, passwords, session_setup
from tests import budgets

# tests that need signals, pseudo-terminals or modules of POSIX, or play Windows on such a system
collect_ignore = [
    "pty", "windows", "lab/reliability", "cli/test_serve.py", "club/test_server.py", "club/test_ssh_server.py",
    "plain/test_unsaved.py", "store/test_faults.py", "store/test_macos.py", "store/test_without_locks.py",
    "ui/test_ending.py",
] if sys.platform == "win32" else []  # fmt: skip

# a module that writes into the home as it is imported fails, and does not change the home of whoever runs the tests
os.environ["CARDTABLE_HOME"] = os.environ["XDG_STATE_HOME"] = os.path.join(__file__, "home")  # noqa: PTH118

for number in [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGHUP]:
    if signal.getsignal(number) is signal.SIG_IGN:
        # begun in the background or under nohup; the programs that tests begin would ignore the signal, too
        signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)

os.fsync = os.fdatasync = lambda descriptor: None  # only a power cut could tell
if sys.platform != "win32":  # a command that runs in this process, such as a backup, would slow down all later tests
    set_priority = os.setpriority
    os.setpriority = lambda which, who, nice: None if who == os.getpid() else set_priority(which, who, nice)
worker.MAX_CHOICE_SECONDS = worker.MAX_HINT_SECONDS = math.inf  # a busy machine would cut thoughts short


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect without the garbage collector and freeze the result: collected tests live until the end of the run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 5)
        gc.enable()


@pytest.fixture(autouse=True)
def home(tmp_path):
    """Set an empty home that does not exist yet, and undo patches at the end of a test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARDTABLE_HOME", str(tmp_path / "home"))
        patch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        patch.delenv("PYTHONUNBUFFERED", raising=False)  # players' programs buffer their output
        patch.setattr(emergency_save, "_SYSTEM_TEMP_FOLDERS", ())
        yield tmp_path / "home"


@pytest.fixture(autouse=True)
def skip_game_aims(monkeypatch):
    """Treat no player as new: show neither the aim of a game nor what its cards do, and seat steady robots."""
    monkeypatch.setattr(session_setup, "take_aim_at_first_start", lambda _game: "")
    monkeypatch.setattr(session_setup, "has_newcomer", lambda _game, _players: False)


@pytest.fixture
def set_zone(monkeypatch):
    """Function that sets the time zone; the one of the machine is restored at the end."""

    def put(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield put
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def cheap_passwords(monkeypatch):
    """Hash new passwords at low scrypt costs; hashes with the real costs are still accepted."""
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1), *passwords.SCRYPT_COSTS))


def pytest_terminal_summary(terminalreporter):
    """After a long run, list trials and durations of each budget."""
    if not budgets.LONG:
        return
    reports = [report for group in terminalreporter.stats.values() for report in group if hasattr(report, "duration")]
    seconds: dict[str, float] = {}
    for report in reports:
        seconds[report.nodeid] = seconds.get(report.nodeid, 0) + report.duration
    terminalreporter.section("tried")
    for row in budgets.format_summary(seconds):
        terminalreporter.line(row)


def pytest_make_parametrize_id(val):
    """Shorten the ids of long texts, which the oldest pytest passes to other programs in a variable."""
    return f"{val[:60]!r}, {len(val)} in all" if isinstance(val, str | bytes) and len(val) > 200 else None
