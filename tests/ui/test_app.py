"""The whole program: changes of screens, also with keys that are faster than the changes."""

import asyncio
import gc
import os

import pytest
from textual import events
from textual.geometry import Size

from cardtable.cli import launch
from cardtable.games import KEYS
from cardtable.store import paths, summaries
from cardtable.ui.app import CardtableApp
from cardtable.ui.new_table import NewTablePage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.rules import RulesPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.terminal.terminal_driver import TerminalDriver
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.preferences import Preferences
from tests.store.processes import get_ended_pid
from tests.ui.bursts import key_event, send
from tests.ui.current_screen import wait_for_screen
from tests.ui.driver import SMALL, start_program
from tests.ui.table_host import create_session

pytestmark = pytest.mark.usefixtures("in_process_statistics")


async def test_tasks_begin_after_they_are_stored(monkeypatch):
    """Textual's eager tasks would run while ``create_task`` is still called."""
    made = []

    def make_task(loop, coro, **options):
        made.append(coro)
        return asyncio.Task(coro, loop=loop, **options)

    async def quit_at_the_table(pilot):
        await wait_for_screen(pilot, TableScreen)
        made.clear()
        await asyncio.create_task(asyncio.sleep(0))
        pilot.app.exit(bool(made))

    monkeypatch.setattr(asyncio, "eager_task_factory", make_task, raising=False)
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    is_eager = await app.run_async(headless=True, auto_pilot=quit_at_the_table)  # ``run_test`` has no eager tasks
    assert is_eager is False


async def test_leaving_table_twice_opens_picker():
    async with start_program(create_session("rikiki", 11)) as program:
        table = await program.is_at(TableScreen)
        table.action_leave()
        table.action_leave()
        await program.is_at(Picker)


def count_sessions():
    return len(paths.list_files(paths.sessions_folder(), ".jsonl"))


async def wait_for_other_table(program, table):
    """Wait until another table than this one asks the person."""
    await program.wait_until(lambda: isinstance(program.app.screen, TableScreen) and program.app.screen is not table)
    await program.wait_until(lambda: program.app.screen.controller.is_awaiting_input)


async def test_double_new_session_creates_one():
    async with start_program(create_session("rikiki", 11), confirm=False) as program:
        table = await program.is_at(TableScreen)
        table.action_new_session(same_deal=False)
        table.action_new_session(same_deal=False)
        await wait_for_other_table(program, table)
        assert count_sessions() == 2


@pytest.mark.parametrize(("keys", "page"), [("", Picker), ("n", NewTablePage)])
async def test_double_open_creates_one_session(keys, page):
    async with start_program() as program:
        await program.press(keys)
        form = (await program.is_at(page)).page
        for _ in range(2):
            form.action_open() if page is Picker else form.action_begin()
        await program.is_at(TableScreen)
        assert count_sessions() == 1


async def test_resume_right_after_leaving():
    async with start_program(create_session("rikiki", 11), key_guard=0) as program:
        left = await program.is_at(TableScreen)
        await program.press("escape")
        await program.is_at(Picker)
        program.app.screen.page.action_open()
        table = await program.is_at(TableScreen)
        assert table is not left
        assert table.session.path == left.session.path
        assert table.session.read_only_reason is None


async def test_new_table_form_starts_session():
    async with start_program() as program:
        await program.press("down " * KEYS.index("bridge") + "n")
        await program.is_at(NewTablePage)
        await program.press("down left left down down down right down 7 enter")
        await program.is_at(TableScreen)
        header = program.app.screen.session.header
        assert (header.game, header.seed, len(header.seats)) == ("bridge", 7, 2)
        assert header.seats[0].name == "Guest", "the signed-in player sits in the first seat"
        await program.press("escape")
        await program.is_at(Picker)
        await program.press("n")
        await program.sees("‹   2  ›")  # the form remembers the last choices


