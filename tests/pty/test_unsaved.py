"""Ends of the program while its home is gone: unsaved play is saved elsewhere and offered again."""

import shutil
import signal
import time
from contextlib import contextmanager

import pytest

from cardtable.store import emergency_save
from tests.pty.playing import begin, lines, reach_a_question
from tests.pty.terminal import BETWEEN, PATIENCE, Terminal
from tests.pty.test_signals import restored

pytestmark = pytest.mark.promise(
    "Starting, leaving and saving", "Unsaved play is never lost without a question or a message."
)

QUESTION = "Not on the disk: "


@contextmanager
def unsaved(home, **how):
    """Open a session whose home is deleted, and play another decision."""
    session = begin()
    with Terminal(home, "resume", session, **how) as terminal:
        terminal.wait("? help")
        reach_a_question(terminal)
        shutil.rmtree(home)
        terminal.wait("saving failed: the file is gone", press="enter")
        terminal.rest()
        yield terminal


def kept():
    """Return the lines of the only session saved elsewhere."""
    [path] = emergency_save.list_saved(".jsonl")
    return "".join(lines(path))


@pytest.mark.promise(
    "Starting, leaving and saving",
    "If a signal or a lost terminal ends the program while saving fails, the session is saved in another place.",
)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_it_with_all_kept_elsewhere_and_told(home, number):
    with unsaved(home) as terminal:
        assert terminal.kill(number) == 1
        assert restored(terminal)
        [path] = emergency_save.list_saved(".jsonl")
        found = terminal.output.decode().rpartition("cardtable: ")[2]
        assert " not saved; saving failed: the file is gone: " in found
        assert str(path) in found.replace("\r\n", "")
    assert '"action":' in kept()


@pytest.mark.promise(
    "Starting, leaving and saving",
    "If a signal or a lost terminal ends the program while saving fails, the session is saved in another place.",
)
def test_a_window_that_is_gone_without_a_signal_ends_it_so_too(home):
    with unsaved(home, owned=False) as terminal:
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE) == 1
    assert '"action":' in kept()


def test_a_window_that_stands_still_ends_it_so_too(home):
    with unsaved(home) as terminal:
        for _ in range(100):
            terminal.send("m", "\x1b")  # nothing of what is drawn for it is read
            time.sleep(0.01)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.process.wait(PATIENCE) == 1
    assert '"action":' in kept()


def test_ctrl_q_asks_once_and_at_the_next_start_it_is_offered(home):
    with unsaved(home) as terminal:
        terminal.send("ctrl+q", "ctrl+q")
        terminal.wait(QUESTION)
        terminal.send("\x1b")
        terminal.wait(lambda: QUESTION not in terminal.text)
        terminal.send("\x1b")
        terminal.wait(QUESTION)
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait_for_end() == 1
        assert restored(terminal)
    with Terminal(home) as again:
        again.wait("A session is kept elsewhere")
        time.sleep(BETWEEN)
        again.send("enter")
        again.wait("? help")
        reach_a_question(again)
        assert again.leave() == 0
    [path] = (home / "sessions").glob("*.jsonl")
    assert '"action":' in "".join(lines(path))
    assert not emergency_save.list_saved(".jsonl")


@pytest.mark.promise(
    "Starting, leaving and saving",
    "A player who leaves without saving sees after the end what was lost; the exit code is 1.",
)
def test_who_leaves_unsaved_is_told_after_the_end(home):
    with unsaved(home) as terminal:
        terminal.send("ctrl+q")
        terminal.wait(QUESTION)
        terminal.send("\x0c", "enter")
        assert terminal.wait_for_end() == 1
        assert restored(terminal)
        assert b" lost; saving failed: the file is gone: " in terminal.output
    assert not emergency_save.list_saved(".jsonl")


def test_settings_that_cannot_be_saved_are_told_after_the_end_too(home):
    with Terminal(home) as terminal:
        terminal.wait("Rummy")
        (home / "settings.toml.bak").mkdir()
        terminal.send(",")
        terminal.wait("Settings")
        terminal.send("2", "down", "right")
        terminal.wait("not saved: see Files")
        assert terminal.leave() == 1
        assert restored(terminal)
        assert b"the settings cannot be saved: " in terminal.output.rpartition(b"cardtable: ")[2]
