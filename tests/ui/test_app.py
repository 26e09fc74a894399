"""The whole program: changes of screens, also with keys that are faster than the changes."""

import asyncio
import gc
import os

import pytest
from textual import events
from textual.geometry import Size

from cardtable.cli import launch
from cardtable.games import KEYS
from cardtable.session.session_runner import SessionRunner
from cardtable.store import paths, summaries
from cardtable.store.settings import Settings
from cardtable.ui import rules
from cardtable.ui.app import CardtableApp
from cardtable.ui.command_palette import PaletteScreen
from cardtable.ui.keys.bindings import KeyBindings
from cardtable.ui.keys.table_keys import TABLE
from cardtable.ui.new_table import NewTablePage
from cardtable.ui.picker.screen import Picker
from cardtable.ui.rules import RulesPage
from cardtable.ui.settings import TABS, SettingsPage
from cardtable.ui.table.screen import TableScreen
from cardtable.ui.terminal.terminal_driver import TerminalDriver
from cardtable.ui.toolkit.dialog import Dialog
from cardtable.ui.toolkit.page import Page, PageScreen
from cardtable.ui.toolkit.preferences import Preferences
from tests.store.processes import get_ended_pid
from tests.ui.bursts import click_events, key_event, send
from tests.ui.current_screen import is_shown, wait_for_screen
from tests.ui.screen_text import screen_text
from tests.ui.table_host import create_session, wait_until

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
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        table.action_leave()
        table.action_leave()
        await wait_for_screen(pilot, Picker)
        await pilot.pause()
        assert is_shown(app, Picker)


async def test_leaving_table_below_another_page():
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        await app.push_screen(rules.create_screen(app.context, "rikiki"))
        table.action_leave()
        await wait_for_screen(pilot, Picker)


async def test_exit_while_leaving_table():
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        table.action_leave()
        app.exit()
    assert app.return_code == 0


async def test_double_new_session_creates_one():
    app = CardtableApp(Preferences(Settings(confirm=False)), create_session("rikiki", 11))
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        table.action_new_session(same_deal=False)
        table.action_new_session(same_deal=False)
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen is not table)
        await pilot.pause()
        assert len(paths.list_files(paths.sessions_folder(), ".jsonl")) == 2


async def test_double_open_creates_one_session():
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        picker = await wait_for_screen(pilot, Picker)
        await pilot.pause()
        picker.page.action_open()
        picker.page.action_open()
        await wait_for_screen(pilot, TableScreen)
        await pilot.pause()
        assert len(paths.list_files(paths.sessions_folder(), ".jsonl")) == 1


async def test_resume_right_after_leaving():
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    async with app.run_test() as pilot:
        left = await wait_for_screen(pilot, TableScreen)
        await pilot.press("escape")
        picker = await wait_for_screen(pilot, Picker)
        await pilot.pause()
        picker.page.action_open()
        table = await wait_for_screen(pilot, TableScreen)
        assert table is not left
        assert table.session.path == left.session.path
        assert table.session.read_only_reason is None


async def test_new_table_form_starts_session():
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        await wait_for_screen(pilot, Picker)
        await pilot.press(*["down"] * KEYS.index("bridge"), "n")
        await wait_for_screen(pilot, NewTablePage)
        await pilot.press("down", "left", "left", *["down"] * 3, "right", "down", *"7", "enter")
        table = await wait_for_screen(pilot, TableScreen)
        header = table.session.header
        assert (header.game, header.seed, len(header.seats)) == ("bridge", 7, 2)
        assert header.seats[0].name == "Guest", "the signed-in player sits in the first seat"
        await pilot.press("escape")
        await wait_for_screen(pilot, Picker)
        await pilot.press("n")
        await wait_for_screen(pilot, NewTablePage)
        assert "‹   2  ›" in screen_text(app), "the form remembers the last choices"


async def test_new_table_form_cancel_and_double_begin():
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        await wait_for_screen(pilot, Picker)
        await pilot.press("n")
        await wait_for_screen(pilot, NewTablePage)
        await pilot.press("right", "escape")
        await wait_for_screen(pilot, Picker)
        assert paths.list_files(paths.sessions_folder(), ".jsonl") == []
        await pilot.press("n")
        screen = await wait_for_screen(pilot, NewTablePage)
        screen.page.action_begin()
        screen.page.action_begin()
        await wait_for_screen(pilot, TableScreen)
        await pilot.pause()
        assert len(paths.list_files(paths.sessions_folder(), ".jsonl")) == 1


