"""A round of every game by keys alone, and by the mouse alone."""

import pytest
from msgspec.structs import replace

from cardtable.engine.cards import iter_cards
from cardtable.games import KEYS
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.hand_cursor import (
    PointAction,
    PointCard,
    PointKind,
    PointOption,
    ScrollToCard,
    to_first_copy,
)
from cardtable.ui.toolkit.page import KeyTarget
from tests.ui.driver import LARGE, SMALL, TINY, sit_at
from tests.ui.table_host import QUICK, create_session

SESSIONS = {"king": (3, LARGE), "bridge": (3, TINY), "rummy": (26, SMALL)}
"""Seed and size of the window; deals with a short first round."""
MAX_PRESSES = 60


async def press_until(table, keys, condition):
    """Press the keys in turn until a condition is true."""
    for number in range(MAX_PRESSES):
        if condition():
            return
        await table.press(keys[number % len(keys)])
    raise AssertionError(f"{keys} do not lead there")


async def go_to_option(table, option):
    """Move the cursor to an option of the box with arrows and Tab."""
    await press_until(table, ["tab"], lambda: table.frame.in_box)
    for keys in ("right", "left", "down", "right down", "left down"):
        for _ in range(12):
            if table.frame.option == option:
                return
            if not table.frame.in_box:
                await table.press("tab")
            await table.press(keys)
    assert table.frame.option == option


async def choose_cards(table, cards, kind):
    """Move the cursor to each card with arrows, and mark it with Space if the action uses several.

    Then choose the kind of the action in the bar above the hand.
    """
    if table.frame.in_box:
        await table.press("tab")
    for card in cards:
        hand = table.frame.hand
        choices = hand.distinct_cards
        position = choices.index(hand.at) if hand.at in choices else -1
        is_near = (choices.index(card) - position) % len(choices) <= len(choices) // 2
        key = "shift+right" if is_near else "shift+left"
        await press_until(table, [key], lambda card=card: table.frame.hand.at == card)
        if hand.selects_cards and len(cards) > 1:
            await table.press("space")
    if not table.frame.hand.armed:
        await table.press("down")
    hand = table.frame.hand
    if hand.bar and hand.active_kind != kind:
        key = "down" if hand.bar.index(kind) > hand.bar.index(hand.active_kind) else "up"
        await press_until(table, [key], lambda: table.frame.hand.active_kind == kind)


def list_cards(action):
    return [to_first_copy(card) for card in iter_cards(action.cards_used())]


async def act_by_keys(table, action):
    """Move the cursor to an action with arrows, Tab and Space, and press Enter."""
    frame = table.frame
    if action in frame.box_actions:
        await go_to_option(table, frame.box_actions.index(action))
    elif cards := list_cards(action):
        await choose_cards(table, cards, action.kind)
    frame = table.frame
    if frame.hand.bar and not frame.in_box and len(frame.hand.list_actions()) > 1:
        await table.press("enter")  # the card fits several melds
        await go_to_option(table, table.frame.box_actions.index(action))
        frame = table.frame
    assert (frame.box_actions[frame.option] if frame.in_box else frame.hand_action) == action
    await table.press("enter")


def list_targets(table):
    return [box.target for box in table.screen.view.canvas.hit_boxes]


async def scroll_to_card(table, card):
    """Click the ends of a hand that is longer than the screen until a card of it is visible."""
    cards = table.frame.hand.cards
    for _ in range(3):
        targets = list_targets(table)
        if PointCard(card) in targets:
            return
        ends = [target for target in targets if isinstance(target, ScrollToCard)]
        await table.click_on(min(ends, key=lambda end: abs(cards.index(end.card) - cards.index(card))))


async def act_by_mouse(table, action):
    """Carry out an action by clicks."""
    view, bar = table.view, table.frame.hand.bar

    def is_asked():
        return table.view is view and table.frame.waiting

    if PointKind(action.kind) in list_targets(table) and action.cards_used():
        if action.kind == "meld":
            await table.press("backspace")
        else:
            await table.click_on(PointKind(action.kind))
    if bar and action.kind == "add":
        await scroll_to_card(table, action.card)
        if table.frame.hand.at != action.card:
            await table.click_on(PointCard(action.card))
    if PointAction(action) in list_targets(table):
        await table.click_on(PointAction(action), times=2)
    elif action in table.frame.box_actions:
        option = PointOption(table.frame.box_actions.index(action))
        if option not in list_targets(table):
            await table.click_on(KeyTarget("switch"))
        for _ in range(2):
            if is_asked():
                await table.click_on(option)
    elif cards := list_cards(action):
        for card in cards:
            await scroll_to_card(table, card)
            await table.click_on(PointCard(card))
        if is_asked():
            await table.click_on(KeyTarget("play") if table.frame.hand.selects_cards else PointCard(cards[0]))
    else:
        await table.click_on(KeyTarget("play"))


@pytest.mark.parametrize("act", [act_by_keys, act_by_mouse], ids=["keys", "mouse"])
@pytest.mark.parametrize("key", KEYS)
async def test_plays_round_of_every_game(key, act):
    robot, (seed, size) = make_robot("steady", key), SESSIONS.get(key, (3, SMALL))
    async with sit_at(create_session(key, seed, level="steady"), size) as table:
        while table.frame.stage is Stage.PLAY:
            number = table.referee.decisions
            await act(table, decide(robot, table.view, 1, number))
            await table.wait_for_decision(number + 1)
            await table.wait_for_input()
        assert len(table.referee.scores) == 1
        await (table.press("enter") if act is act_by_keys else table.click(10, 10))
        await table.wait_until(lambda: table.frame.stage is not Stage.ROUND_END)
        await table.wait_for_input()
        assert table.referee.round == 2 or table.frame.stage is Stage.SESSION_END


CHOOSING_KEYS = "left right up down h j k l tab home end shift+left shift+right 1 2 t backspace"
"""Keys that choose or look in the preset vim, which has the usual ones, too."""


@pytest.mark.parametrize("key", KEYS)
async def test_only_enter_commits(key):
    keys = " space ".join(CHOOSING_KEYS.split())
    async with sit_at(create_session(key, 3), settings=replace(QUICK, key_preset="vim")) as table:
        tried = set()
        while table.frame.is_in_play:
            view = table.view
            kinds = frozenset(action.kind for action in view.legal)
            if kinds not in tried:
                tried.add(kinds)
                await table.press_at_once(keys)
                assert table.view is view, "no other key plays, draws, bids or ends a turn"
            table.act("drop", "play")
            await table.wait_until(lambda view=view: table.view is not view)
            await table.wait_for_input()
        stage = table.frame.stage
        await table.press_at_once(keys)
        assert table.frame.stage is stage
        assert table.app.requests == []
