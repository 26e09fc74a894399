"""``cardtable doctor``: facts and problems."""

import errno
import shlex

import pytest

from cardtable import __version__
from cardtable.games import GAMES
from cardtable.store import paths
from cardtable.store.settings import COLOUR_VARIABLES
from tests.cli.playing import PEOPLE, parse_error, write_session
from tests.store.disk_faults import FaultyDisk
from tests.store.playing import create_session

ID = "20261120-083728-rikiki-7f3a"
FULL = GAMES["rikiki"].options().rounds


def test_empty_home_stays_uncreated(cardtable, home):
    out = cardtable("doctor").read_output()
    assert out.startswith(f"program       cardtable {__version__}, Python ")
    assert f"home          {home} (not created yet)\n" in out
    assert "sessions, 0 sessions not over\n" in out
    assert "settings.toml (none: all settings have their defaults)\n" in out
    assert "files         no problems\n" in out
    assert "terminal      none here: the table needs one, --plain does not\n" in out
    assert not home.exists(), "the doctor creates no files"


def test_reports_every_invalid_file(cardtable, home):
    create_session("rikiki").close()
    paths.create_folder(home / "themes")
    paths.settings_file().write_text('robot_pace = "fast"\ntheme = "mine"\n[keys]\nhint = "l"\n')
    (home / "themes" / "mine.toml").write_text("title = 1\n")
    (home / "sessions" / "broken.jsonl").write_text("not a journal\n")
    result = cardtable("doctor")
    assert result.code == 1
    assert "1 session not over" not in result.out, "a broken session counts as not over"
    assert "sessions, 2 sessions not over\n" in result.out
    lines = result.err.splitlines()
    assert all(line.startswith("cardtable: ") for line in lines)
    for wrong in ("robot_pace cannot be 'fast'", "'l' is both hint and previous_trick", "mine.toml", "broken.jsonl"):
        assert [line for line in lines if wrong in line], wrong
    assert "no problems" not in result.out
    [themes] = [line for line in result.out.splitlines() if line.startswith("themes ")]
    assert "mine" not in themes.partition(";")[0], "an invalid theme is not listed"


@pytest.mark.parametrize(
    ("folder", "obstacle", "message"),
    [
        ("", "dangling", "a symbolic link that leads nowhere stands where a folder must be"),
        ("", "loop", "a symbolic link that leads nowhere stands where a folder must be"),
        ("", "file", "a file stands where a folder must be"),
        ("sessions", "file", "a file stands where a folder must be"),
        ("archive", "dangling", "a symbolic link that leads nowhere stands where a folder must be"),
        ("exports", "file", "a file stands where a folder must be"),
        ("themes", "file", "Not a directory"),
        ("themes", "dangling", "No such file or directory"),
    ],
)
def test_reports_obstacle_in_place_of_a_folder(cardtable, home, folder, obstacle, message):
    place = home / folder
    place.parent.mkdir(exist_ok=True)
    if obstacle == "file":
        place.write_text("mine")
    else:
        place.symlink_to(place if obstacle == "loop" else home.parent / "gone")
    result = cardtable("doctor")
    assert result.code == 1
    first = result.err.splitlines(keepends=True)[0]
    assert parse_error(first).endswith(f"{str(place)[-40:]}: {message}")
    assert "no problems" not in result.out
    assert folder or "(not created yet)" not in result.out, "the home is occupied, not missing"


@pytest.mark.parametrize("below", ["", "and/below"])
def test_file_in_place_of_the_home_is_reported_once(cardtable, home, monkeypatch, below):
    home.write_text("mine")
    monkeypatch.setenv("CARDTABLE_HOME", str(home / below))
    assert cardtable("doctor").read_error(1, prints=True).endswith(": a file stands where a folder must be")


@pytest.mark.parametrize("call", ["write", "fsync"])
def test_reports_failed_trial_write(cardtable, home, monkeypatch, call):
    create_session("rikiki").close()
    cardtable("list")
    before = sorted(home.rglob("*"))
    with FaultyDisk(monkeypatch).failing(0, errno.ENOSPC, lasting=True, only=(call,)):
        result = cardtable("doctor")
    assert result.code == 1
    assert [line for line in result.err.splitlines() if line.endswith("/home: No space left on device")]
    assert sorted(home.rglob("*")) == before


def test_finished_session_that_cannot_be_archived(cardtable, monkeypatch):
    path = paths.sessions_folder() / "20000101-000000-gurka-0001.jsonl"
    paths.create_folder(paths.sessions_folder())
    cardtable("simulate", "gurka", "--sessions", 1, "--seed", 1, "--seats", ",".join(["random"] * 4), "--output", path)
    with FaultyDisk(monkeypatch).failing(0, errno.EIO, lasting=True, only=("rename",)):
        error = cardtable("doctor").read_error(1, prints=True)
    assert error.endswith(": it is over and cannot be moved into the archive: Input/output error")
    assert cardtable("doctor").code == 0
    assert (paths.archive_folder() / path.name).exists()


