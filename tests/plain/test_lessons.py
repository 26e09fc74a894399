"""Lessons in plain text: lists, a lesson that is followed by ear, wrong answers, and files that are not valid."""

from importlib import import_module

import pytest

from cardtable import games
from cardtable.plain import console
from cardtable.session import lessons
from cardtable.store import paths, player_progress
from cardtable.store.player_progress import LessonProgress
from cardtable.workers.time_limit import TimeLimit
from tests.golden_files import check_golden
from tests.lessons import write_lessons

find_file = lessons._find_file
"""The real function; a fixture replaces it in other tests."""


@pytest.fixture(autouse=True)
def course(monkeypatch, tmp_path):
    file = write_lessons(tmp_path)
    monkeypatch.setattr(lessons, "_find_file", lambda key: file if key == "gurka" else None)
    return file


def test_lesson_is_followed_by_ear(plain):
    done = plain("learn", "gurka", typed=["", "5", "5d", "kc", "again", "9s", "three of clubs", "quit"])
    assert (done.code, done.err) == (0, "")
    check_golden("plain/lesson.txt", done.out)


def test_lesson_is_left_and_continued(plain):
    first = plain("learn", "gurka", typed=["1", "help", "list", "quit"])
    assert "1: Heading a trick, step 3 of 3." in first.lines
    assert player_progress.load_lessons("Guest")[0] == {"gurka/heading": LessonProgress(step=2)}
    second = plain("learn", typed=["1", "", "3c", "quit"])
    assert "1: Gurka, 2 lessons." in second.lines
    assert "Step 3 of 3. Head the trick with 8 or higher, or play your lowest card." in second.lines
    assert "In the trick: Ada eight of clubs, Bo five of hearts, Cy three of spades." in second.lines
    assert "1: Heading a trick, done." in second.lines
    assert player_progress.load_lessons("Guest")[0] == {"gurka/heading": LessonProgress(done=True)}


def test_contract_is_named_before_late_events(plain, monkeypatch):
    monkeypatch.setattr(lessons, "_find_file", find_file)
    lines = plain("learn", "rifki", typed=["5", "quit"]).lines
    assert lines[lines.index("The contract: Son Iki.") + 1].startswith("Bo plays")


def test_free_round_with_hint(plain):
    done = plain("learn", "gurka", typed=["2", "again", "hint", *["1"] * 6, "quit"])
    assert done.lines.count("Now play a round.") == 1
    assert "Step 1 of 1. Now play a round." in done.lines
    assert any(line.startswith("To do that, type ") for line in done.lines)
    assert "The round is over." in done.lines
    assert "2: A round of your own, done." in done.lines


def test_texts_wait_for_enter_on_a_terminal(plain, monkeypatch):
    monkeypatch.setattr(console, "is_on_terminal", lambda: True)
    done = plain("learn", "gurka", typed=["", "again", "nonsense", "", "", "list", "quit"])
    assert done.lines.count("You led the nine of hearts. Ada plays next.") == 1
    assert done.lines.count("Press Enter to continue.") == 3
    assert "Play your lowest card." in done.lines


def test_picker_lists_lessons(plain):
    done = plain(typed=["learn", "games", "king", "9", "gurka", "games", "back", "learn gurka", "back", "help", "quit"])
    assert (done.code, done.err) == (0, "")
    assert "There are no lessons on King." in done.lines
    assert 'I don\'t know "9" here. Type a number from the list, or help.' in done.lines
    assert done.lines.count("Lessons on Gurka, 2 lessons.") == 2
    assert "learn: short lessons. learn GAME: those of a game." in done.lines


def test_games_without_lessons_and_faulty_files(plain, course):
    assert plain("learn", "king").err == "cardtable: there are no lessons on King\n"
    assert plain("learn", "hearst").code == 2
    for text, message in (("[[lessons]]\nname = 5", "Expected `str`"), ("\0", "Invalid statement")):
        course.write_text(text)
        done = plain("learn", "gurka")
        assert (done.code, done.out) == (1, "")
        assert done.err.count("\n") == 1
        assert message in done.err
        assert "1: Rikiki" in plain(typed=["quit"]).out
    # a lesson whose events are not possible
    write_lessons(
        course.parent,
        course.read_text()
        and 'lessons = [{name = "a", title = "A", steps = [{text = "B"}], start = ["deal", "play 2C 3C"]}]',
    )
    assert "Lesson 'a' of gurka: " in plain("learn", "gurka", typed=["1", "quit"]).out


def test_damaged_progress_is_reported_and_kept(plain):
    plain("learn", "gurka", typed=["1", "quit"])
    paths.lesson_progress_file().write_bytes(b'{"progress": 99}')
    done = plain("learn", "gurka", typed=["1", "3c", "quit"])
    assert [line for line in done.lines if "lessons.json" in line]
    assert "Lesson done." in done.lines
    assert paths.lesson_progress_file().read_bytes() == b'{"progress": 99}'


TAUGHT_GAME = """
from msgspec.structs import replace
from cardtable.games import GAMES
from tests.overriding import override

GAME = override(GAMES["gurka"], about=replace(GAMES["gurka"].about, key="taught", title="Taught"))
"""


def test_lessons_of_another_package(plain, monkeypatch, tmp_path):
    folder = tmp_path / "taught_game"
    folder.mkdir()
    (folder / "__init__.py").write_text(TAUGHT_GAME)
    monkeypatch.syspath_prepend(tmp_path)
    game = games.PluginGame("taught_game", "taught 1.0", import_module("taught_game").GAME, TimeLimit())
    monkeypatch.setattr(games, "find_plugins", lambda: games.PluginScan({"taught": game}, ()))
    monkeypatch.setattr(lessons, "_find_file", find_file)
    assert plain("learn", "taught").err == "cardtable: there are no lessons on Taught\n"
    file = write_lessons(folder)
    assert "1: Heading a trick, step 3 of 3." in plain("learn", "taught", typed=["1", "list", "quit"]).lines
    assert "taught/heading" in player_progress.load_lessons("Guest")[0]
    file.write_text("lessons = 1")
    assert plain("learn", "taught").err.count("\n") == 1
    assert any(line.startswith("Taught: the lessons in ") for line in plain("learn", typed=["quit"]).lines)
    assert plain("play", "taught", typed=["quit"]).code == 0
