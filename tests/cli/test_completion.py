"""Completion in shells."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardtable.cli import main as cli
from cardtable.store import profiles, seasons
from tests.cli.playing import parse_error
from tests.store.playing import create_session

SHELLS = ("bash", "zsh", "fish")


@pytest.fixture
def request_completion(monkeypatch, capsys):
    """Return a function that returns the program's answer to a shell that completes the last word."""

    def request(mode, words):
        monkeypatch.setenv("_CARDTABLE_COMPLETE", mode)
        monkeypatch.setenv("COMP_WORDS", " ".join(["cardtable", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)) if not mode.startswith("fish") else words[-1])
        with pytest.raises(SystemExit, match=r"^0$"):
            cli.run([])
        out, err = capsys.readouterr()
        assert err == ""
        return out

    return request


@pytest.fixture
def complete_in_bash(request_completion):
    """Return a function that returns the words offered to bash."""

    def complete(*words):
        return [line.split(",", 1)[1] for line in request_completion("bash_complete", words).split("\n") if line]

    return complete


@pytest.mark.parametrize("shell", SHELLS)
def test_script_of_each_shell(request_completion, shell):
    script = request_completion(f"{shell}_source", ["x"])
    assert f"_CARDTABLE_COMPLETE={shell}_complete" in script
    assert "cardtable" in script


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_completes_games(request_completion, shell):
    assert "rikiki" in request_completion(f"{shell}_complete", ["play", "ri"])


def test_bash_completes_commands_options_and_ids(complete_in_bash):
    session = create_session("rikiki")
    session.close()
    assert complete_in_bash("do") == ["doctor"]
    assert "--seats" in complete_in_bash("play", "rikiki", "--se")
    assert complete_in_bash("play", "rikiki", "--option", "length=")
    assert all(text.startswith("length=") for text in complete_in_bash("play", "rikiki", "--option", "length="))
    assert complete_in_bash("resume", session.path.stem[:4]) == [session.path.stem]
    assert complete_in_bash("show", "no-such") == ["no-such"], "a file, for the shell to complete"


def test_bash_completes_seasons(complete_in_bash):
    assert complete_in_bash("club", "season", "show", "A") == []
    for name in ("Autumn", "Advent", "All of it", "İlk"):
        seasons.add(seasons.Season(name, ("king",)))
    assert complete_in_bash("club", "season", "show", "A") == ["Autumn", "Advent"]
    assert complete_in_bash("club", "season", "show", "il") == ["İlk"]
    assert complete_in_bash("club", "season", "ex") == ["export"]


def test_bash_completes_games_levels_and_house_rules_of_a_tournament(complete_in_bash):
    new = ("club", "tournament", "new", "Cup", "--game")
    assert complete_in_bash(*new, "rik") == ["rikiki"]
    assert complete_in_bash(*new, "rikiki", "--level", "st") == ["steady"]
    assert complete_in_bash(*new, "rikiki", "--option", "open_hands=o") == ["open_hands=off", "open_hands=on"]


def test_bash_completes_pictures(complete_in_bash):
    assert complete_in_bash("replay", "x", "--sv") == ["--svg"]
    assert complete_in_bash("replay", "x", "--size", "8") == ["80x24"]
    assert complete_in_bash("export", "x", "--format", "s") == ["svg"]
    assert complete_in_bash("export", "x", "--output", "o") == ["o"], "a file, for the shell to complete"


def test_bash_splits_at_equals_sign(complete_in_bash):
    for text, values in (("length =", ["full", "short"]), ("length = s", ["short"]), ("hook = n", ["never"])):
        assert complete_in_bash("play", "rikiki", "--option", *text.split()) == values


@pytest.mark.parametrize(
    ("words", "answers"),
    [
        (["--seats", "me,st"], ["me,steady"]),
        (["--seats", "person", ":", "Anna,st"], ["Anna,steady"]),
        (["--seats", "person", ":", "An"], ["Anna"]),
        (["--seats", "me,person", ":", "Anna,no"], ["Anna,novice"]),
        (["--seats", "=", "me,st"], ["me,steady"]),
        (["--option", "=", "hook", "=", "al"], ["always"]),
        (["--option", "=", "hook", "="], ["over-four", "always", "never"]),
        (["--option", "hook", "=", "al"], ["always"]),
    ],
)
def test_bash_splits_at_colon_and_equals_sign(complete_in_bash, words, answers):
    profiles.register("Anna")
    assert complete_in_bash("play", "rikiki", *words) == answers