async def test_rules_page_shows_options_of_opener():
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11, hook="always"))

    async def read_rule_values(*keys):
        await pilot.press(*keys)
        await wait_for_screen(pilot, RulesPage)
        await pilot.press("end", *["up"] * 20)
        text = screen_text(app)
        await pilot.press("escape")
        assert "5 cards and up (over-four, default)" in text
        return [label for label in ("5 cards and up", "every round", "never") if f"• {label}" in text]

    async with app.run_test(size=(80, 40)) as pilot:
        await wait_for_screen(pilot, TableScreen)
        assert await read_rule_values("i") == ["every round"]
        await wait_for_screen(pilot, TableScreen)
        await pilot.press("escape")
        await wait_for_screen(pilot, Picker)
        await pilot.pause()
        assert await read_rule_values("i") == ["5 cards and up", "every round", "never"], "the picker marks no value"
        await wait_for_screen(pilot, Picker)
        await pilot.press("n")
        await wait_for_screen(pilot, NewTablePage)
        assert await read_rule_values("tab", "left", "i") == ["never"]
        assert is_shown(app, NewTablePage)


def list_unfinished_headers():
    return [session.header for session in summaries.iter_unfinished()]


async def test_same_deal_after_confirmation():
    first = create_session("rikiki", 11, seats=4, hook="always")
    app = CardtableApp(Preferences.load(), first)
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        await wait_until(pilot, lambda: table.controller.is_awaiting_input)
        await pilot.press("=")
        await wait_for_screen(pilot, Dialog)
        assert "This session is not over" in screen_text(app)
        await pilot.press("enter")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen is not table)
        again = app.screen.session
        deals = [(one.header.seed, one.header.seats, one.referee.options) for one in (first, again)]
        assert deals[0] == deals[1]
        assert again.header.id != first.header.id
        await wait_until(pilot, lambda: app.screen.controller.is_awaiting_input)
        assert {header.id for header in list_unfinished_headers()} == {first.header.id, again.header.id}


async def test_cancelled_same_deal_keeps_session():
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        await wait_until(pilot, lambda: table.controller.is_awaiting_input)
        await pilot.press("=")
        await wait_for_screen(pilot, Dialog)
        await pilot.press("escape")
        await wait_for_screen(pilot, TableScreen)
        assert app.screen is table
        assert table.controller.is_awaiting_input
        assert len(list_unfinished_headers()) == 1


async def test_new_session_keeps_seats_and_options():
    first = create_session("gurka", 11, seats=6, must_head="off")
    app = CardtableApp(Preferences(Settings(confirm=False)), first)
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        await wait_until(pilot, lambda: table.controller.is_awaiting_input)
        await pilot.press("n")
        await wait_until(pilot, lambda: isinstance(app.screen, TableScreen) and app.screen is not table)
        new = app.screen.session
        assert (new.header.seats, new.referee.options) == (first.header.seats, first.referee.options)
        assert new.header.seed != first.header.seed


@pytest.mark.parametrize(("key", "kind"), [("i", RulesPage), (",", SettingsPage), ("n", NewTablePage)])
async def test_double_escape_closes_one_page(key, kind):
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        await wait_for_screen(pilot, Picker)
        await pilot.press(key)
        page = (await wait_for_screen(pilot, kind)).query_one(Page)
        page.post_message(events.Key("escape", None))
        page.post_message(events.Key("escape", None))
        await wait_for_screen(pilot, Picker)
        await pilot.pause()
        assert is_shown(app, Picker)


async def test_palette_opens_right_after_page():
    app = CardtableApp(Preferences(Settings()))
    async with app.run_test() as pilot:
        await wait_for_screen(pilot, Picker)
        app.context.show("archive")
        app.action_show("palette")
        await wait_for_screen(pilot, PaletteScreen)


async def test_exit_while_dialog_opens():
    app = CardtableApp(Preferences(Settings()))
    async with app.run_test() as pilot:
        await wait_for_screen(pilot, Picker)
        app.push_screen(
            Dialog(app.preferences.appearance, "Name?", "A name.", "names it", "goes back", initial_text="Mine")
        )
        app.exit()
    assert app.unhandled_error is None


async def test_double_answer_closes_one_dialog():
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    async with app.run_test() as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        answers = []
        dialog = Dialog(app.preferences.appearance, "Name?", "A name.", "names it", "goes back", initial_text="Mine")
        app.push_screen(dialog, answers.append)
        await wait_for_screen(pilot, Dialog)
        dialog.action_answer()
        dialog.action_answer()
        await wait_until(pilot, lambda: answers)
        await pilot.pause()
        assert app.screen is table
        assert answers == ["Mine"]


@pytest.mark.parametrize("key", ["", "i", ",", "n", "e", "a", "c", "p", "r", "t"])
async def test_late_resize_event_on_page(key):
    create_session("rikiki", 11).close()
    app = CardtableApp(Preferences.load())
    async with app.run_test(size=(80, 24)) as pilot:
        lobby = await wait_for_screen(pilot, Picker)
        await pilot.pause()
        if key:
            await pilot.press(key)
            await wait_until(pilot, lambda: app.screen is not lobby and app.screen.is_mounted)
        app.screen.post_message(events.Resize(Size(60, 17), Size(60, 17)))
        await pilot.pause()
        assert app.screen.outer_size == (80, 24)


