"""The command palette: what can be done is found by its words, and nothing else."""

import pytest

from cardtable.ui import palette
from cardtable.ui.app import CardtableApp
from cardtable.ui.keys import MOVE, SCOPES, TABLE
from cardtable.ui.preferences import Preferences
from cardtable.ui.screens.dialog import Dialog
from cardtable.ui.screens.picker import PickerScreen
from cardtable.ui.screens.rules import RulesScreen
from cardtable.ui.screens.table import TableScreen
from cardtable.ui.widgets.page import Page
from tests.ui.table_host import session, until


async def choose(pilot, app, words):
    """Open the palette, type, and take the first that is found."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: type(app.screen).__name__ == "CommandPalette")
    await pilot.press(*["space" if letter == " " else letter for letter in words])
    found = app.screen.query_one("CommandList")
    await until(pilot, lambda: found.option_count and words.lower() in str(found.get_option_at_index(0).prompt).lower())
    await pilot.press("enter")
    await until(pilot, lambda: type(app.screen).__name__ != "CommandPalette")


@pytest.fixture
def app(request):
    return CardtableApp(Preferences.load(), getattr(request, "param", lambda: None)())


async def test_a_game_is_begun_by_its_name(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await choose(pilot, app, "Play King")
        await until(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.screen.session.header.game == "king"


@pytest.mark.parametrize("app", [lambda: session("rikiki", 11)], indirect=True)
async def test_another_game_from_the_table_keeps_the_session(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sight.waiting)
        before = app.screen.session
        await choose(pilot, app, "Play Gurka")
        await until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen.session is not before)
        assert before.path.is_file()
        assert app.screen.session.header.game == "gurka"
        assert [type(screen) for screen in app.screen_stack[1:]] == [PickerScreen, TableScreen]


@pytest.mark.parametrize("app", [lambda: session("rikiki", 11)], indirect=True)
async def test_keys_of_the_table_can_be_found(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sight.waiting)
        table = app.screen
        await choose(pilot, app, "Score sheet")
        await until(pilot, lambda: table._view.cover is not None)
        await pilot.press("s")
        await choose(pilot, app, "Rules of Rummy")
        await until(pilot, lambda: isinstance(app.screen, RulesScreen))


@pytest.mark.parametrize("app", [lambda: session("rikiki", 11, people=2)], indirect=True)
async def test_it_offers_what_works_now_and_at_the_curtain_nothing_of_the_hand(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.driver.asked)
        table, keymap = app.screen, app.preferences.look.keys
        at_the_curtain = [command.name for command in palette.here(table, keymap)]
        assert not any(name.startswith(("Hint", "Last trick", "Take back")) for name in at_the_curtain)
        await pilot.press("enter")
        await until(pilot, lambda: table.sight.waiting)
        offered = [command.name for command in palette.here(table, keymap)]
        assert [name for name in offered if name.startswith("Hint")]
        working = {key.word for key in TABLE if key.topic != MOVE and key.name != "palette" and table.works(key)}
        assert len(offered) == len(working)


async def test_a_theme_is_chosen_at_once(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await choose(pilot, app, "Theme classic")
        await pilot.pause()
        assert app.preferences.settings.theme == "classic"


async def test_a_question_is_answered_first(app):
    async with app.run_test(size=(80, 24)) as pilot:
        app.push_screen(Dialog(app.preferences.look, "Really?", "It cannot be undone.", "yes"))
        await pilot.pause()
        await pilot.press("ctrl+p")
        await pilot.pause()
        assert isinstance(app.screen, Dialog)


@pytest.mark.parametrize("app", [lambda: session("rikiki", 11)], indirect=True)
async def test_every_page_is_opened_from_the_table_and_from_every_other_page(app):
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.screen.sight.waiting)
        for words in ("Archive", "Statistics", "Rankings", "Score table for real cards", "Players"):
            below = app.screen
            await choose(pilot, app, words)
            await until(pilot, lambda below=below: app.screen is not below and app.screen.query(Page))
            [page] = [name for name, title in palette.PAGES.items() if title == words]
            assert type(app.screen).__module__.rpartition(".")[2].startswith(page.split("_")[0])
            names = {key.name for key in app.screen.query_one(Page).SCOPE}
            offered = {command.name for command in palette.commands(app)}
            assert {"settings", "help", "palette", "quit"} <= names
            for other, title in palette.PAGES.items():
                assert other in names or title in offered, (words, title)
            assert {"Rules of Rikiki", "Play King", "New table for Rummy"} <= offered


@pytest.mark.parametrize("scope", SCOPES)
def test_settings_keys_and_all_commands_are_on_every_screen(scope):
    assert {"settings", "help", "palette", "screenshot", "quit"} <= {key.name for key in SCOPES[scope]}
