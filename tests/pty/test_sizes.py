"""Size of the window: that of the stream that is drawn on, whatever else is redirected and the environment says."""

import pytest

from tests.pty.terminal import CARDTABLE, Terminal

STALE = {"COLUMNS": "200", "LINES": "5"}
INTO_A_FILE = ("/bin/sh", "-c", '"$@" >"$CARDTABLE_HOME/output"', "sh", *CARDTABLE)


@pytest.mark.parametrize("environment", [{}, STALE], ids=["plain", "stale"])
@pytest.mark.parametrize("program", [CARDTABLE, INTO_A_FILE], ids=["terminal", "file"])
def test_screens_follow_the_window(home, program, environment):
    with Terminal(home, size=(100, 30), program=program, environment=environment) as terminal:
        for columns, rows in ((100, 30), (60, 18), (120, 40)):
            terminal.resize(columns, rows)
            terminal.wait(lambda width=columns: len(terminal.rows[-1].rstrip()) == width - 2)
        assert terminal.quit() == 0


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
