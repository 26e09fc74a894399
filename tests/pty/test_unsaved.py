"""Ends of the program while its home is gone: unsaved play is saved elsewhere and offered again."""

import shutil
import signal
import time
from contextlib import contextmanager

import pytest

from cardtable.store import emergency_save
from tests.pty.playing import create_session, read_lines, wait_for_turn
from tests.pty.terminal import TIMEOUT, Terminal
from tests.pty.test_signals import is_restored

QUESTION = "Not on the disk: "


@contextmanager
def open_unsaved_session(home, **how):
    """Open a session whose home is deleted, and play another decision."""
    session = create_session()
    with Terminal(home, "resume", session, **how) as terminal:
        terminal.wait("? help")
        wait_for_turn(terminal)
        shutil.rmtree(home)
        terminal.wait("saving failed: the file is gone", press="enter")
        terminal.wait_until_quiet()
        yield terminal


def read_saved_elsewhere():
    """Return the lines of the only session saved elsewhere."""
    [path] = emergency_save.list_saved(".jsonl")
    return "".join(read_lines(path))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signal_saves_elsewhere(home, number):
    with open_unsaved_session(home) as terminal:
        assert terminal.kill(number) == 1
        assert is_restored(terminal)
        [path] = emergency_save.list_saved(".jsonl")
        message = terminal.output.decode().rpartition("cardtable: ")[2]
        assert " not saved; saving failed: the file is gone: " in message
        assert str(path) in message.replace("\r\n", "")
    assert '"action":' in read_saved_elsewhere()


def test_lost_terminal_saves_elsewhere(home):
    with open_unsaved_session(home, owned=False) as terminal:
        terminal.hang_up()
        assert terminal.process.wait(TIMEOUT) == 1
    assert '"action":' in read_saved_elsewhere()


def test_blocked_terminal_saves_elsewhere(home):
    with open_unsaved_session(home) as terminal:
        for _ in range(100):
            terminal.send("m", "\x1b")  # nothing of what is drawn for it is read
            time.sleep(0.01)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(TIMEOUT) == 1
    assert '"action":' in read_saved_elsewhere()


def test_ctrl_q_asks_once_and_session_is_offered(home):
    with open_unsaved_session(home) as terminal:
        terminal.send("ctrl+q", "ctrl+q", until=QUESTION)
        terminal.send("\x1b")
        terminal.wait(lambda: QUESTION not in terminal.text)
        terminal.send("\x1b", until=QUESTION)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 1
        assert is_restored(terminal)
    with Terminal(home) as again:
        again.confirm("A session was saved elsewhere")
        again.wait("? help")
        wait_for_turn(again)
        assert again.quit() == 0
    [path] = (home / "sessions").glob("*.jsonl")
    assert '"action":' in "".join(read_lines(path))
    assert not emergency_save.list_saved(".jsonl")


def test_lost_decisions_are_reported_after_the_end(home):
    with open_unsaved_session(home) as terminal:
        terminal.send("ctrl+q", until=QUESTION)
        terminal.send("\x0c", "enter", until="Leave without saving?")
        terminal.send("enter")
        assert terminal.wait_for_end() == 1
        assert is_restored(terminal)
        assert b" lost; saving failed: the file is gone: " in terminal.output
    assert not emergency_save.list_saved(".jsonl")


def test_unsaved_settings_are_reported_after_the_end(home):
    with Terminal(home) as terminal:
        terminal.wait("Rummy")
        (home / "settings.toml.bak").mkdir()
        terminal.send(",", until="Settings")
        terminal.send("2", "down", "right", until="not saved: see Files")
        assert terminal.quit() == 1
        assert is_restored(terminal)
        assert b"the settings cannot be saved: " in terminal.output.rpartition(b"cardtable: ")[2]
