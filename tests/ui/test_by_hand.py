"""A round of every game by keys alone, and by the mouse alone."""

import pytest

from cardtable.engine.cards import iter_cards
from cardtable.games import GAMES, KEYS
from cardtable.robots.kit.robot import decide, make_robot
from cardtable.session.session_events import Stage
from cardtable.ui.game_view.hand_cursor import PointAction, PointCard, PointOption, ScrollToCard, to_first_copy
from cardtable.ui.toolkit.page import KeyTarget
from tests.ui.table_host import TableApp, create_session, wait_for_input, wait_until

SIZES = {"king": (120, 40), "bridge": (60, 18)}
SEEDS = {"rummy": 26}
"""Deals with a short first round."""
DEFAULT_SIZE = (80, 24)
MAX_PRESSES = 60


async def press_until(pilot, keys, condition):
    """Press the keys in turn until a condition is true."""
    for number in range(MAX_PRESSES):
        if condition():
            return
        await pilot.press(keys[number % len(keys)])
    raise AssertionError(f"{keys} do not lead there")


async def act_by_keys(pilot, app, action):
    """Move the cursor to an action with arrows, Tab and Space, and press Enter."""
    for key, step in (("up", -1), ("down", 1)):
        if app.table.frame.game_view.shortcut(app.table.frame.view, app.table.frame.hand.cards, step) == action:
            await pilot.press(key)
            return
    if action in app.table.frame.box_actions:
        await press_until(pilot, ["tab"], lambda: app.table.frame.in_box)
        option = app.table.frame.box_actions.index(action)
        for keys in (["right"], ["left"], ["down"], ["right", "down"], ["left", "down"]):
            for _ in range(12):
                if app.table.frame.option == option:
                    break
                if not app.table.frame.in_box:
                    await pilot.press("tab")
                await pilot.press(*keys)
        assert app.table.frame.option == option
    elif uses := action.cards_used():
        if app.table.frame.in_box:
            await pilot.press("tab")
        cards = [to_first_copy(card) for card in iter_cards(uses)]
        for card in cards:
            choices = app.table.frame.hand.distinct_cards
            position = choices.index(app.table.frame.hand.at) if app.table.frame.hand.at in choices else -1
            on = (choices.index(card) - position) % len(choices) <= len(choices) // 2
            await press_until(
                pilot, ["shift+right" if on else "shift+left"], lambda card=card: app.table.frame.hand.at == card
            )
            if app.table.frame.hand.selects_cards and len(cards) > 1:
                await pilot.press("space")
    frame = app.table.frame
    assert (frame.box_actions[frame.option] if frame.in_box else frame.hand_action) == action
    await pilot.press("enter")


def locate_target(app, is_target):
    """Return the middle of the topmost hit box with a wanted target."""
    boxes = [spot for spot in app.table.view.canvas.hit_boxes if is_target(spot.target)]
    assert boxes, f"nothing to click in\n{app.table.view.canvas}"
    return boxes[-1].x + boxes[-1].width // 2, boxes[-1].y + boxes[-1].height // 2


async def click(pilot, app, is_target, times=1):
    await pilot.click(app.table.view, offset=locate_target(app, is_target), times=times)


async def scroll_to_card(pilot, app, card):
    """Click the ends of a hand that is longer than the screen until a card of it is visible."""
    for _ in range(3):
        targets = [spot.target for spot in app.table.view.canvas.hit_boxes]
        if PointCard(card) in targets:
            return
        cards = app.table.frame.hand.cards
        nearest = min(
            (target for target in targets if isinstance(target, ScrollToCard)),
            key=lambda target: abs(cards.index(target.card) - cards.index(card)),
        )
        await click(pilot, app, lambda target, nearest=nearest: target == nearest)


async def act_by_mouse(pilot, app, action):
    """Carry out an action by clicks."""
    view = app.table.frame.view
    on_mat = [spot for spot in app.table.view.canvas.hit_boxes if spot.target == PointAction(action)]
    if on_mat:
        await click(pilot, app, lambda target: target == PointAction(action), times=2)
    elif action in app.table.frame.box_actions:
        at = app.table.frame.box_actions.index(action)
        if not any(spot.target == PointOption(at) for spot in app.table.view.canvas.hit_boxes):
            await click(pilot, app, lambda target: target == KeyTarget("switch"))
        for _ in range(2):
            if app.table.frame.view is view and app.table.frame.waiting:
                await click(pilot, app, lambda target: target == PointOption(at))
    elif uses := action.cards_used():
        cards = [to_first_copy(card) for card in iter_cards(uses)]
        for card in cards:
            await scroll_to_card(pilot, app, card)
            await click(pilot, app, lambda target, card=card: target == PointCard(card))
        if app.table.frame.view is view and app.table.frame.waiting:
            if app.table.frame.hand.selects_cards:
                await click(pilot, app, lambda target: target == KeyTarget("play"))
            else:
                await click(pilot, app, lambda target: target == PointCard(cards[0]))
    else:
        await click(pilot, app, lambda target: target == KeyTarget("play"))


@pytest.mark.parametrize("act", [act_by_keys, act_by_mouse], ids=["keys", "mouse"])
@pytest.mark.parametrize("key", KEYS)
async def test_plays_round_of_every_game(key, act):
    seats = GAMES[key].about.usual_seats
    app = TableApp(create_session(key, SEEDS.get(key, 3), seats=seats, level="steady"))
    robot = make_robot("steady", key)
    async with app.run_test(size=SIZES.get(key, DEFAULT_SIZE)) as pilot:
        table = app.table.session.referee
        while app.table.frame.stage is Stage.PLAY or not table.scores:
            await wait_for_input(pilot, app)
            if app.table.frame.stage is not Stage.PLAY:
                break
            number = table.decisions
            await act(pilot, app, decide(robot, app.table.frame.view, 1, number))
            await wait_until(pilot, lambda number=number: table.decisions > number)
        assert len(table.scores) == 1
        if act is act_by_keys:
            await pilot.press("enter")
        else:
            await pilot.click(app.table.view, offset=(10, 10))
        await wait_until(pilot, lambda: app.table.frame.stage is not Stage.ROUND_END)
        await wait_for_input(pilot, app)
        assert table.round == 2 or app.table.frame.stage is Stage.SESSION_END
