"""First start of a game: its aim is shown in one line until a key is pressed, on the table and in plain text."""

from random import Random

import pytest

from cardtable.games import ABOUT, KEYS
from cardtable.session.session_events import Stage
from cardtable.store import paths
from cardtable.store import session_setup as known_games
from cardtable.ui.app import CardtableApp
from cardtable.ui.toolkit.preferences import Preferences
from tests.plain.conftest import plain  # noqa: F401 - a fixture
from tests.store.playing import play
from tests.ui.screen_text import screen_text
from tests.ui.table_host import AtOnce, Host, session, until

SIZES = [(60, 18), (80, 24), (120, 40)]
first_start = known_games.get_aim_at_first_start
"""The real function; a fixture replaces it in other tests."""


@pytest.fixture(autouse=True)
def knows_no_game(monkeypatch, knows_all_games):
    monkeypatch.setattr(known_games, "get_aim_at_first_start", first_start)


def app_at(key, people=1):
    opened = CardtableApp(Preferences.load(), session(key, 3, people=people))
    opened.context.robot_client = AtOnce()
    opened.preferences.change(pace=0, trick_pause=0, guard=0)
    return opened


@pytest.mark.parametrize("key", KEYS)
async def test_the_first_start_says_the_aim_at_every_size_until_a_key(key):
    aim = ABOUT[key].aim
    assert 20 < len(aim) <= 56
    assert aim.endswith(".")
    app = app_at(key)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: aim in screen_text(app))
        await until(pilot, lambda: app.screen.frame.waiting)
        for size in SIZES:
            assert aim in str(app.screen.view.paint(*size))
        await pilot.press("f8")
        await pilot.pause()
        assert aim not in screen_text(app)
    again = app_at(key)
    async with again.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: again.screen.frame.waiting)
        await pilot.pause()
        assert aim not in screen_text(again)


@pytest.mark.parametrize("people", [0, 2], ids=["robots watched", "hot seat"])
async def test_it_waits_behind_a_curtain_and_is_there_for_who_watches(people):
    aim, app = ABOUT["king"].aim, Host(session("king", 3, people=people))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.table.view.aim)
        if people:
            await until(pilot, lambda: app.table.frame.handover_seat is not None)
            assert aim not in screen_text(app)
            await pilot.press("enter")
        await until(pilot, lambda: aim in screen_text(app))
        await pilot.click(offset=(30, 5))
        await until(pilot, lambda: aim not in screen_text(app))


async def test_who_goes_on_with_a_session_knows_the_game_already():
    begun = session("gurka", 3)
    while begun.referee.round < 2:
        play(begun.referee, Random(3), 1)
    app = Host(begun)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.table.frame.waiting or app.table.frame.stage is Stage.ROUND_END)
        await until(pilot, paths.known_games_file().exists)
        await pilot.pause()
        assert ABOUT["gurka"].aim not in screen_text(app)


def test_in_plain_lines_it_is_said_once(plain):  # noqa: F811 - the fixture
    assert ABOUT["gurka"].aim in plain("play", "gurka", typed=["quit"]).lines
    assert ABOUT["gurka"].aim not in plain("play", "gurka", typed=["quit"]).out
    assert ABOUT["rummy"].aim in plain("play", "rummy", typed=["quit"]).lines
    assert paths.known_games_file().read_text() == "gurka\nrummy\n"


def test_a_file_that_cannot_be_read_is_written_anew_and_none_that_cannot_be_written_matters(monkeypatch):
    paths.create_folder(paths.home())
    paths.known_games_file().write_bytes(b"\xff\xfe")
    assert first_start(ABOUT["king"]) == ABOUT["king"].aim
    assert first_start(ABOUT["king"]) == ""
    monkeypatch.setattr(paths, "known_games_file", lambda: paths.home() / "no" / "where")
    assert first_start(ABOUT["king"]) == ABOUT["king"].aim