def test_completes_robot_files(complete_in_bash, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "mine.txt", "other.py"):
        (tmp_path / name).touch()
    assert complete_in_bash("arena", "gurka", "--b", "mi") == ["mine.py"]
    assert complete_in_bash("arena", "gurka", "--b", "no") == ["novice"]
    assert complete_in_bash("arena", "gurka", "--b", "/no") == ["/no"], "a file, for the shell to complete"


@pytest.mark.parametrize("words", [["--b", "mine.py", ":", "L"], ["--b", "=", "mine.py", ":", "L"]])
def test_completes_robots_in_a_file(complete_in_bash, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "raise SystemExit(9)\nclass Lowest: ...\nclass _Own: ...\nLast = Lowest\nimport os\ndef high(game): ...\n"
    (tmp_path / "mine.py").write_text(text)
    assert complete_in_bash("arena", "gurka", *words) == ["Lowest", "Last"]
    assert complete_in_bash("arena", "gurka", "--b", "mine.py", ":") == ["Lowest", "Last", "high"]


@pytest.mark.parametrize("data", [b"class :", b"\xff", b"x = 1\0", b"(" * 300, None])
def test_file_without_robots(complete_in_bash, data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if data is not None:
        (tmp_path / "mine.py").write_bytes(data)
    assert complete_in_bash("arena", "gurka", "--b", "mine.py", ":") == []


def test_unsafe_file_name_is_left_to_the_shell(complete_in_bash, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine $(touch x).py").touch()
    assert complete_in_bash("arena", "gurka", "--b", "mine") == ["mine"], "a file, for the shell to complete"


def test_bash_completes_split_words(request_completion, home):
    line = "cardtable play rikiki --seats person : Anna,no"
    completion = request_completion("bash_source", ["x"])
    script = f"{completion} COMP_WORDS=({line}) COMP_CWORD=6 && _cardtable_completion cardtable"
    folder = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", f"{script}; echo ${{COMPREPLY[*]}}"], capture_output=True, text=True, check=True,
        env={**os.environ, "CARDTABLE_HOME": str(home), "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.stdout == "Anna,novice\n"


def test_scripts_keep_text_before_equals_sign(request_completion):
    assert "compset -P 1 '*='" in request_completion("zsh_source", ["x"])
    assert request_completion("zsh_source", ["x"]).count('compadd -U -i "$IPREFIX"') == 1
    assert 'echo "$before$metadata[2]"' in request_completion("fish_source", ["x"])


def test_house_rules_of_the_named_game(complete_in_bash):
    assert "room=5" in complete_in_bash("play", "ten_down", "--option", "")
    assert "room=5" not in complete_in_bash("play", "rikiki", "--option", "")
    assert "room=5" in complete_in_bash("play", "--option", "")


def test_levels_alone_and_in_lists(complete_in_bash):
    assert complete_in_bash("arena", "rikiki", "--a", "no") == ["novice"]
    assert complete_in_bash("arena", "rikiki", "--b", "") == ["random", "novice", "steady", "expert"]
    assert complete_in_bash("simulate", "rikiki", "--seats", "steady,ex") == ["steady,expert"]
    assert complete_in_bash("play", "rikiki", "--seats", "m") == ["me"]
    assert "me,steady" in complete_in_bash("play", "rikiki", "--seats", "me,")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("variables", [{}, {"COMP_WORDS": "cardtable"}, {"COMP_CWORD": "1"}], ids=str)
def test_request_without_words_is_refused(monkeypatch, capsys, shell, variables):
    monkeypatch.setenv("_CARDTABLE_COMPLETE", f"{shell}_complete")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cli.run([]) == 2
    assert "COMP_WORDS and COMP_CWORD" in parse_error(capsys.readouterr().err)


@pytest.mark.parametrize("number", ["x", "", "\u00b2", "9" * 5000])
def test_request_without_number_is_refused(monkeypatch, capsys, number):
    monkeypatch.setenv("_CARDTABLE_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "cardtable")
    monkeypatch.setenv("COMP_CWORD", number)
    assert cli.run([]) == 2
    assert "COMP_WORDS and COMP_CWORD" in parse_error(capsys.readouterr().err)
