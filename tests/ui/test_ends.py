"""Home and End move to the first and last item of every list, box and line."""

import pytest

from cardtable.store import passwords, profiles
from cardtable.ui.app import CardtableApp
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.screen_text import screen_text
from tests.ui.table_host import AtOnce, Host, session, until
from tests.ui.test_bursts import over, saved, score_table
from tests.ui.test_hot_seat import play_until

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
    "what is said": ("rikiki", "m a b"),
    "last deal": ("gurka", "d"),
}
PAGES = ("replay", "export", "score_table")


async def moves(pilot, app):
    """Assert that End changes the screen, and that Home restores it."""
    shown = []
    for key in ("home", "end", "home", "end"):
        await pilot.press(key)
        await pilot.pause()
        shown.append(str([painting.canvas.grounds for painting in app.screen.query("CanvasWidget")]) + screen_text(app))
    assert shown[0] == shown[2] != shown[1] == shown[3]


def begun(first=None, page=None):
    app = CardtableApp(Preferences.load(), first, page)
    app.context.robot_client = AtOnce()
    app.preferences.change(pace=0, trick_pause=0)
    return app


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_in_the_lobby(place, monkeypatch):
    monkeypatch.setattr(passwords, "SCRYPT_COSTS", ((2**4, 8, 1),))
    profiles.register("Anna")
    saved("rikiki").close()
    over()
    app = begun()
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        for key in FROM_THE_PICKER[place].split():
            await pilot.press(key)
            await pilot.pause()
        await moves(pilot, app)


@pytest.mark.parametrize("place", FROM_THE_TABLE)
async def test_at_the_table(place):
    game, keys = FROM_THE_TABLE[place]
    app = begun(saved(game))
    async with app.run_test(size=SIZE) as pilot:
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.frame.waiting)
        for key in keys.split():
            await pilot.press(key)
            await pilot.pause()
        await moves(pilot, app)


@pytest.mark.parametrize("place", PAGES)
async def test_on_pages_that_are_about_a_session(place):
    app = begun(None, (place, score_table() if place == "score_table" else over()))
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        await pilot.press("2")
        await moves(pilot, app)


async def test_in_a_box_over_the_first_and_last_option():
    app = Host(session("rikiki", 11))
    async with app.run_test(size=SIZE) as pilot:
        await play_until(pilot, app, lambda frame: frame.box and len(frame.box.options) > 3)
        await pilot.press("end")
        assert app.table.frame.option == len(app.table.frame.box.options) - 1
        await pilot.press("home")
        assert (app.table.frame.in_box, app.table.frame.option) == (True, 0)
