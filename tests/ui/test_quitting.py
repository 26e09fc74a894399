"""Ctrl+C asks on the last row of any screen whether to quit."""

import pytest

from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Quitting
from cardtable.ui.toolkit.preferences import Preferences
from tests.store.disk_faults import fill_disk
from tests.ui.driver import SMALL, TINY, at_screen
from tests.ui.screen_routes import FROM_THE_PICKER, FROM_THE_TABLE
from tests.ui.table_host import QUICK, InProcessRobotClient, create_session, take_first_action

pytestmark = pytest.mark.usefixtures("in_process_statistics")

QUESTION = "  Quit?   Enter quit (all is saved)   Esc stay"
PICKER = (
    *(
        "picker",
        "palette",
        "settings",
        "new table",
        "rules",
        "archive",
        "words looked for in the archive",
        "statistics",
    ),
    *("rankings", "players", "a new player", "new score table", "keys of the picker"),
)
TABLE = ("palette over the table", "hint", "messages", "score sheet", "another session", "keys of the table")
PLACES = {
    **{name: (FROM_THE_PICKER[name], False) for name in PICKER},
    "score table": ("c enter", False),
    "table": ("", True),
    **{name: (FROM_THE_TABLE[name][1], True) for name in TABLE},
}
"""Keys to each place, from the picker or from a table."""


def create_app(at_table):
    app = CardtableApp(Preferences(QUICK), create_session("rikiki", 11) if at_table else None)
    app.context.robot_client = InProcessRobotClient()
    return app


async def open_page(screen, at_table, keys):
    kind = TableScreen if at_table else Picker
    await screen.is_at(kind)
    if at_table:
        await screen.wait_until(lambda: screen.app.screen.controller.is_awaiting_input)
    await screen.press(keys)
    await screen.sees_no_more("Reading the session")


@pytest.mark.parametrize(
    ("size", "place"),
    [*[(SMALL, place) for place in PLACES], *[(TINY, place) for place in ("picker", "score table", "table")]],
)
async def test_question_on_last_row_changes_nothing_until_yes(size, place):
    keys, at_table = PLACES[place]
    async with at_screen(create_app(at_table), size) as screen:
        await open_page(screen, at_table, keys)
        before, below = screen.rows, screen.app.screen
        await screen.press("ctrl+c")
        await screen.is_at(Quitting)
        asked = screen.rows
        assert asked[-1].rstrip() == QUESTION
        assert asked[:-1] == before[: size[1] - 1]  # a dialog leaves the last row empty
        assert not screen.notices
        await screen.press("x n 1 down")
        assert isinstance(screen.app.screen, Quitting)
        await screen.press("escape")
        await screen.wait_until(lambda: screen.app.screen is below)
        assert screen.rows == before
        assert screen.app.is_running


@pytest.mark.parametrize("answer", ["enter", "ctrl+c", "click"])
@pytest.mark.parametrize("keys", ["", "n"], ids=["at the table", "over a question"])
async def test_yes_quits(answer, keys):
    async with at_screen(create_app(at_table=True)) as screen:
        await open_page(screen, True, keys)
        await screen.press("ctrl+c")
        if answer == "click":
            await screen.is_at(Quitting)
            await screen.click(QUESTION.index("Enter"), 23)
        else:
            await screen.press(answer)
        await screen.wait_until(lambda: screen.app.return_code == 0)


async def test_question_claims_nothing_is_saved_after_a_failure(home, monkeypatch):
    async with at_screen(create_app(at_table=True)) as screen:
        await open_page(screen, True, "")
        fill_disk(monkeypatch, home)
        take_first_action(screen.app.screen)
        await screen.wait_until(screen.app.context.unsaved_work.list_save_errors)
        await screen.press("ctrl+c")
        await screen.is_at(Quitting)
        assert screen.rows[-1].rstrip() == "  Quit?   Enter quit   Esc stay"
