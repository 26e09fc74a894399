"""Dialog over a screen."""

import pytest
from textual import events

from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.driver import TINY, start_program
from tests.ui.table_host import create_session


def create_dialog(appearance, text="Mine"):
    """Return a dialog that asks for a name."""
    return Dialog(appearance, "A name", "Rikiki.", "remove the name", "goes back", initial_text=text)


async def test_removal_while_mounting():
    """Textual silently mounts nothing on a widget that is being removed."""
    async with start_program() as program:
        question = create_dialog(program.app.preferences.appearance)
        program.app.push_screen(question)
        question._pruning = True
        await program.pilot.pause()
        question._pruning = False
        await program.app.pop_screen()
    assert program.app.unhandled_error is None


async def test_key_labels_fit_minimum_size():
    async with start_program(size=TINY) as program:
        program.app.push_screen(create_dialog(program.app.preferences.appearance, ""))
        await program.sees("remove the name", "Esc goes back", "clear the line")


@pytest.mark.parametrize("size", [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)], ids=str)
def test_text_input_paints_at_any_size(size):
    canvas = create_dialog(Preferences.load().appearance)._line.paint(*size)
    assert (canvas.width, canvas.height) == size


async def test_earlier_enter_is_not_an_answer():
    async with start_program() as program:
        answers = []
        question = create_dialog(program.app.preferences.appearance, "")
        early = [events.Key("a", "a"), events.Key("enter", "\r")]
        await program.app.push_screen(question, answers.append)
        await program.pilot.pause()
        for key in early:
            question.post_message(key)
        await program.pilot.pause()
        assert answers == []
        await program.press("enter")
        assert answers == ["a"]


async def test_double_answer_closes_one_dialog():
    async with start_program(create_session("rikiki", 11)) as program:
        await program.is_at(TableScreen)
        answers, table = [], program.app.screen
        dialog = create_dialog(program.app.preferences.appearance)
        program.app.push_screen(dialog, answers.append)
        await program.is_at(Dialog)
        dialog.action_answer()
        dialog.action_answer()
        await program.wait_until(lambda: answers)
        assert program.app.screen is table
        assert answers == ["Mine"]


async def test_exit_while_dialog_opens():
    async with start_program() as program:
        program.app.push_screen(create_dialog(program.app.preferences.appearance))
        program.app.exit()
    assert program.app.unhandled_error is None
