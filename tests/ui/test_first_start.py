"""First start of a game: its aim is shown in one line until a key is pressed, on the table and in plain text."""

from contextlib import asynccontextmanager
from random import Random

import pytest

from cardtable.games import ABOUT, KEYS
from cardtable.session import lessons
from cardtable.store import paths, player_progress
from cardtable.store import session_setup as known_games
from cardtable.store.player_progress import LessonProgress
from cardtable.ui.table.screen import TableScreen
from tests.lessons import write_lessons
from tests.plain.conftest import plain  # noqa: F401 - a fixture
from tests.store.playing import play_randomly
from tests.ui.driver import SIZES, SMALL, TINY, sit_at, start_program
from tests.ui.table_host import create_session

first_start = known_games.take_aim_at_first_start
"""The real function; a fixture replaces it in other tests."""


@pytest.fixture(autouse=True)
def forget_known_games(monkeypatch, skip_game_aims):
    monkeypatch.setattr(known_games, "take_aim_at_first_start", first_start)


@asynccontextmanager
async def start_first(key, size=SMALL):
    """Start the program at a table of a game and wait until the player is asked."""
    session = create_session(key, 3)
    async with start_program(session, size=size, robot_pace=0, trick_pause=0, key_guard=0) as program:
        await program.is_at(TableScreen)
        await program.wait_until(lambda: program.app.screen.frame.waiting)
        yield program


@pytest.mark.parametrize("key", KEYS)
async def test_first_start_shows_aim_until_key(key):
    aim = ABOUT[key].aim
    assert 20 < len(aim) <= 56
    assert aim.endswith(".")
    async with start_first(key) as program:
        await program.sees(aim)
        for size in SIZES:
            assert aim in str(program.app.screen.view.paint(*size))
        await program.press("f8")
        assert aim not in program.text
    async with start_first(key) as program:
        assert aim not in program.text


async def test_first_start_offers_lessons(monkeypatch, tmp_path):
    file = write_lessons(tmp_path)
    monkeypatch.setattr(lessons, "_find_file", lambda key: file if key == "gurka" else None)
    async with start_first("gurka", TINY) as program:
        await program.sees("Enter play  L learn")
        assert "L new to Gurka? lessons" in str(program.app.screen.view.paint(*SMALL))
        await program.press("L")
        await program.sees("Heading a trick")
        await program.press("escape")
        assert "new to" not in program.text
    player_progress.save_lesson("Guest", "gurka/heading", LessonProgress(helped=True))
    paths.known_games_file().unlink()
    async with start_first("gurka") as program:
        await program.sees(ABOUT["gurka"].aim)
        assert "new to" not in program.text, "lessons have been taken"
    async with start_first("king", TINY) as program:
        await program.sees(ABOUT["king"].aim)
        assert "L learn" not in program.text
        assert "new to" not in str(program.app.screen.view.paint(*SMALL))


async def test_no_aim_in_resumed_session():
    begun = create_session("gurka", 3)
    while begun.referee.round < 2:
        play_randomly(begun.referee, Random(3), 1)
    async with sit_at(begun) as table:
        await table.wait_until(paths.known_games_file().exists)
        assert ABOUT["gurka"].aim not in table.text


def test_plain_text_shows_aim_once(plain):  # noqa: F811 - the fixture
    assert ABOUT["gurka"].aim in plain("play", "gurka", typed=["quit"]).lines
    assert ABOUT["gurka"].aim not in plain("play", "gurka", typed=["quit"]).out
    assert ABOUT["rummy"].aim in plain("play", "rummy", typed=["quit"]).lines
    assert paths.known_games_file().read_text() == "gurka\nrummy\n"


def test_plain_text_offers_lessons_once(plain, monkeypatch, tmp_path):  # noqa: F811 - the fixture
    file = write_lessons(tmp_path)
    monkeypatch.setattr(lessons, "_find_file", lambda key: file if key == "gurka" else None)
    first = plain("play", "gurka", typed=["learn", "back", "quit"])
    assert "Type learn for short lessons if Gurka is new to you." in first.lines
    assert "Lessons on Gurka, 2 lessons." in first.lines
    assert sum(line.startswith("Your hand: ") for line in first.lines) == 2
    assert "Type learn" not in plain("play", "gurka", typed=["quit"]).out
    assert "Type learn" not in plain("play", "king", typed=["quit"]).out


def test_unreadable_or_unwritable_known_games(monkeypatch):
    paths.create_folder(paths.home())
    paths.known_games_file().write_bytes(b"\xff\xfe")
    assert first_start(ABOUT["king"]) == ABOUT["king"].aim
    assert first_start(ABOUT["king"]) == ""
    monkeypatch.setattr(paths, "known_games_file", lambda: paths.home() / "no" / "where")
    assert first_start(ABOUT["king"]) == ABOUT["king"].aim
