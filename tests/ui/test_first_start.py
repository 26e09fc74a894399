"""First start of a game: its aim is shown in one line until a key is pressed, on the table and in plain text."""

from random import Random

import pytest

from cardtable.games import ABOUT, KEYS
from cardtable.session import lessons
from cardtable.session.session_events import Stage
from cardtable.store import paths
from cardtable.store import session_setup as known_games
from cardtable.ui.app import CardtableApp
from cardtable.ui.table.paint import table_widget
from cardtable.ui.toolkit.painting.canvas import Canvas
from cardtable.ui.toolkit.preferences import Preferences
from tests.lessons import write_lessons
from tests.plain.conftest import plain  # noqa: F401 - a fixture
from tests.store.playing import play_randomly
from tests.ui.canvas_rendering import APPEARANCE
from tests.ui.positions import reach_position
from tests.ui.screen_text import screen_text
from tests.ui.table_host import InProcessRobotClient, TableApp, create_session, wait_until

SIZES = [(60, 18), (80, 24), (120, 40)]
first_start = known_games.take_aim_at_first_start
"""The real function; a fixture replaces it in other tests."""


@pytest.fixture(autouse=True)
def forget_known_games(monkeypatch, skip_game_aims):
    monkeypatch.setattr(known_games, "take_aim_at_first_start", first_start)


def create_app(key, people=1):
    opened = CardtableApp(Preferences.load(), create_session(key, 3, people=people))
    opened.context.robot_client = InProcessRobotClient()
    opened.preferences.change(robot_pace=0, trick_pause=0, key_guard=0)
    return opened


@pytest.mark.parametrize("key", KEYS)
async def test_first_start_shows_aim_until_key(key):
    aim = ABOUT[key].aim
    assert 20 < len(aim) <= 56
    assert aim.endswith(".")
    app = create_app(key)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: aim in screen_text(app))
        await wait_until(pilot, lambda: app.screen.frame.waiting)
        for size in SIZES:
            assert aim in str(app.screen.view.paint(*size))
        await pilot.press("f8")
        await pilot.pause()
        assert aim not in screen_text(app)
    again = create_app(key)
    async with again.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: again.screen.frame.waiting)
        await pilot.pause()
        assert aim not in screen_text(again)


@pytest.mark.parametrize("key", KEYS)
def test_smallest_footer_has_room_for_the_offer(key):
    canvas = Canvas(60, 18, APPEARANCE)
    table_widget.paint_lesson_offer(canvas, reach_position(key, decisions=0))
    assert " L learn " in str(canvas)


async def test_first_start_offers_lessons(monkeypatch, tmp_path):
    file = write_lessons(tmp_path)
    monkeypatch.setattr(lessons, "_find_file", lambda key: file if key == "gurka" else None)
    for key, is_offered in (("gurka", True), ("king", False)):
        app = create_app(key)
        async with app.run_test(size=(60, 18)) as pilot:
            await wait_until(pilot, lambda: app.screen.frame.aim and app.screen.frame.waiting)  # noqa: B023 - called in this turn
            await pilot.pause()
            assert ("Enter play  L learn" in screen_text(app)) is is_offered
            picture = str(app.screen.view.paint(80, 24))
            assert ("L new to Gurka? lessons" in picture) is is_offered
            await pilot.press("L" if is_offered else "f8")
            await pilot.pause()
            assert ("Heading a trick" in screen_text(app)) is is_offered
            if is_offered:
                await pilot.press("escape")
                await pilot.pause()
                assert "new to" not in screen_text(app)


@pytest.mark.parametrize("people", [0, 2], ids=["robots watched", "hot seat"])
async def test_aim_after_curtain_and_at_table_of_robots(people):
    aim, app = ABOUT["king"].aim, TableApp(create_session("king", 3, people=people))
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.table.frame.aim)
        if people:
            await wait_until(pilot, lambda: app.table.frame.handover_seat is not None)
            assert aim not in screen_text(app)
            await pilot.press("enter")
        await wait_until(pilot, lambda: aim in screen_text(app))
        await pilot.click(offset=(30, 5))
        await wait_until(pilot, lambda: aim not in screen_text(app))


async def test_no_aim_in_resumed_session():
    begun = create_session("gurka", 3)
    while begun.referee.round < 2:
        play_randomly(begun.referee, Random(3), 1)
    app = TableApp(begun)
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_until(pilot, lambda: app.table.frame.waiting or app.table.frame.stage is Stage.ROUND_END)
        await wait_until(pilot, paths.known_games_file().exists)
        await pilot.pause()
        assert ABOUT["gurka"].aim not in screen_text(app)


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
