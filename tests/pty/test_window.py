"""Resized and suspended windows during play."""

import signal
import sys
from random import Random

import pytest

from tests.budgets import get_trials
from tests.pty.playing import create_session, wait_for_turn
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.promise("Settings and display", "Resizing or suspending the program at any time does no harm.")

SIZES = get_trials("sizes")
PALETTE = "What would you like to do?"
HIDES_CURSOR = b"\x1b[?25l"
MAIN_PROGRAM = """
import sys
from cardtable.__main__ import main
sys.exit(main())
"""
SLOW_SIZE_QUERY = """
import time
from textual.drivers.linux_driver import LinuxDriver
ask = LinuxDriver._get_terminal_size
def slowly(driver):
    size = ask(driver)
    time.sleep(0.2)
    return size
LinuxDriver._get_terminal_size = slowly
"""
"""Code that delays the size query, during which the window may change."""
SLOW_OUTPUT = """
import time
from textual.drivers import _writer_thread as writer
class Slow(writer.Queue):
    def _put(self, item):
        time.sleep(0.02)
        super()._put(item)
writer.Queue = Slow
"""
"""Code that delays output, during which a signal may arrive."""


def test_many_sizes_leave_a_correct_screen(home):
    rng = Random(1)
    with Terminal(home, "resume", create_session()) as terminal:
        terminal.wait("? help")
        for _ in range(SIZES):
            terminal.resize(rng.choice((1, 20, 59, 60, 79, 80, 120, 220)), rng.choice((1, 8, 17, 18, 24, 40, 70)))
            terminal.send(rng.choice(("enter", "right", "m", "s", "?", "q")))
            terminal.read(rng.uniform(0, 0.03))
        terminal.resize(80, 24)
        terminal.wait(PALETTE, press="\x10")  # all keys before have been handled; none counts in a window too small
        terminal.send("escape")
        terminal.wait(lambda: PALETTE not in terminal.text)
        terminal.wait_until_quiet()
        for _ in range(10):  # dialogs and pages are over the table, or it has been left
            if "Esc leave" not in terminal.rows[-1]:
                terminal.send("enter" if "Enter continue" in terminal.rows[-1] else "escape")
                terminal.read(0.2)
                terminal.wait_until_quiet()
        assert "Esc leave" in terminal.rows[-1], terminal.text
        wait_for_turn(terminal)
        ours = terminal.text
        terminal.resize(100, 30)
        terminal.wait_until_quiet()
        terminal.resize(80, 24)
        terminal.wait(lambda: terminal.text == ours)
        assert "Rikiki  round" in ours
        assert terminal.quit() == 0
        assert b"Traceback" not in terminal.output


def suspend_and_continue(terminal):
    """Suspend the program and continue it until it reacts to keys again."""
    terminal.stop()
    begun = len(terminal.output)
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait(lambda: HIDES_CURSOR in terminal.output[begun:])


@pytest.mark.parametrize("before", [lambda terminal: None, suspend_and_continue], ids=["at once", "continued"])
def test_latest_of_several_sizes_wins(home, before):
    with Terminal(home, program=(sys.executable, "-c", SLOW_SIZE_QUERY + MAIN_PROGRAM)) as terminal:
        terminal.wait("? help")
        before(terminal)
        terminal.wait_until_quiet()
        for size in ((90, 30), (100, 28), (120, 40)):
            terminal.resize(*size)
            terminal.read(0.05)
        terminal.wait(lambda: terminal.rows[-1].endswith("? help  ") and "Every move is saved" in terminal.text)
        assert terminal.quit() == 0


def test_suspend_during_output(home):
    with Terminal(home, program=(sys.executable, "-c", SLOW_OUTPUT + MAIN_PROGRAM)) as terminal:
        terminal.wait("? help")
        for _ in range(3):
            terminal.send("down")
            terminal.read(0.1)
            suspend_and_continue(terminal)
        terminal.wait("? help")
        assert terminal.quit() == 0
