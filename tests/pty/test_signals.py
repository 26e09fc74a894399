"""What the system may do to the program: signals, and a terminal that goes away or stands still."""

import signal
import time
from contextlib import contextmanager

import pytest

from tests.pty.playing import begin, lines, reach_a_question
from tests.pty.terminal import PATIENCE, Terminal, gone

LEAVES_SCREEN, SHOWS_CURSOR, STOPS_MOUSE = b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1003l"


@contextmanager
def playing(home):
    """The program at the table of a session in which something has been played, and its journal."""
    session = begin()
    path = home / "sessions" / f"{session}.jsonl"
    with Terminal(home, "resume", session) as terminal:
        terminal.wait("? help")
        terminal.wait(lambda: len(lines(path)) > 5, press="enter")
        reach_a_question(terminal)
        yield terminal, path


def restored(terminal):
    """Whether the terminal is as it was before the program came."""
    end = bytes(terminal.output[terminal.output.rindex(b"\x1b[?1049") :])
    return end.startswith(LEAVES_SCREEN) and SHOWS_CURSOR in end and terminal.modes == terminal.modes_before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_in_order(home, number):
    with playing(home) as (terminal, path):
        robots = terminal.children()
        before = lines(path)
        assert terminal.kill(number) == 128 + number
        assert restored(terminal)
        assert STOPS_MOUSE in terminal.output
        assert b"Traceback" not in terminal.output
        assert lines(path)[: len(before)] == before
        assert all(gone(process) for process in robots)


def test_a_signal_at_the_picker_ends_it_in_order(home):
    with Terminal(home) as terminal:
        terminal.wait("Rikiki")
        assert terminal.kill(signal.SIGTERM) == 128 + signal.SIGTERM
        assert restored(terminal)
        assert b"Traceback" not in terminal.output


def test_a_closed_window_ends_it_and_loses_nothing(home):
    with playing(home) as (terminal, path):
        before, robots = lines(path), terminal.children()
        terminal.send("enter", "enter")
        terminal.hang_up()
        terminal.process.wait(PATIENCE)
        assert lines(path)[: len(before)] == before
        end = time.monotonic() + PATIENCE
        while not all(gone(process) for process in robots):
            assert time.monotonic() < end
            time.sleep(0.01)
    with Terminal(home, "resume", path.stem) as again:
        again.wait("? help")
        assert "open in another program" not in again.text


def test_a_window_that_stands_still_does_not_keep_it_from_ending(home):
    with playing(home) as (terminal, _):
        for _ in range(100):
            terminal.send("m")  # nothing of what is drawn for it is read
            time.sleep(0.01)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(PATIENCE) != 0


def test_stopped_and_continued_it_is_where_it_was(home):
    with playing(home) as (terminal, _):
        before = terminal.text
        terminal.stop()
        assert restored(terminal)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait(lambda: b"\x1b[?1049h" in terminal.output[-20000:])
        reach_a_question(terminal)
        assert terminal.text == before
        terminal.send("m")
        terminal.wait("Type something to say")
