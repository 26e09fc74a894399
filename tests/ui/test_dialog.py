"""Dialogs over a screen, and questions whose answers are awaited."""

import asyncio
import gc
from contextlib import suppress
from itertools import product

import pytest
from textual import events

from cardtable.ui.picker.screen import Picker
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.toolkit.dialog import BoxScreen, Dialog
from cardtable.ui.toolkit.page import ask, run_with_questions
from cardtable.ui.toolkit.painting.canvas import CanvasWidget
from tests.ui.bursts import key_event
from tests.ui.current_screen import is_shown
from tests.ui.driver import TINY, start_program
from tests.ui.table_host import create_session, wait_until


def create_dialog(appearance, text="Mine"):
    """Return a dialog that asks for a name."""
    return Dialog(appearance, "A name", "Rikiki.", "remove the name", "goes back", initial_text=text)


async def test_key_labels_fit_minimum_size():
    async with start_program(size=TINY) as program:
        program.app.push_screen(create_dialog(program.app.preferences.appearance, ""))
        await program.sees("remove the name", "Esc goes back", "clear the line")
        for widget, size in product(program.app.screen.query(CanvasWidget), [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)]):
            canvas = widget.paint(*size)
            assert (canvas.width, canvas.height) == size


def open_dialog(app):
    app.push_screen(create_dialog(app.preferences.appearance))


def open_palette(app):
    app.action_show("palette")


@pytest.mark.parametrize("size", [TINY, (120, 40)])
@pytest.mark.parametrize("open_box", [open_dialog, open_palette])
async def test_no_cut_words_beside_a_box(open_box, size):
    async with start_program(size=size) as program:
        picker = program.rows
        open_box(program.app)
        await program.is_at(BoxScreen)
        await program.pilot.pause()
        box = program.app.screen.children[-1].region
        for y, row in enumerate(program.rows[:-1]):
            before, after = row[: box.x].rstrip(), row[box.right :].lstrip()
            assert not picker[y][len(before) :][:2].strip() or row == picker[y]
            assert not picker[y].removesuffix(after)[-2:].strip() or not after or row == picker[y]
            assert box.y <= y < box.bottom or row == picker[y]


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


def create_question(program):
    return Dialog(program.app.preferences.appearance, "Really?", "It cannot be undone.", "do it", "go back")


async def begin(program, function):
    """Run a coroutine function in the picker's message pump until it asks."""
    program.page.call_later(run_with_questions, program.app, function)
    await program.is_at(Dialog)


async def test_key_after_an_answer_waits_for_its_effect():
    async with start_program() as program:
        goes_on, effects = asyncio.Event(), []

        async def work():
            await ask(create_question(program))
            await goes_on.wait()
            effects.append("these keys" in program.text)

        await begin(program, work)
        program.app.post_message(events.Key("enter", "\r"))
        await wait_until(program.pilot, lambda: is_shown(program.app, Picker))
        program.app.post_message(key_event("?"))
        for _ in range(20):  # turns of the loop in which the page could handle the key
            await asyncio.sleep(0)
        goes_on.set()
        await program.sees("these keys")
        assert effects == [False]


async def test_question_after_a_question():
    async with start_program() as program:
        tried = []

        def check(typed):
            tried.append(typed)
            return "" if typed == "b" else "Wrong"

        async def work():
            tried.append(await program.app.context.ask_until_accepted("Who?", "Your nick.", "enter", "leave", check))

        await begin(program, work)
        await program.press("a enter")
        await program.sees("Wrong. Your nick.")
        await program.press("b enter")
        await program.wait_until(lambda: len(tried) == 3)
        assert tried == ["a", "b", True]
        await program.is_at(Picker)


async def test_question_closed_without_an_answer_ends_the_work():
    async with start_program() as program:
        ends = []

        async def work():
            try:
                ends.append(await ask(create_question(program)))
            finally:
                ends.append("end")

        await begin(program, work)
        await program.app.pop_screen()
        await program.pilot.pause()
        gc.collect()
        assert ends == ["end"]


async def test_program_ends_while_a_question_is_open():
    async with start_program() as program:
        ends = []

        async def work():
            ends.append(await ask(create_question(program)))

        await begin(program, work)
        program.app.exit()
    assert ends == []
    assert program.app.unhandled_error is None


@pytest.mark.parametrize("asks", [False, True], ids=["before a question", "after an answer"])
async def test_fault_ends_the_program(asks):
    async def fail():
        if asks:
            await ask(create_question(program))
        raise ZeroDivisionError

    with suppress(ZeroDivisionError):
        async with start_program() as program:
            program.page.call_later(run_with_questions, program.app, fail)
            await program.pilot.pause()
            await program.press("enter")
    assert isinstance(program.app.unhandled_error, ZeroDivisionError)
