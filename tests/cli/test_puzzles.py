"""``puzzles``: list, export and import."""

import json
from datetime import date

import pytest

from cardtable.engine.errors import CardtableError
from cardtable.records import puzzles
from cardtable.session.puzzle_session import open_puzzle
from cardtable.store import paths, profiles, puzzle_files
from cardtable.store.puzzle_files import get_today
from tests.puzzles import add_puzzle, encode_puzzle
from tests.toy.game_plugins import break_plugin


@pytest.fixture
def no_shipped_puzzles(monkeypatch):
    monkeypatch.setattr(puzzles, "load_shipped_puzzles", list)


@pytest.mark.usefixtures("no_shipped_puzzles")
def test_export_and_import(cardtable, tmp_path):
    puzzle = add_puzzle("Guest", date(2026, 11, 20))
    listed = cardtable("puzzles", "--list")
    assert listed.out == f"{puzzle}  due                 Rikiki, round 2, new\n"
    exported = cardtable("puzzles", "--export", puzzle[:3]).read_output().encode()
    assert exported == encode_puzzle()
    file = tmp_path / "puzzle.json"
    file.write_bytes(exported)
    assert cardtable("puzzles", "--import", file).out == f"known {puzzle} Rikiki\n"
    profiles.register("Anna")
    assert cardtable("puzzles", "--import", file).out == f"added {puzzle} Rikiki\n"
    own = puzzle_files.load_puzzles("Anna")[0]
    assert own.list_next(get_today()) == [puzzle]
    assert own.puzzles[puzzle].imported


@pytest.mark.usefixtures("no_shipped_puzzles")
def test_title_of_a_game_is_escaped(cardtable, home):
    add_puzzle("Guest", date(2026, 11, 20))
    listed = json.loads((home / "puzzles.json").read_bytes())
    del listed["crc"]
    [progress] = listed["players"]["Guest"]["puzzles"].values()
    progress["title"] = "\x1b]52;c;AAAA\x07"
    (home / "puzzles.json").write_text(json.dumps(listed))
    out = cardtable("puzzles", "--list").read_output()
    assert out.endswith("  \ufffd]52;c;AAAA\ufffd, round 2, new\n")


@pytest.mark.usefixtures("no_shipped_puzzles")
@pytest.mark.parametrize(
    ("is_installed", "reason", "listed"),
    [
        (False, "the game 'hearts' is not installed", "game not installed"),
        (
            True,
            "the game 'hearts' of cardtable-hearts 1.0 cannot be loaded: SyntaxError: invalid syntax",
            "game does not load",
        ),
    ],
)
def test_import_of_a_missing_game(cardtable, monkeypatch, tmp_path, is_installed, reason, listed):
    if is_installed:
        break_plugin(monkeypatch, "hearts")
    file = tmp_path / "puzzle.json"
    file.write_bytes(encode_puzzle().replace(b'"rikiki"', b'"hearts"').rpartition(b',"crc"')[0] + b"}")
    assert cardtable("puzzles", "--import", file).read_output().endswith(f" Rikiki; {reason}\n")
    assert listed in cardtable("puzzles", "--list").out
    assert puzzle_files.count_due("Guest", get_today()) == 0
    [puzzle] = puzzle_files.load_puzzles("Guest")[0].puzzles
    with pytest.raises(CardtableError, match=reason):
        open_puzzle("Guest", puzzle, get_today)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--list", "--search"), 2, "cannot be combined"),
        (("--export", "x"), 1, "none of your puzzles has the id 'x'"),
        (("--import", "missing.json"), 1, "No such file"),
        (("--import", "bad.json"), 1, "not a puzzle"),
        (("--import", "."), 1, ""),
    ],
)
def test_errors_are_one_line(cardtable, tmp_path, arguments, code, message):
    (tmp_path / "bad.json").write_bytes(b'{"puzzle": 1}')
    assert message in cardtable("puzzles", *arguments).read_error(code)
    assert not paths.puzzles_folder().exists()


def test_list_has_the_puzzles_of_the_program(cardtable):
    listed = cardtable("puzzles", "--list").out.splitlines()
    assert len(listed) >= 15
    assert all("  any time " in line for line in listed)
    assert cardtable("puzzles", "--search").out == "0 new puzzles\n"


def test_damaged_list_is_an_error(cardtable):
    add_puzzle("Guest", date(2026, 11, 20))
    paths.puzzles_file().write_bytes(b"{")
    assert "puzzles.json" in cardtable("puzzles", "--list").err
    assert "puzzles.json" in cardtable("doctor", may_fail=True).out + cardtable("doctor").err
