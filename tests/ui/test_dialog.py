"""A question over a screen."""

from cardtable.ui.app import CardtableApp
from cardtable.ui.page.dialog import Dialog
from cardtable.ui.settings.preferences import Preferences


async def test_a_question_that_is_taken_away_as_it_comes_is_no_fault():
    """The library mounts nothing any more on what it takes away, and says so nowhere else."""
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        question = Dialog(app.preferences.look, "Leave?", "Nothing is lost.", "leaves", "stays")
        app.push_screen(question)
        question._pruning = True
        await pilot.pause()
        question._pruning = False
        await app.pop_screen()
