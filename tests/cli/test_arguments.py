"""Arguments and help; one line for each error."""

import errno
import os
import platform
from pathlib import Path

import pytest

import cardtable as package
from cardtable import __version__, installation
from cardtable.cli import main as cli
from cardtable.games import ABOUT, KEYS
from cardtable.robots import timing
from cardtable.wording.players import describe_level_strength
from tests.cli.playing import parse_error
from tests.every_game import GAMES_WITH_RULES

NO_SUCH_GAME = f"no game is called 'whist'; the games are {', '.join(KEYS)}"
FIVE_ROBOTS = ",".join(["steady"] * 5)


def test_version_and_help_of_every_command(cardtable):
    assert cardtable("--version").out == f"cardtable {__version__}\n"
    top = cardtable("--help").read_output()
    for name, (_, description) in cli.COMMANDS.items():
        assert f"\n  {name} " in top
        assert f" {description}\n" in top
        out = cardtable(name, "--help").read_output()
        assert out.split("\n\n")[1].strip() == description
        assert out.startswith(f"Usage: cardtable {name}")


def test_help_and_version_are_commands(cardtable):
    assert cardtable("version").out == cardtable("--version").out
    assert cardtable("help").out == cardtable("--help").out
    for names in (["club", "kick"], ["club", "season", "new"], ["club", "season"], ["club", "tournament", "start"]):
        assert cardtable("help", *names).out == cardtable(*names, "--help").out
    for names, message in (
        (["club", "kik"], "no command is called 'kik'; did you mean kick?"),
        (["club", "season", "nw"], "no command is called 'nw'; did you mean new?"),
        (["club", "kick", "Bob"], "club kick has no command 'Bob', and no other; see cardtable help club kick"),
        (["play", "x"], "play has no command 'x', and no other; see cardtable help play"),
        (["kick"], "no command is called 'kick'"),
    ):
        assert cardtable("help", *names).read_error(2).startswith(message)
    for name in cli.COMMANDS:
        assert cardtable("help", name).out == cardtable(name, "--help").out


@pytest.mark.parametrize(("compiled", "how"), [(True, "compiled"), (False, "plain Python")])
def test_version_tells_how_robots_run(cardtable, monkeypatch, compiled, how):
    monkeypatch.setattr(installation, "is_compiled", lambda: compiled)
    for words in (["--version", "-v"], ["-v", "--version"]):
        assert cardtable(*words).out == f"cardtable {__version__}\nPython {platform.python_version()}\nrobots: {how}\n"
    assert f"\nrobots        {how}\n" in cardtable("doctor").out
    assert parse_error(cardtable("-v").err) == "-v needs --version"


def test_new_game_prints_no_escape_sequence(cardtable, tmp_path):
    out = cardtable("new-game", "foo", tmp_path / "\x1b]0;x\x07\u202e").read_output()
    assert out.rstrip("\n").isprintable()


def test_new_game_that_cannot_be_written_leaves_nothing(cardtable, tmp_path, monkeypatch):
    def refuse(path, *_arguments, **_options):
        if path.parent.name == "tests":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", refuse)
    ended = cardtable("new-game", "foo", tmp_path / "foo")
    assert (ended.code, list(tmp_path.iterdir())) == (1, [])


