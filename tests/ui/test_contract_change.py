"""King and Rifki: a contract can be changed until the first lead, and the table explains how."""

import re

import pytest

from cardtable.engine.tricks import Play
from cardtable.wording.log_entries import format_note
from tests.ui.screen_text import screen_text
from tests.ui.table_host import Host, asked, session

SMALL, TINY = (80, 24), (60, 18)


async def to_name(pilot, app):
    """Press Enter until the player must name a contract."""
    for _ in range(2000):
        await asked(pilot, app)
        if app.table.frame.waiting and app.table.frame.decision and app.table.frame.view.contract is None:
            return app.table.frame
        app.table.table_keys.action_commit()
    raise AssertionError("she never was to name one")


@pytest.mark.promise("The table", "A contract can be changed until the first lead.")
@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize(("key", "says"), [("king", "dealer"), ("rifki", "declarer")])
async def test_the_contract_is_changed_by_tab_and_enter_and_the_prompt_says_so(key, says, size):
    app = Host(session(key, 7))
    async with app.run_test(size=size) as pilot:
        await to_name(pilot, app)
        await pilot.press("enter")
        await asked(pilot, app)
        first = app.view.contract
        assert "You lead." in screen_text(app)
        assert "Tab changes it" in screen_text(app)
        assert "Tab choices" in screen_text(app)
        await pilot.press("tab", "down", "down", "enter")
        await asked(pilot, app)
        second = app.view.contract
        assert second not in (None, first)
        assert second.named.name in screen_text(app)
        assert "Tab changes it" in screen_text(app), "and again"
        told = [format_note(note, you=False) for note in app.table.frame.messages]
        assert any("changes to" in text or "instead" in text for text in told)
        if size == SMALL:
            await pilot.press("enter")
            await asked(pilot, app)
            assert says in screen_text(app)


@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_which_contracts_are_in_sight_is_told_beside_whose_are_left(key, size):
    app = Host(session(key, 7))
    async with app.run_test(size=size) as pilot:
        await to_name(pilot, app)
        await pilot.press("enter")
        await asked(pilot, app)
        await pilot.press("tab")
        screen = screen_text(app)
        whose = " ".join(app.table.frame.decision.marks)
        title = next(line for line in screen.splitlines() if app.table.frame.decision.title in line)
        assert whose in title
        hidden = [option.label for option in app.table.frame.decision.options if option.label not in screen]
        assert bool(re.search(rf"\d+–\d+ of {len(app.table.frame.decision.options)}\b", screen)) == bool(hidden)


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_the_contract_that_stands_cannot_be_named_again_and_says_why(key):
    app = Host(session(key, 7))
    async with app.run_test(size=SMALL) as pilot:
        await to_name(pilot, app)
        await pilot.press("enter")
        await asked(pilot, app)
        named, decisions = app.view.contract, app.table.session.referee.decisions
        await pilot.press("tab")
        stands = [
            i for i, option in enumerate(app.table.frame.decision.options) if option.action is None and option.note
        ]
        options = app.table.frame.decision.options
        app.table.cursor.go_to_option(next(i for i in stands if named.named.name.split()[0] in options[i].label))
        await pilot.press("enter")
        assert app.table.session.referee.decisions == decisions
        assert app.table.frame.reason
        await pilot.press("tab", "enter")
        await asked(pilot, app)
        assert app.table.session.referee.decisions > decisions, "a card can still be led"


@pytest.mark.promise("The table", "A contract can be changed until the first lead.")
@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_once_a_card_is_led_the_contract_stands(key):
    app = Host(session(key, 7))
    async with app.run_test(size=SMALL) as pilot:
        await to_name(pilot, app)
        await pilot.press("enter")
        await asked(pilot, app)
        named = app.view.contract
        await pilot.press("enter")
        await asked(pilot, app)
        assert all(isinstance(action, Play) or str(action).startswith(("offer", "claim")) for action in app.view.legal)
        assert "Tab changes it" not in screen_text(app)
        assert app.view.contract == named


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_take_back_before_the_lead_gives_the_contract_back(key):
    app = Host(session(key, 7))
    async with app.run_test(size=SMALL) as pilot:
        await to_name(pilot, app)
        await pilot.press("enter")
        await asked(pilot, app)
        first = app.view.contract
        await pilot.press("tab", "down", "down", "enter")
        await asked(pilot, app)
        await pilot.press("u")
        await asked(pilot, app)
        assert app.view.contract == first
