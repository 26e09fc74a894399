"""Poor terminals, missing homes, and several programs in one home."""

from pathlib import Path

import pytest

from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE
from tests.pty.playing import PANEL, create_session, play_until_round, read_lines, wait_for_turn
from tests.pty.terminal import Terminal, run_in_parallel

NO_HOME_VARIABLES = {"CARDTABLE_HOME": None, "XDG_DATA_HOME": None}
"""Without a home of its own the program uses the user's data folder."""


def read_board(terminal):
    """Return the screen without the panel, whose messages start anew with the program."""
    return [row[:PANEL] for row in terminal.rows]


def test_poor_terminals_show_the_table(home):
    def play_with(environment):
        with Terminal(home, "resume", create_session(), environment=environment) as terminal:
            terminal.wait("? help")
            terminal.wait(lambda: any(suit in terminal.text for suit in "\u2663\u2666\u2665\u2660"))
            play_until_round(terminal, 2)
            assert terminal.quit() == 0
            assert b"Traceback" not in terminal.output

    run_in_parallel(play_with, [{"TERM": "vt100", "COLORTERM": None}, {"LC_ALL": "C"}, {"NO_COLOR": "1"}])


@pytest.mark.parametrize(
    "environment",
    [
        {"COLUMNS": "9" * 30, "LINES": "-1", "TEXTUAL_COLOR_SYSTEM": "bogus", "TEXTUAL_FPS": "9" * 20},
        {"COLUMNS": "1", "LINES": "\u00b2"},
    ],
)
def test_invalid_variables_are_ignored(home, environment):
    with Terminal(home, environment=environment) as terminal:
        terminal.wait("? help")
        assert len(terminal.text.splitlines()) == 24
        assert terminal.quit() == 0


@pytest.mark.parametrize("arguments", [(), ("play", "king")])
def test_dumb_terminal_is_referred_to_plain(home, arguments):
    with Terminal(home, *arguments, environment={"TERM": "dumb"}) as terminal:
        assert terminal.wait_for_end() == 1
        assert terminal.output == (
            b"cardtable: the table needs a terminal that can draw, and TERM=dumb cannot; "
            b"cardtable --plain plays in lines of text\r\n"
        )
    assert not (home / "sessions").exists()


def test_dumb_terminal_of_a_guest_by_ssh(home):
    with Terminal(home, environment={"TERM": "dumb", ADMISSION_TOKEN_VARIABLE: "token"}) as terminal:
        assert terminal.wait_for_end() == 1
        assert terminal.output.endswith(b"or install cardtable and join with --plain\r\n")


def test_small_terminal_shows_the_size_needed(home):
    with Terminal(home, "resume", create_session(), size=(30, 8)) as terminal:
        terminal.wait("60x18")
        terminal.resize(80, 24)
        terminal.wait("? help")
        play_until_round(terminal, 2)
        terminal.resize(30, 8)
        terminal.wait("60x18")
        assert terminal.quit() == 0
        assert b"Traceback" not in terminal.output


def create_folder_under_a_file(tmp_path):
    (tmp_path / "file").touch()
    return tmp_path / "file" / "home"


def find_system_folder(_tmp_path):
    return next(folder for folder in map(Path, ("/proc", "/System")) if folder.is_dir())


def test_unusable_home_is_reported(home, tmp_path):
    def play_with(case):
        create_home, notice = case
        environment = {**NO_HOME_VARIABLES, "HOME": str(create_home(tmp_path))}
        with Terminal(home, "play", "rikiki", "--seed", "5", environment=environment) as terminal:
            terminal.wait(lambda: notice in terminal.text and "saving failed: " in terminal.text)
            terminal.wait(lambda: "another folder  saving failed: " in terminal.rows[-1], press="enter")
            play_until_round(terminal, 2)
            terminal.send("ctrl+q")
            terminal.wait("Not on the disk: ")
            terminal.send("\x0c", "enter")
            terminal.wait("Leave without saving?")
            terminal.send("enter")
            assert terminal.wait_for_end() == 1
            assert b" lost; saving failed: " in terminal.output
            assert b"Traceback" not in terminal.output

    run_in_parallel(play_with, [(create_folder_under_a_file, "Problems in your files"), (find_system_folder, "")])


def test_first_line_of_picker_resumes_the_session(home):
    session = create_session()
    with Terminal(home, "resume", session) as terminal:
        play_until_round(terminal, 3)
        wait_for_turn(terminal)
        before = read_board(terminal)
        assert terminal.quit() == 0
    with Terminal(home) as terminal:
        terminal.wait("Continue:")
        terminal.wait("bid exactly")
        assert terminal.text.index("Continue:") < terminal.text.index("bid exactly")
        terminal.send("enter")
        terminal.wait("Rikiki  round")
        wait_for_turn(terminal)
        assert read_board(terminal) == before


def test_second_program_can_only_watch(home):
    session = create_session()
    path = home / "sessions" / f"{session}.jsonl"
    with Terminal(home, "resume", session) as first:
        first.wait("? help")
        with Terminal(home, "resume", session) as second:
            second.wait("Open elsewhere: you are only watching.")
            before = read_lines(path)
            second.send("enter", "enter")
            second.wait_until_quiet()
            assert read_lines(path) == before
            first.wait(lambda: len(read_lines(path)) > len(before), press="enter")
            assert second.quit() == 0
        assert first.quit() == 0
