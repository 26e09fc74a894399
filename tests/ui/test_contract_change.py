"""King and Rifki: a contract can be changed until the first lead, and the table explains how."""

from contextlib import asynccontextmanager

import pytest

from cardtable.engine.tricks import Play
from cardtable.wording.log_entries import format_note
from tests.ui.driver import SMALL, TINY, sit_at
from tests.ui.table_host import create_session


@asynccontextmanager
async def sit_with_contract(key, size=SMALL):
    """Play until the player must name a contract, name the selected one and wait for the first lead."""
    async with sit_at(create_session(key, 7), size, until=lambda frame: frame.waiting and frame.decision) as table:
        assert table.view.contract is None
        await table.press("enter")
        await table.wait_for_input()
        yield table


@pytest.mark.parametrize("size", [SMALL, TINY])
@pytest.mark.parametrize(("key", "role"), [("king", "dealer"), ("rifki", "declarer")])
async def test_tab_and_enter_change_contract_and_undo_restores_it(key, role, size):
    async with sit_with_contract(key, size) as table:
        first = table.view.contract
        await table.sees("You lead.", "Tab changes it", "Tab contract")
        await table.press("tab down down enter")
        await table.wait_for_input()
        second = table.view.contract
        assert second not in (None, first)
        assert second.named.name in table.text
        assert "Tab changes it" in table.text, "it can be changed more than once"
        notes = [format_note(note, you=False) for note in table.frame.messages]
        assert any("changes to" in text or "instead" in text for text in notes)
        await table.press("u enter")
        await table.wait_until(lambda: table.view.contract == first)
        if size == SMALL:
            await table.press("enter")
            await table.wait_for_input()
            await table.sees(role)


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_current_contract_cannot_be_named_again(key):
    async with sit_with_contract(key) as table:
        named, decisions = table.view.contract, table.referee.decisions
        await table.press("tab")
        noted = [option for option in table.frame.decision.options if option.action is None and option.note]
        current = next(option for option in noted if named.named.name.split()[0] in option.label)
        table.screen.cursor.go_to_option(table.frame.decision.options.index(current))
        await table.press("enter")
        assert table.referee.decisions == decisions
        assert table.frame.reason
        await table.press("tab enter")
        await table.wait_for_input()
        assert table.referee.decisions > decisions, "a card can still be led"


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_escape_goes_back_from_the_contracts_to_the_cards(key):
    async with sit_with_contract(key) as table:
        await table.press("tab")
        assert table.frame.in_box
        await table.sees("Esc cards")
        await table.press("escape")
        assert not table.frame.in_box
        assert not table.app.requests, "the table is not left"
        await table.press("escape")
        assert table.app.requests


@pytest.mark.parametrize("key", ["king", "rifki"])
async def test_contract_is_final_after_first_lead(key):
    async with sit_with_contract(key) as table:
        named = table.view.contract
        await table.press("enter")
        await table.wait_for_input()
        assert all(
            isinstance(action, Play) or str(action).startswith(("offer", "claim")) for action in table.view.legal
        )
        assert "Tab changes it" not in table.text
        assert table.view.contract == named
