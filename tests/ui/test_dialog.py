"""Dialog over a screen."""

import pytest
from textual import events

from cardtable.ui.app import CardtableApp
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.screen_text import screen_text


async def test_removal_while_mounting():
    """Textual silently mounts nothing on a widget that is being removed."""
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        question = Dialog(app.preferences.appearance, "Leave?", "Nothing is lost.", "leaves", "stays")
        app.push_screen(question)
        question._pruning = True
        await pilot.pause()
        question._pruning = False
        await app.pop_screen()


async def test_key_labels_fit_minimum_size():
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(60, 18)) as pilot:
        app.push_screen(
            Dialog(app.preferences.appearance, "A name", "Rikiki.", "remove the name", "goes back", initial_text="")
        )
        await pilot.pause()
        assert all(text in screen_text(app) for text in ("remove the name", "Esc goes back", "clear the line"))


@pytest.mark.parametrize("size", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)], ids=str)
def test_text_input_paints_at_any_size(size):
    question = Dialog(
        Preferences.load().appearance, "A name", "Rikiki.", "names it", "goes back", initial_text="Sunday"
    )
    canvas = question._line.paint(*size)
    assert (canvas.width, canvas.height) == size


async def test_earlier_enter_is_not_an_answer():
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        answers = []
        question = Dialog(
            app.preferences.appearance, "Deal again?", "Nothing is lost.", "deals", "keeps playing", initial_text=""
        )
        early = [events.Key("a", "a"), events.Key("enter", "\r")]
        await app.push_screen(question, answers.append)
        await pilot.pause()
        for key in early:
            question.post_message(key)
        await pilot.pause()
        assert answers == []
        await pilot.press("enter")
        assert answers == ["a"]
