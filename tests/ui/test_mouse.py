"""Mouse at the table: clicks, the wheel, and dragging cards to the middle."""

from types import SimpleNamespace

import pytest

from cardtable.engine.cards import BIT, Card
from cardtable.engine.drawing import DRAW
from cardtable.engine.tricks import Play
from cardtable.games.bridge.rules.actions import DONE
from cardtable.games.rummy.rules.actions import Drop
from cardtable.ui.game_view.hand_cursor import (
    MAT,
    HintRow,
    PointAction,
    PointCard,
    PointOption,
)
from cardtable.ui.toolkit.page import KeyTarget
from tests.ui.bursts import click_events, send
from tests.ui.driver import sit_at
from tests.ui.table_host import create_session

CARD_GAMES = ["rikiki", "gurka", "king", "bridge"]


def is_free_bid(frame):
    return frame.in_box and len(frame.view.legal) > 5


def is_card_choice(frame):
    """Return true if the player has to choose one of several cards."""
    return frame.waiting and not frame.in_box and sum(map(frame.hand.can_select, frame.hand.cards)) > 1


@pytest.mark.parametrize(
    ("key", "is_reached", "keys", "get_target", "prompt"),
    [
        *[(key, is_card_choice, "", lambda frame: PointCard(frame.hand.at), " to play it") for key in CARD_GAMES],
        ("gurka", is_card_choice, "left h", lambda frame: PointCard(frame.hand.at), ""),
        *[("gurka", is_card_choice, "h h", lambda _, row=row: HintRow(row), "") for row in (0, 1)],
        ("rikiki", is_free_bid, "", lambda frame: PointOption(frame.option), " to bid"),
    ],
    ids=[*CARD_GAMES, "hinted card", "first row of a hint", "second row of a hint", "bid"],
)
async def test_preselected_choice_needs_two_clicks(key, is_reached, keys, get_target, prompt):
    async with sit_at(create_session(key, 11), until=is_reached) as table:
        before = table.decisions
        await table.press(keys)
        if "h" in keys:
            await table.wait_until(lambda: table.frame.advice)
        target = get_target(table.frame)
        await table.click_on(target)
        assert (table.decisions, get_target(table.frame)) == (before, target)
        assert not isinstance(target, HintRow) or table.frame.hint_row == target.index
        await table.sees(f"Click again{prompt}")
        await table.click_on(target)
        await table.wait_for_decision(before + 1)


async def test_keyboard_selected_card_needs_one_click():
    async with sit_at(create_session("gurka", 11), until=is_card_choice) as table:
        before = table.decisions
        await table.press("right")
        await table.click_on(PointCard(table.frame.hand.at))
        await table.wait_for_decision(before + 1)
        await table.play_until(is_card_choice)
        before = table.decisions
        await table.click_on(PointCard(table.frame.hand.at), times=2)
        await table.wait_for_decision(before + 1)


async def test_click_on_box_of_decision_just_made_is_ignored():
    async with sit_at(create_session("rikiki", 11), until=is_free_bid) as table:
        before = table.decisions
        point = table.locate(PointOption(table.frame.option))
        table.screen.controller.submit(table.frame.box_actions[0])
        send(table.app, [*click_events(*point)])
        await table.wait_for_decision(before + 1)


@pytest.mark.parametrize("key", ["king", "rikiki", "bridge", "rifki", "ten_down"])
async def test_click_on_mat_plays_nothing(key):
    async with sit_at(create_session(key, **{"offers": "off"} if key == "king" else {})) as table:
        await table.play_until(lambda frame: frame.waiting and len(frame.view.legal) == 1)
        before = table.decisions
        await table.click_on(MAT, times=2)
        await table.pilot.pause()
        assert table.decisions == before