async def test_rules_page_shows_options_of_opener():
    async def read_rule_values(keys):
        await program.press(keys)
        await program.is_at(RulesPage)
        await program.press("end " + "up " * 20)
        text = program.text
        await program.press("escape")
        assert "5 cards and up (over-four, default)" in text
        return [label for label in ("5 cards and up", "every round", "never") if f"• {label}" in text]

    async with start_program(create_session("rikiki", 11, hook="always"), size=(80, 40)) as program:
        await program.is_at(TableScreen)
        assert await read_rule_values("i") == ["every round"]
        await program.is_at(TableScreen)
        await program.press("escape")
        await program.is_at(Picker)
        assert await read_rule_values("i") == ["5 cards and up", "every round", "never"], "the picker marks no value"
        await program.is_at(Picker)
        await program.press("n")
        await program.is_at(NewTablePage)
        assert await read_rule_values("tab left i") == ["never"]
        await program.is_at(NewTablePage)


def list_unfinished_ids():
    return {session.header.id for session in summaries.iter_unfinished()}


async def test_same_deal_after_confirmation():
    first = create_session("rikiki", 11, seats=4, hook="always")
    async with start_program(first) as program:
        await program.sees("Your bid")
        table = program.app.screen
        await program.press("=")
        await program.sees("This session is not over")
        await program.press("escape")
        await program.is_at(TableScreen)
        assert program.app.screen is table
        assert list_unfinished_ids() == {first.header.id}
        await program.press("=")
        await program.is_at(Dialog)
        await program.press("enter")
        await wait_for_other_table(program, table)
        again = program.app.screen.session
        deals = [(one.header.seed, one.header.seats, one.referee.options) for one in (first, again)]
        assert deals[0] == deals[1]
        assert list_unfinished_ids() == {first.header.id, again.header.id}
        assert len(list_unfinished_ids()) == 2


@pytest.mark.parametrize("key", ["", "i", ",", "n", "e", "a", "c", "p", "r", "t", "enter"])
async def test_late_resize_event_on_page(key):
    create_session("rikiki", 11).close()
    async with start_program() as program:
        lobby = program.app.screen
        if key:
            await program.press(key)
            await program.wait_until(lambda: program.app.screen is not lobby and program.app.screen.is_mounted)
        program.app.screen.post_message(events.Resize(Size(60, 17), Size(60, 17)))
        await program.pilot.pause()
        assert program.app.screen.outer_size == SMALL


EARLY_KEYS = {
    "archive": "a / k i n",
    "settings": ", 2 down down pagedown up",
    "a key to be bound": ", 4 down down enter f8",
    "players": "p down n Z o e",
    "new table": "n down down right",
    "score table": "c down down right",
    "rules": "i pagedown down",
    "keys of a page": "a ?",
    "palette": "ctrl+p r u l e s",
}


async def read_screen_after(keys, *, at_once):
    """Return the screen after these keys in the picker, with default settings."""
    paths.settings_file().unlink(missing_ok=True)
    async with start_program() as program:
        for each in keys.split():
            send(program.app, [key_event(each)])
            if not at_once:
                await program.pilot.pause()
        await program.pilot.pause()
        await program.pilot.pause()
        return program.text


@pytest.mark.parametrize("page", EARLY_KEYS)
async def test_early_keys_reach_new_page_in_order(page):
    assert await read_screen_after(EARLY_KEYS[page], at_once=True) == await read_screen_after(
        EARLY_KEYS[page], at_once=False
    )


async def test_drafts_of_killed_program_are_removed(home):
    home.mkdir()
    draft = home / f"settings.toml.{get_ended_pid()}.new"
    draft.write_text("half")
    async with start_program() as program:
        await program.wait_until(lambda: not draft.exists())


def test_terminal_size_is_limited(monkeypatch):
    driver = object.__new__(TerminalDriver)
    sizes = {(80, 24): (80, 24), (60_000, 24): (999, 24), (65_535, 65_535): (999, 999), (0, 0): (80, 24)}
    for reported, taken in sizes.items():
        monkeypatch.setattr(os, "get_terminal_size", lambda _stream, reported=reported: reported)
        assert driver._get_terminal_size() == taken


def test_garbage_collection_resumes_after_first_frame(monkeypatch):
    seen = []

    async def run_async(_app, **_):
        seen.append(gc.isenabled())
        while not gc.isenabled():
            await asyncio.sleep(0.01)

    monkeypatch.setattr(CardtableApp, "run_async", run_async)
    monkeypatch.setattr(launch, "require_terminal", lambda: None)
    launch.open_screen()
    assert seen == [False]
