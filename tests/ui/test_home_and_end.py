"""Home and End move to the first and last item of every list, box and line."""

import pytest

from cardtable.ui.table.screen import TableScreen
from tests.ui.driver import sit_at, start_program
from tests.ui.screen_routes import PLACES, fast_program, write_home
from tests.ui.table_host import create_session

__all__ = ["fast_program"]  # a fixture
LISTS = (
    *("picker", "palette", "settings", "new table", "rules", "archive", "players", "new score table"),
    *("table of gurka", "table of ten_down", "score sheet", "last deal"),
)
KEYS = {
    **dict.fromkeys(LISTS, ""),
    **dict.fromkeys(("replay", "export", "score table"), "2"),
    "words looked for in the archive": "a b c",
    "a new player": "A n n",
    "a table's name": "a b",
    "messages": "a b",
    "table of king": "tab",
}
"""Places, with the keys to a line or list there."""


@pytest.mark.parametrize("place", KEYS)
async def test_home_and_end(place):
    write_home(place)
    first, keys = PLACES[place]
    async with start_program(*first()) as program:
        if isinstance(program.app.screen, TableScreen):
            await program.wait_until(lambda: program.app.screen.frame.waiting)
        await program.press(f"{keys} {KEYS[place]}")
        screens = []
        for key in ("home", "end", "home", "end"):
            await program.press(key)
            grounds = [painting.canvas.grounds for painting in program.app.screen.query("CanvasWidget")]
            screens.append((str(grounds), program.text))
    assert screens[0] == screens[2] != screens[1] == screens[3]


async def test_home_and_end_in_decision_box():
    session = create_session("rikiki", 11)
    async with sit_at(session, until=lambda frame: frame.in_box and len(frame.decision.options) > 3) as table:
        await table.press("end")
        assert table.frame.option == len(table.frame.decision.options) - 1
        await table.press("home")
        assert (table.frame.in_box, table.frame.option) == (True, 0)