async def test_late_resize_event_at_table():
    app = CardtableApp(Preferences.load(), create_session("rikiki", 11))
    async with app.run_test(size=(80, 24)) as pilot:
        table = await wait_for_screen(pilot, TableScreen)
        table.post_message(events.Resize(Size(60, 17), Size(60, 17)))
        await pilot.pause()
        assert table.outer_size == (80, 24)


EARLY_KEYS = {
    "archive": "a slash k i n",
    "settings": ", 2 down down pagedown up",
    "a key to be bound": ", 4 down down enter f8",
    "players": "p down n Z o e",
    "new table": "n down down right",
    "score table": "c down down right",
    "rules": "i pagedown down",
    "keys of a page": "a question_mark",
    "palette": "ctrl+p r u l e s",
}


async def read_screen_after(keys, *, at_once):
    """Return the screen after these keys in the picker, with default settings."""
    paths.settings_file().unlink(missing_ok=True)
    app = CardtableApp(Preferences(Settings()))
    async with app.run_test() as pilot:
        await wait_for_screen(pilot, Picker)
        await pilot.pause()
        for each in keys.split():
            name = "?" if each == "question_mark" else "/" if each == "slash" else each
            send(app, [key_event(name)])
            if not at_once:
                await pilot.pause()
        await pilot.pause()
        await pilot.pause()
        return screen_text(app)


@pytest.mark.parametrize("page", EARLY_KEYS)
async def test_early_keys_reach_new_page_in_order(page):
    assert await read_screen_after(EARLY_KEYS[page], at_once=True) == await read_screen_after(
        EARLY_KEYS[page], at_once=False
    )


async def test_removed_screens_ignore_events():
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        await wait_for_screen(pilot, Picker)
        for page in ("comma", "a", "p", "n", "c"):
            await pilot.press(page)
            screen = await wait_for_screen(pilot, PageScreen)
            await app.pop_screen()
            for one in (screen, screen.page):
                await one.on_event(events.Key("down", None))
                await one.on_event(events.Key("enter", "\r"))
            await screen.page.on_event(next(click_events(3, 3)))
        dialog = Dialog(
            app.preferences.appearance,
            "Name?",
            "A name.",
            "names it",
            "goes back",
            initial_text="Mine",
            empty_label="none",
        )
        await app.push_screen(dialog)
        await app.pop_screen()
        await dialog.on_event(events.Key("x", "x"))
        await dialog.on_event(events.Paste("x"))
        table = TableScreen(app.context, SessionRunner(create_session("rikiki", 11)))
        await app.push_screen(table)
        await app.pop_screen()
        await table.on_event(events.Key("s", "s"))
        await table.on_event(next(click_events(3, 3)))


async def test_drafts_of_killed_program_are_removed(home):
    home.mkdir()
    draft = home / f"settings.toml.{get_ended_pid()}.new"
    draft.write_text("half")
    app = CardtableApp(Preferences.load())
    async with app.run_test() as pilot:
        await wait_until(pilot, lambda: not draft.exists())


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


async def test_early_keys_reach_settings_page():
    app = CardtableApp(Preferences(Settings()))
    async with app.run_test() as pilot:
        await wait_for_screen(pilot, Picker)
        await pilot.pause()
        app.action_show("settings")
        for each in ("2", "down", "down"):
            app.post_message(key_event(each))
        await pilot.pause()
        form = app.screen.page
        assert (form.part, form.cursor) == (TABS[1], form.selectable_rows[2].name)


async def test_key_sheet_scrolls_on_small_screen(monkeypatch):
    app = CardtableApp(Preferences(Settings()))
    async with app.run_test(size=(60, 18)) as pilot:
        await wait_for_screen(pilot, Picker)
        many = KeyBindings(TABLE.location, [key._replace(when=None) for key in TABLE.keys])
        monkeypatch.setattr(type(app.screen.page), "SCOPE", many)
        await pilot.press("question_mark")
        assert "these keys" not in screen_text(app)
        await pilot.press("down", "end")
        assert "these keys" in screen_text(app)
        await pilot.press("home")
        above = screen_text(app)
        assert "\u2193 more" in above
        app.screen.page.post_message(events.MouseScrollDown(None, 3, 3, 0, 0, 0, False, False, False, 3, 3))
        await pilot.pause()
        assert screen_text(app) != above
        await pilot.press("a")
        assert "scroll" not in screen_text(app)
        assert is_shown(app, Picker)