@pytest.mark.parametrize(
    ("variables", "colours"),
    [
        ({"NO_COLOR": "1"}, "none, because of NO_COLOR; the terminal can show "),
        ({"NO_COLOR": "", "COLORTERM": "truecolor"}, "all colours"),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, "none, because of NO_COLOR"),
        ({"FORCE_COLOR": "0"}, "none, because of FORCE_COLOR=0"),
        ({"FORCE_COLOR": "3"}, "all colours"),
        ({"CLICOLOR": "0"}, "none, because of CLICOLOR=0"),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1", "COLORTERM": "truecolor"}, "all colours"),
    ],
    ids=str,
)
def test_colours_in_force(cardtable, monkeypatch, variables, colours):
    for name in ("COLORTERM", "TEXTUAL_COLOR_SYSTEM", *COLOUR_VARIABLES):
        monkeypatch.setenv(name, "")  # what the program sets is taken back, too
        monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert f"\ncolours       {colours}" in cardtable("doctor").out


def test_hostile_environment_is_escaped(cardtable, monkeypatch):
    monkeypatch.setenv("TERM", "xterm\x1b[31m")
    assert "\x1b" not in cardtable("doctor").out


@pytest.mark.parametrize(
    ("name", "value", "sensible"),
    [
        ("TEXTUAL_COLOR_SYSTEM", "bogus", "auto, standard, 256 or truecolor"),
        ("TEXTUAL_FPS", "99999999999999999999", "a number from 1 to 999"),
        ("ESCDELAY", "99999999999999999999", "a number from 1 to 9999"),
    ],
)
def test_reports_ignored_variable(cardtable, monkeypatch, name, value, sensible):
    monkeypatch.setenv(name, value)
    out = cardtable("doctor").read_output()
    assert f"ignored       {name}={value}, which is not {sensible}\n" in out


def test_offers_conflicting_copies_as_new_sessions(cardtable, home):
    own = write_session(home / "sessions" / f"{ID}.jsonl", PEOPLE, decisions=3)
    write_session(home / "sessions" / f"{ID} 2.jsonl", PEOPLE, decisions=1)
    apart = write_session(
        home / "sessions" / f"{ID} (Anna's conflicted copy).jsonl", PEOPLE, rounds=2, message="not here"
    )
    by_hand = home / "sessions" / f"{ID}~.jsonl"
    by_hand.write_bytes(b"".join(line[:-18] + b"}\n" for line in own.read_bytes().splitlines()))
    over = write_session(home / "archive" / f"{ID}.sync-conflict-20261120-083728-ABC.jsonl", rounds=FULL)
    result = cardtable("doctor")
    assert result.code == 1
    assert "copies        1 file with the same moves as a session, or fewer; can be deleted\n" in result.out
    wrong = {each: line for line in result.err.splitlines() for each in (apart, by_hand, over) if each.name in line}
    assert len(wrong) == len(result.err.splitlines()) == 3
    assert "a copy that does not count, because it has no checksums" in wrong[by_hand]
    for path in (apart, by_hand):
        offer = wrong[path].partition("; ")[2].removesuffix(" continues it as a new session")
        assert shlex.split(offer) == ["cardtable", "resume", "--copy", str(path)]
    assert wrong[over].endswith(f"; cardtable replay {shlex.quote(str(over))} shows it")
    assert all(line.isprintable() for line in result.err.splitlines())


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"not a journal\n",
        lambda data: data.replace(b'"game"', b'"game', 1),
        lambda data: data + b'{"end":1}\n',
        lambda data: data + b'{"name":\xff}\n',
        lambda data: data + b'{"sit":"x"}\n',
        lambda data: data + b"[" * 3000 + b"\n",
    ],
)
def test_damaged_session_is_no_fault_of_the_program(cardtable, damage):
    session = create_session("rikiki")
    session.close()
    (paths.sessions_folder() / "bad.jsonl").write_bytes(damage(session.file.path.read_bytes()))
    for arguments in (["list"], ["doctor"], ["resume"], ["verify", "bad"], ["statistics"]):
        result = cardtable(*arguments)
        assert "cardtable: crashed" not in result.err
        assert result.code < 2


@pytest.mark.parametrize(
    "name",
    [
        *("profiles.json", "lessons.json", "puzzles.json", "club.json", "seasons.json", "clubs.json"),
        *("tournaments.json", "tournament-keys.json"),
    ],
)
def test_damaged_json_is_reported_and_unchanged(cardtable, home, name):
    home.mkdir()
    (home / name).write_bytes(b"{")
    assert f"{name}: " in cardtable("doctor").read_error(1, prints=True)
    assert (home / name).read_bytes() == b"{"


def test_copies_of_shared_files(cardtable, home):
    home.mkdir()
    (home / "settings.toml").write_text("robot_pace = 0.2\n")
    (home / "settings (1).toml").write_text("robot_pace = 0.2\n")
    (home / "club-LAPTOP.json").write_text("{}\n")
    result = cardtable("doctor")
    assert "copies        1 file without anything new; can be deleted\n" in result.out
    assert result.read_error(1, prints=True) == (
        "club-LAPTOP.json: a copy of club.json from another machine, which does not count; close cardtable and give it "
        "the name club.json to use it instead, or delete it"
    )
    (home / "club-LAPTOP.json").unlink()
    assert cardtable("doctor").code == 0
