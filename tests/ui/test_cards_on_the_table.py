"""Cards in the middle of the table, chosen by keys and mouse together with cards of the hand."""

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import BIT, iter_cards, mask_of
from cardtable.engine.game import Zone
from cardtable.session.session_events import Stage
from cardtable.testing.cases import Case, LawFailure
from cardtable.testing.table_checks import check_input
from cardtable.ui.game_view.hand_cursor import PointCard
from tests.laws.sessions import CASES
from tests.overriding import override
from tests.toy import eights, layaway, scopetta
from tests.toy.game_plugins import plug_in
from tests.toy.scopetta import CAPTURE, GAME, LAY
from tests.ui.screen_text import screen_text
from tests.ui.table_host import TableApp, create_session, open_table, play_until, wait_for_input

SIZES = [(60, 18), (80, 24), (120, 40)]


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    plug_in(monkeypatch, scopetta)


def list_captures(frame):
    return [action for action in frame.view.legal if isinstance(action, scopetta.Capture)]


async def find_capture(pilot, app, number):
    """Play until a card can take this number of cards; return the action."""
    frame = await play_until(
        pilot,
        app,
        lambda frame: frame.waiting and [one for one in list_captures(frame) if one.taken.bit_count() == number],
    )
    return next(one for one in list_captures(frame) if one.taken.bit_count() == number)


async def choose_by_keys(pilot, app, action):
    """Go to each card of an action by the arrow keys, and choose it with Space."""
    for card in iter_cards(action.cards_used()):
        hand = app.table.frame.hand
        if (card in hand.table) != hand.is_on_table:
            await pilot.press("up" if card in hand.table else "down")
        for _ in range(20):
            if app.table.frame.hand.at != card:
                await pilot.press("right")
        assert app.table.frame.hand.at == card
        await pilot.press("space")


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("number", [1, 2])
async def test_capture_by_keys(size, number):
    app = TableApp(create_session("scopetta", 5, seats=2, level="random"))
    async with open_table(app, size) as pilot:
        action = await find_capture(pilot, app, number)
        assert "←→↑ card" in screen_text(app)
        await choose_by_keys(pilot, app, action)
        assert "●" in screen_text(app)
        assert "Enter capture" in screen_text(app)
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert action.cards_used() & ~app.view.captured[0] == 0


async def test_capture_by_mouse():
    app = TableApp(create_session("scopetta", 5, seats=2, level="random"))
    async with open_table(app, (80, 24)) as pilot:
        action = await find_capture(pilot, app, 1)
        canvas = app.table.view.canvas
        for card in iter_cards(action.cards_used()):
            spot = next(spot for spot in canvas.hit_boxes if spot.target == PointCard(card))
            await pilot.click(offset=(spot.x, spot.y))
            await pilot.pause()
        assert app.table.frame.hand.chosen == action.cards_used()
        await pilot.press("enter")
        await wait_for_input(pilot, app)
        assert action.cards_used() & ~app.view.captured[0] == 0


async def test_card_with_two_actions_opens_box():
    app = TableApp(create_session("scopetta", 5, seats=2, level="random"))
    async with open_table(app, (80, 24)) as pilot:
        at = app.table.frame.hand.at
        await pilot.press("space", "enter")
        assert app.table.frame.in_box
        assert {str(action).split()[0] for action in app.table.frame.decision.actions} == {"lay", "bury"}
        await pilot.press("tab")
        assert app.table.frame.decision is None
        assert app.table.frame.hand.chosen == BIT[at]
        await pilot.press("enter", "enter")
        await wait_for_input(pilot, app)
        assert not app.view.hand & BIT[at]


async def test_session_with_captures_is_played_to_its_end():
    app = TableApp(create_session("scopetta", 3, seats=3))
    async with open_table(app, (60, 18)) as pilot:
        while app.table.frame.stage is not Stage.SESSION_END:
            await wait_for_input(pilot, app)
            if app.table.frame.stage is Stage.PLAY:
                captures = list_captures(app.table.frame)
                action = captures[0] if captures else LAY(iter_cards(app.view.hand)[0])
                await choose_by_keys(pilot, app, action)
            await pilot.press("enter")
            if app.table.frame.in_box:
                await pilot.press("enter")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_actions_of_games_can_be_chosen(case):
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


def add_zones(view):
    """Scene with so many zones that the last one has no room."""
    zones = scopetta.GAME.scene(view)
    return (*[Zone(f"pile {number}", None, (None,)) for number in range(40)], *zones)


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


def test_choice_is_shown_among_many_zones():
    game = override(GAME, scene=add_zones)
    for seed in range(3):
        check_input(Case(game, 2, game.options()), seed)


def test_cards_used_are_those_of_hand_and_table():
    action = CAPTURE(5, mask_of([1, 2]))
    assert iter_cards(action.cards_used()) == [1, 2, 5]
