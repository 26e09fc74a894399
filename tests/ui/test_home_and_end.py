"""Home and End move to the first and last item of every list, box and line."""

import pytest

from cardtable.store import profiles
from cardtable.ui.table.screen import TableScreen
from tests.ui.screen_routes import (
    create_app,
    fast_program,
    resume_saved_session,
    write_finished_session,
    write_score_table,
)
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, wait_until
from tests.ui.test_hot_seat import play_until

__all__ = ["fast_program"]  # a fixture
SIZE = (80, 24)
FROM_THE_PICKER = {
    "picker": "",
    "palette": "ctrl+p",
    "words typed in the palette": "ctrl+p r u",
    "settings": ",",
    "new table": "n",
    "rules": "i",
    "archive": "a",
    "words looked for": "a / a b c",
    "players": "p",
    "a new player": "p n A n n",
    "new score table": "c",
    "a table's name": "home e a b",
}
FROM_THE_TABLE = {
    "hand": ("gurka", ""),
    "contracts": ("king", "tab"),
    "bids": ("ten_down", ""),
    "score sheet": ("king", "s"),
    "message line": ("rikiki", "m a b"),
    "last deal": ("gurka", "d"),
}
PAGES = ("replay", "export", "score_table")


async def check_home_and_end(pilot, app):
    """Assert that End changes the screen, and that Home restores it."""
    screens = []
    for key in ("home", "end", "home", "end"):
        await pilot.press(key)
        await pilot.pause()
        screens.append(
            str([painting.canvas.grounds for painting in app.screen.query("CanvasWidget")]) + screen_text(app)
        )
    assert screens[0] == screens[2] != screens[1] == screens[3]


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_home_and_end_from_picker(place):
    profiles.register("Anna")
    resume_saved_session("rikiki").close()
    write_finished_session()
    app = create_app()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        for key in FROM_THE_PICKER[place].split():
            await pilot.press(key)
            await pilot.pause()
        await check_home_and_end(pilot, app)


@pytest.mark.parametrize("place", FROM_THE_TABLE)
async def test_home_and_end_at_table(place):
    game, keys = FROM_THE_TABLE[place]
    app = create_app(resume_saved_session(game))
    async with app.run_test(size=SIZE) as pilot:
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.frame.waiting)
        for key in keys.split():
            await pilot.press(key)
            await pilot.pause()
        await check_home_and_end(pilot, app)


@pytest.mark.parametrize("place", PAGES)
async def test_home_and_end_on_session_pages(place):
    app = create_app(None, (place, write_score_table() if place == "score_table" else write_finished_session()))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("2")
        await check_home_and_end(pilot, app)


async def test_home_and_end_in_decision_box():
    app = TableApp(create_session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.box and len(frame.box.options) > 3)
        await pilot.press("end")
        assert app.table.frame.option == len(app.table.frame.box.options) - 1
        await pilot.press("home")
        assert (app.table.frame.in_box, app.table.frame.option) == (True, 0)
