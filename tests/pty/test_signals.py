"""Signals, lost terminals and terminals that stop reading."""

import signal
from contextlib import contextmanager

import pytest

from cardtable.store import sessions, summaries
from tests.pty.playing import create_session, read_lines, wait_for_turn
from tests.pty.terminal import TIMEOUT, Terminal, has_ended, run_in_parallel, wait_until_ended

LEAVES_SCREEN, SHOWS_CURSOR, STOPS_MOUSE = b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1003l"
SETS_KEYBOARD, RESETS_KEYBOARD = b"\x1b[>5u", b"\x1b[<u"
WHEEL_OFF, WHEEL_ON = b"\x1b[?1007l", b"\x1b[?1007h"


@contextmanager
def open_session_in_play(home, **how):
    """Open a session in which something has been played; yield its terminal and journal."""
    session = create_session()
    path = home / "sessions" / f"{session}.jsonl"
    with Terminal(home, "resume", session, **how) as terminal:
        terminal.wait("? help")
        terminal.wait(lambda: len(read_lines(path)) > 5, press="enter", quick=True)
        wait_for_turn(terminal)
        yield terminal, path


def is_restored(terminal):
    """Return True if the terminal is as it was before the program started."""
    output = bytes(terminal.output)
    end = output[output.rindex(b"\x1b[?1049") :]
    keyboard = output.count(SETS_KEYBOARD) == output.count(RESETS_KEYBOARD) > 0 and RESETS_KEYBOARD not in end
    screen = end.startswith(LEAVES_SCREEN) and SHOWS_CURSOR in end
    wheel = output.count(WHEEL_OFF) == output.count(WHEEL_ON) > 0 and output.rindex(WHEEL_OFF) < output.rindex(WHEEL_ON)
    return screen and keyboard and wheel and terminal.modes == terminal.modes_before


def test_signal_ends_the_table_in_order(home):
    def end_by(number):
        with open_session_in_play(home) as (terminal, path):
            robots = terminal.list_children()
            before = read_lines(path)
            assert terminal.kill(number) == 128 + number
            assert is_restored(terminal)
            assert STOPS_MOUSE in terminal.output
            assert read_lines(path)[: len(before)] == before
            assert all(has_ended(process) for process in robots)

    run_in_parallel(end_by, [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT])


def test_signal_at_the_picker(home):
    with Terminal(home) as terminal:
        terminal.wait("Rikiki")
        assert terminal.kill(signal.SIGTERM) == 128 + signal.SIGTERM
        assert is_restored(terminal)


def test_closed_window_loses_nothing(home):
    with open_session_in_play(home) as (terminal, path):
        before, robots = read_lines(path), terminal.list_children()
        terminal.send("enter", "enter")
        terminal.hang_up()
        terminal.process.wait(TIMEOUT)
        assert read_lines(path)[: len(before)] == before
        wait_until_ended(robots)
    with Terminal(home, "resume", path.stem) as again:
        again.wait("? help")
        assert "open in another program" not in again.text


def test_lost_terminal_without_a_signal(home):
    with open_session_in_play(home, owned=False) as (terminal, path):
        before, robots = read_lines(path), terminal.list_children()
        terminal.hang_up()
        assert terminal.process.wait(TIMEOUT) == 128 + signal.SIGHUP
        assert read_lines(path)[: len(before)] == before
        wait_until_ended(robots)


def test_lost_terminal_during_output(home):
    with open_session_in_play(home, owned=False) as (terminal, _):
        for _ in range(60):
            terminal.send("m", "\x1b")  # nothing of what is drawn for it is read
        terminal.hang_up()
        assert terminal.process.wait(TIMEOUT) == 128 + signal.SIGHUP


@pytest.mark.parametrize("number", [signal.SIGTSTP, signal.SIGSTOP])
def test_stop_and_continue(home, number):
    with open_session_in_play(home) as (terminal, _):
        before = terminal.text
        terminal.stop(number)
        assert is_restored(terminal) is (number == signal.SIGTSTP)
        seen = len(terminal.output)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.wait(lambda: b"\x1b[?1049h" in terminal.output[seen:])
        wait_for_turn(terminal)
        assert terminal.text == before
        terminal.send("m", until="Type a message")
        assert terminal.quit() == 0
        assert is_restored(terminal)


@pytest.mark.parametrize(
    ("answer", "is_on_again"), [(b"\x1b[?1007;1$y", True), (b"\x1b[?1007;2$y", False), (b"", True)]
)
def test_wheel_types_arrow_keys_only_before_and_after(home, answer, is_on_again):
    with Terminal(home, "--no-mouse") as terminal:
        terminal.wait("? help")
        terminal.wait_until_quiet()
        for _ in range(2):
            begun = len(terminal.output)
            terminal.send_bytes(answer)
            terminal.send("down")  # the answer has been read once the cursor moves
            terminal.wait(lambda begun=begun: len(terminal.output) > begun)
            terminal.stop()
            assert (WHEEL_ON in terminal.output[begun:]) is is_on_again
            terminal.process.send_signal(signal.SIGCONT)
            terminal.wait(lambda begun=begun: WHEEL_OFF in terminal.output[begun:])
            terminal.wait_until_quiet()
        begun = len(terminal.output)
        assert terminal.quit() == 0
        assert WHEEL_ON in terminal.output[begun:]


def test_signal_ends_plain_text_in_order(home):
    def end_by(number):
        with Terminal(home, "play", "rikiki", "--plain") as terminal:
            terminal.wait("Your hand: ")
            terminal.wait_until_quiet()
            assert terminal.kill(number) == 128 + number
            assert terminal.modes == terminal.modes_before

    run_in_parallel(end_by, [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])


def test_lost_terminal_in_plain_text(home):
    with Terminal(home, "play", "rikiki", "--plain", owned=False) as terminal:
        terminal.wait("Your hand: ")
        terminal.wait_until_quiet()
        terminal.hang_up()
        terminal.process.wait(TIMEOUT)
    [summary] = summaries.list_unfinished()
    assert summary.error is None
    sessions.resume(summary.path).close()


def test_progress_and_ctrl_c_of_a_simulation(home, tmp_path):
    many = tmp_path / "many"
    command = ("simulate", "rikiki", "--sessions", "100000", "--seed", "1", "--seats", "random,random,random,random")
    with Terminal(home, *command, "--output", str(many)) as terminal:
        terminal.wait(lambda: "Rikiki  [" in terminal.output.decode())
        terminal.wait(lambda: many.exists() and many.stat().st_size > 100_000)
        terminal.send("\x03")
        assert terminal.wait_for_end() == 130
        assert "stopped after" in terminal.output.decode()
    assert many.read_bytes().count(b'"cardtable":4') > 0
