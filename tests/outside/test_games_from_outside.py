"""Games of other packages, found where the examples are installed; run by ``make test-outside``."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cardtable_hearts
import pytest

from cardtable.games import ABOUT, GAMES, KEYS, find_key, find_plugins, get_plugin_package, list_keys

EARLIER, NOW, LATER = "cardtable.games.3", "cardtable.games.4", "cardtable.games.5"
REJECTED = "cardtable: the game {!r} of broken-{} 1.0 cannot be loaded: "
CROWDED = """
from cardtable_hearts import Hearts
from msgspec.structs import replace
class Crowded(Hearts):
    about = replace(Hearts.about, key="crowded", seats=(4, 9, 12))
GAME = Crowded()
"""
UPGRADING = ', and this program has 4: see "Publishing and upgrading" in the documentation'
UNPRINTABLE_ERROR = """
class Silent(Exception):
    def __str__(self):
        raise self

raise Silent
"""
BROKEN_PACKAGES = {
    "raises": (NOW, "raise RuntimeError('no luck\\nat all')", "RuntimeError: no luck at all"),
    "leaves": (NOW, "raise SystemExit(3)", "SystemExit: 3"),
    "skips": (NOW, "class Skipped(BaseException): pass\nraise Skipped('no luck')", "Skipped: no luck"),
    "silent": (NOW, UNPRINTABLE_ERROR, "Silent"),
    "newer": (LATER, "raise AssertionError('imported')", f"it is made for contract 5{UPGRADING}"),
    "older": (EARLIER, "raise AssertionError('imported')", f"it is made for contract 3{UPGRADING}"),
    "king": (NOW, "GAME = None", "there is another game with the key king: that of cardtable"),
    "empty": (NOW, "", "broken_empty has no GAME"),
    "class": (
        NOW,
        "from cardtable_hearts import Hearts as GAME",
        "broken_class has no GAME; end it with GAME = Hearts()",
    ),
    "other": (NOW, "from cardtable_hearts import GAME", "it calls itself hearts"),
    "crowded": (NOW, CROWDED, "it is for 9 or 12 players, and a table has 2 to 8 seats"),
    "Loud": (NOW, "", "its key is not 2 to 20 lower-case letters, digits and _"),
}
"""Packages that provide no usable game: entry point group, source of the module, reason for the rejection."""


FAILING_GAME = """
import os
from cardtable.workers import time_limit
from cardtable_hearts import Hearts, HeartsState, Options as Usual, Pass
from msgspec.structs import replace

def tried(name, real):
    def asked(*arguments):
        if os.environ.get("FAILS") == name:
            raise LookupError(arguments)
        if os.environ.get("FAILS") == f"{name} exits":
            raise SystemExit(3)
        while os.environ.get("FAILS") == f"{name} loops":
            pass
        if os.environ.get("FAILS") == f"{name} ends the process":
            os._exit(3)
        return None if os.environ.get("FAILS") == f"{name} is nothing" else real(*arguments)
    return asked

class State(HeartsState):
    legal, apply, view = [tried(name, getattr(HeartsState, name)) for name in ("legal", "apply", "view")]

class Options(Usual):
    rounds = property(tried("rounds", lambda _: None))

Pass.notation = property(tried("notation", Pass.notation.fget))

if os.environ.get("FAILS", "").endswith(" loops"):
    time_limit.LIMIT_SECONDS = time_limit.REPEATED_SECONDS = 0.5

class Brittle(Hearts):
    about = replace(Hearts.about, key="brittle", title="Brittle")
    options = Options
    start = staticmethod(tried("start", State))
    scene, trick, narrate, imagine = [
        tried(name, getattr(Hearts, name)) for name in ("scene", "trick", "narrate", "imagine")
    ]

GAME = Brittle()
"""
"""Hearts with a member that fails if the environment says so."""
FAILURE = re.compile(
    r"Brittle \(brittle-game 1\.0\) has failed: "
    r"(LookupError(: .+)? in brittle_game\.py, line 10|legal gives nothing"
    r"|no answer within 0\.5 s in brittle_game\.py, line 1[2-4]|SystemExit in brittle_game\.py, line 12)"
)


FIRST_GAME = (
    Path(cardtable_hearts.__file__).read_text()
    + """
