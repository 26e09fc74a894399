"""Signals, lost terminals and terminals that stop reading."""

import os
import signal
import time
from contextlib import contextmanager

import pytest

from cardtable.store import sessions
from tests.pty.playing import begin, lines, reach_a_question
from tests.pty.terminal import PATIENCE, Terminal, gone, side_by_side

pytestmark = pytest.mark.promise(
    "Starting, leaving and saving", "However the program ends, it restores the terminal and shows no hand."
)

LEAVES_SCREEN, SHOWS_CURSOR, STOPS_MOUSE = b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1003l"
SETS_KEYBOARD, RESETS_KEYBOARD = b"\x1b[>5u", b"\x1b[<u"


@contextmanager
def playing(home, **how):
    """Open a session in which something has been played; yield its terminal and journal."""
    session = begin()
    path = home / "sessions" / f"{session}.jsonl"
    with Terminal(home, "resume", session, **how) as terminal:
        terminal.wait("? help")
        terminal.wait(lambda: len(lines(path)) > 5, press="enter")
        reach_a_question(terminal)
        yield terminal, path


def restored(terminal):
    """Return True if the terminal is as it was before the program started."""
    output = bytes(terminal.output)
    end = output[output.rindex(b"\x1b[?1049") :]
    keyboard = output.count(SETS_KEYBOARD) == output.count(RESETS_KEYBOARD) > 0 and RESETS_KEYBOARD not in end
    shown = end.startswith(LEAVES_SCREEN) and SHOWS_CURSOR in end
    return shown and keyboard and terminal.modes == terminal.modes_before


def test_a_signal_ends_it_in_order(home):
    def ended(number):
        with playing(home) as (terminal, path):
            robots = terminal.children()
            before = lines(path)
            assert terminal.kill(number) == 128 + number
            assert restored(terminal)
            assert STOPS_MOUSE in terminal.output
            assert b"Traceback" not in terminal.output
            assert lines(path)[: len(before)] == before
            assert all(gone(process) for process in robots)

    side_by_side(ended, [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])


def test_a_signal_at_the_picker_ends_it_in_order(home):
    with Terminal(home) as terminal:
        terminal.wait("Rikiki")
        assert terminal.kill(signal.SIGTERM) == 128 + signal.SIGTERM
        assert restored(terminal)
        assert b"Traceback" not in terminal.output


@pytest.mark.promise("Starting, leaving and saving", "A closed window ends the program and loses nothing.")
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


def test_a_window_that_is_gone_without_a_signal_ends_it_as_the_signal_does(home):
    with playing(home, owned=False) as (terminal, path):
        before, robots = lines(path), terminal.children()
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGHUP
        assert lines(path)[: len(before)] == before
        end = time.monotonic() + PATIENCE
        while not all(gone(process) for process in robots):
            assert time.monotonic() < end
            time.sleep(0.01)


def test_a_window_that_is_gone_while_much_is_drawn_ends_it_too(home):
    with playing(home, owned=False) as (terminal, _):
        for _ in range(60):
            terminal.send("m", "\x1b")  # nothing of what is drawn for it is read
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE) == 128 + signal.SIGHUP


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


def test_stopped_without_a_word_and_continued_it_leaves_the_terminal_as_it_was(home):
    with playing(home) as (terminal, _):
        before = terminal.text
        terminal.stop(signal.SIGSTOP)
        seen = len(terminal.output)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait(lambda: b"\x1b[?1049h" in terminal.output[seen:])
        reach_a_question(terminal)
        assert terminal.text == before
        terminal.send("m")
        terminal.wait("Type something to say")
        assert terminal.leave() == 0
        assert restored(terminal)


def test_the_robots_process_is_killed_and_play_goes_on(home):
    with playing(home) as (terminal, path):
        for robot in terminal.children():
            os.kill(robot, signal.SIGKILL)
        before = len(lines(path))
        terminal.wait(lambda: len(lines(path)) > before + 5, press="enter")
        reach_a_question(terminal)
        assert terminal.leave() == 0
        assert restored(terminal)
        assert b"Traceback" not in terminal.output


def test_a_signal_ends_plain_lines_in_order_too(home):
    def ended(number):
        with Terminal(home, "play", "rikiki", "--plain") as terminal:
            terminal.wait("Your hand: ")
            terminal.rest()
            assert terminal.kill(number) == 128 + number
            assert terminal.modes == terminal.modes_before
            assert b"Traceback" not in terminal.output

    side_by_side(ended, [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])


def test_a_window_that_is_gone_without_a_signal_ends_plain_lines_too(home):
    with Terminal(home, "play", "rikiki", "--plain", owned=False) as terminal:
        terminal.wait("Your hand: ")
        terminal.rest()
        terminal.hang_up()
        terminal.process.wait(PATIENCE)
    [summary] = sessions.list_unfinished()
    assert summary.trouble is None
    sessions.resume(summary.path).close()
