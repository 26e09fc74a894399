"""Welcome page of a new home: three ways to begin, a theme seen at once, and never shown again."""

import pytest

from cardtable.store import paths, summaries
from cardtable.store.session_setup import is_new_home
from cardtable.ui.picker.screen import Picker
from tests.ui.driver import start_program


@pytest.fixture
def welcome():
    """Start the program in a new home."""
    return start_program(page=("welcome",), key_guard=0)


@pytest.mark.parametrize("key", ["enter", "escape"])
async def test_welcome_is_shown_once(welcome, key):
    assert is_new_home()
    async with welcome as program:
        await program.sees("Deal me in")
        await program.press(key)
        await program.sees_no_more("Deal me in")
        await program.sees("bid exactly the tricks you will make")
        await program.wait_until(lambda: not is_new_home())


async def test_second_enter_deals_no_game():
    async with start_program(page=("welcome",), key_guard=1) as program:
        await program.sees("Deal me in")
        await program.press_at_once("enter enter")
        await program.is_at(Picker)
        assert not summaries.list_unfinished()


async def test_theme_is_previewed_and_kept(welcome):
    async with welcome as program:
        await program.sees("Classic green")
        await program.press("down right")
        await program.sees("Colour-blind safe")
        await program.press("left left")
        await program.sees_no_more("Colour-blind safe")
        chosen = program.app.preferences.chosen.theme
        await program.wait_until(lambda: f'theme = "{chosen}"' in paths.settings_file().read_text())


async def test_first_lesson_and_club_lead_back_to_picker(welcome):
    async with welcome as program:
        await program.press("down enter")
        await program.sees("What a trick is")
        await program.press("escape")
        await program.sees("bid exactly the tricks you will make")
