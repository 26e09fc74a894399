"""Home and End move to the first and last item of every list, box and line."""

import pytest

from cardtable.store import profiles
from cardtable.ui.table.screen import TableScreen
from tests.ui.driver import sit_at, start_program
from tests.ui.screen_routes import fast_program, resume_saved_session, write_finished_session, write_score_table
from tests.ui.table_host import create_session

__all__ = ["fast_program"]  # a fixture
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


async def check_home_and_end(program):
    """Assert that End changes the screen, and that Home restores it."""
    screens = []
    for key in ("home", "end", "home", "end"):
        await program.press(key)
        grounds = [painting.canvas.grounds for painting in program.app.screen.query("CanvasWidget")]
        screens.append((str(grounds), program.text))
    assert screens[0] == screens[2] != screens[1] == screens[3]


@pytest.mark.parametrize("place", FROM_THE_PICKER)
async def test_home_and_end_from_picker(place):
    profiles.register("Anna")
    resume_saved_session("rikiki").close()
    write_finished_session()
    async with start_program() as program:
        await program.press(FROM_THE_PICKER[place])
        await check_home_and_end(program)


@pytest.mark.parametrize("place", FROM_THE_TABLE)
async def test_home_and_end_at_table(place):
    game, keys = FROM_THE_TABLE[place]
    async with start_program(resume_saved_session(game)) as program:
        await program.is_at(TableScreen)
        await program.wait_until(lambda: program.app.screen.frame.waiting)
        await program.press(keys)
        await check_home_and_end(program)


@pytest.mark.parametrize("place", PAGES)
async def test_home_and_end_on_session_pages(place):
    path = write_score_table() if place == "score_table" else write_finished_session()
    async with start_program(page=(place, path)) as program:
        await program.press("2")
        await check_home_and_end(program)


async def test_home_and_end_in_decision_box():
    session = create_session("rikiki", 11)
    async with sit_at(session, until=lambda frame: frame.box and len(frame.box.options) > 3) as table:
        await table.press("end")
        assert table.frame.option == len(table.frame.box.options) - 1
        await table.press("home")
        assert (table.frame.in_box, table.frame.option) == (True, 0)