class First(Hearts):
    about = replace(Hearts.about, key="first", title="First")

GAME = First()
"""
)
UPGRADED_GAME = FIRST_GAME.replace(', 50: "50 points"', "")
TRANSLATION = """
class Translated(First):
    def migrate_options(self, values, version):
        assert version == "1.0"
        return {**values, "limit": 100}

GAME = Translated()
"""


def _rename_package(info, name, version):
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def _install_package(folder, name, module, group, key, source):
    """Write a package with a game into a folder, as if installed."""
    (folder / f"{module}.py").write_text(source)
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{key} = {module}\n")


@pytest.fixture
def cardtable(tmp_path):
    """Return a function that runs the program in a home of its own, beside installed and broken games."""
    for folder in ("broken", "brittle"):
        (tmp_path / folder).mkdir()
    for key, (group, source, _) in BROKEN_PACKAGES.items():
        low = key.lower()
        _install_package(tmp_path / "broken", f"broken-{low}", f"broken_{low}", group, key, source)
    _install_package(tmp_path / "brittle", "brittle-game", "brittle_game", NOW, "brittle", FAILING_GAME)

    def run_command(*words, program=("-m", "cardtable"), typed="", broken=False, failing_member=None, may_fail=False):
        """Run a command, or another program, which has to succeed unless ``may_fail``.

        ``failing_member`` is the member of the failing game that raises.
        """
        path = {"PYTHONPATH": str(tmp_path / "broken")} if broken else {}
        path |= {"PYTHONPATH": str(tmp_path / "brittle"), "FAILS": failing_member} if failing_member is not None else {}
        environment = {**os.environ, **path, "CARDTABLE_HOME": str(tmp_path / "home")}
        result = subprocess.run([sys.executable, *program, *map(str, words)], input=typed, env=environment,
                                capture_output=True, text=True, check=False)  # fmt: skip
        assert may_fail or result.returncode == 0, f"{words}: {result.stderr}"
        return result

    return run_command


ROBOTS = ",".join(["random"] * 4)
SEATS = ",".join(["me", *["random"] * 3])


def simulate(cardtable, key, out, *more, **fields):
    """Let random robots, or those of ``more``, play a session into a file."""
    cardtable("simulate", key, "--sessions", 1, "--seed", 1, "--seats", ROBOTS, "--output", out, *more, **fields)


def test_plugin_follows_the_built_in_games():
    assert list_keys()[: len(KEYS)] == KEYS
    assert "hearts" in list_keys()[len(KEYS) :]
    assert not find_plugins().rejected
    assert [*GAMES] == [*ABOUT] == [*list_keys()]
    assert find_key("Hearts") == "hearts"
    assert get_plugin_package("hearts") == "cardtable-hearts 1.0"
    assert get_plugin_package("king") is None


def test_games_lists_the_package(cardtable):
    result = cardtable("games")
    assert re.search(r"hearts +Hearts +4 +cardtable-hearts 1\.0\n", result.stdout)
    assert "Hearts of cardtable-hearts 1.0" in cardtable("doctor").stdout


@pytest.mark.parametrize("line", ["play --help", "rankings --help", "list --help", "arena", "rules whist"])
def test_plugin_is_named_in_help_and_errors(cardtable, line):
    result = cardtable(*line.split(), may_fail=True)
    assert "rummy|hearts|president|spades" in "".join((result.stdout + result.stderr).split()).replace(",", "|")


def test_broken_packages_are_reported_and_others_work(cardtable):
    result = cardtable("games", broken=True, may_fail=True)
    assert result.returncode == 1
    assert sorted(result.stderr.splitlines()) == sorted(
        [f"{REJECTED.format(key, key.lower())}{reason}" for key, (*_, reason) in BROKEN_PACKAGES.items()]
    )
    assert "hearts" in result.stdout
    assert "cannot be loaded: RuntimeError: no luck at all" in cardtable("doctor", broken=True, may_fail=True).stderr
    assert REJECTED.format("raises", "raises") in cardtable("play", "raises", broken=True, may_fail=True).stderr
    played = cardtable("play", "hearts", "--plain", "--seed", "3", typed="1\nquit\n", broken=True)
    assert (played.returncode, played.stderr) == (0, "")


@pytest.mark.parametrize(
    "text",
    [b"[cardtable.games.4]\nbroken = broken \xff\n", b"[cardtable.games.4]\nbroken\n"],
    ids=["encoding", "syntax"],
)
def test_damaged_entry_points_of_a_package(cardtable, tmp_path, text):
    _install_package(tmp_path / "broken", "damaged", "damaged", NOW, "damaged", "")
    (tmp_path / "broken" / "damaged-1.0.dist-info" / "entry_points.txt").write_bytes(text)
    result = cardtable("games", broken=True, may_fail=True)
    assert result.returncode == 1
    assert result.stderr.count("cardtable: no game of damaged 1.0 can be loaded: ") == 1
    assert "Traceback" not in result.stderr
    assert re.search(r"hearts +Hearts +4 +cardtable-hearts 1\.0\n", result.stdout)


def test_entry_point_that_names_no_module(cardtable, tmp_path):
    _install_package(tmp_path / "broken", "damaged", "?", NOW, "damaged", "")
    reason = "the game 'damaged' of damaged 1.0 cannot be loaded: its entry point names no module: '?'"
    assert reason in cardtable("games", broken=True, may_fail=True).stderr


@pytest.mark.parametrize("metadata", ["", "Name: a\x1b]52;c;eA==\x07\nVersion: 1\x1b[2J\n", "Name: \xff\n"])
def test_package_with_odd_metadata(cardtable, tmp_path, metadata):
    _install_package(tmp_path / "brittle", "first-game", "first_game", NOW, "first", FIRST_GAME)
    (tmp_path / "brittle" / "first_game-1.0.dist-info" / "METADATA").write_text(metadata, encoding="latin-1")
    for words, typed in ((["games"], ""), (["play", "first", "--plain"], "quit\n"), (["list"], "")):
        result = cardtable(*words, typed=typed, failing_member="")
        assert (result.returncode, result.stderr) == (0, "")
        assert "\x1b" not in result.stdout


def test_output_of_a_package_is_discarded(cardtable, tmp_path):
    source = "import sys\nprint('\\x1b[2J printed')\nsys.stdout.close()\n" + FIRST_GAME
    source += "First.trick = lambda self, view: print('printed') or Hearts.trick(self, view)\n"
    _install_package(tmp_path / "brittle", "first-game", "first_game", NOW, "first", source)
    json.loads(cardtable("games", "--json", failing_member="").stdout)
    result = cardtable("play", "first", "--plain", typed="1\nquit\n", failing_member="")
    assert (result.returncode, result.stderr) == (0, "")
    assert "Your hand" in result.stdout
    assert "printed" not in result.stdout


@pytest.mark.parametrize(
    ("text", "expected"),
    [("__doc__ = 3", "# First\n\ntake no"), ("__doc__ = 'a\\x1b[2J' + 'b' * 100_000", "# First\n\na\ufffd[2Jb")],
)
def test_rules_that_are_no_printable_text(cardtable, tmp_path, text, expected):
    _install_package(tmp_path / "brittle", "first-game", "first_game", NOW, "first", f"{FIRST_GAME}{text}\n")
    result = cardtable("rules", "first", failing_member="")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(expected)
    assert len(result.stdout) < 3000


def test_rules_page_that_is_not_utf_8(cardtable, tmp_path):
    folder = tmp_path / "brittle" / "first_game"
    folder.mkdir()
    (folder / "rules.md").write_bytes(b"\xff")
    _install_package(tmp_path / "brittle", "first-game", "first_game/__init__", NOW, "first", FIRST_GAME)
    info = tmp_path / "brittle" / "first_game" / "__init__-1.0.dist-info"
    info.rename(tmp_path / "brittle" / "first_game-1.0.dist-info")
    (tmp_path / "brittle" / "first_game-1.0.dist-info" / "entry_points.txt").write_text(
        f"[{NOW}]\nfirst = first_game\n"
    )
    result = cardtable("rules", "first", failing_member="", may_fail=True)
    assert (result.returncode, result.stderr) == (
        1, "cardtable: First (first-game 1.0) has failed: rules.md cannot be read: it is not UTF-8\n"
    )  # fmt: skip


def test_session_of_missing_package_is_left_unchanged(cardtable, tmp_path):
    cardtable("play", "hearts", "--plain", "--seed", "3", typed="1\nquit\n")
    (file,) = (tmp_path / "home" / "sessions").glob("*.jsonl")
    header, *_ = file.read_text().splitlines()
    assert json.loads(header)["package"] == "cardtable-hearts 1.0"
    lines = [json.loads(line) for line in file.read_text().replace('"hearts"', '"spots"').splitlines()]
    file.write_text("".join([json.dumps({**line, "crc": None}).replace(', "crc": null', "") + "\n" for line in lines]))
    data = file.read_bytes()
    listed = cardtable("list", may_fail=True)
    assert "the game 'spots' is not installed; it comes with 'cardtable-hearts 1.0'" in listed.stderr
    assert cardtable("resume", file.stem, "--plain", may_fail=True).returncode == 1
    assert file.read_bytes() == data


def test_session_of_a_package_that_cannot_be_loaded(cardtable, tmp_path):
    _install_package(tmp_path / "brittle", "first-game", "first_game", NOW, "first", FIRST_GAME)
    cardtable("play", "first", "--plain", "--seed", "3", typed="quit\n", failing_member="")
    (file,) = (tmp_path / "home" / "sessions").glob("*.jsonl")
    (tmp_path / "brittle" / "first_game.py").write_text("raise LookupError('no deck')")
    for words in (["list"], ["resume", file.stem, "--plain"], ["trace", "--show-hands", file]):
        result = cardtable(*words, failing_member="", may_fail=True)
        assert result.returncode != 0
        assert (
            "the game 'first' of first-game 1.0 cannot be loaded: LookupError: no deck" in result.stderr + result.stdout
        )


@pytest.mark.parametrize("member", ["legal", "view"])
def test_failing_game_is_reported_and_sessions_are_safe(cardtable, tmp_path, member):
    whole = tmp_path / "whole.jsonl"
    simulate(cardtable, "brittle", whole, failing_member="")
    cardtable("play", "brittle", "--plain", "--seats", SEATS, typed="quit\n", failing_member="")
    (file,) = (tmp_path / "home" / "sessions").glob("*.jsonl")
    data = file.read_bytes()
    for words, typed in (
        (("resume", file.stem, "--plain"), "quit\n"),
        (("replay", whole, "--plain"), ""),
        (("--plain",), "1\nquit\n"),
    ):
        result = cardtable(*words, typed=typed, failing_member=member, may_fail=True)
        output = " ".join((result.stderr + result.stdout).split())
        assert FAILURE.search(output)
        assert (result.stderr.count("\n"), result.returncode) in ((0, 0), (1, 1))
    assert file.read_bytes() == data
    assert cardtable("verify", file, failing_member="").stdout.startswith("ok ")


@pytest.mark.parametrize("member", ["legal", "notation"])
def test_game_that_exits_is_reported(cardtable, member):
    """The notation of an action is part of no guarded function."""
    result = cardtable(
        *("play", "brittle", "--plain", "--seats", SEATS),
        typed="1\nquit\n",
        failing_member=f"{member} exits",
        may_fail=True,
    )
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert FAILURE.search(result.stderr)
    result = cardtable("--plain", typed="brittle\nrikiki\nquit\nquit\n", failing_member=f"{member} exits")
    assert (result.returncode, result.stderr) == (0, "")
    assert FAILURE.search(" ".join(result.stdout.split()))
    assert "Your hand:" in result.stdout


def test_looping_game_is_interrupted_and_reported(cardtable, tmp_path):
    cardtable("play", "brittle", "--plain", "--seats", SEATS, typed="quit\n", failing_member="")
    (file,) = (tmp_path / "home" / "sessions").glob("*.jsonl")
    for words in (("resume", file.stem, "--plain"), ("play", "brittle", "--plain", "--seats", SEATS)):
        result = cardtable(*words, typed="quit\n", failing_member="legal loops", may_fail=True)
        output = " ".join((result.stderr + result.stdout).split())
        assert FAILURE.search(output)
        assert len(FAILURE.findall(output)) <= 1
    assert cardtable("verify", file, failing_member="").stdout.startswith("ok ")


def test_random_choice_stands_in_for_a_looping_robot(cardtable):
    """The robots search with ``imagine``, which is asked for nothing else."""
    result = cardtable("play", "brittle", "--plain", "--seed", "3", typed="quit\n", failing_member="imagine loops")
    message = "Brittle (brittle-game 1.0) gave no answer within 0.5 seconds; a legal move was chosen at random."
    assert (result.returncode, result.stderr, result.stdout.count(message)) == (0, "", 1)


CLUB = """
import asyncio
from cardtable.engine.journal import Occupant
from cardtable.engine.log_entries import CustomLogEntry
from cardtable.games import GAMES
from cardtable.session.robot_client import RobotClient
from cardtable.store import sessions
from tests.club.guests import hosted_table
from tests.store.playing import NOW

