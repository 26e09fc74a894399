"""King and Rifki: a contract can be changed until the first lead, and the table explains how."""

import re

import pytest

from cardtable.engine.tricks import Play
from cardtable.wording.log_entries import format_note
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, play_until, wait_for_input

SMALL, TINY = (80, 24), (60, 18)


async def play_until_contract_choice(pilot, app):
    """Press Enter until the player must name a contract."""
    return await play_until(pilot, app, lambda frame: frame.waiting and frame.decision and frame.view.contract is None)


async def name_contract(pilot, app):
    """Play until the player must name a contract, name the selected one and wait for the first lead."""
    await play_until_contract_choice(pilot, app)
    await pilot.press("enter")
    await wait_for_input(pilot, app)


@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize(("key", "role"), [("king", "dealer"), ("rifki", "declarer")])
async def test_tab_and_enter_change_contract(key, role, size):
    app = TableApp(create_session(key, 7))
    async with app.run_test(size=size) as pilot:
        await name_contract(pilot, app)
        first = app.view.contract
        assert "You lead." in screen_text(app)
        assert "Tab changes it" in screen_text(app)
        assert "Tab options" in screen_text(app)
        await pilot.press("tab", "down", "down", "enter")
        await wait_for_input(pilot, app)
        second = app.view.contract
        assert second not in (None, first)
        assert second.named.name in screen_text(app)
        assert "Tab changes it" in screen_text(app), "it can be changed more than once"
        notes = [format_note(note, you=False) for note in app.table.frame.messages]
        assert any("changes to" in text or "instead" in text for text in notes)
        if size == SMALL:
            await pilot.press("enter")
            await wait_for_input(pilot, app)
            assert role in screen_text(app)


@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_contract_list_shows_visible_range(key, size):
    app = TableApp(create_session(key, 7))
    async with app.run_test(size=size) as pilot:
        await name_contract(pilot, app)
        await pilot.press("tab")
        screen = screen_text(app)
        marks = " ".join(app.table.frame.decision.marks)
        title = next(line for line in screen.splitlines() if app.table.frame.decision.title in line)
        assert marks in title
        hidden = [option.label for option in app.table.frame.decision.options if option.label not in screen]
        assert bool(re.search(rf"\d+–\d+ of {len(app.table.frame.decision.options)}\b", screen)) == bool(hidden)


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_current_contract_cannot_be_named_again(key):
    app = TableApp(create_session(key, 7))
    async with app.run_test(size=SMALL) as pilot:
        await name_contract(pilot, app)
        named, decisions = app.view.contract, app.table.session.referee.decisions
        await pilot.press("tab")
        indices = [
            i for i, option in enumerate(app.table.frame.decision.options) if option.action is None and option.note
        ]
        options = app.table.frame.decision.options
        app.table.cursor.go_to_option(next(i for i in indices if named.named.name.split()[0] in options[i].label))
        await pilot.press("enter")
        assert app.table.session.referee.decisions == decisions
        assert app.table.frame.reason
        await pilot.press("tab", "enter")
        await wait_for_input(pilot, app)
        assert app.table.session.referee.decisions > decisions, "a card can still be led"


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_contract_is_final_after_first_lead(key):
    app = TableApp(create_session(key, 7))
    async with app.run_test(size=SMALL) as pilot:
        await name_contract(pilot, app)
        named = app.view.contract
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert all(isinstance(action, Play) or str(action).startswith(("offer", "claim")) for action in app.view.legal)
        assert "Tab changes it" not in screen_text(app)
        assert app.view.contract == named


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_undo_restores_previous_contract(key):
    app = TableApp(create_session(key, 7))
    async with app.run_test(size=SMALL) as pilot:
        await name_contract(pilot, app)
        first = app.view.contract
        await pilot.press("tab", "down", "down", "enter")
        await wait_for_input(pilot, app)
        await pilot.press("u")
        await wait_for_input(pilot, app)
        assert app.view.contract == first
