"""Questions whose answers are awaited: what happens around them."""

import asyncio
import gc
from contextlib import asynccontextmanager

import pytest
from textual import events

from cardtable.ui.app import CardtableApp
from cardtable.ui.picker.screen import Picker
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.page import ask, run_with_questions
from cardtable.ui.toolkit.preferences import Preferences
from tests.ui.bursts import key_event
from tests.ui.current_screen import is_shown, wait_for_screen
from tests.ui.screen_text import screen_text
from tests.ui.table_host import wait_until


@asynccontextmanager
async def picker(size=(80, 24)):
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=size) as pilot:
        await wait_for_screen(pilot, Picker)
        yield app, pilot, app.screen.page


def create_question(app, title="Really?"):
    return Dialog(app.preferences.appearance, title, "It cannot be undone.", "do it", "go back")


async def begin(pilot, page, function):
    """Run a coroutine function in the page's message pump until it asks."""
    page.call_later(run_with_questions, pilot.app, function)
    await wait_for_screen(pilot, Dialog)


async def test_page_follows_the_window_while_a_question_is_open():
    async with picker() as (app, pilot, page):

        async def work():
            await ask(create_question(app))

        await begin(pilot, page, work)
        await pilot.resize_terminal(120, 40)
        await wait_until(pilot, lambda: page.canvas.width == 120)
        assert is_shown(app, Dialog)


async def test_key_after_an_answer_waits_for_its_effect():
    async with picker() as (app, pilot, page):
        goes_on, effects = asyncio.Event(), []

        async def work():
            await ask(create_question(app))
            await goes_on.wait()
            effects.append("these keys" in screen_text(app))

        await begin(pilot, page, work)
        app.post_message(events.Key("enter", "\r"))
        await wait_until(pilot, lambda: is_shown(app, Picker))
        app.post_message(key_event("?"))
        for _ in range(20):  # turns of the loop in which the page could handle the key
            await asyncio.sleep(0)
        goes_on.set()
        await wait_until(pilot, lambda: "these keys" in screen_text(app))
        assert effects == [False]


async def test_question_after_a_question():
    async with picker() as (app, pilot, page):
        tried = []

        def check(typed):
            tried.append(typed)
            return "" if typed == "b" else "Wrong"

        async def work():
            tried.append(await app.context.ask_until_accepted("Who?", "Your nick.", "enter", "leave", check))

        await begin(pilot, page, work)
        await pilot.press("a", "enter")
        await wait_until(pilot, lambda: "Wrong. Your nick." in screen_text(app))
        await pilot.press("b", "enter")
        await wait_until(pilot, lambda: len(tried) == 3)
        assert tried == ["a", "b", True]
        assert is_shown(app, Picker)


async def test_question_closed_without_an_answer_ends_the_work():
    async with picker() as (app, pilot, page):
        ends = []

        async def work():
            try:
                ends.append(await ask(create_question(app)))
            finally:
                ends.append("end")

        await begin(pilot, page, work)
        await app.pop_screen()
        await pilot.pause()
        gc.collect()
        assert ends == ["end"]


async def test_program_ends_while_a_question_is_open():
    async with picker() as (app, pilot, page):
        ends = []

        async def work():
            ends.append(await ask(create_question(app)))

        await begin(pilot, page, work)
        app.exit()
    assert ends == []
    assert app.unhandled_error is None


async def fail(question):
    """Raise a fault, after `question` if there is one."""
    if question is not None:
        await ask(question)
    raise ZeroDivisionError


async def run_to_a_fault(*, asks):
    async with picker() as (app, pilot, page):
        page.call_later(run_with_questions, app, fail, create_question(app) if asks else None)
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()


@pytest.mark.parametrize("asks", [False, True], ids=["before a question", "after an answer"])
async def test_fault_ends_the_program(asks):
    with pytest.raises(ZeroDivisionError):
        await run_to_a_fault(asks=asks)


async def test_errors_and_time_limits_of_awaited_work():
    async with picker() as (app, pilot, page):
        caught = []

        async def work():
            await ask(create_question(app))
            try:
                async with asyncio.timeout(0.01):
                    await asyncio.Event().wait()
            except TimeoutError:
                caught.append("timeout")
            try:
                await asyncio.to_thread(int, "x")
            except ValueError:
                caught.append("error")

        await begin(pilot, page, work)
        await pilot.press("enter")
        await wait_until(pilot, lambda: caught == ["timeout", "error"])
