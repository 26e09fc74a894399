"""Poor terminals, missing homes, and several programs in one home."""

from pathlib import Path

import pytest

from tests.pty.playing import PANEL, begin, lines, reach_a_question, reach_round
from tests.pty.terminal import Terminal, side_by_side

NOWHERE = {"CARDTABLE_HOME": None, "XDG_DATA_HOME": None}
"""Without a home of its own the program uses the user's data folder."""


def board(terminal):
    """Return the screen without the panel, whose messages start anew with the program."""
    return [row[:PANEL] for row in terminal.rows]


def test_a_poor_terminal_has_the_table_too(home):
    def seen(environment):
        with Terminal(home, "resume", begin(), environment=environment) as terminal:
            terminal.wait("? help")
            terminal.wait(lambda: any(suit in terminal.text for suit in "\u2663\u2666\u2665\u2660"))
            reach_round(terminal, 2)
            assert terminal.leave() == 0
            assert b"Traceback" not in terminal.output

    side_by_side(seen, [{"TERM": "vt100", "COLORTERM": None}, {"LC_ALL": "C"}, {"NO_COLOR": "1"}])


@pytest.mark.promise("Commands", "Invalid environment variables are ignored and reported by `cardtable doctor`.")
@pytest.mark.parametrize(
    "environment",
    [
        {"COLUMNS": "9" * 30, "LINES": "-1"},
        {"COLUMNS": "1", "LINES": "\u00b2"},
        {"TEXTUAL_COLOR_SYSTEM": "bogus", "TEXTUAL_FPS": "9" * 20},
    ],
)
def test_absurd_variables_do_not_lead_it_astray(home, environment):
    with Terminal(home, environment=environment) as terminal:
        terminal.wait("? help")
        assert len(terminal.text.splitlines()) == 24
        assert terminal.leave() == 0


@pytest.mark.promise("Commands", "If the terminal cannot show the table, the error names `--plain`.")
@pytest.mark.parametrize("arguments", [(), ("play", "king")])
def test_a_terminal_that_cannot_draw_is_told_of_plain_lines(home, arguments):
    with Terminal(home, *arguments, environment={"TERM": "dumb"}) as terminal:
        assert terminal.wait_for_end() == 1
        assert terminal.output == (
            b"cardtable: the table needs a terminal that can draw, and TERM=dumb cannot; "
            b"cardtable --plain plays in lines of text\r\n"
        )
    assert not (home / "sessions").exists()


@pytest.mark.promise(
    "Settings and display",
    "80x24 is complete, 60x18 is playable, more space is used, and a smaller terminal shows the size needed.",
)
def test_a_terminal_too_small_says_so_until_it_grows(home):
    with Terminal(home, "resume", begin(), size=(30, 8)) as terminal:
        terminal.wait("60x18")
        terminal.resize(80, 24)
        terminal.wait("? help")
        reach_round(terminal, 2)
        terminal.resize(30, 8)
        terminal.wait("60x18")
        assert terminal.leave() == 0
        assert b"Traceback" not in terminal.output


def folder_under_a_file(tmp_path):
    (tmp_path / "file").touch()
    return tmp_path / "file" / "home"


def folder_of_the_system(_tmp_path):
    return next(folder for folder in map(Path, ("/proc", "/System")) if folder.is_dir())


def test_without_a_home_it_plays_and_says_that_nothing_is_saved(home, tmp_path):
    def seen(where):
        make, found = where
        environment = {**NOWHERE, "HOME": str(make(tmp_path))}
        with Terminal(home, "play", "rikiki", "--seed", "5", environment=environment) as terminal:
            terminal.wait(lambda: found in terminal.text and "saving failed: " in terminal.text)
            terminal.wait(lambda: "another folder  saving failed: " in terminal.rows[-1], press="enter")
            reach_round(terminal, 2)
            terminal.send("ctrl+q")
            terminal.wait("Not on the disk: ")
            terminal.send("\x0c", "enter")
            assert terminal.wait_for_end() == 1
            assert b" lost; saving failed: " in terminal.output
            assert b"Traceback" not in terminal.output

    side_by_side(seen, [(folder_under_a_file, "Wrong in your files"), (folder_of_the_system, "")])


@pytest.mark.promise(
    "Starting, leaving and saving",
    "After a restart the first line of the picker continues the latest session and shows its round and age.",
)
def test_who_comes_back_goes_on_first_of_all(home):
    session = begin()
    with Terminal(home, "resume", session) as terminal:
        reach_round(terminal, 3)
        reach_a_question(terminal)
        before = board(terminal)
        assert terminal.leave() == 0
    with Terminal(home) as terminal:
        terminal.wait("Go on")
        terminal.wait("bid exactly")
        assert terminal.text.index("Go on") < terminal.text.index("bid exactly")
        terminal.send("enter")
        terminal.wait("Rikiki  round")
        reach_a_question(terminal)
        assert board(terminal) == before


def test_a_second_instance_may_only_look(home):
    session = begin()
    path = home / "sessions" / f"{session}.jsonl"
    with Terminal(home, "resume", session) as first:
        first.wait("? help")
        with Terminal(home, "resume", session) as second:
            second.wait("Open elsewhere: you are only watching.")
            before = lines(path)
            second.send("enter", "enter")
            second.rest()
            assert lines(path) == before
            first.wait(lambda: len(lines(path)) > len(before), press="enter")
            assert second.leave() == 0
        assert first.leave() == 0
