"""Puzzles in plain text: the list, a puzzle that is followed by ear, and the search for new ones."""

import re
from datetime import date

import pytest
from msgspec.structs import replace

from cardtable.records import puzzles
from cardtable.store import puzzle_files
from cardtable.store.puzzle_files import PlayerPuzzles, PuzzleProgress, get_today
from cardtable.wording.learning import format_puzzle_names
from tests.golden_files import check_golden
from tests.puzzles import add_puzzle, encode_puzzle, make_puzzle, spoil_view
from tests.records.review_journals import search_few_worlds


@pytest.fixture(autouse=True)
def no_shipped_puzzles(monkeypatch):
    monkeypatch.setattr(puzzles, "load_shipped_puzzles", list)


def test_puzzle_is_followed_by_ear(plain):
    add_puzzle("Guest", date(2026, 11, 20), "gurka", 2)
    done = plain("puzzles", typed=["", "again", "", "1", "quit"])
    assert (done.code, done.err) == (0, "")
    check_golden("plain/puzzle.txt", done.out)


def test_list(plain):
    assert "No puzzles here" in plain("puzzles", typed=["", "quit"]).out
    add_puzzle("Guest", date(2026, 11, 20))
    other = puzzle_files.find_puzzle(puzzle_files.load_puzzles("Guest")[0].puzzles, make_puzzle().id)
    add_puzzle("Guest", date(2026, 11, 20), "king")
    puzzle_files.record_attempt("Guest", other, get_today(), is_right=True)
    done = plain("puzzles", typed=["2", "back", "help", "7", "remove 1", "remove x", "back", "puzzles", "quit"])
    assert "Puzzles: 1 due, 2 puzzles, 1 of 1 attempt right. Type help for what can be typed." in done.lines
    assert "1: King, round 1, due, new." in done.lines
    assert "2: Rikiki, round 2, tomorrow, 1 of 1 right." in done.lines
    assert 'I don\'t know "7" here. Type a number from the list, or help.' in done.lines
    assert "1: Rikiki, round 2, tomorrow, 1 of 1 right." in done.lines
    assert "Type remove and the number of a puzzle." in done.lines


def test_shipped_puzzles_are_in_the_first_list(plain, monkeypatch):
    monkeypatch.setattr(puzzles, "load_shipped_puzzles", lambda: [make_puzzle(), make_puzzle("gurka")])
    done = plain("puzzles", typed=["", "1", "remove 2", "quit"])
    assert "1: Rikiki, round 2, any time, new." in done.lines
    assert "1: Gurka, round 1, any time, new." not in done.lines, "the numbers stay until the list is printed again"
    assert "Puzzles: 2 puzzles. Type help for what can be typed." in done.lines
    assert "It comes again tomorrow." in done.out
    assert "Gurka" not in plain("puzzles", typed=["quit"]).out


def test_puzzle_of_a_game_that_is_not_installed(plain):
    foreign = encode_puzzle().replace(b'"rikiki"', b'"hearts"').rpartition(b',"crc"')[0] + b"}"
    puzzle_files.add_puzzles("Guest", [puzzle_files.parse(foreign)], get_today())
    done = plain("puzzles", typed=["", "1", "quit"])
    assert "1: Rikiki, round 2, game not installed, new." in done.lines
    assert "No puzzle is due." in done.lines
    assert "the game 'hearts' is not installed" in done.out


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda puzzle: puzzle_files.get_path(puzzle).write_bytes(b"{}"), "not a puzzle"),
        (lambda puzzle: puzzle_files.get_path(puzzle).unlink(), "No such file or directory"),
        (lambda puzzle: spoil_view(puzzle, won=[]), "this position cannot be displayed"),
    ],
    ids=["content", "missing", "view"],
)
def test_next_due_puzzle_is_the_first_that_can_be_opened(plain, spoil, reason):
    damaged = add_puzzle("Guest", date(2026, 11, 19), "gurka")
    spoil(damaged)
    only_damaged = plain("puzzles", typed=["", "quit"])
    assert re.search(rf"^Gurka, round 1 cannot be opened: .*{damaged}\.json: {reason}", only_damaged.out, re.MULTILINE)
    assert "No puzzle that is due can be opened." in only_damaged.lines
    add_puzzle("Guest", date(2026, 11, 20))
    done = plain("puzzles", typed=["", "quit"])
    assert re.search(rf"^Gurka, round 1 cannot be opened: .*{damaged}\.json: {reason}", done.out, re.MULTILINE)
    assert "Rikiki, round 2. Type help for what can be typed." in done.lines


def test_search(plain, monkeypatch):
    search_few_worlds(monkeypatch, 6)
    monkeypatch.setattr(puzzles, "COMPARISON_WORLDS", 20)
    plain("play", "gurka", "--seed", "3", "--option", "limit=21", typed=["rest"] * 3 + ["1"] * 200)
    done = plain("puzzles", typed=["search", "quit"])
    assert "1 session not looked through yet. Type search to do it." in done.lines
    assert "1 session to look through." in done.lines
    assert any(line.endswith(" new puzzles.") or line == "1 new puzzle." for line in done.lines)
    assert "not looked through" not in plain("puzzles", typed=["quit"]).out


def test_puzzles_of_one_round_are_numbered():
    progress = PuzzleProgress("king", "King", 3, date(2026, 11, 20))
    own = PlayerPuzzles(puzzles={"a": progress, "b": replace(progress, round=4), "c": progress})
    assert format_puzzle_names(own) == {"a": "King, round 3 (1)", "b": "King, round 4", "c": "King, round 3 (2)"}
