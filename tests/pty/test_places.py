"""First frame, strange variables, dumb terminals, missing homes, and quitting right after a change."""

from pathlib import Path

import pytest

from cardtable.store import settings
from cardtable.store.club_tokens import ADMISSION_TOKEN_VARIABLE
from tests.pty.playing import play_until_round
from tests.pty.terminal import FRAME_END, Terminal, run_in_parallel

NO_HOME_VARIABLES = {"CARDTABLE_HOME": None, "XDG_DATA_HOME": None}
"""Without a home of its own the program uses the user's data folder."""


@pytest.mark.parametrize("command", [[], ["play", "gurka", "--seed", "1"]], ids=["picker", "table"])
def test_first_frame_is_complete(command, tmp_path):
    with Terminal(tmp_path, *command) as terminal:
        terminal.wait(lambda: FRAME_END in terminal.output)
        assert b"help" in terminal.output.partition(FRAME_END)[0]


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


ADVICE = (
    b"cardtable: the table needs a terminal that can draw, and TERM=dumb cannot; "
    b"cardtable --plain plays in lines of text"
)
OF_A_GUEST_BY_SSH = {ADMISSION_TOKEN_VARIABLE: "token"}


@pytest.mark.parametrize(
    ("arguments", "variables", "ending"),
    [
        ((), {}, ADVICE),
        (("play", "king"), {}, ADVICE),
        ((), OF_A_GUEST_BY_SSH, b"or install cardtable and join with --plain"),
    ],
)
def test_dumb_terminal_is_referred_to_plain(home, arguments, variables, ending):
    with Terminal(home, *arguments, environment={"TERM": "dumb", **variables}) as terminal:
        assert terminal.wait_for_end() == 1
        assert terminal.output.endswith(ending + b"\r\n")
    assert not (home / "sessions").exists()


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
            terminal.send("ctrl+q", until="Not on the disk: ")
            terminal.send("\x0c", "enter", until="Leave without saving?")
            terminal.send("enter")
            assert terminal.wait_for_end() == 1
            assert b" lost; saving failed: " in terminal.output

    run_in_parallel(play_with, [(create_folder_under_a_file, "Problems in your files"), (find_system_folder, "")])


def test_last_change_is_saved_at_an_immediate_quit(home):
    with Terminal(home) as terminal:
        terminal.wait("? help")
        terminal.send(",", until="saved in settings.toml")
        terminal.send("2", "right", "3", *["right"] * 5, "ctrl+q")
        assert terminal.wait_for_end() == 0
    chosen, complaints = settings.load()
    assert complaints == []
    assert (chosen.hand_order, chosen.robot_pace, chosen.trick_pause) == ("suit", 1.0, 0.0)
