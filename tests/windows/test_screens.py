"""Screens on Windows: where they are drawn, signals, and the colours of Windows Terminal and of the old console."""

import asyncio
import io
import signal
import sys

import pytest
from rich import console as rich_console
from rich._windows import WindowsConsoleFeatures

from cardtable.cli import launch
from cardtable.ui import app
from cardtable.ui.terminal import capabilities

pytestmark = pytest.mark.usefixtures("windows")


class FakeStream(io.StringIO):
    """Standard stream that is a terminal or not."""

    def __init__(self, encoding="utf-8", *, is_terminal=True):
        super().__init__()
        self._encoding, self._is_terminal = encoding, is_terminal

    @property
    def encoding(self):
        return self._encoding

    def isatty(self):
        return self._is_terminal


@pytest.fixture
def set_streams(monkeypatch):
    """Return a function that makes all standard streams terminals, except those that are given by name.

    It is called in the test, at whose begin pytest sets its own streams.
    """
    monkeypatch.setenv("TERM", "")

    def set_all(**others):
        for name in ("stdin", "stdout", "stderr"):
            monkeypatch.setattr(sys, name, others.get(name, FakeStream()))

    return set_all


def test_windows_uses_textuals_own_driver():
    assert app._select_driver() is None


def test_screens_need_the_standard_output(set_streams):
    set_streams(stderr=FakeStream(is_terminal=False))
    assert launch.can_show_screens()
    set_streams(stdout=FakeStream(is_terminal=False))
    assert launch._explain_no_screen() == "the table needs a terminal"


def test_code_page_of_the_console_allows_ascii_only(set_streams):
    set_streams()
    assert not capabilities.is_ascii_only()
    set_streams(stdout=FakeStream("cp437"))
    assert capabilities.is_ascii_only()


@pytest.mark.parametrize(
    ("features", "is_legacy", "few"),
    [((True, True), False, False), ((True, False), False, False), ((False, False), True, True)],
    ids=["windows-terminal", "256-colours", "old-console"],
)
def test_colours_of_the_console(set_streams, monkeypatch, features, is_legacy, few):
    set_streams()
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(rich_console, "WINDOWS", True)
    monkeypatch.setattr(rich_console, "detect_legacy_windows", lambda: is_legacy)
    monkeypatch.setattr(rich_console, "_windows_console_features", WindowsConsoleFeatures(*features))
    assert capabilities.has_few_colours() is few


async def test_control_break_leaves_the_program(monkeypatch):
    timers = []
    monkeypatch.setattr(app, "Timer", lambda *arguments: timers.append(arguments) or FakeTimer())
    requested = asyncio.Queue()
    app.install_termination_handlers(requested.put_nowait, lambda: True)
    try:
        for _ in range(2):
            signal.raise_signal(signal.SIGBREAK)
        assert await requested.get() == await requested.get() == 128 + signal.SIGBREAK
    finally:
        for number in (signal.SIGINT, signal.SIGBREAK):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    [(seconds, exit_at_once)] = timers
    assert seconds == app.GRACE_SECONDS
    codes = []
    monkeypatch.setattr(app.os, "_exit", codes.append)
    exit_at_once()
    assert codes == [128 + signal.SIGBREAK]


class FakeTimer:
    """Timer that never ends."""

    daemon = False

    def start(self):
        assert self.daemon


async def test_handlers_of_the_driver_stay():
    app.move_handlers_to_loop()
    app.report_size()
