"""A user whose home folder is unknown: without HOME, and with no entry in the user data base, as in containers."""

import sys
from pathlib import Path

import pytest

from cardtable.cli import launch
from cardtable.store import emergency_save, paths
from tests.cli.playing import parse_error, write_session

NO_HOME = "no home folder is known for you; set CARDTABLE_HOME to a folder of your own"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows knows the home of every user")


@pytest.fixture
def without_user_entry(monkeypatch):
    """Remove the user from the user data base, and HOME."""

    def find_nobody(uid):
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", find_nobody)
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def no_home(without_user_entry, monkeypatch):
    for name in ("CARDTABLE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    "command",
    [
        *("help", "version", "games", "rules gurka", "schema list", "new-game dominion"),
        "simulate gurka --sessions 1 --seed 1 --seats random,random,random,random --output two.jsonl",
        "arena gurka --a random --b random --deals 1 --seed 1",
        *("verify one.jsonl", "show one.jsonl", "trace one.jsonl", "replay one.jsonl", "replay one.jsonl --svg -"),
        *("export one.jsonl", "export one.jsonl --format svg", "show king-of-hearts"),
    ],
)
def test_command_that_needs_no_home(cardtable, no_home, command):
    write_session(Path("one.jsonl"), rounds=28)
    result = cardtable(*command.split())
    assert (result.code, result.err) == (0, "")


@pytest.mark.parametrize(
    "command",
    [
        *("--plain", "play gurka --plain", "learn gurka --plain", "puzzles --plain"),
        *("score gurka --plain", "resume --plain", "resume", "list", "show 2026", "verify 2026", "statistics"),
        *("rankings", "share", "join localhost:28412 --plain", "serve", "host", "club", "club season list"),
        *("club backup x.zip", "reset-password Anna", "reveal 2026"),
    ],
)
def test_command_that_needs_a_home(cardtable, no_home, command):
    assert cardtable(*command.split()).read_error(1) == NO_HOME
    assert not list(Path().iterdir())


def test_screens_need_a_home(no_home, monkeypatch):
    monkeypatch.setattr(launch, "require_terminal", lambda: None)
    with pytest.raises(launch.CardtableError, match="set CARDTABLE_HOME"):
        launch.open_screen()


def test_doctor_shows_the_rest(cardtable, no_home):
    result = cardtable("doctor")
    assert result.read_error(1, prints=True) == NO_HOME
    assert "\nother games   " in result.out
    assert "\nterminal      " in result.out


def test_named_home_suffices(cardtable, without_user_entry, home):
    home.mkdir()
    assert cardtable("doctor").code == 0
    assert cardtable("play", "gurka", "--plain", "--seed", 1).code == 0
    assert len(list((home / "sessions").iterdir())) == 1


def test_unwritable_home_without_a_state_folder(without_user_entry, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert paths.state_folder() is None
    saved = emergency_save.save("one.jsonl", b"{}\n")
    assert saved.parent.parent == tmp_path
    assert emergency_save.list_saved(".jsonl") == [saved]


@pytest.mark.parametrize("folder", ["~", "~/games"])
def test_tilde_in_the_variable_means_the_home(cardtable, tmp_path, monkeypatch, folder):
    monkeypatch.setenv("HOME", str(tmp_path / "anna"))
    monkeypatch.setenv("CARDTABLE_HOME", folder)
    assert paths.home() == tmp_path / folder.replace("~", "anna")
    assert cardtable("play", "gurka", "--plain", "--seed", 1).code == 0
    assert (paths.home() / "sessions").is_dir()
    assert not Path("~").exists()


@pytest.mark.parametrize("folder", ["~", "~/games", "~nobody-here/games"])
def test_tilde_without_a_home(cardtable, no_home, monkeypatch, folder):
    monkeypatch.setenv("CARDTABLE_HOME", folder)
    assert parse_error(cardtable("list").err) == f"CARDTABLE_HOME={folder}: no such home folder is known"
    assert not list(Path().iterdir())


def test_tilde_that_the_shell_leaves_alone(cardtable, tmp_path, monkeypatch):
    anna = tmp_path / "anna"
    monkeypatch.setenv("HOME", str(anna))
    write_session(anna / "one.jsonl", rounds=28)
    (anna / "mine.py").write_text("class First:\n    def __init__(self, game): pass\n")
    for command in (
        "show ~/one.jsonl",
        "verify ~/one.jsonl",
        "export ~/one.jsonl --output=~/one.md",
        "replay ~/one.jsonl --svg=~/one.svg",
        "simulate gurka --sessions=1 --seed=1 --seats=random,random,random,random --output=~/two.jsonl",
        "new-game dominion ~/dominion",
    ):
        assert cardtable(*command.split()).code == 0
    assert sorted(path.name for path in anna.iterdir()) == [
        *("dominion", "mine.py", "one.jsonl", "one.md", "one.svg", "two.jsonl")
    ]
    arena = cardtable("arena", "gurka", "--a=~/mine.py:Second", "--b=random", "--deals=1", "--seed=1")
    assert "no robot is called 'Second'" in parse_error(arena.err)
    assert not Path("~").exists()