async def test_click_on_stock_draws():
    async with sit_at(create_session("bridge", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and frame.view.legal == (DRAW,))
        before = table.decisions
        await table.click_on(PointAction(DRAW))
        await table.wait_for_decision(before + 1)


async def test_click_on_stock_explains_refusal():
    async with sit_at(create_session("bridge", 11)) as table:
        await table.play_until(lambda frame: frame.waiting and DRAW not in frame.view.legal)
        before = table.decisions
        await table.click_on(PointAction(DRAW))
        assert table.frame.reason == table.frame.game.explain_illegal(table.view, 0) != ""
        await table.sees(table.frame.reason)
        assert table.decisions == before


def can_end_turn(frame):
    """Return true if the turn can be ended or continued."""
    return frame.waiting and DONE in frame.view.legal and frame.hand.selectable


async def test_right_button_ends_bridge_turn():
    async with sit_at(create_session("bridge", 3), until=can_end_turn) as table:
        before = table.decisions
        assert not table.frame.in_box
        await table.click_on(MAT, button=3)
        await table.wait_for_decision(before + 1)
        assert DONE not in table.frame.view.legal


@pytest.mark.parametrize("key", ["gurka", "rikiki", "rummy"])
async def test_right_button_plays_nothing_in_other_games(key):
    async with sit_at(create_session(key, 11)) as table:
        before = table.decisions
        for spot in [*table.screen.view.canvas.hit_boxes]:
            if not isinstance(spot.target, KeyTarget):
                await table.pilot.click(table.screen.view, offset=(spot.x, spot.y), button=3, times=2)
        assert table.decisions == before
        await table.press("right")
        assert table.decisions == before


async def start_drag(table, card):
    await table.pilot.mouse_down(offset=table.locate(PointCard(card)))
    await table.pilot.hover(offset=table.locate(MAT))


async def drag(table, card, to=None):
    """Drag a card to a place, by default to the middle of the table."""
    await start_drag(table, card)
    to = to or table.locate(MAT)
    await table.pilot.hover(offset=to)
    await table.pilot.mouse_up(offset=to)
    await table.pilot.pause()


def list_playable_cards(frame):
    return [card for card in frame.hand.cards if frame.hand.can_select(card)]


def has_illegal_cards(frame):
    """Return True if some, but not all, cards of the hand are legal."""
    plays = [action for action in frame.view.legal if isinstance(action, Play)]
    return frame.waiting and 0 < len(plays) < len(frame.hand.cards)


def can_discard(frame):
    return frame.waiting and any(isinstance(action, Drop) for action in frame.view.legal)


def sit_at_rikiki(until=has_illegal_cards):
    return sit_at(create_session("rikiki", 11), until=until)


@pytest.mark.parametrize(
    ("key", "seats", "until"),
    [("rikiki", 4, has_illegal_cards), ("bridge", 3, list_playable_cards), ("rummy", 2, can_discard)],
)
async def test_drag_to_middle_plays_card(key, seats, until):
    async with sit_at(create_session(key, 5, seats=seats), until=until) as table:
        before, card = table.referee.decisions, list_playable_cards(table.frame)[0]
        await drag(table, card)
        await table.wait_for_decision(before + 1)
        await table.wait_for_input()
        assert card not in table.frame.hand.cards


async def test_release_outside_middle_plays_nothing():
    async with sit_at_rikiki() as table:
        before, card = table.referee.decisions, list_playable_cards(table.frame)[-1]
        await drag(table, card, (70, 20))
        assert not table.screen.view.shown_sprites
        assert table.referee.decisions == before
        assert table.frame.waiting
        assert table.frame.hand.at == card, "the card is selected, but not played"


async def test_escape_cancels_drag():
    async with sit_at_rikiki() as table:
        before, card = table.referee.decisions, list_playable_cards(table.frame)[0]
        await start_drag(table, card)
        await table.press("escape")
        assert not table.screen.view.shown_sprites
        await table.pilot.hover(offset=table.locate(MAT))
        await table.pilot.mouse_up(offset=table.locate(MAT))
        await table.pilot.pause()
        assert not table.screen.view.shown_sprites
        assert table.app.screen is table.screen
        assert table.referee.decisions == before
        await drag(table, card)
        await table.wait_for_decision(before + 1)


async def test_drag_of_illegal_card_shows_reason():
    async with sit_at_rikiki() as table:
        before, frame = table.referee.decisions, table.frame
        card = next(card for card in frame.hand.cards if not frame.hand.can_select(card))
        await drag(table, card)
        assert table.frame.reason == frame.game.explain_illegal(frame.view, BIT[card]) != ""
        assert table.referee.decisions == before


async def test_drag_and_click_are_distinct():
    async with sit_at_rikiki(until=lambda frame: frame.waiting and len(list_playable_cards(frame)) > 1) as table:
        before = table.referee.decisions
        card = next(card for card in list_playable_cards(table.frame) if card != table.frame.hand.at)
        await table.click_on(PointCard(card))
        assert table.frame.hand.at == card
        assert table.referee.decisions == before
        await drag(table, card, table.locate(PointCard(card)))
        assert table.referee.decisions == before, "a card dropped in its place does not count as clicked"
        await table.click_on(PointCard(card))
        await table.wait_for_decision(before + 1)


def sit_at_rummy():
    return sit_at(create_session("rummy", 5, seats=2), until=lambda frame: frame.waiting and frame.view.drew)


def show_26_cards(table):
    table.screen.cursor.reorder_hand(map(Card, range(26)))
    table.screen.cursor.go_to_card(Card(0))
    table.screen.show()


async def test_wheel_scrolls_long_hand():
    async with sit_at_rummy() as table:
        short = table.frame.hand.at
        await turn_wheel(table, 1)
        assert table.frame.hand.at == short, "the wheel does not scroll a hand that is completely visible"
        show_26_cards(table)
        await turn_wheel(table, 20)
        assert table.frame.hand.at == 20
        assert table.locate(PointCard(Card(20)))
        await turn_wheel(table, -1)
        assert table.frame.hand.at == 19
        await turn_wheel(table, 40)
        assert table.frame.hand.at == 25, "the wheel stops at the ends"
        await turn_wheel(table, -40)
        assert table.frame.hand.at == 0


CORNER = SimpleNamespace(x=0, y=0)


async def turn_wheel(table, steps, at=CORNER):
    """Turn the wheel over the table faster than it is painted."""
    for _ in range(abs(steps)):
        if steps > 0:
            table.screen.on_mouse_scroll_down(at)
        else:
            table.screen.on_mouse_scroll_up(at)
    await table.pilot.pause()
