"""Session of a puzzle: the choice, the verdict in words, and the count of attempts."""

import re
from contextlib import nullcontext
from datetime import date

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from cardtable.engine.errors import CardtableError
from cardtable.engine.referee import IllegalAction
from cardtable.games import KEYS
from cardtable.session.puzzle_session import PuzzleSession, open_puzzle
from cardtable.session.session_events import AwaitingPlayer, AwaitingReader, SessionOver
from cardtable.store import puzzle_files
from tests.puzzles import add_puzzle, make_puzzle
from tests.toy import layaway
from tests.toy.game_plugins import plug_in_from

TODAY = date(2026, 11, 20)


def read_texts(session):
    """Read all texts, and return them."""
    texts = []
    while isinstance(session.pending, AwaitingReader):
        texts.append(session.prompt.text)
        session.advance()
    return texts


@pytest.mark.parametrize(
    ("number", "verdict", "standing"),
    [
        (0, "*Right*: {} is best.", "best"),
        (1, "*Right*: {} may be just as good as {}.", "2.0 worse, too close to call"),
        (2, "*Not this time*: {1} is best.", "4.0 worse"),
    ],
)
def test_verdict(number, verdict, standing):
    puzzle = add_puzzle("Guest", TODAY)
    session = open_puzzle("Guest", puzzle, lambda: TODAY)
    names = [str(action) for action in session.position.actions]
    assert session.pending == AwaitingPlayer(session.initial_seat)
    session.play(session.position.actions[number])
    text, explanation = read_texts(session)
    assert session.pending == SessionOver()
    assert verdict.format(names[number], names[0]) in text
    assert f"{names[number]} {standing}" in text
    assert "In the session you chose" in text
    assert "KH: wins the trick" in explanation
    assert "It comes again tomorrow." in explanation
    progress = puzzle_files.load_puzzles("Guest")[0].puzzles[puzzle]
    assert (progress.attempts, progress.solved) == (1, number < 2)


@pytest.mark.parametrize("key", KEYS)
def test_position_does_not_change(key):
    position = puzzle_files.open_position(make_puzzle(key))
    session = PuzzleSession(position, "Guest", is_own=False, count_attempt=lambda _: "")
    before = session.snapshot(position.seat)
    session.read_again()
    assert read_texts(session)
    session.play(position.chosen)
    assert re.search("The player who held this hand chose .+, too", read_texts(session)[0])
    assert session.snapshot(position.seat).view == before.view == position.view
    with pytest.raises(IllegalAction):
        session.play(position.chosen)


def test_last_attempts():
    puzzle, day = add_puzzle("Guest", TODAY, searched=""), TODAY
    last_texts = []
    for days in (0, 1, 3, 7):
        day = date.fromordinal(day.toordinal() + days)
        session = open_puzzle("Guest", puzzle, lambda day=day: day)
        session.play(session.position.actions[0])
        last_texts.append(read_texts(session)[1].split("\n")[-1])
    assert last_texts == [
        "It comes again tomorrow.",
        "It comes again in 3 days.",
        "It comes again in 7 days.",
        "You have solved it often enough: it does not come again.",
    ]


def test_attempt_that_cannot_be_saved():
    puzzle = add_puzzle("Guest", TODAY)
    session = open_puzzle("Guest", puzzle, lambda: TODAY)
    puzzle_files.remove_puzzle("Guest", puzzle)
    session.play(session.position.chosen)
    assert "not saved: this puzzle is not in your list" in read_texts(session)[1]


@pytest.mark.parametrize(
    ("package", "installed", "is_open"),
    [
        ("layaway 1.0", "layaway 2.0", True),
        ("layaway 1.0", "other 1.0", False),
        (None, "other 1.0", True),  # a file of version 1.0, which named no package
    ],
)
def test_puzzle_belongs_to_the_package_of_its_game(monkeypatch, package, installed, is_open):
    plug_in_from(monkeypatch, layaway, "layaway 1.0")
    puzzle = replace(make_puzzle("layaway"), package=package or UNSET)
    plug_in_from(monkeypatch, layaway, installed)
    puzzle = puzzle_files.parse(puzzle_files.encode(puzzle))
    puzzle_files.add_puzzles("Guest", [puzzle], TODAY)
    assert puzzle_files.load_puzzles("Guest")[0].list_next(TODAY) == ([puzzle.id] if is_open else [])
    message = "it was played with 'layaway 1.0', and 'layaway' is now a game of 'other 1.0'"
    with nullcontext() if is_open else pytest.raises(CardtableError, match=message):
        open_puzzle("Guest", puzzle.id, lambda: TODAY)
