"""Ctrl+C asks on the last row of any screen whether to quit."""

import pytest

from cardtable.store.settings import Settings
from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Quitting
from cardtable.ui.toolkit.preferences import Preferences
from tests.store.disk_faults import fill_disk
from tests.ui.current_screen import is_shown
from tests.ui.screen_text import list_notices, screen_text
from tests.ui.table_host import QUICK, InProcessRobotClient, create_session, take_first_action, wait_until

pytestmark = pytest.mark.usefixtures("in_process_statistics")

QUESTION = "  Quit?   Enter quit (all is saved)   Esc stay"
PICKER = {
    "picker": "",
    "palette": "ctrl+p",
    "settings": ",",
    "new table": "n",
    "rules": "i",
    "archive": "a",
    "line of the archive": "a /",
    "statistics": "t",
    "rankings": "r",
    "players": "p",
    "form of a player": "p n",
    "new score table": "c",
    "score table": "c enter",
    "keys": "?",
}
TABLE = {
    "table": "",
    "palette over the table": "ctrl+p",
    "hint": "h",
    "messages": "m",
    "sheet": "s",
    "a question": "n",
    "keys of the table": "?",
}
PLACES = [*[(keys, False) for keys in PICKER.values()], *[(keys, True) for keys in TABLE.values()]]


def create_app(at_table):
    app = CardtableApp(Preferences(QUICK), create_session("rikiki", 11) if at_table else None)
    app.context.robot_client = InProcessRobotClient()
    return app


async def open_page(pilot, app, at_table, keys):
    kind = TableScreen if at_table else Picker
    await wait_until(pilot, lambda: is_shown(app, kind))
    if at_table:
        await wait_until(pilot, lambda: app.screen.controller.is_awaiting_input)
    await pilot.press(*keys.split())
    await pilot.pause()
    await wait_until(pilot, lambda: "Reading the session" not in screen_text(app))


@pytest.mark.parametrize(
    ("size", "keys", "at_table"),
    [
        *[pytest.param((80, 24), *place, id=name) for name, place in zip([*PICKER, *TABLE], PLACES, strict=True)],
        *[
            pytest.param((60, 18), *place, id=f"narrow{place}")
            for place in (("", False), ("c enter", False), ("", True))
        ],
    ],
)
async def test_question_on_last_row_changes_nothing_until_yes(size, keys, at_table):
    app = create_app(at_table)
    async with app.run_test(size=size) as pilot:
        await open_page(pilot, app, at_table, keys)
        before, below = screen_text(app).splitlines(), app.screen
        await pilot.press("ctrl+c")
        await wait_until(pilot, lambda: isinstance(app.screen, Quitting))
        await pilot.pause()
        asked = screen_text(app).splitlines()
        assert asked[-1].rstrip() == QUESTION
        assert asked[:-1] == before[:-1]
        assert not list_notices(app)
        await pilot.press("x", "n", "1", "down")
        assert isinstance(app.screen, Quitting)
        await pilot.press("escape")
        await wait_until(pilot, lambda: app.screen is below)
        await pilot.pause()
        assert screen_text(app).splitlines() == before
        assert app.is_running


@pytest.mark.parametrize("answer", ["enter", "ctrl+c", "click"])
@pytest.mark.parametrize("keys", ["", "n"], ids=["at the table", "over a question"])
async def test_yes_quits(answer, keys):
    app = create_app(at_table=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_page(pilot, app, True, keys)
        await pilot.press("ctrl+c")
        if answer == "click":
            await wait_until(pilot, lambda: isinstance(app.screen, Quitting))
            await pilot.click(offset=(QUESTION.index("Enter"), 23))
        else:
            await pilot.press(answer)
        await wait_until(pilot, lambda: app._exit)


async def test_question_claims_nothing_is_saved_after_a_failure(home, monkeypatch):
    app = create_app(at_table=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_page(pilot, app, True, "")
        fill_disk(monkeypatch, home)
        take_first_action(app.screen)
        await wait_until(pilot, app.context.unsaved_work.list_save_errors)
        await pilot.press("ctrl+c")
        await wait_until(pilot, lambda: isinstance(app.screen, Quitting))
        assert screen_text(app).splitlines()[-1].rstrip() == "  Quit?   Enter quit   Esc stay"


async def test_click_beside_answers_means_no():
    app = create_app(at_table=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_page(pilot, app, True, "")
        before = screen_text(app)
        await pilot.press("ctrl+c")
        await wait_until(pilot, lambda: isinstance(app.screen, Quitting))
        await pilot.click(offset=(20, 20))
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert screen_text(app) == before


async def test_rebound_ctrl_c_does_not_ask():
    app = CardtableApp(Preferences(Settings(keys={"archive": "ctrl+c"})))
    async with app.run_test(size=(80, 24)) as pilot:
        await open_page(pilot, app, False, "ctrl+c")
        await wait_until(pilot, lambda: "Archive" in screen_text(app).split("\n")[0])
