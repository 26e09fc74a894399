"""Windows that are resized during play, too small, or suspended, and what is redirected beside them."""

import signal
import sys
from random import Random

import pytest

from tests.budgets import get_trials
from tests.pty.playing import create_session, read_lines, wait_for_turn
from tests.pty.terminal import CARDTABLE, Terminal, run_in_parallel

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


SMALL, USUAL = (40, 10), (80, 24)


def resize(terminal, size, *keys):
    """Resize the window, press keys at once, and wait for the picture."""
    terminal.resize(*size)
    terminal.send(*keys)
    terminal.wait(lambda: ("Window too small" in terminal.text) is (size == SMALL) and terminal.text.strip())
    terminal.wait_until_quiet()


def test_nothing_is_played_blindly(home):
    session = create_session("king", 5)
    with Terminal(home, "resume", session) as terminal:
        wait_for_turn(terminal)
        before, lines = terminal.text, read_lines(home / "sessions" / f"{session}.jsonl")
        for _ in range(3):
            resize(terminal, SMALL, "enter")
            terminal.send("enter", "down", "enter", "q")
            terminal.wait_until_quiet()
            resize(terminal, USUAL, "enter")
            terminal.wait(lambda: terminal.text == before)
        assert read_lines(home / "sessions" / f"{session}.jsonl") == lines
        terminal.wait(lambda: read_lines(home / "sessions" / f"{session}.jsonl") != lines, press="enter")
        assert terminal.quit() == 0


def test_quitting_a_window_too_small(home):
    def quit_by(answer):
        with Terminal(home, "resume", create_session()) as terminal:
            wait_for_turn(terminal)
            resize(terminal, SMALL)
            if answer != "ctrl+q":
                terminal.send("\x03", until="Enter quit   Esc stay")
            terminal.send(answer)
            assert terminal.wait_for_end() == 0

    run_in_parallel(quit_by, ["ctrl+q", "enter", "\x03"])


STALE = {"COLUMNS": "200", "LINES": "5"}
INTO_A_FILE = ("/bin/sh", "-c", '"$@" >"$CARDTABLE_HOME/output"', "sh", *CARDTABLE)


def test_screens_follow_the_window(home):
    def show(case):
        program, environment = case
        with Terminal(home, size=(100, 30), program=program, environment=environment) as terminal:
            for columns, rows in ((100, 30), (60, 18), (120, 40)):
                terminal.resize(columns, rows)
                terminal.wait(lambda width=columns: len(terminal.rows[-1].rstrip()) == width - 2)
            assert terminal.quit() == 0

    run_in_parallel(show, [(CARDTABLE, {}), (CARDTABLE, STALE), (INTO_A_FILE, STALE)])


def test_report_into_a_file_has_the_size(home):
    with Terminal(home, "doctor", size=(120, 40), program=INTO_A_FILE, environment=STALE) as terminal:
        assert terminal.wait_for_end() == 0
    assert "terminal      120x40\n" in (home / "output").read_text(encoding="utf-8")


def test_plain_lines_are_as_wide_as_the_window(home):
    with Terminal(home, "play", "rikiki", "--plain", size=(40, 60), environment=STALE) as terminal:
        terminal.wait("Your hand")
        terminal.wait_until_quiet()
        lines = terminal.output.decode().splitlines()
    assert max(map(len, lines)) <= 40 < len(" ".join(lines))
