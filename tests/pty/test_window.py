"""Resized and suspended windows during play."""

import signal
import sys
from random import Random

import pytest

from tests.budgets import tried
from tests.pty.playing import begin, reach_a_question
from tests.pty.terminal import Terminal

pytestmark = pytest.mark.promise("Settings and display", "Resizing or suspending the program at any time does no harm.")

SIZES = tried("sizes")
HIDES_CURSOR = b"\x1b[?25l"
START = """
import sys
from cardtable.__main__ import main
sys.exit(main())
"""
SLOW_TO_ASK = """
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
SLOW_TO_WRITE = """
import time
from textual.drivers import _writer_thread as writer
class Slow(writer.Queue):
    def _put(self, item):
        time.sleep(0.02)
        super()._put(item)
writer.Queue = Slow
"""
"""Code that delays output, during which a signal may arrive."""


def test_a_storm_of_sizes_leaves_the_right_picture(home):
    rng = Random(1)
    with Terminal(home, "resume", begin()) as terminal:
        terminal.wait("? help")
        for _ in range(SIZES):
            terminal.resize(rng.choice((1, 20, 59, 60, 79, 80, 120, 220)), rng.choice((1, 8, 17, 18, 24, 40, 70)))
            terminal.send(rng.choice(("enter", "right", "m", "s", "?", "q")))
            terminal.read(rng.uniform(0, 0.03))
        terminal.resize(80, 24)
        reach_a_question(terminal)
        if "Esc close" in terminal.rows[-1]:
            terminal.send("escape")
            terminal.wait(lambda: "Esc close" not in terminal.rows[-1])
        terminal.wait(lambda: " Enter " in terminal.rows[-1], press="q")
        reach_a_question(terminal)
        ours = terminal.text
        terminal.resize(100, 30)
        terminal.rest()
        terminal.resize(80, 24)
        terminal.wait(lambda: terminal.text == ours)
        assert "Rikiki  round" in ours
        assert terminal.leave() == 0
        assert b"Traceback" not in terminal.output


def stop_and_continue(terminal):
    """Suspend the program and continue it until it reacts to keys again."""
    terminal.stop()
    begun = len(terminal.output)
    terminal.process.send_signal(signal.SIGCONT)
    terminal.wait(lambda: HIDES_CURSOR in terminal.output[begun:])


@pytest.mark.parametrize("before", [lambda terminal: None, stop_and_continue], ids=["at once", "continued"])
def test_a_size_told_while_the_one_before_is_told_comes_after_it(home, before):
    with Terminal(home, program=(sys.executable, "-c", SLOW_TO_ASK + START)) as terminal:
        terminal.wait("? help")
        before(terminal)
        terminal.rest()
        for size in ((90, 30), (100, 28), (120, 40)):
            terminal.resize(*size)
            terminal.read(0.05)
        terminal.wait(lambda: terminal.rows[-1].endswith("? help  ") and "Every move is kept" in terminal.text)
        assert terminal.leave() == 0


def test_it_stops_and_goes_on_while_it_paints(home):
    with Terminal(home, program=(sys.executable, "-c", SLOW_TO_WRITE + START)) as terminal:
        terminal.wait("? help")
        for _ in range(3):
            terminal.send("down")
            terminal.read(0.1)
            stop_and_continue(terminal)
        terminal.wait("? help")
        assert terminal.leave() == 0
