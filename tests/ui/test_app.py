"""The program as a whole: from screen to screen, with keys pressed faster than screens change."""

import pytest

from cardtable.store import paths
from cardtable.ui.app import CardtableApp
from cardtable.ui.screens.picker import PickerScreen
from cardtable.ui.screens.table import TableScreen
from tests.ui.table_host import session, until


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("CARDTABLE_HOME", str(tmp_path))


async def at(pilot, kind):
    """Wait for a screen of this kind."""
    await until(pilot, lambda: isinstance(pilot.app.screen, kind) and pilot.app.screen.is_mounted)
    return pilot.app.screen


async def test_a_table_left_twice_leads_to_the_picker():
    app = CardtableApp(session("rikiki", 11))
    async with app.run_test() as pilot:
        table = await at(pilot, TableScreen)
        table.action_leave()
        table.action_leave()
        await at(pilot, PickerScreen)
        await pilot.pause()
        assert isinstance(app.screen, PickerScreen)


async def test_a_game_chosen_twice_begins_one_session():
    app = CardtableApp()
    async with app.run_test() as pilot:
        picker = await at(pilot, PickerScreen)
        await pilot.pause()
        picker._picker.action_open()
        picker._picker.action_open()
        await at(pilot, TableScreen)
        await pilot.pause()
        assert len(paths.listed(paths.sessions(), ".jsonl")) == 1


async def test_a_session_can_be_gone_on_with_as_soon_as_it_is_left():
    app = CardtableApp(session("rikiki", 11))
    async with app.run_test() as pilot:
        left = await at(pilot, TableScreen)
        await pilot.press("escape")
        picker = await at(pilot, PickerScreen)
        await pilot.pause()
        picker._picker.action_open()
        table = await at(pilot, TableScreen)
        assert table is not left
        assert table.session.path == left.session.path
        assert table.session.read_only is None
