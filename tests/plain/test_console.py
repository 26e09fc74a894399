"""What is printed."""

import os
import sys

import pytest

from cardtable.plain import console

LINE = "Play 1: six of clubs; 2: eight of clubs; 3: queen-high."


@pytest.mark.parametrize(
    ("terminal", "printed"),
    [
        (True, ["Play 1: six of", "clubs; 2: eight of", "clubs;", "3: queen-high."]),
        (False, [LINE]),
    ],
)
def test_on_a_terminal_lines_break_between_words_and_never_after_a_number(monkeypatch, capsys, terminal, printed):
    monkeypatch.setattr(console, "get_terminal_size", lambda: os.terminal_size((18, 24)))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    console.say(LINE, "short")
    assert capsys.readouterr().out.splitlines() == [*printed, "short"]
