"""Completion in shells."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardtable.store import profiles
from tests.store.playing import create_session

SHELLS = ("bash", "zsh", "fish")


def request_completion(mode, words, home):
    """Return the program's answer to a shell that completes the last word."""
    environment = {
        **os.environ,
        "CARDTABLE_HOME": str(home),
        "_CARDTABLE_COMPLETE": mode,
        "COMP_WORDS": " ".join(["cardtable", *words]),
        "COMP_CWORD": str(len(words)) if not mode.startswith("fish") else words[-1],
    }
    done = subprocess.run(
        [sys.executable, "-m", "cardtable"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout


def complete_in_bash(words, home):
    """Return the words offered to bash."""
    return [line.split(",", 1)[1] for line in request_completion("bash_complete", words, home).split("\n") if line]


@pytest.mark.parametrize("shell", SHELLS)
def test_script_of_each_shell(shell, home):
    script = request_completion(f"{shell}_source", ["x"], home)
    assert f"_CARDTABLE_COMPLETE={shell}_complete" in script
    assert "cardtable" in script


@pytest.mark.promise("Commands", "Shells complete commands, options, games, house rules, robot levels and session ids.")
@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_completes_games(shell, home):
    assert "rikiki" in request_completion(f"{shell}_complete", ["play", "ri"], home)


@pytest.mark.promise("Commands", "Shells complete commands, options, games, house rules, robot levels and session ids.")
def test_bash_completes_commands_options_and_ids(home):
    session = create_session("rikiki")
    session.close()
    assert complete_in_bash(["do"], home) == ["doctor"]
    assert "--seats" in complete_in_bash(["play", "rikiki", "--se"], home)
    assert complete_in_bash(["play", "rikiki", "--option", "length="], home)
    assert all(text.startswith("length=") for text in complete_in_bash(["play", "rikiki", "--option", "length="], home))
    assert complete_in_bash(["resume", session.path.stem[:4]], home) == [session.path.stem]
    assert complete_in_bash(["show", "no-such"], home) == ["no-such"], "a file, for the shell to complete"


def test_bash_splits_at_equals_sign(home):
    for given, values in (("length =", ["full", "short"]), ("length = s", ["short"]), ("hook = n", ["never"])):
        assert complete_in_bash(["play", "rikiki", "--option", *given.split()], home) == values


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
def test_bash_splits_at_colon_and_equals_sign(words, answers, home):
    profiles.register("Anna")
    assert complete_in_bash(["play", "rikiki", *words], home) == answers


def test_completes_robot_files(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "mine.txt", "other.py"):
        (tmp_path / name).touch()
    assert complete_in_bash(["arena", "gurka", "--b", "mi"], home) == ["mine.py"]
    assert complete_in_bash(["arena", "gurka", "--b", "no"], home) == ["novice"]
    assert complete_in_bash(["arena", "gurka", "--b", "/no"], home) == ["/no"], "a file, for the shell to complete"


@pytest.mark.parametrize("words", [["--b", "mine.py", ":", "L"], ["--b", "=", "mine.py", ":", "L"]])
def test_completes_robots_in_a_file(words, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "raise SystemExit(9)\nclass Lowest: ...\nclass _Own: ...\nLast = Lowest\nimport os\ndef high(game): ...\n"
    (tmp_path / "mine.py").write_text(text)
    assert complete_in_bash(["arena", "gurka", *words], home) == ["Lowest", "Last"]
    assert complete_in_bash(["arena", "gurka", "--b", "mine.py", ":"], home) == ["Lowest", "Last", "high"]


@pytest.mark.parametrize("data", [b"class :", b"\xff", b"x = 1\0", b"(" * 300, None])
def test_file_without_robots(data, home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if data is not None:
        (tmp_path / "mine.py").write_bytes(data)
    assert complete_in_bash(["arena", "gurka", "--b", "mine.py", ":"], home) == []


def test_unsafe_file_name_is_left_to_the_shell(home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine $(touch x).py").touch()
    assert complete_in_bash(["arena", "gurka", "--b", "mine"], home) == ["mine"], "a file, for the shell to complete"


def test_bash_completes_split_words(home):
    line = "cardtable play rikiki --seats person : Anna,no"
    completion = request_completion("bash_source", ["x"], home)
    script = f"{completion} COMP_WORDS=({line}) COMP_CWORD=6 && _cardtable_completion cardtable"
    folder = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", f"{script}; echo ${{COMPREPLY[*]}}"], capture_output=True, text=True, check=True,
        env={**os.environ, "CARDTABLE_HOME": str(home), "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.stdout == "Anna,novice\n"


def test_scripts_keep_text_before_equals_sign(home):
    assert "compset -P 1 '*='" in request_completion("zsh_source", ["x"], home)
    assert request_completion("zsh_source", ["x"], home).count('compadd -U -i "$IPREFIX"') == 1
    assert 'echo "$before$metadata[2]"' in request_completion("fish_source", ["x"], home)


def test_house_rules_of_the_named_game(home):
    assert "room=5" in complete_in_bash(["play", "ten_down", "--option", ""], home)
    assert "room=5" not in complete_in_bash(["play", "rikiki", "--option", ""], home)
    assert "room=5" in complete_in_bash(["play", "--option", ""], home)


@pytest.mark.promise("Commands", "Shells complete commands, options, games, house rules, robot levels and session ids.")
def test_levels_alone_and_in_lists(home):
    assert complete_in_bash(["arena", "rikiki", "--a", "no"], home) == ["novice"]
    assert complete_in_bash(["arena", "rikiki", "--b", ""], home) == ["random", "novice", "steady", "expert"]
    assert complete_in_bash(["simulate", "rikiki", "--seats", "steady,ex"], home) == ["steady,expert"]
    assert complete_in_bash(["play", "rikiki", "--seats", "m"], home) == ["me"]
    assert "me,steady" in complete_in_bash(["play", "rikiki", "--seats", "me,"], home)