def test_help_of_play_states_level_strength(cardtable):
    help_text = " ".join(cardtable("play", "--help").out.split())
    for key in KEYS:
        assert f"{ABOUT[key].title} {describe_level_strength(key)}" in help_text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("fly", "no command is called 'fly'; cardtable --help lists all commands"),
        ("club fly", "no command is called 'fly'; cardtable club --help lists all commands"),
        ("king", "no command is called 'king'; did you mean cardtable play king?"),
        ("ten-down", "did you mean cardtable play ten_down?"),
        ("rumy", "no command is called 'rumy'; did you mean cardtable play rummy?"),
        ("--loud", "cardtable has no option --loud; see cardtable --help"),
        ("play rikiki --seeed 3", "cardtable play has no option --seeed; did you mean --seed?"),
        ("play rikiki --seed", "--seed needs a value; see cardtable play --help"),
        ("play rikiki --option", "--option needs a value; see cardtable rules GAME"),
        ("club tournament new Cup --level", "--level needs a value; see cardtable club tournament new --help"),
        ("list --json=3", "--json takes no value; see cardtable list --help"),
        ("--plain=3", "--plain takes no value; see cardtable --help"),
        ("verify", "FILE is missing; see cardtable verify --help"),
        ("rules", "GAME is missing; choose from: rikiki, king"),
        ("completion", "COMMAND is missing; see cardtable completion --help"),
        ("club season", "COMMAND is missing; see cardtable club season --help"),
        ("show one two", "too many words: two; see cardtable show --help"),
        ("export x --format pdf", "--format: 'pdf' is not one of 'markdown', 'csv', 'journal', 'svg'"),
        ("help fly", "no command is called 'fly'"),
        ("play", "rikiki"),
        ("play whist", NO_SUCH_GAME),
        ("play rikki", "no game is called 'rikki'; did you mean rikiki?"),
        ("shows", "no command is called 'shows'; did you mean show?"),
        ("simulate rikiki --seed 1", "--sessions"),
        ("simulate rikiki --sessions 1", "--seed"),
        ("simulate rikiki --sessions 0 --seed 1", "--sessions"),
        ("simulate rikiki --sessions 1 --seed 1000000000000000", "--seed"),
        ("simulate rikiki --sessions 1 --seed 1 --seats steady,steady,steady", "Rikiki has 4 seats, not 3"),
        (
            "simulate rikiki --sessions 1 --seed 1 --seats me,steady,steady,steady",
            "no level is called 'me'; the levels",
        ),
        ("simulate rikiki --sessions 1 --seed 1 --option speed=fast", "'speed'; the options are hook, length"),
        ("simulate rikiki --sessions 1 --seed 1 --option hook=no", "over-four, always or never"),
        ("simulate rikiki --sessions 1 --seed 1 --option hook", "NAME=VALUE"),
        ("simulate rikiki --sessions 1 --seed 1 --option hook=never --option hook=never", "twice"),
        (f"simulate gurka --sessions 1 --seed 1 --seats {FIVE_ROBOTS}", "Gurka has 4 or 6 seats, not 5"),
        ("play rikiki --option length=tiny", "full or short"),
        (f"play gurka --seats me,{FIVE_ROBOTS} --option seats=4", "option seats is 4, but there are 6 seats"),
        ("play gurka --seats me,steady,steady,steady --option seats=6", "option seats is 6, but there are 4 seats"),
        ("play rikiki --seed one", "--seed: 'one' is not a whole number"),
    ],
)
def test_rejects_wrong_arguments(cardtable, line, expected):
    assert expected in cardtable(*line.split()).read_error(2)


def test_table_without_terminal_creates_no_session(cardtable, home):
    for line in ([], ["play", "rikiki"], ["play", "rikiki", "--seats", "me,steady,novice,random"]):
        assert cardtable(*line).read_error(1) == "the table needs a terminal; cardtable --plain plays in lines of text"
    assert not list(home.glob("sessions/*"))


def test_times_of_the_rules_of_each_game(cardtable, monkeypatch):
    monkeypatch.setattr(timing, "_SECONDS", 0)
    heading, *rows = [line.split() for line in cardtable("games", "--time").out.splitlines()]
    assert heading == ["microseconds", "copy", "legal", "apply", "view", "imagine", "rollout", "worlds"]
    assert [row[0] for row in rows] == [*KEYS]
    assert all(float(time) > 0 for row in rows for time in row[5:])
    assert "cannot be combined" in cardtable("games", "--time", "--json").read_error(2)


@pytest.mark.parametrize("game", GAMES_WITH_RULES)
def test_rules_prints_the_page(cardtable, game):
    page = Path(package.__file__).parent / "games" / game / "rules.md"
    assert cardtable("rules", game).read_output() == page.read_text(encoding="utf-8")


@pytest.mark.parametrize("line", [("rules", "king", "--ascii"), ("--ascii", "rules", "king")])
def test_rules_in_ascii(cardtable, line):
    result = cardtable(*line)
    assert result.out.isascii()
    assert "KH must go" in result.out


@pytest.mark.parametrize("name", ["ten_down", "ten-down", "TEN-DOWN", "Ten Down", "tendown"])
def test_game_names_are_matched_loosely(cardtable, name):
    assert cardtable("rules", name).out.startswith("# Ten Down")
    assert cardtable("list", "--json", "--game", name).code == 0
    assert (
        cardtable("rankings", name).err
        == "cardtable: nobody is rated in Ten Down yet: a rating needs a finished session between rated players, "
        "with a deal not known before\n"
    )