def create_session(key):
    robots = [Occupant(name, "steady") for name in ("Ada", "Bo", "Cy")]
    return sessions.create(GAMES[key], [Occupant("Anna"), *robots], GAMES[key].options(), 7, now=NOW)

async def play_at_two_tables():
    robots = RobotClient()
    tables = [
        hosted_table(key, 0, existing_session=create_session(key), think=robots.choose) for key in ("brittle", "gurka")
    ]
    async with tables[0] as (_, anna), tables[1] as (_, kay):
        await asyncio.gather(anna.play(1), kay.play(1))
    await robots.stop()
    for guest in (anna, kay):
        texts = [note.third_person for note in guest.notes if isinstance(note, CustomLogEntry)]
        print(len(guest.scores), *[text for text in texts if "Brittle" in text])

asyncio.run(play_at_two_tables())
"""
"""Club with a table of the failing game and one of Gurka, whose robots share one process."""


@pytest.mark.parametrize(
    ("failure", "reason"),
    [("loops", "gave no answer within 0.5 seconds"), ("ends the process", "has ended the robots' process")],
)
def test_club_plays_on_with_a_misbehaving_robot(cardtable, failure, reason):
    result = cardtable(program=("-c", CLUB), failing_member=f"imagine {failure}")
    notice = f"Brittle (brittle-game 1.0) {reason}; a legal move was chosen at random"
    assert (result.stdout.splitlines(), result.stderr) == ([f"1 {notice}", "1"], "")


def test_match_of_a_looping_game_ends(cardtable):
    words = "arena brittle --sessions 2 --a expert --b random --seed 1"
    result = cardtable(*words.split(), "--workers", "2", failing_member="imagine loops", may_fail=True)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert FAILURE.search(result.stderr)


def test_newly_installed_package_takes_no_key(cardtable, tmp_path):
    source = "from cardtable_hearts import GAME"
    cardtable("play", "hearts", "--plain", "--seed", "3", typed="quit\n")
    (file,) = (tmp_path / "home" / "sessions").glob("*.jsonl")
    data = file.read_bytes()
    _install_package(tmp_path / "broken", "a-hearts", "a_hearts", NOW, "hearts", source)
    message = cardtable("games", broken=True, may_fail=True).stderr
    for one, other in (("a-hearts 1.0", "cardtable-hearts 1.0"), ("cardtable-hearts 1.0", "a-hearts 1.0")):
        reason = f"{other} has a game with the same key; uninstall one of them"
        assert f"the game 'hearts' of {one} cannot be loaded: {reason}" in message
    assert cardtable("resume", file.stem, "--plain", broken=True, may_fail=True).returncode == 1
    assert file.read_bytes() == data


def test_finished_session_of_another_package_is_not_counted(cardtable, tmp_path):
    """The session is in the index since its own package was installed."""
    out = tmp_path / "home" / "archive" / "20000101-000000-first-0001.jsonl"
    out.parent.mkdir(parents=True)
    _install_package(tmp_path / "brittle", "first-game", "first_game", NOW, "first", FIRST_GAME)
    simulate(cardtable, "first", out, "--seats", "novice,random,random,random", failing_member="")
    assert "first over" in cardtable("list", failing_member="").stdout
    _rename_package(tmp_path / "brittle" / "first_game-1.0.dist-info", "second-game", "1.0")
    listed = cardtable("list", failing_member="", may_fail=True)
    assert (listed.stdout, listed.returncode) == ("", 1)
    assert "it was played with 'first-game 1.0', and 'first' is now a game of 'second-game 1.0'" in listed.stderr
    assert "novice" not in cardtable("statistics", failing_member="", may_fail=True).stdout


def test_upgrade_of_a_package(cardtable, tmp_path):
    """Version 2.0 has no option ``limit`` of 50 any more."""
    out = tmp_path / "home" / "archive" / "20000101-000000-first-0001.jsonl"
    out.parent.mkdir(parents=True)
    _install_package(tmp_path / "brittle", "first-game", "first_game", NOW, "first", FIRST_GAME)
    rules = ("--option", "limit=50")
    simulate(cardtable, "first", out, *rules, failing_member="")
    cardtable("play", "first", "--plain", "--seats", SEATS, *rules, typed="quit\n", failing_member="")
    (file,) = (tmp_path / "home" / "sessions").glob("*.jsonl")
    _rename_package(tmp_path / "brittle" / "first_game-1.0.dist-info", "first-game", "2.0")
    (tmp_path / "brittle" / "first_game.py").write_text(UPGRADED_GAME)
    other = "written by first-game 1.0, installed is 2.0: "
    refused = cardtable("resume", file.stem, "--plain", typed="quit\n", failing_member="", may_fail=True)
    assert refused.returncode == 1
    assert f"{other}option limit cannot be 50" in refused.stderr
    assert "first" in cardtable("list", failing_member="").stdout
    for words in (("show", out), ("replay", out, "--plain"), ("export", out), ("verify", out)):
        read = cardtable(*words, failing_member="")
        assert (read.returncode, read.stderr) == (0, "")
        assert "first" in read.stdout.lower()
    (tmp_path / "brittle" / "first_game.py").write_text(f"{UPGRADED_GAME}{TRANSLATION}")
    resumed = cardtable("resume", file.stem, "--plain", typed="quit\n", failing_member="")
    assert (resumed.returncode, resumed.stderr) == (0, "")


@pytest.mark.parametrize(("key", "firsts"), [("hearts", (0, 1, 2, 3)), ("spades", (0, 1))])
def test_score_table_of_a_plugin(cardtable, tmp_path, key, firsts):
    out = tmp_path / "one.jsonl"
    simulate(cardtable, key, out)
    (score,) = [json.loads(line) for line in cardtable("show", out, "--json").stdout.splitlines()]
    rounds = [" ".join([str(line["points"][seat]) for seat in firsts]) for line in score["rounds"]]
    result = cardtable(
        "score", key, "--plain", typed="\n".join(["Ann Bob Cyd Dot", "", "", *rounds, "finish", "quit\n"])
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "The session is over." in result.stdout
    assert "The sheet has moved to the archive." in result.stdout


def test_plugin_in_every_command(cardtable, tmp_path):
    out = Path(tmp_path / "two.jsonl")
    simulate(cardtable, "hearts", out, "--seats", "random,novice,steady,random")
    assert cardtable("verify", out).stdout.startswith("ok ")
    rules = cardtable("rules", "hearts").stdout
    assert rules.startswith("# Hearts\n\nTake no hearts")
    assert "Hearts" in cardtable("show", out).stdout
    output = cardtable("replay", out, "--plain", "--round", "1").stdout
    passed = re.findall(r"(\w+) passes (.+?) to the left", output)
    got = dict(re.findall(r"(\w+) gets (.+?)(?:;|\.$)", output, re.MULTILINE))
    around = [seat for seat, _ in passed]
    assert {seat: got[around[(place + 1) % 4]] for place, seat in enumerate(around)} == dict(passed)
