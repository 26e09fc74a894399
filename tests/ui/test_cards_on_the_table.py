"""Cards in the middle of the table, chosen by keys and mouse together with cards of the hand."""

import re
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import BIT, iter_cards
from cardtable.testing.cases import Case, LawFailure
from cardtable.testing.table_checks import check_input
from tests.laws.sessions import CASES
from tests.overriding import override
from tests.toy import eights, layaway, scopetta
from tests.toy.game_plugins import plug_in
from tests.toy.scopetta import GAME
from tests.ui.driver import SIZES, SMALL, sit_at
from tests.ui.table_host import create_session


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, scopetta)


def list_captures(frame):
    return [action for action in frame.view.legal if isinstance(action, scopetta.Capture)]


@asynccontextmanager
async def sit_at_capture(number, size=SMALL):
    """Play until a card can take this number of cards; yield the table and the action."""

    def list_wanted(frame):
        return [one for one in list_captures(frame) if one.taken.bit_count() == number]

    async with sit_at(create_session("scopetta", 5, seats=2), size, until=list_wanted) as table:
        yield table, list_wanted(table.frame)[0]


async def choose_by_keys(table, action):
    """Go to each card of an action by the arrow keys, and choose it with Space."""
    for card in iter_cards(action.cards_used()):
        hand = table.frame.hand
        if (card in hand.table) != hand.is_on_table:
            await table.press("up" if card in hand.table else "down")
        for _ in range(20):
            if table.frame.hand.at != card:
                await table.press("right")
        assert table.frame.hand.at == card
        await table.press("space")


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("number", [1, 2])
async def test_capture_by_keys(size, number):
    async with sit_at_capture(number, size) as (table, action):
        await table.sees("←→↑ card")
        await choose_by_keys(table, action)
        await table.sees("●", "Enter capture")
        await table.press("enter")
        await table.wait_for_input()
        assert action.cards_used() & ~table.view.captured[0] == 0


async def test_card_with_two_actions_opens_box():
    async with sit_at(create_session("scopetta", 5, seats=2)) as table:
        at = table.frame.hand.at
        await table.press("space enter")
        assert table.frame.in_box
        assert {str(action).split()[0] for action in table.frame.decision.actions} == {"lay", "bury"}
        await table.press("tab")
        assert table.frame.decision is None
        assert table.frame.hand.chosen == BIT[at]
        await table.press("enter enter")
        await table.wait_for_input()
        assert not table.view.hand & BIT[at]


@pytest.mark.parametrize(
    "case", [case for case in CASES if not re.search("clock|open_hands|length|limit", str(case))], ids=str
)
def test_actions_of_games_can_be_chosen(case):
    """Rules that change no action are left out."""
    check_input(case, 1)


@pytest.mark.parametrize("seats", range(2, 9))
@pytest.mark.parametrize("module", [eights, layaway, scopetta])
def test_actions_of_toys_can_be_chosen(module, seats):
    check_input(Case(module.GAME, seats, module.GAME.options()), 1)


def hide_table(view):
    """Scene in which the cards of the table are face down."""
    return tuple(
        [replace(z, cards=(None,) * len(z.cards)) if z.name == "table" else z for z in scopetta.GAME.scene(view)]
    )


class Same(scopetta.Capture, frozen=True):
    """Action whose text does not tell which cards it uses."""

    @property
    def notation(self):
        return "something"


def with_legal(legal):
    return override(GAME, start=type("State", (scopetta.ScopettaState,), {"legal": legal}))


FAULTS = {
    "card face down": (override(GAME, scene=hide_table), "no key reaches"),
    "text without cards": (
        with_legal(lambda state: [Same(card, BIT[card]) for card in iter_cards(state.hands[state.turn])]),
        "in plain text",
    ),
}
"""Planted faults, and what the law says."""


@pytest.mark.parametrize(("game", "message"), FAULTS.values(), ids=FAULTS)
def test_planted_fault_is_named(game, message):
    with pytest.raises(LawFailure, match=r"seat \d cannot choose .*" + message):
        [check_input(Case(game, 2, game.options()), seed) for seed in range(5)]
