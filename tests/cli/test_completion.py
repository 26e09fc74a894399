"""Completion in shells, and its installation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardtable.cli import main as cli
from cardtable.engine.text_format import shorten_path
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
def test_each_shell_completes_games(request_completion, shell):
    assert "rikiki" in request_completion(f"{shell}_complete", ["play", "ri"])


def test_bash_completes_ids_and_names(complete_in_bash):
    session = create_session("rikiki")
    session.close()
    assert complete_in_bash("resume", session.path.stem[:4]) == [session.path.stem]
    assert complete_in_bash("club", "season", "show", "A") == []
    for name in ("Autumn", "Advent", "All of it", "İlk"):
        seasons.add(seasons.Season(name, ("king",)))
    assert complete_in_bash("club", "season", "show", "A") == ["Autumn", "Advent"]
    assert complete_in_bash("club", "season", "show", "il") == ["İlk"]


@pytest.mark.parametrize(
    ("line", "answers"),
    [
        ("do", ["doctor"]), ("club season ex", ["export"]), ("play rikiki --se", ["--seats", "--seed"]),
        ("play rikiki --option length=", ["length=full", "length=short"]),
        ("play rikiki --option length =", ["full", "short"]),
        ("play rikiki --option length = s", ["short"]), ("play rikiki --option hook = n", ["never"]),
        ("play rikiki --option hook = al", ["always"]), ("play rikiki --option = hook = al", ["always"]),
        ("play rikiki --option = hook =", ["over-four", "always", "never"]),
        ("play rikiki --seats m", ["me"]), ("play rikiki --seats me,st", ["me,steady"]),
        ("play rikiki --seats = me,st", ["me,steady"]),
        ("play rikiki --seats person : Anna,st", ["Anna,steady"]),
        ("play rikiki --seats person : An", ["Anna"]),
        ("play rikiki --seats me,person : Anna,no", ["Anna,novice"]),
        ("simulate rikiki --seats steady,ex", ["steady,expert"]), ("arena rikiki --a no", ["novice"]),
        ("club tournament new Cup --game rik", ["rikiki"]),
        ("club tournament new Cup --game rikiki --level st", ["steady"]),
        ("club tournament new Cup --game rikiki --option open_hands=o", ["open_hands=off", "open_hands=on"]),
        ("replay x --sv", ["--svg"]), ("replay x --size 8", ["80x24"]), ("export x --format s", ["svg"]),
        ("export x --output o", ["o"]), ("show no-such", ["no-such"]),
    ],
)  # fmt: skip
def test_bash_completes(complete_in_bash, line, answers):
    profiles.register("Anna")
    assert complete_in_bash(*line.split()) == answers


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


@pytest.mark.parametrize(("shell", "variables"), [
    *[(shell, each) for shell in SHELLS for each in ({}, {"COMP_WORDS": "cardtable"}, {"COMP_CWORD": "1"})],
    *[("bash", {"COMP_WORDS": "cardtable", "COMP_CWORD": number}) for number in ("x", "", "\u00b2", "9" * 5000)],
], ids=str)  # fmt: skip
def test_request_without_words_and_number_is_refused(monkeypatch, capsys, shell, variables):
    for name, value in {"_CARDTABLE_COMPLETE": f"{shell}_complete", **variables}.items():
        monkeypatch.setenv(name, value)
    assert cli.run([]) == 2
    assert "COMP_WORDS and COMP_CWORD" in parse_error(capsys.readouterr().err)


FILES = {
    "bash": "bash-completion/completions/cardtable",
    "zsh": "zsh/site-functions/_cardtable",
    "fish": "fish/vendor_completions.d/cardtable.fish",
}


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Return the folder of the user's data, which does not exist yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("SHELL", raising=False)
    return tmp_path / "data"


@pytest.mark.parametrize("shell", FILES)
def test_installs_and_removes_completion(cardtable, data, shell):
    path = data / FILES[shell]
    first = cardtable("completion", "install", shell).read_output()
    script = path.read_text(encoding="utf-8")
    assert f"_CARDTABLE_COMPLETE={shell}_complete" in script
    assert first.startswith(f"The completion for {shell} is in {path}; ")
    assert first.count("\n") == 1
    # a second time nothing changes
    assert cardtable("completion", "install", shell).out == first
    assert path.read_text(encoding="utf-8") == script
    # the file is removed, and that, too, can be done twice
    assert cardtable("completion", "uninstall", shell).out == f"The completion for {shell} is removed: {path}\n"
    assert not path.exists()
    again = cardtable("completion", "uninstall", shell).read_output()
    assert again == f"The completion for {shell} is not installed: there is no {path}\n"


def test_zsh_registers_completion_when_it_loads_the_file(cardtable, data):
    """Only the first call runs the part for autoloading; without ``compdef`` the second Tab would offer nothing."""
    cardtable("completion", "install", "zsh")
    script = (data / FILES["zsh"]).read_text(encoding="utf-8")
    (loading,) = [part for part in script.split("if [[") if "== loadautofunc ]]" in part]
    calls = [line.strip() for line in loading.partition("else")[0].splitlines() if "_completion" in line]
    assert calls == ["compdef _cardtable_completion cardtable", '_cardtable_completion "$@"']


@pytest.mark.parametrize("variable", ["/bin/zsh", "/usr/local/bin/zsh", "zsh.exe"])
def test_shell_of_the_user(cardtable, data, monkeypatch, variable):
    monkeypatch.setenv("SHELL", variable)
    assert cardtable("completion", "install").out.startswith("The completion for zsh is in ")


def test_unknown_shell_is_one_line(cardtable, data, monkeypatch):
    names = "name one of bash, zsh, fish"
    error = cardtable("completion", "install").read_error(2)
    assert error == f"the variable SHELL does not name your shell; {names}"
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    assert cardtable("completion", "install").read_error(2) == f"there is no completion for tcsh; {names}"
    error = cardtable("completion", "install", "nu").read_error(2)
    assert error.startswith("SHELL: 'nu' is not one of 'bash', 'zsh', 'fish'; ")
    assert not data.exists()


def test_unusable_folder_is_one_line(cardtable, data):
    data.write_text("a file where the folder should be")
    error = cardtable("completion", "install", "fish").read_error(1)
    assert error.startswith(f"{shorten_path(data / FILES['fish'])}: ")


def test_relative_data_folder_is_ignored(cardtable, tmp_path, monkeypatch):
    """The specification of XDG_DATA_HOME demands an absolute path."""
    monkeypatch.setenv("XDG_DATA_HOME", "data")
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "me")
    cardtable("completion", "install", "bash")
    assert (tmp_path / "me/.local/share" / FILES["bash"]).is_file()
    assert not Path("data").exists()


def test_unknown_home_is_one_line(cardtable, monkeypatch):
    def fail():
        raise RuntimeError

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", fail)
    error = cardtable("completion", "install", "bash").read_error(1)
    assert error == "your home folder is not known; set XDG_DATA_HOME"
