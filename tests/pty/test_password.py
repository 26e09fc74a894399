"""Passwords on a terminal: no hand before them, and never in the output."""

import pytest

from cardtable.store import profiles
from tests.pty.playing import wait_for_curtain
from tests.pty.terminal import SHORT_KEY_INTERVAL, Terminal


@pytest.fixture
def registered_player(home, monkeypatch):
    """Register Anna with a password that this process's program has not yet accepted."""
    monkeypatch.setenv("CARDTABLE_HOME", str(home))
    profiles.register("Anna", password="sesame77", again="sesame77")


def test_password_at_the_curtain_is_never_shown(home, registered_player):
    with Terminal(home, "play", "rikiki", "--seed", "7") as terminal:
        terminal.wait("Anna, your password")
        wait_for_curtain(terminal)
        terminal.send("wrong", "enter")
        terminal.wait("That is not the password")
        terminal.wait_until_quiet(SHORT_KEY_INTERVAL)
        terminal.send("sesame77", "enter")
        terminal.wait("Your bid")
        assert terminal.quit() == 0
        assert b"sesame77" not in terminal.output
        assert b"wrong" not in terminal.output


def test_password_in_plain_text_is_hidden(home, registered_player):
    with Terminal(home, "play", "rikiki", "--seed", "7", "--plain") as terminal:
        terminal.wait("Password of Anna (it is not shown):")
        terminal.send("sesame77", "enter")
        terminal.wait("Your hand: ")
        assert b"sesame77" not in terminal.output
